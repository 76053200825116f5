#include "simulator/lowering/lower.h"

#include <algorithm>
#include <fmt/format.h>

#include "simulator/lowering/context.h"

namespace tilescope::sim {
namespace {

void lowerOp(LoweringContext& context, const Op& op) {
    std::visit(
        [&](const auto& attributes) {
            using A = std::decay_t<decltype(attributes)>;
            if constexpr (std::is_same_v<A, ConvAttributes> ||
                          std::is_same_v<A, MatMulAttributes> ||
                          std::is_same_v<A, ConvGradInputAttributes> ||
                          std::is_same_v<A, ConvGradWeightsAttributes>)
                lowerConvolution(context, op);
            else if constexpr (std::is_same_v<A, MultiUpdateAttributes>)
                lowerMultiUpdate(context, op);
            else if constexpr (std::is_same_v<A, ElementwiseAttributes>)
                lowerElementwise(context, op);
            else if constexpr (std::is_same_v<A, ReduceAttributes>)
                lowerReduce(context, op);
            else if constexpr (std::is_same_v<A, PoolAttributes>)
                lowerPool(context, op);
            else if constexpr (std::is_same_v<A, GatherAttributes>)
                lowerGather(context, op);
            else if constexpr (std::is_same_v<A, ReshapeAttributes> ||
                               std::is_same_v<A, TransposeAttributes>)
                lowerView(context, op);
            else
                lowerSelection(context, op);
        },
        op.attributes);
}

Operation describe(const Graph& graph, const Op& op, OpId id, const PlanTable& plans,
                   const RunOptions& options) {
    Operation operation;
    operation.name = op.name;
    operation.type = op.onnxType;
    operation.flops = flopsOf(graph, op);
    if (!op.outputs.empty())
        operation.outputShape = toString(graph.tensors[op.outputs[0]].shape);
    if (isPlanned(op.attributes)) {
        operation.plan = plans.planOf(id).toJson();
        operation.options = fmt::format(R"({{"availableMemoryProportion":{},"partialsType":"{}"}})",
                                        options.memoryProportion(IpuId(0)),
                                        toString(plans.planOf(id).problem.partialType));
    } else if (std::holds_alternative<GatherAttributes>(op.attributes) ||
               std::holds_alternative<MultiUpdateAttributes>(op.attributes)) {
        operation.plan = plans.embeddingPlanOf(id).toJson();
    }
    return operation;
}

/// Streams that bring inputs in and results out, at either end of the program body.
class StreamEnds {
public:
    StreamEnds(LoweringContext& context, ProgramBuilder& builder)
        : context_(context)
        , builder_(builder) {}

    void inputs() {
        // An input that was copied to another layout still arrives where it was laid out first.
        for (const TensorId id : context_.graph().inputs)
            for (const PlacedStorage& placed : context_.storages())
                if (placed.source == id)
                    copy("h2d_" + context_.tensor(id).name, true, placed.variable);
    }

    void outputs() {
        for (const TensorId id : context_.graph().outputs) {
            context_.ensurePlace(id);
            copy("anchor_d2h_" + context_.tensor(id).name, false, context_.variableOf(id));
        }
    }

    void weights() {
        TileSeries bytes;
        std::vector<VariableId> variables;
        for (const auto& placed : context_.storages()) {
            if (placed.role != TensorRole::Weight)
                continue;
            bytes += builder_.lowered().profile.variables[placed.variable].bytes;
            variables.push_back(placed.variable);
        }
        if (!variables.empty())
            builder_.streamCopy("weights", true, bytes, variables);
    }

private:
    void copy(const std::string& name, bool toDevice, VariableId variable) {
        builder_.streamCopy(name, toDevice, builder_.lowered().profile.variables[variable].bytes,
                            {variable});
    }

    LoweringContext& context_;
    ProgramBuilder& builder_;
};

/// Moves the programs added last in `sequence` (from index `from` on) to its front: inputs are laid
/// out by their users, but the host sends them first.
void moveToFront(LoweredProgram& lowered, ProgramId sequence, std::size_t from) {
    auto& children = lowered.profile.programs[sequence].children;
    std::rotate(children.begin(), children.begin() + static_cast<std::ptrdiff_t>(from),
                children.end());
}

/// A program of the user's as Engine::run enters it: the host tells which of the engine's programs
/// to take, and all tiles learn it (the tree of a published profile). The engine's other programs
/// are not public.
void beginEngineProgram(ProgramBuilder& builder, const std::string& name) {
    constexpr std::int64_t wordBytes = 4;
    builder.beginControlProgram(name);
    const TileSeries word(TileId(0), 1, wordBytes);
    const VariableId id =
        builder.alwaysLive(std::string(toString(MemoryCategory::ControlId)),
                           MemoryCategory::ControlId, word.scaled(2), "unsigned int");
    builder.streamCopy("controlIdToHost", false, word, {id});
    builder.streamCopy("controlIdFromHost", true, word, {id});
    const std::int32_t tiles = builder.target().totalTiles();
    const std::string copy = builder.copyName("switchControlBroadcast#", CopyPass::Control);
    const VariableId everywhere =
        builder.variable(copy.substr(copy.find('_') + 1), MemoryCategory::Message,
                         TileSeries(TileId(0), tiles, wordBytes), "unsigned int");
    Traffic traffic;
    traffic.total = tiles - 1;
    traffic.received = TileSeries(TileId(1), tiles - 1, 1);
    traffic.sent = TileSeries(TileId(0), 1, tiles - 1);
    traffic.messages = traffic.received;
    Movement movement;
    movement.add(builder.target(), traffic, wordBytes, wordBytes);
    builder.exchange(copy + "/ExchangePre", std::move(movement), {{id}, {everywhere}});
    builder.beginSwitch("switchControl");
    builder.beginSequence(name);
}

void endEngineProgram(ProgramBuilder& builder) {
    for (int opened = 0; opened < 3; ++opened)
        builder.end();
}

} // namespace

LoweredProgram lowerGraph(const Graph& graph, const RunOptions& options, const PlanTable& plans,
                          const std::function<void(double)>& progress) {
    LoweredProgram lowered;
    ProgramBuilder builder(options.target, lowered);
    LoweringContext context(graph, options, plans, builder);
    StreamEnds ends(context, builder);

    const auto lowerOps = [&] {
        for (std::size_t i = 0; i < graph.ops.size(); ++i) {
            const Op& op = graph.ops[OpId(i)];
            context.setCurrent(OpId(i));
            builder.setOperation(
                lowered.profile.operations.add(describe(graph, op, OpId(i), plans, options)));
            lowerOp(context, op);
            if (progress)
                progress(static_cast<double>(i + 1) / static_cast<double>(graph.ops.size()));
        }
        builder.setOperation({});
    };
    if (graph.ownProgram) {
        beginEngineProgram(builder, graph.name);
        lowerOps();
        endEngineProgram(builder);
        builder.finishNames();
        return lowered;
    }
    // Control program 0 is written last (weights get their places on the way) but stands first.
    builder.beginControlProgram("outer");
    builder.beginRepeat("batchesPerStep", options.deviceIterations);
    const ProgramId body(lowered.profile.programs.size() - 1);
    lowerOps();
    for (const TensorId id : graph.outputs)
        context.ensurePlace(id);
    const std::size_t computed = lowered.profile.programs[body].children.size();
    if (!options.ignoreData) {
        ends.inputs();
        moveToFront(lowered, body, computed);
        ends.outputs();
    }
    builder.end();
    builder.end();

    builder.beginControlProgram("weightsFromHost");
    if (!options.ignoreData)
        ends.weights();
    builder.end();
    builder.finishNames();
    std::swap(lowered.profile.controlPrograms[0], lowered.profile.controlPrograms[1]);
    return lowered;
}

} // namespace tilescope::sim
