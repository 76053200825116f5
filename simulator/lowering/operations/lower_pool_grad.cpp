// Gradients of poolings, and tensors of zeros.
#include <fmt/format.h>
#include <utility>

#include "simulator/cost/elementwise_cycles.h"
#include "simulator/lowering/movement/copies.h"
#include "simulator/lowering/operations/families.h"
#include "simulator/lowering/operations/grid.h"
#include "simulator/lowering/operations/like_result.h"
#include "simulator/lowering/operations/pool_steps.h"

namespace tilescope::sim {
namespace {

/// The step's name, and the operands of a gradient: that of the result and, for a maximum, input
/// and result of the pooling.
struct PoolGradient {
    LoweringContext& context;
    const Op& op;
    const PoolAttributes& pool;
    std::string name = op.name + "/poolInputGradient";

    [[nodiscard]] TensorId gradient() const { return op.inputs[0]; }
    [[nodiscard]] TensorId input() const { return op.inputs[1]; }
    [[nodiscard]] TensorId pooled() const { return op.inputs[2]; }
};

/// The gradient of a mean over its elements, where it lies (Pooling.cpp, scaleGradient).
VariableId scaled(const PoolGradient& g) {
    LoweringContext& context = g.context;
    if (g.pool.kind != PoolKind::Average)
        return context.variableOf(g.gradient());
    const Tensor& t = context.tensor(g.gradient());
    const TileSeries elements = context.storageOf(g.gradient()).storage.layout.blocking.elements();
    const VariableId made =
        context.builder().variable(g.name + "/preScale/out", MemoryCategory::Variable,
                                   elements.scaled(bytesOf(t.type)), std::string(toString(t.type)));
    const TileSeries cycles = elements.mapped([&](std::int64_t n) {
        return elementwiseCycles(context.target(), ElementwiseFunction::Multiply,
                                 Operands::BroadcastScalar, false, t.type, n);
    });
    const std::string vertex = elementwiseVertex(ElementwiseFunction::Multiply,
                                                 Operands::BroadcastScalar, false, t.type, t.type);
    context.builder().execute(g.name + "/preScale/Op/Multiply", cycles, {{vertex, elements.ones()}},
                              {{context.variableOf(g.gradient())}, {made}});
    return made;
}

/// A tensor's place with other data in it.
PlacedStorage holding(const PlacedStorage& placed, VariableId variable) {
    PlacedStorage other = placed;
    other.variable = variable;
    return other;
}

/// Of a window that is the whole field: every input of a channel has the same gradient.
void lowerGlobal(const PoolGradient& g) {
    LoweringContext& context = g.context;
    const TensorId result = g.op.outputs[0];
    const Tensor& t = context.tensor(result);
    Storage storage = activationStorage(context.target(), t.shape, bytesOf(t.type));
    const VariableId source = scaled(g);
    const std::string name = g.name + "/broadcast";
    const TileSeries bytes = storage.layout.blocking.elements().scaled(bytesOf(t.type));
    const std::size_t rank = t.shape.size();
    const VariableId made =
        context.makeResult(result, g.op.name + "/out", std::move(storage), identityView(rank));
    // For this operation the gradient's place holds the scaled one.
    const StorageId place = context.storageIdOf(g.gradient());
    const VariableId own = std::exchange(context.storageOf(g.gradient()).variable, source);
    OperandGather gather(context, name);
    const VariableId each =
        bringLike(context, gather, result, g.gradient(), 0, CopyCause::Consumer);
    if (context.storageIdOf(g.gradient()) == place)
        context.storageOf(g.gradient()).variable = own;
    gather.emit();
    emitJoin(context.builder(), name + "/OnTileCopy", bytes, shortestUnstridedRun,
             {{each}, {made}});
}

void lowerSum(const PoolGradient& g) {
    LoweringContext& context = g.context;
    const PlacedStorage source = holding(context.storageOf(g.gradient()), scaled(g));
    PoolSteps steps(context, g.pool, true, g.gradient(), g.op.outputs[0]);
    OperandGather gather(context, g.name);
    const OperandMove move = steps.move(g.gradient(), PoolSteps::Reads::Windows);
    const VariableId read = steps.bring(gather, source, move, "in0");
    gather.emit();
    steps.execute(g.name, {read});
}

/// The gradient copied to where, and in the order in which, the pooled values lie, which saves
/// exchange code (Pooling.cpp, gradsRearranged). What an exchange has brought is copied on its
/// tile, by vertices that load and store in one cycle.
VariableId rearranged(const PoolGradient& g) {
    LoweringContext& context = g.context;
    ProgramBuilder& b = context.builder();
    const std::string name = g.name + "/gradsRearranged";
    const std::size_t steps = b.childCount();
    OperandGather gather(context, name);
    const VariableId brought =
        bringLike(context, gather, g.pooled(), g.gradient(), 0, CopyCause::Consumer);
    gather.emit();
    const Profile& profile = b.lowered().profile;
    const std::vector<ProgramId> added = b.childrenFrom(steps);
    // Where elements had to be put in order, that was a copy on the tile already.
    if (!added.empty() && profile.programs[added.back()].kind == ProgramKind::OnTileExecute)
        return brought;
    const Storage& like = context.storageOf(g.pooled()).storage;
    const TileSeries bytes = like.layout.blocking.elements().scaled(like.elementBytes);
    const VariableId made = b.variable(name, MemoryCategory::Variable, bytes,
                                       std::string(toString(context.tensor(g.pooled()).type)));
    b.keepApart(made, brought);
    emitJoin(b, name + "/OnTileCopyPost", bytes, shortestUnstridedRun, {{brought}, {made}});
    return made;
}

void lowerMaximum(const PoolGradient& g) {
    LoweringContext& context = g.context;
    const VariableId gradient = rearranged(g);
    PoolSteps steps(context, g.pool, true, g.pooled(), g.op.outputs[0]);
    OperandGather gather(context, g.name);
    const OperandMove pooled = steps.move(g.pooled(), PoolSteps::Reads::Windows);
    const OperandMove input = steps.move(g.input(), PoolSteps::Reads::Results);
    const PlacedStorage gradients = holding(context.storageOf(g.pooled()), gradient);
    const VariableId in0 = steps.bring(gather, gradients, pooled, "in0");
    const VariableId in1 = steps.bring(gather, context.storageOf(g.input()), input, "in1");
    const VariableId in2 = steps.bring(gather, context.storageOf(g.pooled()), pooled, "in2");
    gather.emit();
    steps.execute(g.name, {in0, in1, in2});
}

} // namespace

void lowerPoolGrad(LoweringContext& context, const Op& op) {
    const PoolGradient gradient{context, op, std::get<PoolGradAttributes>(op.attributes).pool};
    for (const TensorId operand : op.inputs)
        context.ensurePlace(operand);
    if (gradient.pool.kind == PoolKind::Max)
        lowerMaximum(gradient);
    else if (isGlobal(gradient.pool, context.tensor(op.outputs[0]).shape))
        lowerGlobal(gradient);
    else
        lowerSum(gradient);
}

void lowerFill(LoweringContext& context, const Op& op) {
    const Tensor& t = context.tensor(op.outputs[0]);
    const bool follows = t.layoutOf.valid() && context.hasPlace(t.layoutOf);
    Storage storage = follows
                          ? context.storageOf(t.layoutOf).storage
                          : linearStorage(t.shape, bytesOf(t.type), context.target().tilesPerIpu);
    storage.elementBytes = bytesOf(t.type);
    const TileSeries elements = storage.layout.blocking.elements();
    const VariableId made =
        context.makeResult(op.outputs[0], op.name + "/out", std::move(storage),
                           follows ? context.viewOf(t.layoutOf) : identityView(t.shape.size()));
    const TileSeries cycles = elements.mapped([&](std::int64_t n) {
        return elementwiseCycles(context.target(), ElementwiseFunction::Zero, Operands::Unary,
                                 false, t.type, n);
    });
    context.builder().execute(
        op.name + "/Fill", cycles,
        {{fmt::format("popops::Fill<{}>", toString(t.type)), elements.ones()}}, {{}, {made}});
}

} // namespace tilescope::sim
