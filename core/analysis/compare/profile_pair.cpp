#include "core/analysis/compare/profile_pair.h"

namespace tilescope {
namespace {

/// The other side's step, or its step at the same place.
StepId orSamePlace(StepId found, StepId step, std::size_t steps) {
    if (found.valid())
        return found;
    return step.valid() && step.index() < steps ? step : StepId();
}

} // namespace

ProfileMatching::ProfileMatching(ProfileViewPtr source, ProfileViewPtr target)
    : source_(std::move(source))
    , target_(std::move(target)) {}

ProfileMatching::Part<MatchedOperations> ProfileMatching::operations(Stop stop) const {
    return operations_.get(
        [&] { return MatchedOperations(source_->operations(stop), target_->operations(stop)); });
}

ProfileMatching::Part<Matching> ProfileMatching::variables(Stop stop) const {
    return variables_.get([&] {
        return matchVariables(*source_->variables(stop), *target_->variables(stop),
                              *operations(stop));
    });
}

ProfileMatching::Part<Matching> ProfileMatching::computeSets(Stop stop) const {
    return computeSets_.get([&] {
        return matchComputeSets(*source_->computeSets(stop), *target_->computeSets(stop),
                                *operations(stop));
    });
}

ProfileMatching::Part<Matching> ProfileMatching::exchanges(Stop stop) const {
    return exchanges_.get([&] {
        return matchExchanges(*source_->exchanges(stop), *target_->exchanges(stop),
                              *operations(stop));
    });
}

ProfileMatching::Part<Matching> ProfileMatching::vertexTypes(Stop stop) const {
    return vertexTypes_.get(
        [&] { return matchVertexTypes(*source_->vertexTypes(stop), *target_->vertexTypes(stop)); });
}

ProfileMatching::Part<Matching> ProfileMatching::programs(Stop stop) const {
    return programs_.get([&] {
        return matchPrograms(*source_->programs(stop), *target_->programs(stop), *operations(stop));
    });
}

ProfileMatching::Part<Matching> ProfileMatching::steps(Stop stop) const {
    return steps_.get(
        [&] { return matchSteps(*source_->steps(stop), *target_->steps(stop), *programs(stop)); });
}

std::vector<VariableId> ProfileMatching::targetsOf(const std::vector<VariableId>& variables,
                                                   Stop stop) const {
    const Part<Matching> matching = this->variables(stop);
    std::vector<VariableId> found;
    for (const VariableId id : variables)
        if (const VariableId other = matching->targetOf(id); other.valid())
            found.push_back(other);
    return found;
}

StepId ProfileMatching::targetOf(StepId step, Stop stop) const {
    return orSamePlace(steps(stop)->targetOf(step), step, target_->steps(stop)->size());
}

StepId ProfileMatching::sourceOf(StepId step, Stop stop) const {
    return orSamePlace(steps(stop)->sourceOf(step), step, source_->steps(stop)->size());
}

} // namespace tilescope
