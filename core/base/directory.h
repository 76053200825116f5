// The contents of a directory.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilescope {

/// The names in a directory, without "." and ".."; empty if it cannot be read. The iterator of
/// std::filesystem ends the program when out of memory: its steps are noexcept, and allocate.
std::vector<std::string> namesIn(const std::filesystem::path& directory);

} // namespace tilescope
