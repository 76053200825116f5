// What the source's variables and steps are in the target, of the profiles that are open.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "core/analysis/compare/same_items.h"
#include "views/session/open_profile.h"

namespace tilescope::views {

/// The names of a profile's steps.
std::vector<std::string> namesOfSteps(const OpenProfile& profile, const std::stop_token& stop);

/// As in core/analysis/compare; there must be a target.
std::vector<VariableId> sameVariables(const ProfilePair& profiles,
                                      const std::vector<VariableId>& variables,
                                      const std::stop_token& stop);
StepId matchingStep(const ProfilePair& profiles, StepId step, const std::stop_token& stop);

} // namespace tilescope::views
