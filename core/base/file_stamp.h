// Detects changes of a file without reading it.
#pragma once

#include <cstdint>
#include <filesystem>

namespace tilescope {

/// A file that was rewritten, in place or by another file that took its name, has another stamp.
struct FileStamp {
    std::uint64_t device = 0;
    std::uint64_t inode = 0; ///< 0 where there is no file
    std::int64_t bytes = 0;
    std::int64_t modifiedSeconds = 0;
    std::int64_t modifiedNanoseconds = 0;

    [[nodiscard]] bool exists() const { return inode != 0; }
    friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

FileStamp stampOf(const std::filesystem::path& file);

} // namespace tilescope
