#include "simulator/lowering/operations/conv_reduction.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "core/base/ceil_div.h"
#include "simulator/cost/elementwise_cycles.h"
#include "simulator/layout/tile_walk.h"

namespace tilescope::sim {
namespace {

/// Tiles (as numbers of copies) whose sums are complete up to now: each has a part of the block.
using Group = std::vector<std::int32_t>;

/// Merges groups, `depth` of them each. Groups that are far apart are merged, so that a tile's part
/// in the merged group lies within its previous part.
std::vector<Group> merged(const std::vector<Group>& groups, std::int64_t depth) {
    const std::size_t count =
        (groups.size() + static_cast<std::size_t>(depth) - 1) / static_cast<std::size_t>(depth);
    std::vector<Group> result(count);
    for (std::size_t i = 0; i < groups.size(); ++i)
        result[i % count].insert(result[i % count].end(), groups[i].begin(), groups[i].end());
    for (Group& group : result)
        std::sort(group.begin(), group.end());
    return result;
}

/// The part of [0, size) of the n-th of some sharers, cut as BlockSharing::part cuts evenly.
Interval partOf(std::size_t nth, std::size_t sharers, std::int64_t size, std::int64_t grain) {
    const std::int64_t grains = ceilDiv(size, grain);
    const auto at = static_cast<std::int64_t>(nth);
    const auto parts = static_cast<std::int64_t>(sharers);
    return {std::min(size, at * grains / parts * grain),
            std::min(size, (at + 1) * grains / parts * grain)};
}

std::int64_t overlapOf(Interval a, Interval b) {
    return intersect(a, b).size();
}

/// A tile in the numbering of a blocking: its number, its whole block, and the part of the block
/// that it holds so far.
struct Holder {
    std::int32_t tile = 0;
    std::int64_t block = 0;
    Interval held;
};

std::vector<Holder> holdersOf(const Blocking& outputs) {
    std::vector<Holder> holders;
    holders.reserve(static_cast<std::size_t>(outputs.tiles()));
    for (TileWalk walk(outputs); !walk.done(); walk.next())
        holders.push_back({walk.tile(), walk.block(), {0, walk.block()}});
    return holders;
}

} // namespace

std::vector<ReductionStage> reduceInStages(const Blocking& outputs,
                                           const std::vector<std::int64_t>& depths) {
    const std::int32_t copies = outputs.copyCount();
    const std::int32_t blocks = outputs.tiles() / copies;
    std::vector<Group> groups;
    for (std::int32_t copy = 0; copy < copies; ++copy)
        groups.push_back({copy});
    std::vector<Holder> holders = holdersOf(outputs);
    const TileWalk walk(outputs);

    std::vector<ReductionStage> stages;
    for (std::size_t s = 0; s < depths.size(); ++s) {
        const std::size_t before = groups.size();
        // The last stage merges the rest, even where rounded depths fall short.
        const std::int64_t depth =
            s + 1 == depths.size() ? static_cast<std::int64_t>(before) : depths[s];
        groups = merged(groups, depth);
        DenseTiles sent(walk), received(walk), messages(walk), gathered(walk), results(walk);
        for (std::size_t g = 0; g < groups.size(); ++g) {
            // Groups that were merged into this one.
            const auto added = static_cast<std::int64_t>(ceilDiv(before - g, groups.size()));
            for (std::size_t member = 0; member < groups[g].size(); ++member)
                for (std::int32_t block = 0; block < blocks; ++block) {
                    const std::int32_t nth = groups[g][member] * blocks + block;
                    auto& [tile, size, mine] = holders[static_cast<std::size_t>(nth)];
                    const Interval next =
                        partOf(member, groups[g].size(), size, outputs.sharing.grain);
                    const std::int64_t kept = overlapOf(mine, next);
                    const std::int64_t partials = next.size() * added;
                    sent.set(tile, mine.size() - kept);
                    received.set(tile, partials - kept);
                    gathered.set(tile, partials);
                    results.set(tile, next.size());
                    messages.set(tile, std::min(partials - kept, added - (kept > 0 ? 1 : 0)));
                    mine = next;
                }
        }
        ReductionStage stage;
        stage.traffic.sent = sent.series();
        stage.traffic.received = received.series();
        stage.traffic.messages = messages.series();
        stage.traffic.total = stage.traffic.received.sum();
        stage.gathered = gathered.series();
        stage.results = results.series();
        stage.depth = depth;
        stages.push_back(std::move(stage));
    }
    return stages;
}

VariableId castPartials(ProgramBuilder& builder, const ConvPlan& plan, const ConvTiling& tiling,
                        const std::string& prefix, VariableId partials, VariableId output) {
    const ConvProblem& p = plan.problem;
    const TileSeries elements = tiling.partials().elements();
    const VariableId result = plan.splits.serialSteps() > 1
                                  ? builder.variable(prefix + "/cast", MemoryCategory::Variable,
                                                     elements.scaled(bytesOf(p.outType)),
                                                     std::string(toString(p.outType)))
                                  : output;
    const TileSeries cycles = elements.mapped(
        [&](std::int64_t n) { return castCycles(builder.machine(), n, p.partialType, p.outType); });
    builder.execute(
        prefix + "/Cast", cycles,
        {{fmt::format("popops::Cast1D<{},{}>", toString(p.partialType), toString(p.outType)),
          elements.ones()}},
        {{partials}, {result}});
    return result;
}

} // namespace tilescope::sim
