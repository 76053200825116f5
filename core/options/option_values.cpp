#include "core/options/option_values.h"

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/options/duplicate_keys.h"

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
    throw OptionError(spec.key, fmt::format("'{}' is not a whole number from {} to {}",
                                            shortened(text), least, most));
}

double numberValue(const OptionSpec& spec, const std::string& text, OptionRange bounds) {
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    // The comparisons are false for NaN as well.
    if (error == std::errc() && rest == end && value >= bounds.least && value <= bounds.most)
        return value;
    throw OptionError(spec.key, fmt::format("'{}' is not a number from {} to {}", shortened(text),
                                            bounds.least, bounds.most));
}

const std::string& choiceValue(const OptionSpec& spec, const std::string& text) {
    const auto found = std::find(spec.choices.begin(), spec.choices.end(), text);
    if (found != spec.choices.end())
        return *found;
    throw OptionError(spec.key,
                      fmt::format("'{}' is not one of {}.{}", shortened(text),
                                  fmt::join(spec.choices, ", "), didYouMean(text, spec.choices)));
}

std::map<std::string, std::string> pairsValue(const OptionSpec& spec, const std::string& text) {
    if (text.starts_with('{'))
        return pairsFromJson(spec, text);
    std::map<std::string, std::string> pairs;
    for (const std::string& part : splitAt(text, ',')) {
        const std::size_t equals = part.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == part.size())
            throw OptionError(
                spec.key,
                fmt::format("'{}' is not KEY=VALUE, such as sequenceLength=384", shortened(part)));
        pairs[part.substr(0, equals)] = part.substr(equals + 1);
    }
    return pairs;
}

std::vector<std::string> namesValue(const OptionSpec& spec, const std::string& text) {
    std::vector<std::string> names;
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t comma = std::min(text.find(',', from), text.size());
        if (comma == from)
            throw OptionError(spec.key, fmt::format("'{}' has an empty name", text));
        names.push_back(text.substr(from, comma - from));
        from = comma + 1;
    }
    return names;
}

std::string namesText(const std::vector<std::string>& names) {
    return fmt::format("{}", fmt::join(names, ","));
}

std::vector<std::string> splitAt(std::string_view text, char separator) {
    std::vector<std::string> parts;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t end = std::min(text.find(separator, from), text.size());
        parts.emplace_back(text.substr(from, end - from));
        from = end + 1;
    }
    return parts;
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

namespace {

[[noreturn]] void fail(std::string_view text, std::size_t at, const std::string& origin,
                       const std::string& reason) {
    const std::string_view before = text.substr(0, std::min(at, text.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t lineStart = before.rfind('\n') + 1; // npos + 1 is 0
    throw UserError(fmt::format("{}:{}:{}: not valid JSON: {}", origin, line,
                                before.size() - lineStart + 1, reason));
}

} // namespace

boost::json::value parseJson(std::string_view text, const std::string& origin) {
    boost::json::parser parser;
    boost::system::error_code error;
    const std::size_t used = parser.write_some(text.data(), text.size(), error);
    if (error)
        fail(text, used, origin,
             error == boost::json::error::incomplete ? "it ends too early" : error.message());
    const std::size_t rest = text.find_first_not_of(" \t\r\n", used);
    if (rest != std::string_view::npos)
        fail(text, rest, origin, "something follows the end of the value");
    if (const auto twice = duplicateKey(text))
        fail(text, twice->at, origin,
             fmt::format("the key '{}' occurs twice", shortened(twice->key)));
    return parser.release();
}

std::string optionText(const boost::json::value& value, bool plainBooleans) {
    if (value.is_string())
        return std::string(value.as_string());
    if (value.is_bool())
        return plainBooleans ? (value.as_bool() ? "true" : "false")
                             : (value.as_bool() ? "on" : "off");
    if (value.is_double())
        return numberText(value.as_double());
    return boost::json::serialize(value);
}

OptionError::OptionError(std::string_view key, const std::string& problem)
    : UserError(fmt::format("option {}: {}", optionName(key), problem))
    , key_(key) {}

std::string optionName(std::string_view key) {
    const OptionSpec* spec = findOption(key);
    return spec == nullptr ? std::string(key) : fmt::format("{} ({})", key, spec->flag);
}

} // namespace tilescope
