#include "core/table/unit.h"

#include <cmath>
#include <fmt/format.h>

namespace tilescope {
namespace {

/// In windows a negative number has a sign as wide as a plus.
std::string signedText(std::string text, const TextStyle& style) {
    if (!style.ascii && text.starts_with('-'))
        text.replace(0, 1, "\u2212");
    return text;
}

std::string durationText(double seconds, const TextStyle& style) {
    std::string text = signedText(formatSeconds(seconds), style);
    if (!style.ascii && text.size() > 2 && text.compare(text.size() - 2, 2, "us") == 0)
        text.replace(text.size() - 2, 1, "\u00b5");
    return text;
}

std::string cyclesText(double cycles, const TextStyle& style) {
    if (style.clock == ClockUnits::Time && style.clockHz > 0)
        return durationText(cycles / style.clockHz, style);
    return withThousands(std::llround(cycles));
}

constexpr double mostWithPoint = 999.95;
constexpr double mostInFull = 1e15; // beyond it a double has no units

std::string plainNumber(double value, Unit unit, const TextStyle& style) {
    switch (unit) {
    case Unit::None:
        // Four digits, or all if there are more: nobody reads 4.003e+05.
        return std::abs(value) >= mostWithPoint && std::abs(value) < mostInFull
                   ? withThousands(std::llround(value))
                   : fmt::format("{:.4g}", value);
    case Unit::Count:
        return withThousands(std::llround(value));
    case Unit::Bytes:
        return formatBytes(std::llround(value), style.bytes);
    case Unit::Cycles:
        return cyclesText(value, style);
    case Unit::Seconds:
        return durationText(value, style);
    case Unit::Share:
        return formatPercent(value, 1);
    case Unit::Flops:
        return formatFlops(value);
    case Unit::Rate:
        break;
    }
    return formatRate(value);
}

std::string numberText(double value, Unit unit, const TextStyle& style) {
    return signedText(plainNumber(value, unit, style), style);
}

/// A share of the source with its sign. Growth beyond a bound is written as a multiple of the
/// source: nobody can make sense of "+435700 %".
std::string relativeText(double share, const TextStyle& style) {
    constexpr double mostAsPercent = 10; // times the source
    constexpr double mostWithTenths = 100;
    if (share < mostAsPercent)
        return (share > 0 ? "+" : "") + signedText(formatPercent(share, 1), style);
    const double times = 1 + share;
    return (style.ascii ? "x " : "\u00d7\u00a0") + (times < mostWithTenths
                                                        ? fmt::format("{:.1f}", times)
                                                        : withThousands(std::llround(times)));
}

std::string differenceText(double value, Unit unit, const TextStyle& style) {
    return unit == Unit::Share ? relativeText(value, style)
                               : (value > 0 ? "+" : "") + numberText(value, unit, style);
}

struct ToText {
    Unit unit;
    const TextStyle& style;
    bool difference;

    std::string operator()(std::monostate) const { return style.ascii ? "-" : "\u2013"; }
    std::string operator()(bool value) const { return value ? "yes" : "no"; }
    std::string operator()(const std::string& value) const { return value; }
    std::string operator()(double value) const {
        return difference ? differenceText(value, unit, style) : numberText(value, unit, style);
    }
    std::string operator()(std::int64_t value) const {
        if (unit == Unit::None)
            return (difference && value > 0 ? "+" : "") + signedText(std::to_string(value), style);
        return (*this)(static_cast<double>(value));
    }
    std::string operator()(const Change& change) const {
        std::string text = differenceText(change.difference(), unit, style);
        if (!difference && change.difference() != 0 && change.source != 0)
            text += " (" + relativeText(change.difference() / change.source, style) + ")";
        return text;
    }
    std::string operator()(const Duration& value) const {
        const double seconds =
            value.clockHz > 0 ? static_cast<double>(value.cycles) / value.clockHz : 0;
        if (unit == Unit::Seconds)
            return durationText(seconds, style);
        if (style.clock == ClockUnits::Cycles || seconds <= 0)
            return signedText(formatCycles(value.cycles), style);
        const std::string time = durationText(seconds, style);
        return style.clock == ClockUnits::Time
                   ? time
                   : signedText(formatCycles(value.cycles), style) + " (" + time + ")";
    }
};

struct ToNumber {
    std::optional<double> operator()(std::monostate) const { return {}; }
    std::optional<double> operator()(const std::string&) const { return {}; }
    std::optional<double> operator()(bool value) const { return value ? 1 : 0; }
    std::optional<double> operator()(std::int64_t value) const {
        return static_cast<double>(value);
    }
    std::optional<double> operator()(double value) const { return value; }
    std::optional<double> operator()(const Change& change) const { return change.difference(); }
    std::optional<double> operator()(const Duration& value) const {
        return static_cast<double>(value.cycles);
    }
};

struct ToRawText {
    std::string operator()(std::monostate) const { return {}; }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return fmt::format("{}", value); }
    std::string operator()(const std::string& value) const { return value; }
    std::string operator()(const Change& change) const {
        return fmt::format("{}", change.difference());
    }
    std::string operator()(const Duration& value) const { return std::to_string(value.cycles); }
};

} // namespace

Cell textOrNone(std::string text) {
    return text.empty() ? Cell() : Cell(std::move(text));
}

std::string textOf(const Cell& cell, Unit unit, const TextStyle& style, bool difference) {
    return std::visit(ToText{unit, style, difference}, cell);
}

std::optional<double> numberOf(const Cell& cell) {
    return std::visit(ToNumber(), cell);
}

std::string rawText(const Cell& cell) {
    return std::visit(ToRawText(), cell);
}

} // namespace tilescope
