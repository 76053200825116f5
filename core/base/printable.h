// Text that is safe on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tilescope {

enum class Lines { Join, Keep };

/// Names come from models: whatever controls a terminal (escape sequences, bidi controls, and line
/// breaks unless they are kept) becomes blanks. All text for people goes through this, and
/// everything that a program prints on a terminal (terminal_buffer.h); JSON and CSV in a file are
/// data, and keep names as they are.
std::string printable(std::string_view text, Lines lines = Lines::Join);

/// The beginning of a text: at most so many bytes, of whole characters of UTF-8.
std::string_view firstBytes(std::string_view text, std::size_t most);

/// A message for people; of an extremely long one, its beginning and end.
std::string boundedMessage(std::string text);

} // namespace tilescope
