#include "simulator/cost/pool_cycles.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/ceil_div.h"
#include "simulator/cost/worker_rows.h"

namespace tilescope::sim {
namespace {

/// What a scaled pointer of 16 bits reaches (PopLibs, layout ScaledPtr32): vertices for larger
/// tiles have whole pointers.
constexpr std::int64_t scaledPointerReach = 256 * std::int64_t{1024};
constexpr std::int64_t unpackWorklist = 2;

} // namespace

PoolCycles::PoolCycles(const Target& target, const PoolVertex& vertex)
    : target_(target)
    , vertex_(vertex)
    , unpackVector_(target.bytesPerTile <= scaledPointerReach ? 1 : 0)
    , unpackList_(2 * unpackVector_) {}

std::int64_t PoolCycles::position(std::int64_t results) const {
    const std::int64_t more = results - 1;
    const std::int64_t loop = vertex_.findsMaximum            ? 7 + 5 * more
                              : vertex_.kind == PoolKind::Max ? 4 + 3 * more
                                                              : 5 + 3 * more;
    const std::int64_t group = 1 + vertex_.vectors * (2 + loop + 1) + 1;
    const std::int64_t nextGroup = vertex_.findsMaximum ? 6 : 4; // pointers move on
    return 20 + vertex_.groups * group + (vertex_.groups - 1) * nextGroup + 3;
}

std::int64_t PoolCycles::worker(std::int64_t results, std::int64_t rows) const {
    const std::int64_t start = 4 + 2 + 2 + 7 + 2 + unpackVector_;
    const std::int64_t initialised = ceilDiv(results * vertex_.vectors, target_.workers);
    std::int64_t cycles = start + (4 + initialised) * vertex_.groups + 5 + 1 + unpackList_ + 1;
    if (rows == 0)
        return cycles;
    cycles += 2 + (vertex_.kind == PoolKind::Max ? 1 : 2);
    if (vertex_.findsMaximum)
        cycles += 6 + 2 * unpackVector_;
    return cycles + 3 + 2 + 2 * unpackWorklist + 1 + rows;
}

std::int64_t PoolCycles::vertex(std::int64_t busiest) const {
    return 7 + busiest * target_.workers + 6;
}

std::int64_t poolCycles(const Target& target, const PoolVertex& vertex,
                        const PoolTileSizes& sizes) {
    const PoolCycles terms(target, vertex);
    const std::int64_t results = sizes.rows * sizes.rowLength;
    std::int64_t busiest = 0;
    for (std::int64_t nth = 0; nth < target.workers; ++nth) {
        const WorkerRows rows = workerRows(sizes.rowLength, results, target.workers, nth);
        const std::int64_t cycles = rows.sum([&](std::int64_t length) {
            return terms.row() + sizes.positions * terms.position(ceilDiv(length, sizes.step));
        });
        busiest = std::max(busiest, terms.worker(results, cycles));
    }
    return terms.vertex(busiest);
}

std::string poolVertexName(const PoolVertex& vertex, DataType type) {
    return fmt::format("popnn::{}<{}>",
                       vertex.kind != PoolKind::Max ? "SumPooling"
                       : vertex.findsMaximum        ? "MaxPoolingGrad"
                                                    : "MaxPooling",
                       toString(type));
}

} // namespace tilescope::sim
