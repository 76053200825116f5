#include "core/options/option_values.h"

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <fmt/format.h>

#include "core/base/suggest.h"
#include "core/options/json_input.h"

namespace tilescope {
namespace {

std::map<std::string, std::string> pairsFromJson(const OptionSpec& spec, const std::string& text) {
    const boost::json::value parsed = parseJson(text, "option " + optionName(spec.key));
    std::map<std::string, std::string> pairs;
    for (const auto& [key, value] : parsed.as_object()) {
        if (value.is_object() || value.is_array() || value.is_null())
            throw OptionError(spec.key,
                              fmt::format("the value of '{}' must be text, a number, true or false",
                                          std::string_view(key)));
        pairs[std::string(key)] = optionText(value, false);
    }
    return pairs;
}

} // namespace

std::int64_t integerValue(const OptionSpec& spec, const std::string& text, OptionRange bounds) {
    const auto least = static_cast<std::int64_t>(bounds.least);
    const auto most = static_cast<std::int64_t>(bounds.most);
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc() && rest == end && value >= least && value <= most)
        return value;
    throw OptionError(spec.key,
                      fmt::format("'{}' is not a whole number from {} to {}", text, least, most));
}

double numberValue(const OptionSpec& spec, const std::string& text, OptionRange bounds) {
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    // The comparisons are false for NaN as well.
    if (error == std::errc() && rest == end && value >= bounds.least && value <= bounds.most)
        return value;
    throw OptionError(spec.key, fmt::format("'{}' is not a number from {} to {}", text,
                                            bounds.least, bounds.most));
}

const std::string& choiceValue(const OptionSpec& spec, const std::string& text) {
    const auto found = std::find(spec.choices.begin(), spec.choices.end(), text);
    if (found != spec.choices.end())
        return *found;
    throw OptionError(spec.key,
                      fmt::format("'{}' is not one of {}.{}", text, fmt::join(spec.choices, ", "),
                                  didYouMean(text, spec.choices)));
}

std::map<std::string, std::string> pairsValue(const OptionSpec& spec, const std::string& text) {
    if (text.starts_with('{'))
        return pairsFromJson(spec, text);
    std::map<std::string, std::string> pairs;
    std::size_t from = 0;
    while (from <= text.size()) {
        const std::size_t comma = std::min(text.find(',', from), text.size());
        const std::string part = text.substr(from, comma - from);
        from = comma + 1;
        const std::size_t equals = part.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == part.size())
            throw OptionError(
                spec.key, fmt::format("'{}' is not KEY=VALUE, such as sequenceLength=384", part));
        pairs[part.substr(0, equals)] = part.substr(equals + 1);
    }
    return pairs;
}

std::string pairsText(const std::map<std::string, std::string>& pairs) {
    std::string text;
    for (const auto& [key, value] : pairs)
        text += fmt::format("{}{}={}", text.empty() ? "" : ",", key, value);
    return text;
}

std::string numberText(double value) {
    return fmt::format("{}", value);
}

} // namespace tilescope
