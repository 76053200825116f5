#include "core/export/sweep_map.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/units.h"

namespace tilescope {
namespace {

/// The point at a position on each axis; the last axis changes fastest.
std::size_t pointAt(const SweepGrid& grid, const std::vector<std::size_t>& positions) {
    std::size_t point = 0;
    for (std::size_t axis = 0; axis < grid.axes().size(); ++axis)
        point = point * grid.axes()[axis].values.size() + positions[axis];
    return point;
}

std::string valueText(double value, SweepValue kind) {
    if (kind == SweepValue::Throughput)
        return formatRate(value) + " samples/s";
    if (kind == SweepValue::Cycles)
        return formatCycles(static_cast<std::int64_t>(value));
    return formatBytes(static_cast<std::int64_t>(value));
}

HeatMapCell cellOf(const SweepResults& results, std::size_t point, SweepValue kind) {
    const std::string name = results.grid.nameOf(point);
    const auto& result = results.points[point];
    if (!result)
        return {std::nullopt, std::string(shortStatus(result)), name + ": not run"};
    const std::optional<double> value = sweepValueOf(*result, kind);
    if (!value)
        return {std::nullopt, std::string(shortStatus(result)), name + ": " + result->message};
    const std::string more =
        result->status == PointStatus::Fits ? std::string() : ". " + result->message;
    return {value, std::string(shortStatus(result)),
            fmt::format("{}: {}{}", name, valueText(*value, kind), more)};
}

std::string titleOf(const SweepResults& results, const SweepMapOptions& options,
                    const std::string& axes) {
    return fmt::format("{}: {} by {}", results.identity.model, displayName(options.value), axes);
}

std::string subtitleOf(const SweepResults& results) {
    std::string text;
    for (const auto& [key, value] : results.identity.options)
        text += fmt::format("{} {}, ", key, value);
    return fmt::format("{}simulated by {}", text, results.identity.creator);
}

} // namespace

std::string_view unitOf(SweepValue value) {
    return value == SweepValue::Throughput ? "samples/s"
           : value == SweepValue::Cycles   ? "cycles"
                                           : "bytes";
}

bool lessIsBetter(SweepValue value) {
    return value != SweepValue::Throughput;
}

std::optional<double> sweepValueOf(const PointResult& result, SweepValue value) {
    // The maps from MaxTile on.
    static constexpr std::array bytes{&PointMemory::maxTileIncludingGaps,
                                      &PointMemory::totalIncludingGaps, &PointMemory::alwaysLive,
                                      &PointMemory::maxNotAlwaysLive};
    const bool timed = value < SweepValue::MaxTile;
    if (timed ? !result.time : !result.memory)
        return std::nullopt;
    if (value == SweepValue::Throughput)
        return result.time->throughput;
    const auto figure =
        static_cast<std::size_t>(value) - static_cast<std::size_t>(SweepValue::MaxTile);
    return static_cast<double>(timed ? result.time->cycles : (*result.memory).*bytes.at(figure));
}

std::string_view shortStatus(const std::optional<PointResult>& result) {
    if (!result)
        return "not run";
    return result->status == PointStatus::Fits          ? ""
           : result->status == PointStatus::OutOfMemory ? "OOM"
                                                        : "error";
}

SweepMap sweepMap(const SweepResults& results, const SweepMapOptions& options) {
    const std::vector<SweepAxis>& axes = results.grid.axes();
    const bool single = axes.size() == 1;
    const std::size_t columnAxis = single ? 0 : options.columnAxis;
    if (columnAxis >= axes.size() ||
        (!single && (options.rowAxis >= axes.size() || options.rowAxis == columnAxis)))
        throw InternalError("a heat map needs two axes of its sweep");
    const SweepAxis& columns = axes[columnAxis];
    const SweepAxis rows = single ? SweepAxis{"", {""}} : axes[options.rowAxis];
    SweepMap result;
    result.map = {
        titleOf(results, options, single ? columns.key : rows.key + " and " + columns.key),
        subtitleOf(results),
        rows.key,
        rows.values,
        columns.key,
        columns.values,
        {},
        std::string(unitOf(options.value))};
    std::vector<std::size_t> positions = options.positions;
    positions.resize(axes.size(), 0);
    for (std::size_t row = 0; row < rows.values.size(); ++row)
        for (std::size_t column = 0; column < columns.values.size(); ++column) {
            if (!single)
                positions[options.rowAxis] = row;
            positions[columnAxis] = column;
            result.points.push_back(pointAt(results.grid, positions));
            result.map.cells.push_back(cellOf(results, result.points.back(), options.value));
        }
    return result;
}

} // namespace tilescope
