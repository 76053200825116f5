// A graph as a program over tiles.
#pragma once

#include "simulator/graph/graph.h"
#include "simulator/lowering/program/builder.h"
#include "simulator/options/stage_options.h"
#include "simulator/planner/plan_table.h"

namespace tilescope::sim {

/// Lowers a prepared graph (see preparedGraph): operations, variables, compute sets, exchanges,
/// streams and the program tree of the control programs weightsFromHost and outer.
LoweredProgram lowerGraph(const Graph& graph, const LoweringOptions& options,
                          const PlanTable& plans);

} // namespace tilescope::sim
