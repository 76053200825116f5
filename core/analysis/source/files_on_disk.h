// Whether the user's files are still as they were when the model was compiled.
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/analysis/source/source_names.h"

namespace tilescope {

enum class SourceFileState : std::uint8_t {
    NotRecorded, ///< the profile has no text of it
    Recorded,    ///< it has, and no file was compared with it: none is known, or it is not read
    Same,        ///< as the file on disk
    Changed,     ///< the file on disk differs
    Missing,     ///< nothing has its name, or what is no file
};
template <>
inline constexpr auto enumNames<SourceFileState> =
    std::to_array<std::string_view>({"notRecorded", "recorded", "same", "changed", "missing"});

/// The folder that holds all of the user's files, if the profile is in it, too. A profile names the
/// paths of its files and may be anybody's, so no other folder is looked into unless the user
/// chooses one; nor is the root of the file system or what the home folder is in. Empty for none.
std::filesystem::path folderOfSources(const ProfileView& profile, const SourceCode& source);

/// States by file. Of the folder's files, by their short paths, only regular ones are read that no
/// link leads to, and none that is larger than the recorded text can be: behind a link a file is
/// not compared, nor one that may not be read. An empty folder: nothing is compared.
IdVector<SourceFileId, SourceFileState> statesOnDisk(const SourceNames& names,
                                                     const std::filesystem::path& folder);

} // namespace tilescope
