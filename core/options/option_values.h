// Converts text and JSON written by people to values for the option table, with errors that name
// the option, or line and column. Internal to core/options.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/options/option_error.h"
#include "core/options/option_table.h"

namespace boost::json {
class value;
}

namespace tilescope {

/// A whole number within bounds; throws OptionError.
std::int64_t integerValue(const OptionSpec& spec, const std::string& text, OptionRange bounds);

/// A number within bounds; throws OptionError.
double numberValue(const OptionSpec& spec, const std::string& text, OptionRange bounds);

/// One of the choices; throws OptionError with the list and the nearest.
const std::string& choiceValue(const OptionSpec& spec, const std::string& text);

/// "KEY=VALUE,KEY=VALUE" or a JSON object of texts, numbers and booleans; throws OptionError.
std::map<std::string, std::string> pairsValue(const OptionSpec& spec, const std::string& text);
/// "KEY=VALUE,KEY=VALUE", sorted by key.
std::string pairsText(const std::map<std::string, std::string>& pairs);

/// "NAME,NAME"; throws OptionError for an empty name.
std::vector<std::string> namesValue(const OptionSpec& spec, const std::string& text);
std::string namesText(const std::vector<std::string>& names);

/// The parts of a text, including empty ones; one part for an empty text.
std::vector<std::string> splitAt(std::string_view text, char separator);

/// Shortest text that reads back as the same number: "0.6".
std::string numberText(double value);

/// Parses standard JSON (no comments). Throws UserError "<origin>:<line>:<column>: not valid JSON:
/// <reason>".
boost::json::value parseJson(std::string_view text, const std::string& origin);

/// A plain value in the form of the option table: text as it is, numbers, "on"/"off", or
/// "true"/"false" with `plainBooleans`; objects and arrays as JSON text.
std::string optionText(const boost::json::value& value, bool plainBooleans);

} // namespace tilescope
