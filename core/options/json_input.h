// JSON that people wrote: strict syntax, errors with line and column. Internal to core/options.
#pragma once

#include <string>
#include <string_view>

namespace boost::json {
class value;
}

namespace tilescope {

/// Parses standard JSON (no comments). Throws UserError "<origin>:<line>:<column>: not valid JSON:
/// <reason>".
boost::json::value parseJson(std::string_view text, const std::string& origin);

/// A plain value as the option table takes it: text as it is, numbers, "on"/"off" unless
/// `plainBooleans`, which gives "true"/"false"; objects and arrays as JSON text.
std::string optionText(const boost::json::value& value, bool plainBooleans);

} // namespace tilescope
