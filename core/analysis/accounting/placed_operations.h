// The model's operations, the programs that they became, and the steps in which these run.
#pragma once

#include <string>
#include <vector>

#include "core/profile/model_graph.h"
#include "core/view/profile_view.h"

namespace tilescope {

/// An operation where the model runs it.
struct PlacedOperation {
    std::string path;      ///< debug path at the place; empty for programs of no operation
    OperationId operation; ///< whose programs run; places may share them. None: of no operation
    ModelNodeId node;      ///< none where the profile does not record it
    StepId firstStep;      ///< of the liveness order; none for an operation without steps
    StepId lastStep;
    std::vector<ProgramId>
        programs; ///< that the steps execute, and calls of the operation; ascending, each once
};

/// Operations in the order of their first steps, then those of the model without any. The steps of
/// a function count for the places of its calls; programs called by a pipeline's slots are in the
/// order once.
std::vector<PlacedOperation> placedOperations(const ProfileView& profile, Stop stop = {});

} // namespace tilescope
