#include "core/sweep/axis.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <set>

#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/options/option_table.h"
#include "core/options/option_values.h"

namespace tilescope {
namespace {

using Type = OptionSpec::Type;

// Nine digits on either side of the point keep sums and differences of such numbers within 64 bits.
constexpr std::size_t mostDigits = 9;

/// units / 10^scale: binary fractions would make 0.30000000000000004 of three steps of 0.1.
struct Decimal {
    std::int64_t units = 0;
    std::size_t scale = 0;

    [[nodiscard]] std::int64_t unitsAt(std::size_t wanted) const {
        std::int64_t value = units;
        for (std::size_t i = scale; i < wanted; ++i)
            value *= 10;
        return value;
    }
};

std::optional<Decimal> decimalFrom(std::string_view text) {
    const bool negative = text.starts_with('-');
    text.remove_prefix(negative ? 1 : 0);
    const std::size_t point = std::min(text.find('.'), text.size());
    const std::string_view whole = text.substr(0, point);
    const std::string_view fraction = text.substr(std::min(point + 1, text.size()));
    if (whole.empty() || whole.size() > mostDigits || fraction.size() > mostDigits ||
        (point < text.size() && fraction.empty()))
        return std::nullopt;
    Decimal number{0, fraction.size()};
    for (const std::string_view part : {whole, fraction})
        for (const char c : part) {
            if (c < '0' || c > '9')
                return std::nullopt;
            number.units = number.units * 10 + (c - '0');
        }
    if (negative)
        number.units = -number.units;
    return number;
}

std::string decimalText(Decimal number) {
    while (number.scale > 0 && number.units % 10 == 0) {
        number.units /= 10;
        --number.scale;
    }
    // The sign is handled separately, or "-0.5" would lose it with its whole part.
    std::string digits = std::to_string(number.units < 0 ? -number.units : number.units);
    if (digits.size() <= number.scale)
        digits.insert(0, number.scale + 1 - digits.size(), '0');
    if (number.scale > 0)
        digits.insert(digits.size() - number.scale, ".");
    return (number.units < 0 ? "-" : "") + digits;
}

bool isNumeric(const OptionSpec& spec) {
    return spec.type == Type::Integer || spec.type == Type::Number || spec.type == Type::Proportion;
}

/// "precision=float,half" or "batchSize=2:24:2": what the user could have written.
std::string example(const OptionSpec& spec) {
    if (!spec.choices.empty())
        return fmt::format("{}={}", spec.key, fmt::join(spec.choices, ","));
    return spec.type == Type::Proportion ? spec.key + "=0.1:0.9:0.1" : spec.key + "=A:B:STEP";
}

[[noreturn]] void fail(const OptionSpec& spec, const std::string& what) {
    throw UserError(fmt::format("option --vary {}: {}", spec.key, what));
}

const OptionSpec& specNamed(std::string_view name) {
    std::string flag(name);
    flag.erase(0, flag.find_first_not_of('-'));
    std::vector<std::string> keys;
    for (const OptionSpec& spec : runOptionTable()) {
        if (spec.key == name || spec.flag == "--" + flag)
            return spec;
        keys.push_back(spec.key);
    }
    throw UserError(fmt::format("option --vary: unknown key '{}'.{} 'tilescope schema --job' lists "
                                "the keys.",
                                name, didYouMean(name, keys)));
}

std::vector<std::string> rangeValues(const OptionSpec& spec, const std::string& text) {
    if (!isNumeric(spec))
        fail(spec,
             fmt::format("'{}' is a range, but the option is not a number; list its values: {}",
                         text, example(spec)));
    const std::vector<std::string> parts = splitAt(text, ':');
    std::vector<Decimal> numbers;
    std::size_t scale = 0;
    for (const std::string& part : parts)
        if (const auto number = decimalFrom(part)) {
            numbers.push_back(*number);
            scale = std::max(scale, number->scale);
        } else {
            fail(spec,
                 fmt::format("'{}' in '{}' is not a decimal number such as 0.25", part, text));
        }
    if (numbers.size() != 3)
        fail(spec, fmt::format("'{}' is not a range; write first, last and step as A:B:STEP, or "
                               "list the values as V1,V2,V3",
                               text));
    const std::int64_t first = numbers[0].unitsAt(scale);
    const std::int64_t last = numbers[1].unitsAt(scale);
    const std::int64_t step = numbers[2].unitsAt(scale);
    if (step == 0)
        fail(spec, fmt::format("the step of '{}' is 0; it must lead from {} to {}", text, parts[0],
                               parts[1]));
    if (first != last && (first < last) != (step > 0))
        fail(spec, fmt::format("the range '{}' is empty: a step of {} never leads from {} to {}; "
                               "write {}:{}:{}",
                               text, parts[2], parts[0], parts[1], parts[1], parts[0], parts[2]));
    const std::int64_t count = (last - first) / step + 1;
    if (count > static_cast<std::int64_t>(mostSweepPoints))
        fail(spec, fmt::format("the range '{}' has {} values; a sweep has at most {} points, take "
                               "a larger step",
                               text, count, mostSweepPoints));
    std::vector<std::string> values;
    values.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i)
        values.push_back(decimalText({first + i * step, scale}));
    return values;
}

std::vector<std::string> listValues(const OptionSpec& spec, const std::string& text) {
    std::vector<std::string> values = splitAt(text, ',');
    if (values.size() > mostSweepPoints)
        fail(spec, fmt::format("{} values are too many; a sweep has at most {} points",
                               values.size(), mostSweepPoints));
    std::set<std::string> seen;
    for (std::string& value : values) {
        if (value.empty())
            fail(spec, fmt::format("'{}' has an empty value; write {}", text, example(spec)));
        if (isNumeric(spec))
            if (const auto number = decimalFrom(value))
                value = decimalText(*number);
        if (!seen.insert(value).second)
            fail(spec, fmt::format("the value {} occurs twice; leave one out", value));
    }
    return values;
}

} // namespace

bool isDecimal(std::string_view text) {
    return decimalFrom(text).has_value();
}

SweepAxis parseAxis(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0)
        throw UserError(fmt::format("option --vary: '{}' is not KEY=A:B:STEP or KEY=V1,V2, such as "
                                    "batchSize=2:24:2",
                                    text));
    const OptionSpec& spec = specNamed(text.substr(0, equals));
    const std::string values(text.substr(equals + 1));
    if (spec.type == Type::Json)
        fail(spec, "a JSON object cannot be varied; make a sweep for each");
    if (values.empty())
        fail(spec, fmt::format("there are no values; write {}", example(spec)));
    // Names of operations may hold colons.
    const bool isRange = spec.type != Type::Text && values.find(':') != std::string::npos;
    return {spec.key, isRange ? rangeValues(spec, values) : listValues(spec, values)};
}

} // namespace tilescope
