#include <algorithm>
#include <cctype>

#include "simulator/cost/broadcast_cycles.h"
#include "simulator/cost/elementwise_cycles.h"
#include "simulator/graph/elementwise_traits.h"
#include "simulator/lowering/movement/call_copies.h"
#include "simulator/lowering/movement/copies.h"
#include "simulator/lowering/movement/views.h"
#include "simulator/lowering/operations/families.h"
#include "simulator/lowering/operations/like_result.h"
#include "simulator/lowering/operations/loop.h"

namespace tilescope::sim {

std::string computeSetName(const Op& op, ElementwiseFunction function) {
    std::string name(traitsOf(function).name);
    std::transform(name.begin() + 1, name.end(), name.begin() + 1,
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return op.name + "/Op/" + name;
}

namespace {

bool updatesInPlace(const Op& op) {
    return traitsOf(std::get<ElementwiseAttributes>(op.attributes).function).updatesInPlace;
}

/// Most elements that a tile has of a tensor; an input without a place will be linear.
std::int64_t fullestTile(LoweringContext& context, TensorId id) {
    if (context.hasPlace(id))
        return context.heldElements(id).max().value;
    const Tensor& t = context.tensor(id);
    return context.traffic()
        .elementsOf(
            linearStorage(t.shape, bytesOf(t.type), context.target().tilesPerIpu).layout.blocking)
        .max()
        .value;
}

/// The operand whose layout the result follows: among the activations of the result's shape, the
/// one that is spread best, that is, whose fullest tile has the least (PopLibs popops: the output
/// follows the operand with the best layout); weights and constants only if there is no other.
/// *Assumed*: among equally good operands the first is chosen.
TensorId baseOperand(LoweringContext& context, const Op& op) {
    if (updatesInPlace(op))
        return op.inputs[0];
    const Shape& shape = context.tensor(op.outputs[0]).shape;
    TensorId best, fallback;
    std::int64_t least = 0;
    for (const TensorId input : op.inputs) {
        if (context.tensor(input).shape != shape)
            continue;
        if (!fallback.valid())
            fallback = input;
        const TensorRole role = context.tensor(input).role;
        if (role != TensorRole::Activation && role != TensorRole::Input)
            continue;
        const std::int64_t fullest = fullestTile(context, input);
        if (!best.valid() || fullest < least) {
            best = input;
            least = fullest;
        }
    }
    return best.valid() ? best : fallback;
}

/// Lays an operand out like another tensor of its shape, so that nothing needs to move.
void placeLike(LoweringContext& context, TensorId operand, TensorId other) {
    context.ensurePlace(operand, [&] {
        Storage storage = context.storageOf(other).storage;
        storage.elementBytes = bytesOf(context.tensor(operand).type);
        return std::pair(std::move(storage), context.viewOf(other));
    });
}

/// Lays the base operand out if it has no place. An input gets the default, linear layout whatever
/// that of the operands after it: an Add does not create a layout for its inputs (PopART popx,
/// AddOpx: InputCreatorType::Deadend). A weight that decides follows an operand that has a place.
/// True if it is an input that got the default layout.
bool placeBase(LoweringContext& context, const Op& op, TensorId base) {
    const Tensor& t = context.tensor(base);
    if (context.hasPlace(base))
        return false;
    if (t.role != TensorRole::Input)
        for (const TensorId other : op.inputs)
            if (context.hasPlace(other) && context.tensor(other).shape == t.shape)
                placeLike(context, base, other);
    context.ensurePlace(base);
    return t.role == TensorRole::Input;
}

/// How a vertex takes its second operand.
struct SecondOperand {
    Operands kind = Operands::Binary;
    std::int64_t run = 1;    ///< elements of a row, where it is a vector
    bool writtenOut = false; ///< first, as often as it is broadcast on a tile
};

/// Of an operand that has been brought to the result: what popops chooses by the pattern in which a
/// tile's elements repeat it (popops/ElementWise.cpp, constructBroadcastBinaryOp).
SecondOperand secondOperand(LoweringContext& context, const Op& op, TensorId other) {
    const TensorId result = op.outputs[0];
    const Tensor& t = context.tensor(other);
    if (t.elements() == 1)
        return {Operands::BroadcastScalar};
    const InnerRun run = broadcastRun(context, result, other);
    const std::int64_t fullest = context.heldElements(result).max().value;
    const ElementwiseFunction function = std::get<ElementwiseAttributes>(op.attributes).function;
    if (t.elements() == context.tensor(result).elements() ||
        (run.isOfThem && fullest <= run.elements))
        return {Operands::Binary};
    if (run.isOfThem && broadcastsAlongRows(context.target(), function, t.type, run.elements))
        return {Operands::BroadcastInner, run.elements};
    if (!run.isOfThem && fullest <= run.elements)
        return {Operands::BroadcastScalar};
    if (!run.isOfThem && broadcastsByRow(function))
        return {Operands::BroadcastOuter, run.elements};
    return {Operands::Binary, run.isOfThem ? run.elements : 1, true};
}

/// Of an operand of which no codelet takes a part: the compiler writes it out for the vertex, in
/// runs of `run` elements.
void writeOut(LoweringContext& context, OperandGather& gather, const Op& op, VariableId operand,
              std::int64_t run) {
    const TensorId result = op.outputs[0];
    const std::int64_t bytes = bytesOf(context.tensor(op.inputs[0]).type);
    gather.join(operand, "broadcast", context.heldElements(result).scaled(bytes), run * bytes);
}

/// Gives the result a place: that of the base operand if it is no longer needed, else a new
/// variable laid out like it (or linearly if no operand has the result's shape).
bool placeResult(LoweringContext& context, const Op& op, TensorId base) {
    const TensorId out = op.outputs[0];
    const Tensor& t = context.tensor(out);
    if (overwritesState(context, out, context.current())) {
        const bool inPlace =
            base.valid() && context.variableOf(base) == context.variableOf(t.layoutOf);
        context.makeView(out, t.layoutOf, context.viewOf(t.layoutOf));
        return inPlace;
    }
    if (!base.valid()) {
        if (t.layoutOf.valid() && context.hasPlace(t.layoutOf)) {
            Storage storage = context.storageOf(t.layoutOf).storage;
            storage.elementBytes = bytesOf(t.type);
            context.makeResult(out, op.name + "/out", std::move(storage),
                               context.viewOf(t.layoutOf));
            return false;
        }
        context.makeResult(out, op.name + "/out",
                           linearStorage(t.shape, bytesOf(t.type), context.target().tilesPerIpu),
                           identityView(t.shape.size()));
        return false;
    }
    const bool sameType = bytesOf(context.tensor(base).type) == bytesOf(t.type);
    const bool updates = updatesInPlace(op);
    if (updates || (sameType && context.isLastUse(base))) {
        context.makeView(out, base, context.viewOf(base));
        return true;
    }
    Storage storage = context.storageOf(base).storage;
    storage.elementBytes = bytesOf(t.type);
    context.makeResult(out, op.name + "/out", std::move(storage), context.viewOf(base));
    return false;
}

/// A copy to the layout that its result must have.
void lowerRearrangement(LoweringContext& context, const Op& op) {
    const TensorId out = op.outputs[0];
    const TensorId like = context.tensor(out).layoutOf;
    Storage storage = context.storageOf(like).storage;
    ViewDims view = context.viewOf(like);
    const Shape& shape = context.tensor(out).shape;
    if (shape.size() > context.tensor(like).shape.size()) {
        storage = sequenceStorage(storage, shape.front());
        view = sequenceView(view);
    }
    storage.elementBytes = bytesOf(context.tensor(out).type);
    context.ensurePlace(op.inputs[0]);
    context.makeResult(out, op.name + "/out", std::move(storage), view);
    const PlacedStorage target = context.storageOf(out);
    // Cells transpose groups of samples into groups of units (popnn rearrangeUnitsOutputFwd).
    CallCopies copies(context, op.name,
                      context.isLoopBody() ? CallCopies::Regroup::Yes : CallCopies::Regroup::No);
    copies.add(op.inputs[0], target, view);
    copies.emit();
}

bool isRearrangement(LoweringContext& context, const Op& op) {
    const TensorId like = context.tensor(op.outputs[0]).layoutOf;
    return std::get<ElementwiseAttributes>(op.attributes).function == ElementwiseFunction::Copy &&
           like.valid() && context.hasPlace(like);
}

/// A constant number is on every tile that uses it. (Published, popliner: operations of a
/// tensor on four tiles with a constant exchange nothing, and have four copies of it.)
VariableId replicateConstant(LoweringContext& context, TensorId result, TensorId constant) {
    const Tensor& t = context.tensor(constant);
    const TileSeries bytes = context.heldElements(result).ones().scaled(bytesOf(t.type));
    return context.builder().alwaysLive(t.name, MemoryCategory::Constant, bytes,
                                        std::string(toString(t.type)), toString(t.shape));
}

} // namespace

VariableId bringLike(LoweringContext& context, OperandGather& gather, TensorId result,
                     TensorId other, std::size_t index, CopyCause cause) {
    if (context.tensor(other).role == TensorRole::Constant &&
        context.tensor(other).elements() == 1 && !context.hasPlace(other))
        return replicateConstant(context, result, other);
    // An operand without a place follows the first one. *Assumed* as a default: PopART can
    // infer one argument's mapping from the other's, but does so only where that is set.
    if (context.tensor(other).shape == context.tensor(result).shape)
        placeLike(context, other, result);
    context.ensurePlace(other);
    if (!alignAtoms(context, result, other)) {
        rearrangeToLinear(context, other);
        if (!alignAtoms(context, result, other))
            rearrangeToLinear(context, result);
        alignAtoms(context, result, other);
    }
    const PlacedStorage placed = context.storageOf(other);
    const Blocking need =
        needLike(context, context.storageOf(result).storage.layout.blocking, result, other);
    OperandMove move = planMove(context, placed, need, orderLike(context, result, other));
    move.cause = cause;
    return gather.bring(placed, move, "in" + std::to_string(index));
}

void lowerElementwise(LoweringContext& context, const Op& op) {
    if (isRearrangement(context, op))
        return lowerRearrangement(context, op);
    if (context.isLoopBody() && (context.hasPlace(op.outputs[0]) || multiplyTogether(context, op)))
        return;
    const auto& attributes = std::get<ElementwiseAttributes>(op.attributes);
    const TensorId base = baseOperand(context, op);
    // An operand that others laid out differs from a first one that had no layout to give.
    const CopyCause cause = base.valid() && placeBase(context, op, base) ? CopyCause::FirstOperand
                                                                         : CopyCause::OtherOperand;
    const bool inPlace = placeResult(context, op, base);
    const TensorId out = op.outputs[0];
    const DataType inType = context.tensor(op.inputs[0]).type;
    const DataType outType = context.tensor(out).type;
    const std::string name = computeSetName(op, attributes.function);

    std::vector<TensorId> others;
    bool baseSeen = false;
    for (const TensorId input : op.inputs) {
        if (input == base && !baseSeen)
            baseSeen = true;
        else
            others.push_back(input);
    }
    const auto emit = [&](const std::vector<VariableId>& operands, SecondOperand second,
                          bool overwrite) {
        const TileSeries elements = context.heldElements(out);
        const TileSeries cycles = elements.mapped([&](std::int64_t n) {
            return elementwiseCycles(context.target(), attributes.function, second.kind, overwrite,
                                     inType, n, second.run);
        });
        const TileSeries one = elements.ones();
        context.builder().execute(
            name, cycles,
            {{elementwiseVertex(attributes.function, second.kind, overwrite, inType, outType),
              one}},
            {operands, {context.variableOf(out)}});
    };
    std::vector<VariableId> operands;
    if (base.valid())
        operands.push_back(context.variableOf(base));
    if (others.empty()) {
        emit(operands, {Operands::Unary}, inPlace);
        return;
    }
    if (traitsOf(attributes.function).isTernary()) {
        OperandGather gather(context, name);
        for (std::size_t i = 0; i < others.size(); ++i)
            operands.push_back(bringLike(context, gather, out, others[i], i + 1, cause));
        gather.emit();
        emit(operands, {Operands::Ternary}, inPlace);
        return;
    }
    // A sum of many operands adds them one after the other, in place after the first.
    bool overwrite = inPlace;
    for (std::size_t i = 0; i < others.size(); ++i) {
        std::vector<VariableId> now = operands;
        OperandGather gather(context, name,
                             updatesInPlace(op) ? OperandGather::Regroup::Yes
                                                : OperandGather::Regroup::No);
        now.push_back(bringLike(context, gather, out, others[i], i + 1, cause));
        const SecondOperand second = secondOperand(context, op, others[i]);
        if (second.writtenOut)
            writeOut(context, gather, op, now.back(), second.run);
        for (const VariableId written : gather.emit())
            now.push_back(written);
        emit(now, second, overwrite);
        operands = {context.variableOf(out)};
        overwrite = true;
    }
}

} // namespace tilescope::sim
