#include "simulator/planner/multi_plan.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/base/ceil_div.h"

namespace tilescope::sim {
namespace {

class ParallelPlanner {
public:
    ParallelPlanner(const Target& target, const std::vector<MultiConvPart>& parts,
                    const MultiConv& options, OverMemory overMemory)
        : target_(target)
        , parts_(parts)
        , options_(options)
        , overMemory_(overMemory)
        , plans_(parts.size()) {}

    /// None if the tiles do not suffice, or a part needs slices in time.
    std::optional<std::vector<ConvPlan>> run() {
        const std::vector<std::size_t> order = largestLast();
        const auto others = static_cast<std::int64_t>(order.size()) - 1;
        const std::int64_t tiles = target_.tilesPerIpu;
        const std::int64_t each =
            std::min(options_.reservedTiles, std::max<std::int64_t>(1, tiles / (others + 1)));
        std::int64_t reserved = others * each;
        const double fastest =
            static_cast<double>(on(order.back(), tiles - reserved).cost.cycles());
        const double backOff = 1 + static_cast<double>(others) * options_.cycleBackOff;
        limit_ = static_cast<std::int64_t>(fastest * backOff);
        take(order.back(), onFewest(order.back(), tiles - reserved));
        for (std::size_t i = 0; i + 1 < order.size(); ++i) {
            reserved -= each;
            const std::int64_t left = tiles - next_ - reserved;
            if (left < 1)
                return std::nullopt;
            const bool isLast = i + 2 == order.size();
            take(order[i], isLast ? on(order[i], left) : onFewest(order[i], left));
        }
        if (std::any_of(plans_.begin(), plans_.end(),
                        [](const ConvPlan& plan) { return plan.splits.serialSteps() > 1; }))
            return std::nullopt;
        return plans_;
    }

private:
    [[nodiscard]] std::vector<std::size_t> largestLast() const {
        std::vector<std::size_t> order(parts_.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return parts_[a].problem.macs() < parts_[b].problem.macs();
        });
        return order;
    }

    [[nodiscard]] ConvPlan on(std::size_t part, std::int64_t tiles) const {
        Target own = target_;
        own.tilesPerIpu = static_cast<std::int32_t>(std::max<std::int64_t>(tiles, 1));
        return planConv(own, parts_[part].problem, parts_[part].proportion, overMemory_);
    }

    /// Among the plans within the limit, the one on the fewest tiles: fewer tiles are never faster.
    /// The fastest if none is within it.
    [[nodiscard]] ConvPlan onFewest(std::size_t part, std::int64_t most) const {
        ConvPlan best = on(part, most);
        if (best.cost.cycles() > limit_)
            return best;
        std::int64_t tooFew = 0;
        for (std::int64_t enough = best.splits.tiles(); enough - tooFew > 1;) {
            const std::int64_t tiles = tooFew + (enough - tooFew) / 2;
            ConvPlan plan = on(part, tiles);
            if (plan.cost.cycles() <= limit_ && plan.withinMemoryTarget) {
                enough = std::min(tiles, plan.splits.tiles());
                best = std::move(plan);
            } else {
                tooFew = tiles;
            }
        }
        return best;
    }

    void take(std::size_t part, ConvPlan plan) {
        plan.parallel = true;
        plan.firstTile = static_cast<std::int32_t>(next_);
        next_ +=
            ceilDiv(plan.splits.tiles(), target_.tilesPerSharedBus) * target_.tilesPerSharedBus;
        limit_ = std::max(limit_, plan.cost.cycles());
        plans_[part] = std::move(plan);
    }

    const Target& target_;
    const std::vector<MultiConvPart>& parts_;
    const MultiConv& options_;
    OverMemory overMemory_;
    std::vector<ConvPlan> plans_;
    std::int64_t limit_ = 0; ///< cycles that the slowest part takes
    std::int64_t next_ = 0;  ///< first free tile
};

} // namespace

std::vector<ConvPlan> planMultiConv(const Target& target, const std::vector<MultiConvPart>& parts,
                                    const MultiConv& options, OverMemory overMemory) {
    std::vector<ConvPlan> serial;
    std::int64_t sum = 0;
    for (const MultiConvPart& part : parts) {
        serial.push_back(planConv(target, part.problem, part.proportion, overMemory));
        sum += serial.back().cost.cycles();
    }
    if (!options.parallel || parts.size() < 2)
        return serial;
    const auto parallel = ParallelPlanner(target, parts, options, overMemory).run();
    if (!parallel)
        return serial;
    std::int64_t slowest = 0;
    for (const ConvPlan& plan : *parallel)
        slowest = std::max(slowest, plan.cost.cycles());
    return slowest <= sum ? *parallel : serial;
}

} // namespace tilescope::sim
