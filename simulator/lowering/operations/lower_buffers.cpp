// Stashes, FIFOs and copies between IPUs.
#include <fmt/format.h>

#include "simulator/cost/slice_cycles.h"
#include "simulator/lowering/operations/families.h"

namespace tilescope::sim {
namespace {

/// The steps on a buffer of rows, each laid out as the tensor: a row stays on its tiles.
class RowSteps {
public:
    RowSteps(LoweringContext& context, const Op& op, const PlacedStorage& row, DataType type)
        : context_(context)
        , op_(op)
        , elements_(row.storage.layout.blocking.elements())
        , type_(type) {}

    void update(VariableId tensor, VariableId buffer) {
        execute("dynamicUpdate", "popops::DynamicUpdateSlice1D", {{tensor, buffer}, {buffer}});
    }
    void slice(VariableId buffer, VariableId tensor) {
        execute("dynamicSlice", "popops::DynamicSlice1D", {{buffer}, {tensor}});
    }
    /// The row's index goes up by one and starts again (addInPlace, remInPlace on one element).
    void advance(VariableId index) {
        const TileSeries tile(TileId(0), 1, 1);
        for (const auto& [name, function] :
             {std::pair("addInPlace", "ADD"), std::pair("remInPlace", "REMAINDER")})
            context_.builder().execute(
                op_.name + "/" + name, tile.scaled(scalarStepCycles),
                {{fmt::format("popops::BroadcastScalar1DInPlace<popops::expr::BinaryOpType::{},"
                              "unsigned int>",
                              function),
                  tile}},
                {{index}, {index}});
    }

private:
    // Cycles of one element on one worker, *assumed* from the supervisor call and a worker's
    // prologue (popops BinaryOp1D).
    static constexpr std::int64_t scalarStepCycles = 180;

    void execute(const char* part, const char* vertex, Access access) {
        const TileSeries cycles = elements_.mapped(
            [&](std::int64_t n) { return dynamicSliceCycles(context_.target(), n, type_); });
        context_.builder().execute(
            op_.name + "/" + part, cycles,
            {{fmt::format("{}<{}>", vertex, toString(type_)), elements_.ones()}},
            std::move(access));
    }

    LoweringContext& context_;
    const Op& op_;
    TileSeries elements_;
    DataType type_;
};

VariableId indexVariable(LoweringContext& context, const Op& op) {
    const VariableId index = context.builder().variable(
        op.name + "_index", MemoryCategory::Variable,
        TileSeries(TileId(0), 1, bytesOf(DataType::UInt32)), "unsigned int", "[1]");
    context.startEmpty(index);
    return index;
}

} // namespace

void lowerStash(LoweringContext& context, const Op& op) {
    if (context.options().memory.isOffChip(OffChip::Activations))
        return lowerRemoteStash(context, op);
    const TensorId in = op.inputs[0];
    context.ensurePlace(in);
    const PlacedStorage placed = context.storageOf(in);
    Storage rows = placed.storage;
    rows.elementBytes *= std::get<StashAttributes>(op.attributes).rows;
    const VariableId buffer =
        context.makeResult(op.outputs[0], op.name, std::move(rows), context.viewOf(in));
    context.startEmpty(buffer);
    RowSteps steps(context, op, placed, context.tensor(in).type);
    steps.update(placed.variable, buffer);
    if (std::get<StashAttributes>(op.attributes).rows > 1)
        steps.advance(indexVariable(context, op));
}

void lowerRestore(LoweringContext& context, const Op& op) {
    const TensorId stash = op.inputs[0];
    if (context.isOffChip(stash))
        return lowerRemoteRestore(context, op);
    const PlacedStorage placed = context.storageOf(stash);
    const std::int64_t rows = std::get<RestoreAttributes>(op.attributes).rows;
    VariableId restored;
    if (op.inputs.size() > 1) {
        restored = context.variableOf(op.inputs[1]);
        context.makeView(op.outputs[0], op.inputs[1], context.viewOf(op.inputs[1]));
    } else {
        Storage row = placed.storage;
        row.elementBytes /= rows;
        restored =
            context.makeResult(op.outputs[0], op.name, std::move(row), context.viewOf(stash));
    }
    RowSteps steps(context, op, placed, context.tensor(stash).type);
    steps.slice(placed.variable, restored);
    if (rows > 1)
        steps.advance(indexVariable(context, op));
}

void lowerFifo(LoweringContext& context, const Op& op) {
    const std::int64_t rows = std::get<FifoAttributes>(op.attributes).rows;
    if (rows > 0 && context.options().memory.isOffChip(OffChip::Activations))
        return lowerRemoteFifo(context, op);
    const TensorId in = op.inputs[0];
    context.ensurePlace(in);
    const PlacedStorage placed = context.storageOf(in);
    const VariableId out =
        context.makeResult(op.outputs[0], op.name + "/out", placed.storage, context.viewOf(in));
    RowSteps steps(context, op, placed, context.tensor(in).type);
    if (rows == 0) {
        steps.slice(placed.variable, out);
        return;
    }
    const TileSeries bytes =
        placed.storage.layout.blocking.elements().scaled(placed.storage.elementBytes * rows);
    const Tensor& t = context.tensor(in);
    const VariableId buffer = context.builder().variable(
        op.name, MemoryCategory::Variable, bytes, std::string(toString(t.type)),
        fmt::format("[{},{}", rows, toString(t.shape).substr(1)));
    context.startEmpty(buffer);
    context.startEmpty(placed.variable);
    steps.slice(buffer, out);
    steps.update(placed.variable, buffer);
    if (rows > 1)
        steps.advance(indexVariable(context, op));
}

IpuCopy placeIpuCopy(LoweringContext& context, const Op& op) {
    const auto& copy = std::get<IpuCopyAttributes>(op.attributes);
    const TensorId in = op.inputs[0];
    ProgramBuilder& b = context.builder();
    const IpuId from = context.graph().ipuOf(copy.fromStage);
    const IpuId to = context.graph().ipuOf(copy.toStage);
    b.setIpu(from);
    context.ensurePlace(in);
    const PlacedStorage placed = context.storageOf(in);
    b.setIpu(to);
    IpuCopy result;
    result.source = placed.variable;
    result.target = context.makeResult(op.outputs[0], context.tensor(op.outputs[0]).name,
                                       placed.storage, context.viewOf(in));
    context.startEmpty(result.source);
    context.startEmpty(result.target);
    result.received = b.lowered().profile.variables[result.target].bytes;
    // The variable of the source may have more than the part that is sent.
    const std::int32_t tiles = context.options().machine.target.tilesPerIpu;
    result.sent = result.received.shifted(
        (static_cast<std::int32_t>(from.index()) - static_cast<std::int32_t>(to.index())) * tiles);
    return result;
}

} // namespace tilescope::sim
