#include "simulator/planner/reduce_plan.h"

#include <algorithm>

#include "core/base/ceil_div.h"
#include "simulator/cost/reduce_cycles.h"

namespace tilescope::sim {
namespace {

// PopLibs' reductionFactorThresholdToAddMoreStages: elements that a region has at least, and
// partials a result above which another stage pays. Its value is not in the public headers that
// were read and is *assumed*: published memory of reductions (64 partials in one stage, regions of
// 17 rows of 4) leaves no other power of two.
constexpr std::int64_t stageThreshold = 64;

std::int64_t atLeastOne(std::int64_t value) {
    return std::max<std::int64_t>(1, value);
}

} // namespace

std::int64_t ReduceShape::sources() const {
    return atLeastOne(ceilDiv(partials, atLeastOne(results)));
}

bool needsStage(const Target& target, const ReduceShape& shape) {
    const std::int64_t sources = shape.sources();
    const std::int64_t tiles = target.tilesPerIpu;
    // Few sources on most tiles: another stage costs more code than it saves.
    if (sources * sources < 4 * tiles && shape.tiles > tiles * 3 / 4)
        return false;
    return shape.partials > stageThreshold * shape.results;
}

ReduceStage spreadStage(const Target& target, ReduceFunction function, DataType type,
                        const ReduceShape& shape) {
    const std::int64_t tiles = target.tilesPerIpu;
    const std::int64_t grain = reduceGrain(target, function, type);
    const std::int64_t sources = shape.sources();
    ReduceStage stage;
    // By columns as far as whole grains go, then by rows.
    const std::int64_t wanted = ceilDiv(ceilDiv(shape.results, tiles), grain) * grain;
    stage.columns = atLeastOne(std::min({wanted, shape.columns, shape.results}));
    const std::int64_t elements = sources * stage.columns;
    const std::int64_t ideal = atLeastOne(shape.partials / tiles);
    std::int64_t parts = atLeastOne(elements / ideal);
    parts = std::min(parts, atLeastOne(elements / stageThreshold));
    parts = std::min(parts, atLeastOne(sources / 2));
    stage.rows = std::max<std::int64_t>(2, ceilDiv(sources, parts));
    const std::int64_t depth = ceilDiv(sources, stage.rows);
    const std::int64_t regions = ceilDiv(shape.results, stage.columns) * depth;
    stage.regionsOfTile.assign(static_cast<std::size_t>(std::min(regions, tiles)), regions / tiles);
    for (std::int64_t i = 0; i < regions % tiles; ++i)
        ++stage.regionsOfTile[static_cast<std::size_t>(i)];
    stage.after = {shape.results, shape.results * depth, stage.columns,
                   static_cast<std::int64_t>(stage.regionsOfTile.size())};
    return stage;
}

ResultSpread spreadResults(const Target& target, DataType partialType, std::int64_t results) {
    ResultSpread spread;
    spread.grain = partialType == DataType::Half ? target.vectorWidthHalf : target.vectorWidthFloat;
    constexpr std::int64_t leastGrains = 4;
    const std::int64_t grains = atLeastOne(ceilDiv(results, spread.grain));
    const std::int64_t parts =
        std::min<std::int64_t>(target.tilesPerIpu, atLeastOne(grains / leastGrains));
    const std::int64_t perTile = ceilDiv(grains, parts);
    spread.tiles = ceilDiv(grains, perTile);
    return spread;
}

} // namespace tilescope::sim
