#include "simulator/planner/transform.h"

#include <algorithm>

#include "core/base/ceil_div.h"
#include "simulator/planner/planner.h"

namespace tilescope::sim {
namespace {

bool isTrivial(const FieldDim& dim) {
    return dim.kernel == 1 && dim.stride == 1 && dim.inDilation == 1 && dim.in == dim.out;
}

/// Folding pays only where it changes something and the input is at least as large as the kernel. A
/// stride without a kernel is left out of the input by it (PopLibs poplin/ConvPlan.cpp,
/// getExpandDimsCandidates).
bool canExpand(const FieldDim& dim) {
    return !isTrivial(dim) && dim.in >= dim.kernel && dim.inDilation == 1;
}

/// With a single input index each output index meets one kernel index only: the outputs are output
/// channels whose weights are that kernel index (PopLibs outChanFlattenDims).
bool joinsOutChans(const FieldDim& dim) {
    return dim.in == 1 && dim.out > 1 && dim.kernel > 1;
}

TransformedProblem flattened(const ConvProblem& base, unsigned expandMask) {
    TransformedProblem result{base, {}};
    ConvProblem& problem = result.problem;
    problem.field.clear();
    std::int64_t flat = 1;
    for (std::size_t d = 0; d < base.field.size(); ++d) {
        FieldDim dim = base.field[d];
        if (joinsOutChans(dim)) {
            problem.outChans *= dim.out;
            result.transform.outChanDims.push_back(static_cast<int>(d));
            continue;
        }
        if ((expandMask >> d & 1U) != 0) {
            problem.inChans *= dim.kernel;
            problem.expanded = true;
            result.transform.expandedDims.push_back(static_cast<int>(d));
            FieldDim folded;
            folded.in = folded.out = dim.out;
            dim = folded;
        }
        if (isTrivial(dim)) {
            result.transform.flattenedDims.push_back(static_cast<int>(d));
            flat *= dim.out;
        } else {
            result.transform.ownFieldDims.push_back(static_cast<int>(d));
            problem.field.push_back(dim);
        }
    }
    ConvTransform& transform = result.transform;
    if (!transform.flattenedDims.empty() || problem.field.empty()) {
        // They join the innermost of them, where that is (calculateFlattenedParams).
        transform.batchFlattened = true;
        const auto inner = [&](int dim) {
            return !transform.flattenedDims.empty() && dim > transform.flattenedDims.back();
        };
        transform.flattenedAt = static_cast<std::size_t>(
            std::count_if(transform.ownFieldDims.begin(), transform.ownFieldDims.end(),
                          [&](int dim) { return !inner(dim); }));
        FieldDim joined;
        joined.in = joined.out = flat * base.batch;
        problem.field.insert(
            problem.field.begin() + static_cast<std::ptrdiff_t>(transform.flattenedAt), joined);
        problem.batch = 1;
    }
    return result;
}

/// How many conv groups may be taken as one: where a group has fewer input channels than 64 bits
/// hold, up to as many as fill the weights of a conv unit (PopLibs poplin/ConvPlan.cpp,
/// getCombineConvGroupCandidates).
std::vector<std::int64_t> groupsToCombine(const ConvProblem& problem) {
    const bool half = problem.inType == DataType::Half;
    const std::int64_t vector = half ? 4 : 2;
    const std::int64_t weightsOfUnit = half ? 16 : 8;
    std::vector<std::int64_t> factors;
    if (problem.groups == 1 || problem.inChans >= vector || vector % problem.inChans != 0)
        return factors;
    for (std::int64_t f = vector / problem.inChans; f <= weightsOfUnit / problem.inChans; f *= 2)
        factors.push_back(f);
    return factors;
}

TransformedProblem combined(TransformedProblem form, std::int64_t factor) {
    ConvProblem& problem = form.problem;
    form.transform.separateGroups = problem.groups;
    problem.groups = ceilDiv(problem.groups, factor);
    problem.inChans *= factor;
    problem.outChans *= factor;
    form.transform.combinedGroups = factor;
    return form;
}

} // namespace

ConvPlan withSeparateGroups(ConvPlan plan) {
    const std::int64_t factor = plan.transform.combinedGroups;
    if (factor == 1)
        return plan;
    plan.problem.groups = plan.transform.separateGroups;
    plan.problem.inChans /= factor;
    plan.problem.outChans /= factor;
    plan.grains.groups *= factor;
    return plan;
}

std::vector<TransformedProblem> transformsOf(const ConvProblem& base) {
    std::vector<TransformedProblem> forms;
    const unsigned masks = 1U << base.field.size();
    for (unsigned mask = 0; mask < masks; ++mask) {
        bool possible = true;
        for (std::size_t d = 0; d < base.field.size(); ++d)
            possible = possible && ((mask >> d & 1U) == 0 || canExpand(base.field[d]));
        if (!possible)
            continue;
        TransformedProblem form = flattened(base, mask);
        const bool plain = form.problem.batch == 1 && form.problem.field.size() == 1 &&
                           isTrivial(form.problem.field.front());
        if (plain) {
            TransformedProblem exchanged{swapped(form.problem), form.transform};
            exchanged.transform.swapOperands = true;
            forms.push_back(std::move(exchanged));
        }
        for (const std::int64_t factor : groupsToCombine(form.problem))
            forms.push_back(combined(form, factor));
        forms.push_back(std::move(form));
    }
    return forms;
}

} // namespace tilescope::sim
