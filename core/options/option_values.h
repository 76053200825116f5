// Text to values for the option table, with errors that name the option. Internal to core/options.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/options/option_error.h"
#include "core/options/run_options.h"

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

/// Shortest text that reads back as the same number: "0.6".
std::string numberText(double value);

} // namespace tilescope
