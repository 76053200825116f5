#include "simulator/planner/dense_plan.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/base/ceil_div.h"
#include "simulator/cost/conv_cycles.h"
#include "simulator/planner/transform.h"

namespace tilescope::sim {
namespace {

constexpr std::array passes{TrainingPass::TrainingForward, TrainingPass::TrainingBackward,
                            TrainingPass::TrainingUpdate};

/// Weights are the input of a joint plan's products: operands are swapped.
TransformedProblem swappedForm(const ConvProblem& problem) {
    const std::vector<TransformedProblem> forms = transformsOf(problem);
    return *std::find_if(forms.begin(), forms.end(), [](const TransformedProblem& form) {
        return form.transform.swapOperands && form.transform.combinedGroups == 1;
    });
}

/// Vertices that the weights' gradient may use as well: the forward product's input channels are
/// its output channels (ConvVertexType.cpp, isJointPlan).
bool suitsUpdate(const Target& target, const MethodCandidate& candidate,
                 const ConvProblem& problem) {
    const std::int64_t inChans = candidate.grains.inChans;
    if (candidate.method == ConvMethod::Amp)
        return inChans % candidate.convUnits == 0;
    const std::int64_t units = unitsOf(target, problem.inType, candidate.partialType);
    return inChans == 1 || inChans % units == 0;
}

/// The vertices of the update (getFullyConnectedWUMethod): grains of input and output channels are
/// exchanged.
MethodCandidate updateCandidate(const Target& target, const MethodCandidate& forward,
                                const ConvProblem& problem) {
    MethodCandidate update = forward;
    std::swap(update.grains.inChans, update.grains.outChans);
    update.oneInPiece = update.oneOutPiece = false;
    if (problem.outChans == 1 && forward.grains.outChans == 1) {
        update.method = ConvMethod::OuterProduct;
        update.partialType = problem.inType;
        return update;
    }
    if (forward.grains.inChans == 1) {
        if (forward.method == ConvMethod::OuterProduct)
            update.method = ConvMethod::Hmac;
        return update;
    }
    // HMAC writes single output channels.
    update.method = ConvMethod::Amp;
    update.convUnits = unitsOf(target, problem.inType, update.partialType);
    const bool half = problem.inType == DataType::Half;
    const std::int64_t load = half ? target.convUnitLoadElemsHalf : target.convUnitLoadElemsFloat;
    const std::int64_t weights = target.convUnitPipelineDepth * load;
    if (update.grains.inChans % load != 0 || weights % update.grains.inChans != 0)
        update.grains.inChans = weights;
    // A single pass of the unit makes the sum: wider partial sums would gain nothing (poplin/
    // ConvPlan.cpp, getFullyConnectedWUPlan). There it is so for as many units either way; on Mk2,
    // with more, too, as published memory has no room for wider ones.
    const std::int32_t units = unitsOf(target, problem.inType, problem.outType);
    if (problem.outChans == update.grains.inChans && update.grains.outChans % units == 0) {
        update.partialType = problem.outType;
        update.convUnits = units;
    }
    return update;
}

/// The joint search: groups, output features and input features are cut, the batch is not.
class JointSearch {
public:
    JointSearch(const Target& target, const ConvProblem& forward, std::int64_t bound,
                std::int64_t mostCycles)
        : target_(target)
        , bound_(bound)
        , best_(mostCycles) {
        for (std::size_t pass = 0; pass < passes.size(); ++pass)
            forms_[pass] = swappedForm(densePass(forward, pass));
    }

    std::optional<DensePlans> run() {
        if (forms_[0].problem.inType != forms_[0].problem.outType)
            return std::nullopt;
        const ConvProblem& problem = forms_[0].problem;
        for (const MethodCandidate& candidate : candidatesButHmac(target_, problem))
            if (suitsUpdate(target_, candidate, problem))
                tryAll(candidate);
        const std::int64_t units = unitsOf(target_, problem.inType, problem.partialType);
        for (const MethodCandidate& candidate : hmacCandidates(target_, problem, units))
            tryAll(candidate);
        return plans_;
    }

private:
    void tryAll(MethodCandidate forward) {
        const ConvProblem& problem = forms_[0].problem;
        forward.grains.field = forward.grains.inChans;
        MethodCandidate backward = forward;
        if (backward.method == ConvMethod::OuterProduct)
            backward.method = ConvMethod::Hmac;
        MethodCandidate update = updateCandidate(target_, forward, problem);
        candidates_ = {forward, backward, update};
        const std::int64_t field = ceilDiv(problem.field.back().out, forward.grains.field);
        const std::int64_t inChans = ceilDiv(problem.inChans, forward.grains.inChans);
        // Three products of as many multiplications, at their fastest on one tile.
        leastOnOneTile_ =
            3 * problem.macs() /
            static_cast<double>(maxMacsPerCycle(target_, forward.method, forward.convUnits,
                                                forward.grains, problem.inType));
        if (leastOnOneTile_ > static_cast<double>(best_) * target_.tilesPerIpu)
            return;
        for (const std::int64_t g : distinctSplits(problem.groups, target_.tilesPerIpu))
            for (const std::int64_t f : distinctSplits(field, target_.tilesPerIpu / g))
                for (const std::int64_t i : distinctSplits(inChans, target_.tilesPerIpu / g / f))
                    evaluate(g, f, i);
    }

    /// The splits of a pass from those of the forward product.
    [[nodiscard]] ConvSplits splitsOf(std::size_t pass, std::int64_t groups, std::int64_t field,
                                      std::int64_t inChans) const {
        ConvSplits splits;
        splits.groups = groups;
        splits.field = {pass == 1 ? inChans : field};
        splits.kernel = {1};
        splits.inChans = pass == 0 ? inChans : pass == 1 ? field : 1;
        splits.outChans = pass == 2 ? inChans : 1;
        splits.tileOrder = pass == 0   ? TileOrder::Standard
                           : pass == 1 ? TileOrder::DenseBackward
                                       : TileOrder::DenseUpdate;
        return splits;
    }

    void evaluate(std::int64_t groups, std::int64_t field, std::int64_t inChans) {
        if (leastOnOneTile_ >
            static_cast<double>(best_) * static_cast<double>(groups * field * inChans))
            return;
        std::array<ConvPlan, 3> plans;
        std::int64_t cycles = 0, bytes = 0;
        for (std::size_t pass = 0; pass < plans.size(); ++pass) {
            const MethodCandidate& candidate = candidates_[pass];
            ConvPlan& plan = plans[pass];
            plan.splits = splitsOf(pass, groups, field, inChans);
            plan.problem = plannedProblem(forms_[pass].problem, candidate);
            plan.grains = candidate.grains;
            // PopLibs estimates all passes with the assumptions of the forward one.
            ConvProblem assumed = plan.problem;
            assumed.pass = TrainingPass::TrainingForward;
            plan.cost = convCost(target_, assumed, candidate, plan.tileSizes(), plan.splits,
                                 forms_[pass].transform);
            cycles += plan.cost.cycles();
            bytes = std::max(bytes, plan.cost.tempBytes);
            if (cycles > best_ || bytes > bound_)
                return;
        }
        if (cycles == best_ && plans_ && bytes >= plans_->front().cost.tempBytes)
            return;
        best_ = cycles;
        for (std::size_t pass = 0; pass < plans.size(); ++pass) {
            plans[pass].method = candidates_[pass].method;
            plans[pass].convUnits = candidates_[pass].convUnits;
            plans[pass].transform = forms_[pass].transform;
            plans[pass].cost.tempBytes = bytes;
            plans[pass].joint = true;
        }
        plans_ = std::move(plans);
    }

    const Target& target_;
    std::int64_t bound_;
    std::int64_t best_;
    double leastOnOneTile_ = 0;
    std::array<TransformedProblem, 3> forms_;
    std::array<MethodCandidate, 3> candidates_;
    std::optional<DensePlans> plans_;
};

} // namespace

bool isDensePass(const ConvProblem& problem) {
    return problem.matMul && std::find(passes.begin(), passes.end(), problem.pass) != passes.end();
}

std::size_t densePassIndex(const ConvProblem& pass) {
    return static_cast<std::size_t>(std::find(passes.begin(), passes.end(), pass.pass) -
                                    passes.begin());
}

ConvProblem denseForward(const ConvProblem& pass) {
    ConvProblem forward = pass;
    FieldDim& rows = forward.field.front();
    if (pass.pass == TrainingPass::TrainingBackward)
        std::swap(forward.inChans, forward.outChans);
    else if (pass.pass == TrainingPass::TrainingUpdate) {
        std::swap(rows.out, forward.inChans);
        rows.in = rows.out;
    }
    forward.pass = TrainingPass::TrainingForward;
    return forward;
}

ConvProblem densePass(const ConvProblem& forward, std::size_t index) {
    ConvProblem pass = forward;
    FieldDim& rows = pass.field.front();
    pass.pass = passes[index];
    if (pass.pass == TrainingPass::TrainingBackward)
        std::swap(pass.inChans, pass.outChans);
    else if (pass.pass == TrainingPass::TrainingUpdate) {
        std::swap(rows.out, pass.inChans);
        rows.in = rows.out;
    }
    return pass;
}

DensePlans planDense(const Target& target, const ConvProblem& forward,
                     double availableMemoryProportion, OverMemory overMemory) {
    DensePlans separate;
    std::int64_t cycles = 0;
    bool fits = true;
    for (std::size_t pass = 0; pass < separate.size(); ++pass) {
        separate[pass] =
            planConv(target, densePass(forward, pass), availableMemoryProportion, overMemory);
        cycles += separate[pass].cost.cycles();
        fits = fits && separate[pass].withinMemoryTarget;
    }
    const std::int64_t bound = memoryBound(target, availableMemoryProportion);
    if (bound == 0)
        return separate;
    const std::int64_t most = fits ? cycles : std::numeric_limits<std::int64_t>::max();
    std::optional<DensePlans> joint = JointSearch(target, forward, bound, most).run();
    return joint ? *std::move(joint) : separate;
}

} // namespace tilescope::sim
