#include "simulator/lowering/operations/lower_op.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "simulator/engine/host_model.h"
#include "simulator/lowering/operations/functions.h"
#include "simulator/lowering/operations/loop.h"
#include "simulator/schedule/execution_schedule.h"

namespace tilescope::sim {
namespace {

/// One case a kind: a kind without its own does not compile.
struct Lower {
    LoweringContext& context;
    const Op& op;

    template <class Kind> void operator()(const Kind&) const requires(Kind::traits.isPlanned) {
        lowerConvolution(context, op);
    }
    void operator()(const MultiUpdateAttributes&) const { lowerMultiUpdate(context, op); }
    void operator()(const ElementwiseAttributes&) const { lowerElementwise(context, op); }
    void operator()(const ReduceAttributes&) const { lowerReduce(context, op); }
    void operator()(const JointReduceAttributes&) const { lowerJointReduce(context, op); }
    void operator()(const PoolAttributes&) const { lowerPool(context, op); }
    void operator()(const PoolGradAttributes&) const { lowerPoolGrad(context, op); }
    void operator()(const FillAttributes&) const { lowerFill(context, op); }
    void operator()(const StashAttributes&) const { lowerStash(context, op); }
    void operator()(const RestoreAttributes&) const { lowerRestore(context, op); }
    void operator()(const FifoAttributes&) const { lowerFifo(context, op); }
    void operator()(const RemoteLoadAttributes&) const { lowerRemoteLoad(context, op); }
    void operator()(const RemoteStoreAttributes&) const { lowerRemoteStore(context, op); }
    void operator()(const CollectiveAttributes&) const { lowerCollective(context, op); }
    void operator()(const ShardAttributes&) const { lowerShard(context, op); }
    void operator()(const CustomAttributes&) const { lowerCustom(context, op); }
    void operator()(const CallAttributes&) const { lowerCall(context, op); }
    void operator()(const LoopAttributes&) const { lowerLoop(context, op); }
    void operator()(const CtcLossAttributes&) const { lowerCtcLoss(context, op); }
    void operator()(const CtcBeamSearchAttributes&) const { lowerCtcBeamSearch(context, op); }
    void operator()(const IpuCopyAttributes&) const {
        emitIpuCopies(context.builder(), op.name, {placeIpuCopy(context, op)});
    }
    void operator()(const GatherAttributes&) const { lowerGather(context, op); }
    void operator()(const ReshapeAttributes&) const { lowerView(context, op); }
    void operator()(const TransposeAttributes&) const { lowerView(context, op); }
    void operator()(const ConcatAttributes&) const { lowerSelection(context, op); }
    void operator()(const SliceAttributes&) const { lowerSelection(context, op); }
    void operator()(const PadAttributes&) const { lowerSelection(context, op); }
    void operator()(const ExpandAttributes&) const { lowerSelection(context, op); }
    void operator()(const LrnAttributes&) const { composed(); }
    void operator()(const SoftmaxAttributes&) const { composed(); }
    void operator()(const NormAttributes&) const { composed(); }

    [[noreturn]] void composed() const {
        throw InternalError(
            fmt::format("operation '{}' ({}) was not decomposed", op.name, op.kind()));
    }
};

Operation describe(const LoweringContext& context, const Op& op, OpId id) {
    const Graph& graph = context.graph();
    Operation operation;
    operation.name = op.name;
    operation.type = op.type;
    operation.flops = flopsOf(graph, op);
    if (!op.outputs.empty())
        operation.outputShape = toString(graph.tensors[op.outputs[0]].shape);
    if (isPlanned(op.attributes)) {
        // The steps of convolutions that run together are the last one's.
        if (const std::vector<OpId> together = context.togetherWith(id); !together.empty()) {
            operation.flops = 0;
            for (const OpId other : together)
                if (id == together.back())
                    operation.flops += flopsOf(graph, graph.ops[other]);
        }
        const ConvPlan& plan = context.planOf(id);
        // That of others is recorded with what their steps take.
        if (plan.parallel)
            operation.plan = plan.toJson();
        operation.options = plannedOptionsJson(graph, op, context.options().planning, plan);
    } else if (std::holds_alternative<GatherAttributes>(op.attributes) ||
               std::holds_alternative<MultiUpdateAttributes>(op.attributes)) {
        operation.plan = context.embeddingPlanOf(id).toJson();
    }
    return operation;
}

HostStream hostStream(LoweringContext& context, const std::string& prefix, bool toDevice,
                      TensorId tensor, VariableId variable, std::int32_t stage) {
    ProgramBuilder& b = context.builder();
    const TileSeries& bytes = b.lowered().profile.variables[variable].bytes;
    return {b.stream(prefix + context.tensor(tensor).name, toDevice, bytes), tensor, variable,
            stage};
}

std::int32_t stageOf(const Graph& graph, TensorId id) {
    const OpId op = hostOpOf(graph, id);
    return op.valid() ? graph.ops[op].stage : 0;
}

} // namespace

void lowerOp(LoweringContext& context, OpId id, const std::vector<std::int32_t>& again) {
    const Op& op = context.graph().ops[id];
    ProgramBuilder& b = context.builder();
    context.setCurrent(id);
    b.setIpu(context.graph().ipuOf(op.stage));
    b.setOperation(b.lowered().profile.operations.add(describe(context, op, id)));
    for (const std::int32_t group : again)
        b.addAgain(context.programsOf(group));
    const std::size_t before = b.childCount();
    std::visit(Lower{context, op}, op.attributes);
    if (op.recomputeGroup >= 0) {
        const std::vector<ProgramId> added = b.childrenFrom(before);
        std::vector<ProgramId>& all = context.programsOf(op.recomputeGroup);
        all.insert(all.end(), added.begin(), added.end());
    }
    b.setOperation({});
    b.setIpu(IpuId(0));
}

void emitIpuCopies(ProgramBuilder& builder, const std::string& name,
                   const std::vector<IpuCopy>& copies) {
    if (copies.empty())
        return;
    TileSeries received;
    TileSeries sent;
    Access access;
    for (const IpuCopy& copy : copies) {
        received += copy.received;
        sent += copy.sent;
        access.reads.push_back(copy.source);
        access.writes.push_back(copy.target);
    }
    builder.globalExchange(name, std::move(received), std::move(sent), std::move(access));
}

std::vector<HostStream> inputStreams(LoweringContext& context) {
    std::vector<HostStream> streams;
    // An input that was copied to another layout still arrives where it was laid out first.
    for (const TensorId id : context.graph().inputs)
        for (const PlacedStorage& placed : context.storages())
            if (placed.source == id)
                streams.push_back(hostStream(context, "h2d_", true, id, placed.variable,
                                             stageOf(context.graph(), id)));
    return streams;
}

std::vector<HostStream> outputStreams(LoweringContext& context) {
    std::vector<HostStream> streams;
    for (const TensorId id : context.graph().outputs) {
        context.ensurePlace(id);
        streams.push_back(hostStream(context, "anchor_d2h_", false, id, context.variableOf(id),
                                     stageOf(context.graph(), id)));
    }
    return streams;
}

void emitStreams(ProgramBuilder& builder, const std::vector<HostStream>& streams,
                 std::int32_t stage) {
    std::vector<ProgramBuilder::StreamCopy> copies;
    for (const HostStream& one : streams)
        if (stage < 0 || one.stage == stage)
            copies.push_back({one.stream, {one.variable}});
    builder.streamCopies(copies);
}

namespace {

/// Whether the host has the values of a variable, which depends on the framework. PopART makes
/// weights of inference constants of the program (constantWeights) and gives every variable of
/// training a copy each way (popx, irlowering.cpp), including accumulators; in other frameworks
/// these are within the program.
bool hostHas(const LoweringOptions& options, const Tensor& tensor) {
    if (options.host.framework == Framework::Popart || options.host.framework == Framework::Poprt ||
        options.host.framework == Framework::Poptorch)
        return options.batch.isTraining();
    return tensor.state != StateKind::Accumulator;
}

/// All copies of variables one way, as one phase.
void copyWeights(LoweringContext& context, const char* stream, bool toDevice) {
    ProgramBuilder& b = context.builder();
    // Added up tile by tile: there may be thousands.
    std::vector<std::int64_t> bytes(
        static_cast<std::size_t>(context.options().machine.target.totalTiles()), 0);
    std::vector<VariableId> variables;
    for (const PlacedStorage& placed : context.storages()) {
        if (placed.role != TensorRole::Weight ||
            !hostHas(context.options(), context.tensor(placed.source)))
            continue;
        b.lowered().profile.variables[placed.variable].bytes.addTo(bytes);
        variables.push_back(placed.variable);
    }
    if (!variables.empty() && !context.options().host.ignoreData)
        b.streamCopy(stream, toDevice, TileSeries::fromDense(bytes), variables);
}

} // namespace

void emitWeightCopies(LoweringContext& context) {
    ProgramBuilder& b = context.builder();
    if (context.options().batch.isTraining()) {
        b.beginFirstControlProgram(std::string(weightsToHostProgram));
        copyWeights(context, "weightsToHost", false);
        b.end();
    }
    b.beginFirstControlProgram("weightsFromHost");
    copyWeights(context, "weights", true);
    b.end();
}

} // namespace tilescope::sim
