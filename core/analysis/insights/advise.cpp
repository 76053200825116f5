#include "core/analysis/insights/advise.h"

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>

#include "core/base/error.h"
#include "core/options/option_form.h"
#include "core/options/option_table.h"
#include "core/options/option_values.h"

namespace tilescope {
namespace {

std::optional<double> numberIn(const std::string& text) {
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && !text.empty() && rest == end ? std::optional(value)
                                                                : std::nullopt;
}

/// A number times a factor, within the option's bounds and whole if it has to be.
std::string scaled(const OptionSpec& spec, double now, double factor) {
    double value = now * factor;
    if (const auto range = optionRange(spec.key, RunOptions()))
        value = std::clamp(value, range->least, range->most);
    return spec.type == OptionSpec::Type::Integer ? std::to_string(static_cast<std::int64_t>(value))
                                                  : numberText(value);
}

/// Whether a run accepts these options together.
bool goTogether(const std::map<std::string, std::string>& values) {
    try {
        RunOptions options;
        setRunOptions(options, values);
        validate(options);
    } catch (const UserError&) {
        return false;
    }
    return true;
}

/// What can be said where the options in force are not known: the direction, but neither a value to
/// try, which may be in force, nor a gain.
std::vector<Advice> withoutValues(std::vector<Advice> advice) {
    std::erase_if(advice, [](const Advice& one) {
        return one.option != Advice::model && one.direction == Advice::Direction::Set;
    });
    for (Advice& one : advice) {
        one.value.clear();
        one.instead.clear();
        one.with.clear();
        one.gain = 0;
    }
    return advice;
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
    return numberIn(inForce(info, key));
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

Adviser& Adviser::lower(const std::string& key, std::string effect, const std::string& value) {
    return move(key, std::move(effect), value, Advice::Direction::Lower);
}

Adviser& Adviser::raise(const std::string& key, std::string effect, const std::string& value) {
    return move(key, std::move(effect), value, Advice::Direction::Raise);
}

Adviser& Adviser::move(const std::string& key, std::string effect, std::string value,
                       Advice::Direction direction) {
    std::string now = inForce(info_, key);
    if (const auto number = numberIn(now); value.empty() && number && *number != 0)
        value = scaled(*findOption(key), *number, direction == Advice::Direction::Lower ? 0.5 : 2);
    if (value.empty() || value != now)
        advice_.push_back({key, direction, std::move(value), std::move(now), std::move(effect)});
    return *this;
}

Adviser& Adviser::set(const std::string& key, const std::string& value, std::string effect) {
    if (std::string now = inForce(info_, key); value != now)
        advice_.push_back({key, Advice::Direction::Set, value, std::move(now), std::move(effect)});
    return *this;
}

Adviser& Adviser::change(const std::string& key, std::string effect) {
    advice_.push_back({key, Advice::Direction::Change, {}, inForce(info_, key), std::move(effect)});
    return *this;
}

Adviser& Adviser::needing(const std::string& key, const std::string& other,
                          const std::string& value) {
    for (Advice& advice : advice_)
        if (advice.option == key && inForce(info_, other) != value)
            advice.with[other] = value;
    return *this;
}

std::vector<Advice> Adviser::advice() const {
    std::vector<Advice> possible = advice_;
    if (!info_.has(ProfilePart::Options))
        return withoutValues(std::move(possible));
    // Options in a profile written by another version may have changed their meaning.
    const std::map<std::string, std::string> now = changedOptions(info_.options);
    if (!info_.options.empty() && goTogether(now))
        std::erase_if(possible, [&](const Advice& advice) {
            if (advice.option == Advice::model || advice.value.empty())
                return false;
            std::map<std::string, std::string> then = advice.with;
            then[advice.option] = advice.value;
            then.insert(now.begin(), now.end());
            return !goTogether(then);
        });
    return possible;
}

Adviser& Adviser::gaining(const std::string& key, std::int64_t cycles) {
    for (Advice& advice : advice_)
        if (advice.option == key)
            advice.gain = std::max<std::int64_t>(0, cycles);
    return *this;
}

} // namespace tilescope
