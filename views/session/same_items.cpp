#include "views/session/same_items.h"

#include "core/analysis/liveness/liveness.h"

namespace tilescope::views {

std::vector<std::string> namesOfSteps(const OpenProfile& profile, const std::stop_token& stop) {
    return stepNames(*profile.programs(stop), *profile.steps(stop));
}

std::vector<VariableId> sameVariables(const ProfilePair& profiles,
                                      const std::vector<VariableId>& variables,
                                      const std::stop_token& stop) {
    return tilescope::sameVariables(*profiles.source->variables(stop),
                                    *profiles.target->variables(stop), variables);
}

StepId matchingStep(const ProfilePair& profiles, StepId step, const std::stop_token& stop) {
    return tilescope::matchingStep(namesOfSteps(*profiles.source, stop),
                                   namesOfSteps(*profiles.target, stop), step);
}

} // namespace tilescope::views
