#include "views/execution/cycle_range_text.h"

#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <map>

namespace tilescope::views {
namespace {

// Exact in a double, and longer than any execution: 78 days of an IPU.
constexpr double mostCycles = 9007199254740992.0;

/// Cycles of one unit; nothing for an unknown one, or for time without a clock.
std::optional<double> cyclesPerUnit(const QString& unit, double clockHz) {
    static const std::map<QString, double> seconds{
        {"ns", 1e-9}, {"us", 1e-6}, {QString::fromUtf8("\xc2\xb5s"), 1e-6}, {"ms", 1e-3}, {"s", 1}};
    if (unit.isEmpty() || QStringLiteral("cycles").startsWith(unit))
        return 1;
    const auto found = seconds.find(unit);
    if (found == seconds.end() || clockHz <= 0)
        return {};
    return found->second * clockHz;
}

} // namespace

std::optional<CycleRange> parseCycleRange(const QString& text, double clockHz) {
    static const QRegularExpression range(
        QStringLiteral(R"(^\s*(-?[\d,]*\.?\d+)\s*([a-z\x{b5}]*)\s*(?:-|\x{2013}|\.\.|to)\s*)"
                       R"((-?[\d,]*\.?\d+)\s*([a-z\x{b5}]*)\s*$)"));
    // As the window writes negative numbers, and as people type them.
    const QString typed = text.toLower().replace(QChar(0x2212), QLatin1Char('-'));
    const QRegularExpressionMatch match = range.match(typed);
    if (!match.hasMatch())
        return {};
    const QString lastUnit = match.captured(4);
    const QString firstUnit = match.captured(2).isEmpty() ? lastUnit : match.captured(2);
    const auto first = cyclesPerUnit(firstUnit, clockHz);
    const auto last = cyclesPerUnit(lastUnit, clockHz);
    if (!first || !last)
        return {};
    const double from = match.captured(1).remove(QLatin1Char(',')).toDouble() * *first;
    const double to = match.captured(3).remove(QLatin1Char(',')).toDouble() * *last;
    // A whole number of cycles stays one through the rounding of its unit.
    constexpr double rounding = 1e-6;
    const CycleRange cycles{
        static_cast<std::int64_t>(std::floor(std::clamp(from, -mostCycles, mostCycles) + rounding)),
        static_cast<std::int64_t>(std::ceil(std::clamp(to, -mostCycles, mostCycles) - rounding))};
    return cycles.cycles() > 0 ? std::optional(cycles) : std::nullopt;
}

} // namespace tilescope::views
