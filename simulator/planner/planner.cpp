#include "simulator/planner/planner.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/base/error.h"
#include "simulator/cost/conv_cycles.h"
#include "simulator/planner/transform.h"

namespace tilescope::sim {
namespace {

std::int64_t ceilDiv(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

enum class Objective { Cycles, Memory };

/// One search over all partitions of one problem with one method.
class Search {
public:
    Search(const Target& target, const TransformedProblem& form, const MethodCandidate& candidate,
           Objective objective, std::int64_t bound, std::optional<ConvPlan>& best)
        : target_(target)
        , problem_(form.problem)
        , candidate_(candidate)
        , transform_(form.transform)
        , objective_(objective)
        , bound_(bound)
        , best_(best) {
        splits_.field.assign(problem_.field.size(), 1);
        splits_.kernel.assign(problem_.field.size(), 1);
        macsPerCycle_ = maxMacsPerCycle(target, candidate.method, candidate.convUnits,
                                        candidate.grains, problem_.inType);
    }

    void run(std::int64_t outSerial, std::int64_t inSerial) {
        splits_.outChansSerial = outSerial;
        splits_.inChansSerial = inSerial;
        const std::int64_t tiles = target_.tilesPerIpu;
        const std::int64_t outGrains =
            ceilDiv(ceilDiv(problem_.outChans, outSerial), candidate_.grains.outChans);
        const std::int64_t inGrains =
            ceilDiv(ceilDiv(problem_.inChans, inSerial), candidate_.grains.inChans);
        for (const std::int64_t groups :
             distinctSplits(ceilDiv(problem_.groups, candidate_.grains.groups), tiles)) {
            splits_.groups = groups;
            for (const std::int64_t outs : distinctSplits(outGrains, tiles / groups)) {
                splits_.outChans = outs;
                for (const std::int64_t ins : distinctSplits(inGrains, tiles / (groups * outs))) {
                    splits_.inChans = ins;
                    splitBatch(tiles / (groups * outs * ins));
                }
            }
        }
    }

private:
    void splitBatch(std::int64_t tilesLeft) {
        for (const std::int64_t batch : distinctSplits(problem_.batch, tilesLeft)) {
            splits_.batch = batch;
            splitKernel(0, tilesLeft / batch);
        }
    }

    void splitKernel(std::size_t dim, std::int64_t tilesLeft) {
        // The innermost kernel dimension is never cut.
        if (dim + 1 >= problem_.field.size()) {
            splitField(0, tilesLeft);
            return;
        }
        for (const std::int64_t parts : distinctSplits(problem_.field[dim].kernel, tilesLeft)) {
            splits_.kernel[dim] = parts;
            splitKernel(dim + 1, tilesLeft / parts);
        }
    }

    void splitField(std::size_t dim, std::int64_t tilesLeft) {
        if (dim == problem_.field.size()) {
            evaluate();
            return;
        }
        for (const std::int64_t parts : distinctSplits(problem_.field[dim].out, tilesLeft)) {
            splits_.field[dim] = parts;
            splitField(dim + 1, tilesLeft / parts);
        }
    }

    /// Multiply-accumulates of the busiest tile over the method's best rate.
    [[nodiscard]] std::int64_t computeBound() const {
        std::int64_t macs = ceilDiv(problem_.groups, splits_.groups) *
                            ceilDiv(problem_.batch, splits_.batch) *
                            ceilDiv(problem_.inChans, splits_.inChans * splits_.inChansSerial) *
                            ceilDiv(problem_.outChans, splits_.outChans * splits_.outChansSerial);
        for (std::size_t d = 0; d < problem_.field.size(); ++d)
            macs *= ceilDiv(problem_.field[d].out, splits_.field[d]) *
                    ceilDiv(problem_.field[d].kernel, splits_.kernel[d]);
        return macs / macsPerCycle_ * splits_.serialSteps();
    }

    void evaluate() {
        if (objective_ == Objective::Cycles && best_ && computeBound() > best_->cost.cycles())
            return;
        // Operands and partials are the least that a plan needs: skip the full cost where that is
        // already too much.
        fillTileSizes(problem_, candidate_.grains, splits_, sizes_);
        const std::int64_t least =
            (sizes_.inputElements() + sizes_.weightElements()) * bytesOf(problem_.inType) +
            sizes_.partialElements() * bytesOf(problem_.partialType);
        if (objective_ == Objective::Cycles ? least > bound_
                                            : best_ && least > best_->cost.tempBytes)
            return;
        const ConvCost cost = convCost(target_, problem_, candidate_.method, candidate_.convUnits,
                                       candidate_.grains, splits_, transform_);
        if (objective_ == Objective::Cycles && cost.tempBytes > bound_)
            return;
        if (best_ && !better(cost, best_->cost))
            return;
        ConvPlan plan;
        plan.method = candidate_.method;
        plan.convUnits = candidate_.convUnits;
        plan.grains = candidate_.grains;
        plan.splits = splits_;
        plan.transform = transform_;
        plan.problem = problem_;
        plan.cost = cost;
        plan.withinMemoryTarget = cost.tempBytes <= bound_;
        best_ = std::move(plan);
    }

    [[nodiscard]] bool better(const ConvCost& a, const ConvCost& b) const {
        if (objective_ == Objective::Cycles)
            return std::pair(a.cycles(), a.tempBytes) < std::pair(b.cycles(), b.tempBytes);
        return std::pair(a.tempBytes, a.cycles()) < std::pair(b.tempBytes, b.cycles());
    }

    const Target& target_;
    const ConvProblem& problem_;
    const MethodCandidate& candidate_;
    const ConvTransform& transform_;
    Objective objective_;
    std::int64_t bound_;
    std::optional<ConvPlan>& best_;
    std::int64_t macsPerCycle_ = 1;
    ConvTileSizes sizes_;
    ConvSplits splits_;
};

/// Serial splits worth trying: powers of two of the channel grains.
std::vector<std::pair<std::int64_t, std::int64_t>> serialSplits(const ConvProblem& problem,
                                                                const ConvGrains& grains) {
    std::vector<std::pair<std::int64_t, std::int64_t>> splits;
    for (std::int64_t s = 2; s <= ceilDiv(problem.outChans, grains.outChans); s *= 2)
        if (problem.outChans % s == 0)
            splits.emplace_back(s, 1);
    for (std::int64_t s = 2; s <= ceilDiv(problem.inChans, grains.inChans); s *= 2)
        if (problem.inChans % s == 0)
            splits.emplace_back(1, s);
    return splits;
}

enum class Serial { No, Yes };

std::optional<ConvPlan> search(const Target& target, const ConvProblem& problem,
                               Objective objective, std::int64_t bound, Serial serial) {
    std::optional<ConvPlan> best;
    for (const TransformedProblem& form : transformsOf(problem))
        for (const MethodCandidate& candidate : methodCandidates(target, form.problem)) {
            Search one(target, form, candidate, objective, bound, best);
            one.run(1, 1);
            if (serial == Serial::Yes)
                for (const auto& [outs, ins] : serialSplits(form.problem, candidate.grains))
                    one.run(outs, ins);
        }
    return best;
}

} // namespace

std::vector<std::int64_t> distinctSplits(std::int64_t size, std::int64_t most) {
    std::vector<std::int64_t> splits;
    for (std::int64_t parts = 1; parts <= most;) {
        splits.push_back(parts);
        const std::int64_t largest = ceilDiv(size, parts);
        if (largest <= 1)
            break;
        parts = ceilDiv(size, largest - 1);
    }
    return splits;
}

std::int64_t memoryBound(const Target& target, double availableMemoryProportion) {
    return static_cast<std::int64_t>(static_cast<double>(target.bytesPerTile) *
                                     availableMemoryProportion);
}

ConvProblem swapped(const ConvProblem& problem) {
    ConvProblem result = problem;
    result.outChans = problem.field.empty() ? 1 : problem.field.back().out;
    FieldDim field;
    field.in = problem.outChans;
    field.out = problem.outChans;
    result.field.assign(1, field);
    return result;
}

std::vector<MethodCandidate> methodCandidates(const Target& target, const ConvProblem& problem) {
    std::vector<MethodCandidate> candidates;
    const bool half = problem.inType == DataType::Half;
    const bool halfPartials = problem.partialType == DataType::Half;
    const std::int64_t load = half ? target.convUnitLoadElemsHalf : target.convUnitLoadElemsFloat;
    const std::int64_t weightsPerUnit = target.convUnitPipelineDepth * load;
    const std::int32_t units = !half          ? target.convUnitsFloatToFloat
                               : halfPartials ? target.convUnitsHalfToHalf
                                              : target.convUnitsHalfToFloat;
    for (std::int64_t c = weightsPerUnit; c >= load; c /= 2) {
        if (weightsPerUnit % c != 0 || c % load != 0)
            continue;
        const std::int64_t wide = std::max<std::int64_t>(units, weightsPerUnit);
        candidates.push_back({ConvMethod::Amp, units, {1, c, wide}});
        if (wide != units)
            candidates.push_back({ConvMethod::Amp, units, {1, c, units}});
    }
    const std::int64_t evenOut = halfPartials ? 2 : 1;
    for (const std::int64_t c : {16, 8, 4, 2, 1})
        if (c <= std::max<std::int64_t>(problem.inChans, 1) &&
            (!half || c % 2 == 0 || problem.inChans == 1))
            candidates.push_back({ConvMethod::Hmac, 0, {1, half && c == 1 ? 2 : c, evenOut}});
    if (half && problem.inChans == 1 && problem.outChans == 1 && problem.groups > 1)
        for (const std::int64_t g : {4, 8, 16})
            if (g == 4 || halfPartials)
                candidates.push_back({ConvMethod::Vmac, 0, {g, 1, 1}});
    const bool plain = problem.batch == 1 && problem.inChans == 1 && problem.field.size() == 1 &&
                       problem.field[0].kernel == 1 && problem.field[0].stride == 1;
    if (plain)
        candidates.push_back({ConvMethod::OuterProduct,
                              0,
                              {1, 1, half ? target.vectorWidthHalf : target.vectorWidthFloat}});

    // Most promising first, so that later candidates are cut off early.
    const auto merit = [&](const MethodCandidate& m) {
        const auto padded = [](std::int64_t n, std::int64_t grain) {
            return static_cast<double>(ceilDiv(n, grain) * grain);
        };
        const double useful = static_cast<double>(problem.inChans * problem.outChans) /
                              (padded(problem.inChans, m.grains.inChans) *
                               padded(problem.outChans, m.grains.outChans));
        return useful * static_cast<double>(maxMacsPerCycle(target, m.method, m.convUnits, m.grains,
                                                            problem.inType));
    };
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](const auto& a, const auto& b) { return merit(a) > merit(b); });
    return candidates;
}

ConvPlan planConv(const Target& target, const ConvProblem& problem,
                  double availableMemoryProportion) {
    const std::int64_t bound = memoryBound(target, availableMemoryProportion);
    // A loop over slices repeats exchanges and copies: it only pays where memory forbids to do all
    // at once.
    for (const Serial serial : {Serial::No, Serial::Yes})
        if (auto plan = search(target, problem, Objective::Cycles, bound, serial))
            return *std::move(plan);
    auto smallest = search(target, problem, Objective::Memory, bound, Serial::Yes);
    if (!smallest)
        throw InternalError("the planner found no partition at all");
    return *std::move(smallest);
}

} // namespace tilescope::sim
