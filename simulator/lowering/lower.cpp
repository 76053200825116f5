#include "simulator/lowering/lower.h"

#include "simulator/lowering/modes/modes.h"
#include "simulator/lowering/operations/functions.h"
#include "simulator/lowering/operations/lower_op.h"

namespace tilescope::sim {

LoweredProgram lowerGraph(const Graph& graph, const LoweringOptions& options,
                          const PlanTable& plans) {
    LoweredProgram lowered;
    ProgramBuilder builder(options.machine.target, lowered);
    TrafficTable traffic;
    LoweredFunctions functions(graph, options, plans, builder, traffic);
    LoweringContext context(graph, options, plans, builder, traffic, functions);
    if (graph.ownProgram) {
        lowerOwnProgram(context);
        builder.names().finish(lowered.profile);
        return lowered;
    }
    const ExecutionSchedule schedule =
        executionSchedule(graph, options.batch, options.execution, options.host);
    if (schedule.pipeline)
        lowerPipelined(context, schedule);
    else if (options.execution.isPhased())
        lowerPhased(context, schedule);
    else if (options.host.overlaps())
        lowerOverlapped(context, schedule);
    else
        lowerSerial(context, schedule);
    emitRemoteCopies(context);
    // Last, since weights get their places on the way.
    emitWeightCopies(context);
    builder.names().finish(lowered.profile);
    return lowered;
}

} // namespace tilescope::sim
