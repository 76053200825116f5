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
    LoweringContext context(graph, options, plans, builder);
    LoweredFunctions functions(graph, options, plans, builder);
    context.setFunctions(&functions);
    if (graph.ownProgram) {
        lowerOwnProgram(context);
        builder.finishNames();
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
    // Written last, since weights get their places on the way, but it runs first.
    emitWeightsFromHost(context);
    builder.finishNames();
    std::swap(lowered.profile.controlPrograms[0], lowered.profile.controlPrograms[1]);
    return lowered;
}

} // namespace tilescope::sim
