#include "simulator/planner/executed_cost.h"

#include <algorithm>
#include <cmath>

#include "core/base/ceil_div.h"
#include "simulator/cost/conv_cycles.h"
#include "simulator/cost/elementwise_cycles.h"
#include "simulator/cost/exchange_cycles.h"
#include "simulator/cost/reduce_cycles.h"
#include "simulator/cost/slice_cycles.h"

namespace tilescope::sim {
namespace {

class ExecutedCost {
public:
    ExecutedCost(const Target& target, const ConvPlan& plan, const MovedShares& moved)
        : target_(target)
        , plan_(plan)
        , moved_(moved)
        , sizes_(plan.tileSizes())
        , there_(withoutPadding()) {}

    [[nodiscard]] ConvCost cost() {
        cost_.tempBytes = plan_.cost.tempBytes;
        cost_.compute = slowestPart(sizes_, 0);
        cost_.exchange = operands();
        addReduction();
        if (const std::int64_t steps = splits().serialSteps(); steps > 1) {
            cost_.serial = slices();
            for (std::int64_t* term :
                 {&cost_.compute, &cost_.exchange, &cost_.reduce, &cost_.serial})
                *term *= steps;
        }
        return cost_;
    }

private:
    [[nodiscard]] const ConvProblem& problem() const { return plan_.problem; }
    [[nodiscard]] const ConvSplits& splits() const { return plan_.splits; }

    /// Of the tiles with larger and smaller parts of the field's dimensions from `dim` on: workers
    /// may share fewer positions less evenly.
    [[nodiscard]] std::int64_t slowestPart(ConvTileSizes part, std::size_t dim) const {
        if (dim == problem().field.size())
            return convolveCycles(target_, plan_.method, plan_.convUnits, plan_.grains, part,
                                  problem().inType, problem().partialType);
        std::int64_t cycles = slowestPart(part, dim + 1);
        const std::int64_t grain = dim + 1 == problem().field.size() ? plan_.grains.field : 1;
        const std::int64_t grains = ceilDiv(problem().field[dim].out, grain);
        const std::int64_t smaller = grains / splits().field[dim] * grain;
        if (smaller > 0 && smaller < part.outField[dim]) {
            part.outField[dim] = smaller;
            cycles = std::max(cycles, slowestPart(part, dim + 1));
        }
        return cycles;
    }

    /// What a tile has of a slice of an operand of which each has an equal share.
    [[nodiscard]] std::int64_t shareOf(std::int64_t elements) const {
        return elements / splits().serialSteps() / splits().tiles();
    }
    [[nodiscard]] std::int64_t allInputs() const {
        std::int64_t elements = problem().groups * problem().batch * problem().inChans;
        for (const FieldDim& dim : problem().field)
            elements *= dim.in;
        return elements;
    }
    [[nodiscard]] std::int64_t allWeights() const {
        std::int64_t elements = problem().groups * problem().inChans * problem().outChans;
        for (const FieldDim& dim : problem().field)
            elements *= dim.kernel;
        return elements;
    }

    /// Zeros that fill groups of channels up, or lie between the weights of combined groups, do not
    /// move.
    [[nodiscard]] std::int64_t operands() const {
        const auto cycles = [&](std::int64_t needed, double share, bool shared) {
            const auto moved = std::llround(static_cast<double>(needed) * share);
            return exchangeCycles(target_, moved * bytesOf(problem().inType), shared);
        };
        return cycles(there_.inputElements(), moved_.input, splits().sharesBus(target_)) +
               cycles(there_.weightElements() / plan_.transform.combinedGroups, moved_.weights,
                      false);
    }

    [[nodiscard]] ConvTileSizes withoutPadding() const {
        ConvTileSizes sizes = sizes_;
        sizes.groups = std::min(sizes.groups, problem().groups);
        sizes.inChans = std::min(sizes.inChans, ceilDiv(problem().inChans, splits().inChansSerial));
        sizes.outChans =
            std::min(sizes.outChans, ceilDiv(problem().outChans, splits().outChansSerial));
        return sizes;
    }

    [[nodiscard]] std::int64_t results() const { return there_.partialElements(); }

    /// The largest part of the results of so many tiles, in whole grains; the others have one grain
    /// less where it does not divide them.
    [[nodiscard]] std::int64_t partOf(std::int64_t sharers) const {
        return ceilDiv(ceilDiv(results(), grain()), sharers) * grain();
    }
    [[nodiscard]] std::int64_t grain() const { return plan_.resultGrain(); }

    /// Of the slower of the two: parts that do not fill the vectors of the vertex take longer.
    [[nodiscard]] std::int64_t reduceCycles(std::int64_t sharers, std::int64_t depth,
                                            DataType to) const {
        const std::int64_t most = partOf(sharers);
        const std::int64_t least = results() / grain() / sharers * grain();
        return std::max(reduceAddCycles(target_, most, depth, problem().partialType, to),
                        reduceAddCycles(target_, least, depth, problem().partialType, to));
    }

    void addReduction() {
        const DataType from = problem().partialType;
        const std::vector<std::int64_t> depths = plan_.reductionStages();
        if (depths.empty()) {
            if (from != problem().outType)
                cost_.reduce =
                    castCycles(target_, sizes_.partialElements(), from, problem().outType);
            return;
        }
        std::int64_t sharers = 1, left = splits().reductionDepth();
        for (std::size_t i = 0; i < depths.size(); ++i) {
            const bool last = i + 1 == depths.size();
            const std::int64_t depth = last ? left : depths[i];
            left = ceilDiv(left, depth);
            sharers = last ? splits().reductionDepth() : sharers * depth;
            cost_.exchange +=
                exchangeCycles(target_, partOf(sharers) * (depth - 1) * bytesOf(from));
            cost_.reduce += reduceCycles(sharers, depth, last ? problem().outType : from);
        }
    }

    /// Of one step: slices that are cut out, and the results that are put into the whole.
    [[nodiscard]] std::int64_t slices() const {
        const DataType in = problem().inType;
        std::int64_t cycles = dynamicSliceCycles(target_, shareOf(allWeights()), in);
        if (splits().inChansSerial > 1 && plan_.transform.expandedDims.empty())
            cycles += dynamicSliceCycles(target_, shareOf(allInputs()), in);
        return cycles + dynamicSliceCycles(target_, partOf(splits().reductionDepth()), in);
    }

    const Target& target_;
    const ConvPlan& plan_;
    MovedShares moved_;
    ConvTileSizes sizes_; ///< of the fullest tile
    ConvTileSizes there_; ///< the same in channels that are there
    ConvCost cost_;
};

} // namespace

ConvCost executedCost(const Target& target, const ConvPlan& plan, const MovedShares& moved) {
    return ExecutedCost(target, plan, moved).cost();
}

} // namespace tilescope::sim
