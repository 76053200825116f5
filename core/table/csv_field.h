// Text in comma separated values.
#pragma once

#include <string>
#include <string_view>

namespace tilescope {

/// A text as a field of CSV: quoted as RFC 4180 has it. Spreadsheets run text that begins like a
/// formula, in quotes too; an apostrophe in front keeps it text (OWASP, CSV Injection).
std::string csvField(std::string_view text, char separator = ',');

} // namespace tilescope
