// A short fingerprint of a file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tilescope {

/// 16 hexadecimal digits that change with the file's bytes: to notice a change, not a forgery.
/// Throws UserError if it cannot be read or is not a regular file.
std::string fileDigest(const std::filesystem::path& file);
/// The same for a text.
std::string textDigest(std::string_view text);

} // namespace tilescope
