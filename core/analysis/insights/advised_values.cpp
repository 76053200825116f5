#include "core/analysis/insights/advised_values.h"

#include <boost/json.hpp>
#include <charconv>
#include <fmt/format.h>

#include "core/options/option_form.h"
#include "core/options/option_values.h"

namespace tilescope {
namespace {

bool goesOn(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

/// Behind the first place of a flag that is not the begin of a longer one; npos if there is none.
std::size_t endOfFlag(const std::string& text, const std::string& flag) {
    for (std::size_t at = text.find(flag); at != std::string::npos; at = text.find(flag, at + 1))
        if (const std::size_t end = at + flag.size(); end == text.size() || !goesOn(text[end]))
            return end;
    return std::string::npos;
}

} // namespace

std::string inForce(const ProfileInfo& info, const std::string& key) {
    const auto given = info.options.find(key);
    if (given != info.options.end())
        return given->second;
    return key == "batchSize" && info.batchSize > 0 ? std::to_string(info.batchSize)
                                                    : std::string();
}

std::optional<double> numberInForce(const ProfileInfo& info, const std::string& key) {
    const std::string text = inForce(info, key);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && !text.empty() && end == text.data() + text.size()
               ? std::optional(value)
               : std::nullopt;
}

std::string proportionOf(const Operation& operation) {
    boost::system::error_code error;
    const boost::json::value options = boost::json::parse(operation.options, error);
    if (error || !options.is_object())
        return {};
    const boost::json::value* found = options.as_object().if_contains("availableMemoryProportion");
    return found != nullptr && found->is_number() ? numberText(found->to_number<double>())
                                                  : std::string();
}

std::string insteadOf(const std::string& value, const std::string& now) {
    return fmt::format("({} instead of {})", value, now);
}

std::string withValues(std::string advice, const ProfileInfo& info) {
    for (const OptionMention& mention : optionsNamedIn(advice)) {
        const std::string now = inForce(info, mention.key);
        if (!mention.value.empty() || now.empty())
            continue;
        const std::string value = suggestedValue(mention, now);
        const std::size_t at = endOfFlag(advice, findOption(mention.key)->flag);
        if (!value.empty() && at != std::string::npos)
            advice.insert(at, " " + insteadOf(value, now));
    }
    return advice;
}

} // namespace tilescope
