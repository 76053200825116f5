// What is in a directory.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilescope {

/// The names in a directory, without "." and ".."; none if it cannot be read. The iterator of
/// std::filesystem ends the program where memory lacks: its steps may not throw, and allocate.
std::vector<std::string> namesIn(const std::filesystem::path& directory);

} // namespace tilescope
