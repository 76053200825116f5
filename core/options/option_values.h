// Text to values for the option table, with errors that name the option. Internal to core/options.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/options/run_options.h"

namespace tilescope {

/// "option batchSize (--batch-size): <what>".
UserError optionError(const OptionSpec& spec, const std::string& what);

/// A whole number within [least, most]; throws optionError.
std::int64_t integerValue(const OptionSpec& spec, const std::string& text, std::int64_t least,
                          std::int64_t most);

/// A number within [least, most]; throws optionError.
double numberValue(const OptionSpec& spec, const std::string& text, double least, double most);

/// One of the choices; throws optionError with the list and the nearest.
const std::string& choiceValue(const OptionSpec& spec, const std::string& text);

/// "KEY=VALUE,KEY=VALUE" or a JSON object of texts, numbers and booleans; throws optionError.
std::map<std::string, std::string> pairsValue(const OptionSpec& spec, const std::string& text);
/// "KEY=VALUE,KEY=VALUE", sorted by key.
std::string pairsText(const std::map<std::string, std::string>& pairs);

/// Shortest text that reads back as the same number: "0.6".
std::string numberText(double value);

} // namespace tilescope
