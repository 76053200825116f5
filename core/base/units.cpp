#include "core/base/units.h"

#include <array>
#include <cmath>
#include <fmt/format.h>

namespace tilescope {
namespace {

struct Scaled {
    double value;
    std::size_t prefix;
};

Scaled scale(double value, double base, std::size_t prefixes) {
    std::size_t prefix = 0;
    // 999.5 and more would print as "1000" with three digits: take the next prefix.
    while (std::abs(value) >= base * 0.9995 && prefix + 1 < prefixes) {
        value /= base;
        ++prefix;
    }
    return {value, prefix};
}

std::string threeDigits(double value) {
    const double magnitude = std::abs(value);
    if (magnitude >= 99.95)
        return fmt::format("{:.0f}", value);
    return magnitude >= 9.995 ? fmt::format("{:.1f}", value) : fmt::format("{:.2f}", value);
}

} // namespace

std::string withThousands(std::int64_t value) {
    std::string digits = std::to_string(value);
    const std::size_t first = value < 0 ? 1 : 0;
    for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3;
         at > static_cast<std::ptrdiff_t>(first); at -= 3)
        digits.insert(static_cast<std::size_t>(at), ",");
    return digits;
}

std::string formatBytes(std::int64_t bytes, ByteUnits units) {
    static constexpr std::array binary{"B", "KiB", "MiB", "GiB", "TiB"};
    static constexpr std::array si{"B", "kB", "MB", "GB", "TB"};
    if (units == ByteUnits::Plain)
        return withThousands(bytes) + " B";
    const bool isBinary = units == ByteUnits::Binary;
    const auto [value, prefix] =
        scale(static_cast<double>(bytes), isBinary ? 1024.0 : 1000.0, binary.size());
    if (prefix == 0)
        return fmt::format("{} B", bytes);
    return fmt::format("{} {}", threeDigits(value), isBinary ? binary[prefix] : si[prefix]);
}

std::string formatCycles(std::int64_t cycles) {
    return withThousands(cycles) + (cycles == 1 ? " cycle" : " cycles");
}

std::string formatSeconds(double seconds) {
    static constexpr std::array names{"ns", "us", "ms", "s"};
    const auto [value, prefix] = scale(seconds * 1e9, 1000.0, names.size());
    return fmt::format("{} {}", threeDigits(value), names[prefix]);
}

std::string formatCyclesAndTime(std::int64_t cycles, double clockHz) {
    if (clockHz <= 0)
        return formatCycles(cycles);
    return fmt::format("{} ({})", formatCycles(cycles),
                       formatSeconds(static_cast<double>(cycles) / clockHz));
}

std::string formatPercent(double part, double whole) {
    return fmt::format("{:.1f} %", whole == 0 ? 0.0 : 100.0 * part / whole);
}

std::string formatFlops(double flops) {
    static constexpr std::array names{"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP"};
    const auto [value, prefix] = scale(flops, 1000.0, names.size());
    return fmt::format("{} {}", prefix == 0 ? fmt::format("{:.0f}", flops) : threeDigits(value),
                       names[prefix]);
}

std::string formatRate(double perSecond) {
    if (std::abs(perSecond) >= 999.5)
        return withThousands(std::llround(perSecond));
    return std::abs(perSecond) >= 99.95 ? fmt::format("{:.0f}", perSecond)
                                        : fmt::format("{:.3g}", perSecond);
}

} // namespace tilescope
