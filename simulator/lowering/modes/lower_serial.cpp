// The step program of one IPU, or of several that work one after the other.
#include <algorithm>
#include <optional>

#include "simulator/engine/host_model.h"
#include "simulator/lowering/modes/io_tiles.h"
#include "simulator/lowering/modes/modes.h"
#include "simulator/lowering/modes/output_returns.h"
#include "simulator/lowering/operations/families.h"

namespace tilescope::sim {
namespace {

/// Moves the programs added last in `sequence` (from index `from` on) to its front: inputs are laid
/// out by their users, but the host sends them first.
void moveToFront(LoweredProgram& lowered, ProgramId sequence, std::size_t from) {
    auto& children = lowered.profile.programs[sequence].children;
    std::rotate(children.begin(), children.begin() + static_cast<std::ptrdiff_t>(from),
                children.end());
}

/// Adds transfers from the host before the programs of `sequence`, and those to the host after each
/// micro-batch; `returns` sends the rest.
void emitHostCopies(LoweringContext& context, ProgramId sequence,
                    std::optional<OutputReturns>& returns) {
    ProgramBuilder& b = context.builder();
    LoweredProgram& lowered = b.lowered();
    const std::size_t computed = lowered.profile.programs[sequence].children.size();
    if (context.options().machine.ioTiles > 0) {
        IoTileStreams streams(context);
        streams.load();
        streams.copyIn();
        moveToFront(lowered, sequence, computed);
        streams.copyOut();
        streams.store();
        return;
    }
    emitStreams(b, inputStreams(context));
    moveToFront(lowered, sequence, computed);
    returns.emplace(context).afterMicroBatch();
}

/// Tensors that are allocated for an operation get their places before the first one reads them.
void placeAllocated(LoweringContext& context) {
    const Graph& graph = context.graph();
    for (std::size_t i = 0; i < graph.allocations.size(); ++i)
        placeConvInput(context, graph.allocations[i], context.allocationPlan(i));
    for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
        const TensorId result = graph.tensors[TensorId(t)].allocatedFor;
        for (std::size_t i = 0; i < graph.ops.size() && result.valid(); ++i)
            if (!graph.ops[OpId(i)].outputs.empty() && graph.ops[OpId(i)].outputs.front() == result)
                placeFor(context, TensorId(t), OpId(i));
    }
}

} // namespace

void lowerSerial(LoweringContext& context, const ExecutionSchedule& schedule) {
    ProgramBuilder& b = context.builder();
    LoweredProgram& lowered = b.lowered();
    const Graph& graph = context.graph();
    const LoweringOptions& options = context.options();

    placeAllocated(context);
    b.beginControlProgram("outer");
    const bool everyN = options.host.outputMode == OutputMode::EveryN;
    b.beginRepeat("batchesPerStep", schedule.iterations / (everyN ? options.host.outputEvery : 1));
    if (everyN)
        b.beginRepeat("returnPeriod", options.host.outputEvery);
    if (schedule.update.valid())
        b.beginRepeat("accumulationLoop", schedule.parts.front().repeats);
    const ProgramId body(lowered.profile.programs.size() - 1);
    bool updating = false;
    std::optional<OutputReturns> returns;
    int started = 0;
    const auto finishBatch = [&] {
        for (const TensorId id : graph.outputs)
            context.ensurePlace(id);
        if (!options.host.ignoreData)
            emitHostCopies(context, body, returns);
        else
            for (const TensorId id : graph.outputs)
                lowered.readLater.insert(context.variableOf(id));
    };
    for (std::size_t i = 0; i < graph.ops.size(); ++i) {
        if (schedule.isUpdate(OpId(i)) && !updating) {
            updating = true;
            finishBatch();
            b.end();
            b.beginSequence("VarUpdateFromAccumulator");
        }
        if (graph.ops[OpId(i)].startsProgram) {
            b.beginSequence(std::string(startedByHostProgram));
            ++started;
        }
        lowerOp(context, OpId(i), schedule.ops[OpId(i)].again);
    }
    if (updating)
        b.end();
    else
        finishBatch();
    for (; started > 0; --started)
        b.end();
    b.end();
    if (returns)
        returns->afterLoops();
    if (everyN)
        b.end();
    b.end();
}

} // namespace tilescope::sim
