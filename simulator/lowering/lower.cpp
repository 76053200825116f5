#include "simulator/lowering/lower.h"

#include "simulator/lowering/modes/modes.h"
#include "simulator/lowering/operations/functions.h"
#include "simulator/lowering/operations/lower_op.h"
#include "simulator/planner/compute_tiles.h"

namespace tilescope::sim {

LoweredProgram lowerGraph(const Graph& graph, const RunOptions& run, const PlanTable& plans) {
    const RunOptions options = onComputeTiles(run);
    LoweredProgram lowered;
    ProgramBuilder builder(run.target, lowered);
    TrafficTable traffic;
    LoweredFunctions functions(graph, options, plans, builder, traffic);
    LoweringContext context(graph, options, plans, builder, traffic, functions);
    if (graph.ownProgram) {
        lowerOwnProgram(context);
        builder.names().finish(lowered.profile);
        return lowered;
    }
    if (options.execution == Execution::Pipelined)
        lowerPipelined(context);
    else if (options.execution == Execution::Phased)
        lowerPhased(context);
    else if (options.exchangeStrategy != ExchangeStrategy::JustInTime)
        lowerOverlapped(context);
    else
        lowerSerial(context);
    emitRemoteCopies(context);
    // Last, since weights get their places on the way.
    emitWeightCopies(context);
    builder.names().finish(lowered.profile);
    return lowered;
}

} // namespace tilescope::sim
