#include "simulator/planner/multi_plan.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/base/ceil_div.h"
#include "simulator/planner/goal.h"

namespace tilescope::sim {
namespace {

/// By what factor more cycles than the fewest are allowed.
double backOff(const MultiConv& options, std::size_t parts) {
    return 1 + static_cast<double>(parts - 1) * options.cycleBackOff;
}

/// How those beside the largest are planned.
enum class Others {
    LeastExcess, ///< no step longer than those so far, as PopLibs does
    FewestTiles, ///< not slower than those so far
};

class ParallelPlanner {
public:
    ParallelPlanner(const Target& target, const std::vector<MultiConvPart>& parts,
                    const MultiConv& options, OverMemory overMemory, Others others)
        : target_(target)
        , parts_(parts)
        , options_(options)
        , overMemory_(overMemory)
        , others_(others)
        , plans_(parts.size()) {}

    /// False if the tiles do not suffice, or the largest needs slices in time.
    bool run() {
        const std::vector<std::size_t> order = largestLast();
        const auto others = static_cast<std::int64_t>(order.size()) - 1;
        const std::int64_t tiles = target_.tilesPerIpu;
        const std::int64_t each =
            std::min(options_.reservedTiles, std::max<std::int64_t>(1, tiles / (others + 1)));
        std::int64_t reserved = others * each;
        if (!planLargest(order.back(), tiles - reserved))
            return false;
        for (std::size_t i = 0; i + 1 < order.size(); ++i) {
            reserved -= each;
            if (!planOther(order[i], tiles - next_ - reserved, i + 2 == order.size()))
                return false;
        }
        return true;
    }

    [[nodiscard]] const std::vector<ConvPlan>& plans() const { return plans_; }
    /// Their steps meet: each takes as long as the longest.
    [[nodiscard]] std::int64_t cycles() const { return longest_.cycles(); }

private:
    [[nodiscard]] std::vector<std::size_t> largestLast() const {
        std::vector<std::size_t> order(parts_.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return parts_[a].problem.macs() < parts_[b].problem.macs();
        });
        return order;
    }

    /// On as few tiles as exceed the cycles of the fastest plan by no more than the back-off.
    bool planLargest(std::size_t part, std::int64_t tiles) {
        const auto fastest = plan(part, {Objective::Cycles}, tiles, Slices::Allowed);
        if (!fastest || fastest->splits.serialSteps() > 1)
            return false;
        PlanGoal goal{Objective::Tiles};
        goal.mostCycles = static_cast<std::int64_t>(static_cast<double>(fastest->cost.cycles()) *
                                                    backOff(options_, parts_.size()));
        return take(part, plan(part, goal, tiles));
    }

    /// The last one may have all remaining tiles.
    bool planOther(std::size_t part, std::int64_t tiles, bool last) {
        PlanGoal goal{Objective::Excess};
        goal.others = longest_;
        goal.fewestTiles = !last;
        if (others_ == Others::LeastExcess)
            return take(part, plan(part, goal, tiles));
        goal = {last ? Objective::Cycles : Objective::Tiles};
        goal.mostCycles = last ? goal.mostCycles : slowest_;
        auto found = plan(part, goal, tiles);
        return take(part, found ? std::move(found) : plan(part, {Objective::Cycles}, tiles));
    }

    /// The bound of memory is doubled as for a single convolution.
    [[nodiscard]] std::optional<ConvPlan> plan(std::size_t part, const PlanGoal& goal,
                                               std::int64_t tiles,
                                               Slices slices = Slices::None) const {
        if (tiles < 1)
            return std::nullopt;
        Target own = target_;
        own.tilesPerIpu = static_cast<std::int32_t>(tiles);
        const MultiConvPart& of = parts_[part];
        return planWithin(own, of.problem, goal, of.proportion, overMemory_, slices);
    }

    bool take(std::size_t part, std::optional<ConvPlan> plan) {
        if (!plan)
            return false;
        plan->parallel = true;
        plan->firstTile = static_cast<std::int32_t>(next_);
        next_ +=
            ceilDiv(plan->splits.tiles(), target_.tilesPerSharedBus) * target_.tilesPerSharedBus;
        longest_ = longestSteps(longest_, plan->cost);
        slowest_ = std::max(slowest_, plan->cost.cycles());
        plans_[part] = *std::move(plan);
        return true;
    }

    const Target& target_;
    const std::vector<MultiConvPart>& parts_;
    const MultiConv& options_;
    OverMemory overMemory_;
    Others others_;
    std::vector<ConvPlan> plans_;
    ConvCost longest_;         ///< each step of the parts so far
    std::int64_t slowest_ = 0; ///< cycles of the slowest part so far
    std::int64_t next_ = 0;    ///< first free tile
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
    for (const Others others : {Others::LeastExcess, Others::FewestTiles}) {
        ParallelPlanner parallel(target, parts, options, overMemory, others);
        if (!parallel.run())
            return serial;
        if (static_cast<double>(parallel.cycles()) <=
            static_cast<double>(sum) * backOff(options, parts.size()))
            return parallel.plans();
    }
    return serial;
}

} // namespace tilescope::sim
