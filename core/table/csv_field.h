// Text in comma separated values.
#pragma once

#include <string>
#include <string_view>

namespace tilescope {

/// A text as a field of CSV, quoted according to RFC 4180. Spreadsheets run text that begins like a
/// formula, even in quotes; an apostrophe in front keeps it text (OWASP, CSV Injection).
std::string csvField(std::string_view text, char separator = ',');

} // namespace tilescope
