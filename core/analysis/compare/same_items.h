// What a variable or a step of one profile is in another.
#pragma once

#include <string>
#include <vector>

#include "core/profile/profile.h"

namespace tilescope {

/// The target's variables that have the names of these of the source.
std::vector<VariableId> sameVariables(const IdVector<VariableId, Variable>& source,
                                      const IdVector<VariableId, Variable>& target,
                                      const std::vector<VariableId>& variables);

/// The target's step that corresponds to a step of the source, from the names of all steps: of
/// several of one name the one at the same turn, else the one at the same place; none if there is
/// no such place.
StepId matchingStep(const std::vector<std::string>& source, const std::vector<std::string>& target,
                    StepId step);

} // namespace tilescope
