// The meaning of a value in a report, and how it is written for people and for programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "core/base/enum_names.h"
#include "core/base/ids.h"
#include "core/base/units.h"

namespace tilescope {

enum class Unit {
    None,  ///< text, yes or no, and numbers as they are, such as the number of a tile
    Count, ///< with separators of thousands
    Bytes,
    Cycles,
    Seconds,
    Share, ///< 1 is 100 %
    Flops,
    Rate ///< per second
};
template <>
inline constexpr auto enumNames<Unit> = std::to_array<std::string_view>(
    {"text", "count", "bytes", "cycles", "seconds", "share", "flops", "per second"});

/// A value in source and target; a side that lacks the row counts as 0.
struct Change {
    double source = 0;
    double target = 0;
    template <class Source, class Target>
    Change(Source from, Target to)
        : source(static_cast<double>(from))
        , target(static_cast<double>(to)) {}
    [[nodiscard]] double difference() const { return target - source; }
    friend bool operator==(const Change&, const Change&) = default;
};

/// Cycles of a machine with its clock (Hz), written as "34,655 cycles (26.1 us)".
struct Duration {
    std::int64_t cycles = 0;
    double clockHz = 0;
    friend bool operator==(const Duration&, const Duration&) = default;
};

/// A value of a field or cell; monostate is "none" (a dash, JSON null, an empty cell).
using Cell =
    std::variant<std::monostate, bool, std::int64_t, double, std::string, Change, Duration>;

template <class T> Cell cellOf(const std::optional<T>& value) {
    return value ? Cell(*value) : Cell();
}
template <class Tag> Cell cellOf(Id<Tag> id) {
    return id.valid() ? Cell(std::int64_t{id.value()}) : Cell();
}
/// An empty text is none.
Cell textOrNone(std::string text);

/// How values are written for people.
struct TextStyle {
    ByteUnits bytes = ByteUnits::Binary;
    ClockUnits clock = ClockUnits::CyclesAndTime;
    double clockHz = 0; ///< of cycles that are written as time; 0 leaves them cycles
    bool ascii = true;  ///< "us" and "-" instead of their signs
};

/// A value for people: "1.50 MiB", "34,655", "26.1 us", "12.3 %". A Change is its signed difference
/// and its share of the source: "+1.20 KiB (+12.0 %)". With `difference` numbers are written with
/// their sign, and a Change as its amount alone.
std::string textOf(const Cell& cell, Unit unit, const TextStyle& style = {},
                   bool difference = false);

/// The number of a value: of a Change the difference, of a Duration its cycles; none for a text.
std::optional<double> numberOf(const Cell& cell);

/// A value for programs: the plain number or text, empty for none.
std::string rawText(const Cell& cell);

} // namespace tilescope
