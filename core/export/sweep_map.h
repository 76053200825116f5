// The results of a sweep as a heat map.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"
#include "core/export/heat_map.h"
#include "core/sweep/sweep_store.h"

namespace tilescope {

/// What the cells of a map show.
enum class SweepValue { Throughput, Cycles, MaxTile, TotalMemory, AlwaysLive, MaxNotAlwaysLive };
inline constexpr auto sweepValues = valuesUpTo<SweepValue::MaxNotAlwaysLive>;
template <>
inline constexpr auto enumTitles<SweepValue> =
    std::to_array<std::string_view>({"throughput", "cycles of a run", "fullest tile",
                                     "memory of all tiles", "always live", "peak not always live"});
/// "samples/s", "cycles", "bytes".
std::string_view unitOf(SweepValue value);
/// True for bytes and cycles, where less is better.
bool lessIsBetter(SweepValue value);

/// The value of a point; none if it has none, such as the cycles of a point that does not fit.
std::optional<double> sweepValueOf(const PointResult& result, SweepValue value);

/// Which part of the grid a map shows. The map of a sweep with one axis has one row.
struct SweepMapOptions {
    SweepValue value = SweepValue::Throughput;
    std::size_t rowAxis = 0;
    std::size_t columnAxis = 1;
    /// The value of every other axis; for missing ones, the first.
    std::vector<std::size_t> positions;
};

struct SweepMap {
    HeatMap map;
    std::vector<std::size_t> points; ///< the grid's point of each cell
};

/// The map of two axes of a sweep (of its only axis, if it has one), a label in cells without a
/// value. Throws InternalError if the axes do not exist or are the same.
SweepMap sweepMap(const SweepResults& results, const SweepMapOptions& options);

/// "OOM", "error", "not run" or "" for a point that fits.
std::string_view shortStatus(const std::optional<PointResult>& result);

} // namespace tilescope
