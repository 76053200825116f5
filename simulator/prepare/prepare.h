// Preparation of an imported model for lowering.
#pragma once

#include "core/options/run_options.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// Assigns stages or phases (by names, or evenly by cycles), adds the training step, decomposes
/// composed operations, inserts copies between IPUs and activation buffers, and makes repeated
/// parts functions. Throws UserError for options that do not fit the model.
Graph preparedGraph(const Graph& graph, const RunOptions& options);

/// Whether the planner's estimates decide where stages or phases begin: then the prepared graph
/// depends on the planner's options too.
bool plansDecideStages(const RunOptions& options);

} // namespace tilescope::sim
