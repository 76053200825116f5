// Files that are imported when they are opened, once each.
#pragma once

#include <filesystem>
#include <span>

#include "core/import/import.h"

namespace tilescope {

/// $XDG_CACHE_HOME/tilescope/imported, or the same under ~/.cache.
std::filesystem::path importCache();

/// The file to open for a path: itself, or the profile that a capture becomes in a folder of the
/// cache (empty: importCache()). One that was imported before is found there by its contents.
/// Throws UserError for a file that can neither be opened nor imported, and Cancelled after a stop.
std::filesystem::path profileToOpen(const std::filesystem::path& file,
                                    const std::filesystem::path& cache,
                                    const ImportProgress& progress = {},
                                    const std::stop_token& stop = {});

/// Likewise the one profile that traces of several programs of a host become.
std::filesystem::path profileOfTraces(std::span<const std::filesystem::path> traces,
                                      const std::filesystem::path& cache,
                                      const ImportProgress& progress = {},
                                      const std::stop_token& stop = {});

} // namespace tilescope
