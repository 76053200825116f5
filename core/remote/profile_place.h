// Where a profile is opened from: a file, a folder, a capture, or a remote one of these.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "core/remote/remote_files.h"

namespace tilescope {

/// What takes time before a profile can be opened.
enum class Preparing { Copying, Importing };
/// Told with the fraction that is done, 0 to 1.
using PrepareProgress = std::function<void(Preparing what, double done)>;

/// A folder that has a profile.pop stands for it.
std::filesystem::path profileIn(const std::filesystem::path& path);

/// The file itself, or the copy of a remote one in the cache. The one place in which names given by
/// users become files.
std::filesystem::path localProfile(const std::filesystem::path& name, const SshProgram& ssh,
                                   const PrepareProgress& progress = {},
                                   const std::stop_token& stop = {});

/// Likewise, and what a capture becomes (profileToOpen).
std::filesystem::path openableProfile(const std::filesystem::path& name, const SshProgram& ssh,
                                      const PrepareProgress& progress = {},
                                      const std::stop_token& stop = {});

/// Likewise the profile of several traces of one host, see profileOfTraces().
std::filesystem::path openableTraces(std::span<const std::filesystem::path> traces,
                                     const PrepareProgress& progress = {},
                                     const std::stop_token& stop = {});

/// The folder of copies in the cache.
std::filesystem::path remoteCopies();

/// The name that opens a file of the cache again: the address that it is a copy of, or the capture
/// that it was made of; of other files, their own.
std::filesystem::path openedFrom(const std::filesystem::path& file);

/// Whether a remote file is no longer what was copied into the cache. False for other files. Asks
/// the user nothing. Throws UserError if it cannot tell, and Cancelled after a stop.
bool changedSinceCopied(const std::filesystem::path& file, const SshProgram& ssh,
                        const std::stop_token& stop = {});

} // namespace tilescope
