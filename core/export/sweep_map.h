// The results of a sweep as a heat map.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "core/export/heat_map.h"
#include "core/sweep/sweep_store.h"

namespace tilescope {

/// What the cells of a map show.
enum class SweepValue { Throughput, Cycles, MaxTile, TotalMemory, AlwaysLive, MaxNotAlwaysLive };
inline constexpr std::array sweepValues{SweepValue::Throughput, SweepValue::Cycles,
                                        SweepValue::MaxTile,    SweepValue::TotalMemory,
                                        SweepValue::AlwaysLive, SweepValue::MaxNotAlwaysLive};
/// "throughput", and the unit of its values: "samples/s", "cycles", "bytes".
std::string_view displayName(SweepValue value);
std::string_view unitOf(SweepValue value);
/// Bytes and cycles: less is better.
bool lessIsBetter(SweepValue value);

/// The value of a point; none where it has none, such as the cycles of what does not fit.
std::optional<double> sweepValueOf(const PointResult& result, SweepValue value);

/// Which part of the grid a map shows. A sweep of one axis has one row.
struct SweepMapOptions {
    SweepValue value = SweepValue::Throughput;
    std::size_t rowAxis = 0;
    std::size_t columnAxis = 1;
    /// Which value each axis stands at that is neither; missing ones stand at their first.
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
