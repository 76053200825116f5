#include <algorithm>
#include <optional>

#include "core/base/ceil_div.h"
#include "core/base/error.h"
#include "simulator/lowering/movement/copies.h"
#include "simulator/lowering/movement/regrouping.h"
#include "simulator/lowering/movement/views.h"
#include "simulator/lowering/operations/families.h"
#include "simulator/lowering/operations/grid.h"
#include "simulator/lowering/operations/loop.h"

namespace tilescope::sim {
namespace {

/// How one dimension of a result reads an input: input index = result index * step + offset, where
/// that lies within the input.
struct DimMap {
    std::int64_t offset = 0;
    std::int64_t step = 1;
    bool broadcast = false; ///< the input has one index for all
};

Interval mapped(Interval block, const DimMap& map, std::int64_t inputSize) {
    if (map.broadcast)
        return {0, inputSize};
    if (block.size() == 0)
        return {0, 0};
    const std::int64_t first = block.begin * map.step + map.offset;
    const std::int64_t last = (block.end - 1) * map.step + map.offset;
    const std::int64_t begin = std::clamp<std::int64_t>(std::min(first, last), 0, inputSize);
    const std::int64_t end = std::clamp<std::int64_t>(std::max(first, last) + 1, begin, inputSize);
    // A strided slice reads only every step-th index of the range.
    const std::int64_t step = std::abs(map.step);
    return {begin, begin + ceilDiv(end - begin, step)};
}

/// The blocks of an input that a result's blocks read; none where a cut runs over several
/// dimensions and one of them is not read as it is.
std::optional<Blocking> needOf(LoweringContext& context, const Storage& result, TensorId input,
                               const std::vector<DimMap>& maps) {
    const Shape& shape = context.tensor(input).shape;
    const ViewDims& view = context.viewOf(input);
    const Storage& storage = context.storageOf(input).storage;
    const std::size_t missing = maps.size() - shape.size();
    Blocking need;
    for (const BlockedDim& dim : result.layout.blocking.dims) {
        BlockedDim want = dim;
        want.atoms.clear();
        want.size = 1;
        bool plain = true;
        bool any = false;
        DimMap only;
        for (const int atom : dim.atoms) {
            const auto d = static_cast<std::size_t>(atom);
            if (d < missing || (maps[d].broadcast && shape[d - missing] == 1)) {
                plain = plain && result.atomSizes[d] == 1;
                continue;
            }
            any = true;
            only = maps[d];
            plain = plain && maps[d].offset == 0 && maps[d].step == 1 &&
                    shape[d - missing] == result.atomSizes[d];
            for (const int a : withoutOnes(view[d - missing], storage))
                want.atoms.push_back(a);
            want.size *= shape[d - missing];
        }
        if (!any || (want.atoms.empty() && want.size == 1)) {
            need.copies.insert(need.copies.end(), dim.digits.begin(), dim.digits.end());
            continue;
        }
        if (!plain) {
            if (dim.atoms.size() > 1)
                return std::nullopt;
            for (Interval& block : want.blocks)
                block = mapped(block, only, want.size);
        }
        need.dims.push_back(std::move(want));
    }
    return need;
}

std::vector<OrderLevel> orderFor(LoweringContext& context, const Storage& result, TensorId input) {
    const ViewDims& view = context.viewOf(input);
    const std::size_t missing = result.atomSizes.size() - view.size();
    std::vector<OrderLevel> order;
    for (const OrderLevel& level : result.layout.order) {
        if (static_cast<std::size_t>(level.atom) < missing)
            continue;
        const auto atoms = withoutOnes(view[static_cast<std::size_t>(level.atom) - missing],
                                       context.storageOf(input).storage);
        for (std::size_t i = 0; i < atoms.size(); ++i)
            if (level.extent == 0 || i + 1 == atoms.size())
                order.push_back({atoms[i], level.extent});
    }
    return order;
}

/// What a result reads of an input.
OperandMove movePart(LoweringContext& context, const Storage& made, TensorId input,
                     const std::vector<DimMap>& maps, std::int64_t elementsRead) {
    const PlacedStorage placed = context.storageOf(input);
    if (const auto need = needOf(context, made, input, maps))
        return planMove(context, placed, *need, orderFor(context, made, input));
    OperandMove move;
    move.traffic.total = elementsRead;
    move.traffic.received = shareOut(elementsRead, made.layout.blocking.elements());
    move.traffic.sent = shareOut(elementsRead, placed.storage.layout.blocking.elements());
    move.traffic.messages =
        move.traffic.received.mapped([](std::int64_t n) { return std::min<std::int64_t>(n, 2); });
    move.bytes = move.traffic.received.scaled(placed.storage.elementBytes);
    move.wantedOrder = orderFor(context, made, input);
    const std::vector<std::int64_t> held =
        blockSizes(placed.storage.layout.blocking, placed.storage.atomSizes);
    move.runBytes = placed.storage.elementBytes *
                    contiguousElements(placed.storage.layout.order, move.wantedOrder, held, held);
    return move;
}

/// Copies of parts of inputs into one result.
class PartCopies {
public:
    PartCopies(LoweringContext& context, const Op& op, VariableId result)
        : context_(context)
        , op_(op)
        , result_(result)
        , made_(context.storageOf(op.outputs[0]).storage) {}

    void add(TensorId input, const std::vector<DimMap>& maps, std::int64_t elementsRead) {
        context_.ensurePlace(input);
        const PlacedStorage placed = context_.storageOf(input);
        OperandMove move = movePart(context_, made_, input, maps, elementsRead);
        if (move.bytes.empty())
            return;
        // In loops over time the gradient of a cell's operand is regrouped for the layers that it
        // goes to (popnn/Lstm.cpp, backwardStepImpl).
        if (context_.isLoopBody() && move.canRegroup())
            copyRegrouped(context_, op_.name, {placed, move, 0, false, elementsRead}, result_);
        else
            parts_.push_back({input, placed, std::move(move)});
        // Elsewhere each part is copied by itself.
        if (!context_.isLoopBody())
            emit();
    }

    /// One exchange of all, as of a view that concatenates them.
    void emit() {
        if (parts_.empty())
            return;
        ProgramBuilder& b = context_.builder();
        StepName from;
        for (const Part& part : parts_)
            from += (from.text().empty() ? "" : ",") + context_.tensor(part.input).name;
        const StepName name = b.names().copyName(
            (parts_.size() > 1 ? "Copy_{" + from + "}_to_" : "Copy_" + from + "_to_") + op_.name);
        // The copy ends with its last element: the result counts as updated, not made, by each
        // part.
        Movement movement;
        Access access;
        for (Part& part : parts_) {
            if (part.move.traffic.total == 0)
                continue;
            movement.add(context_.target(), part.move.traffic, part.placed.storage.elementBytes,
                         part.move.runBytes);
            access.reads.push_back(part.placed.variable);
            part.arrives =
                part.move.strided()
                    ? b.variable(name + "/message", MemoryCategory::Message, part.move.bytes)
                    : result_;
            access.writes.push_back(part.arrives);
        }
        ExchangeId exchange;
        if (!access.reads.empty())
            exchange = b.exchange(name + "/ExchangePre", std::move(movement), std::move(access));
        for (const Part& part : parts_)
            if (part.arrives != result_)
                emitCopy(context_, name + "/OnTileCopy-0", part.placed, part.move, CopyCause::Part,
                         {part.arrives.valid() ? part.arrives : part.placed.variable, result_,
                          part.arrives.valid() ? exchange : ExchangeId()});
        parts_.clear();
    }

private:
    struct Part {
        TensorId input;
        PlacedStorage placed;
        OperandMove move;
        VariableId arrives{}; ///< none: where it is
    };
    LoweringContext& context_;
    const Op& op_;
    VariableId result_;
    Storage made_;
    std::vector<Part> parts_;
};

/// One copy of an input's part into the result.
void copyPart(LoweringContext& context, const Op& op, VariableId result, TensorId input,
              const std::vector<DimMap>& maps, std::int64_t elementsRead) {
    PartCopies copies(context, op, result);
    copies.add(input, maps, elementsRead);
    copies.emit();
}

/// Makes the result of a slice a part of its input, if every dimension that it cuts can be cut
/// where it is stored. Results sent to the host are copied: a stream takes whole variables.
bool sliceInPlace(LoweringContext& context, const Op& op, const SliceAttributes& slice) {
    const TensorId in = op.inputs[0];
    const TensorId out = op.outputs[0];
    const Shape& shape = context.tensor(out).shape;
    const std::vector<TensorId>& outputs = context.graph().outputs;
    if (std::find(outputs.begin(), outputs.end(), out) != outputs.end() ||
        context.tensor(out).elements() == 0)
        return false;
    context.ensurePlace(in);
    std::optional<Storage> part = context.storageOf(in).storage;
    const ViewDims view = context.viewOf(in);
    for (std::size_t d = 0; d < shape.size() && part; ++d) {
        if (shape[d] == sizeOf(view[d], *part) && slice.steps[d] == 1)
            continue;
        const std::vector<int> atoms = withoutOnes(view[d], *part);
        if (slice.steps[d] != 1 || atoms.size() != 1)
            return false;
        part = partOfStorage(*part, atoms[0], {slice.starts[d], slice.starts[d] + shape[d]},
                             shortestUnstridedRun);
    }
    if (!part)
        return false;
    context.makePart(out, in, *std::move(part), view);
    return true;
}

/// A row of a tensor [n, ...] whose rows are not spread over tiles; none if they are.
std::optional<std::pair<Storage, ViewDims>> rowOf(LoweringContext& context, TensorId id) {
    auto [storage, view] = withoutUnitAtoms(context.storageOf(id).storage, context.viewOf(id));
    if (context.tensor(id).shape.front() == 1 && view.front().empty())
        return std::pair(std::move(storage), ViewDims(view.begin() + 1, view.end()));
    return rowOfSequence(storage, view);
}

/// Joins rows [1, ...] or [n, ...] that are all laid out alike: the result is a view of them on the
/// same tiles (popnn/Lstm.cpp and Gru.cpp, backwardStepImpl: gradUnits). False where that is not
/// possible.
bool joinRows(LoweringContext& context, const Op& op, const ConcatAttributes& concat) {
    if (concat.axis != 0 || !context.isLoopBody())
        return false;
    std::optional<std::pair<Storage, ViewDims>> row;
    for (const TensorId input : op.inputs) {
        if (!context.hasPlace(input))
            return false;
        const auto own = rowOf(context, input);
        if (!own || (row && !(own->first.layout.blocking == row->first.layout.blocking &&
                              own->first.layout.order == row->first.layout.order &&
                              own->second == row->second)))
            return false;
        row = own;
    }
    if (!row)
        return false;
    const TensorId out = op.outputs[0];
    const VariableId result = context.makeResult(
        out, op.name + "/out", sequenceStorage(row->first, context.tensor(out).shape.front()),
        sequenceView(row->second));
    std::vector<VariableId> parts;
    for (const TensorId input : op.inputs)
        parts.push_back(context.variableOf(input));
    context.builder().replaceBy(result, std::move(parts), op.name + "/out");
    return true;
}

/// Slices of a product that a loop's step regroups: it is regrouped as a whole at the first of
/// them, and all are made there (popnn/Lstm.cpp and Gru.cpp, backwardStepImpl). False if that is
/// not how they are made.
bool regroupForSlices(LoweringContext& context, const Op& op) {
    const TensorId in = op.inputs[0];
    const auto& ops = context.graph().ops;
    if (std::none_of(ops.begin(), ops.end(), [&](const Op& other) {
            return std::holds_alternative<MatMulAttributes>(other.attributes) &&
                   other.outputs[0] == in;
        }))
        return false;
    const PlacedStorage placed = context.storageOf(in);
    std::vector<TensorId> results;
    std::vector<PartOfOperand> parts;
    std::vector<Storage> made;
    for (const Op& other : ops) {
        const auto* slice = std::get_if<SliceAttributes>(&other.attributes);
        if (!slice || other.inputs[0] != in)
            continue;
        const TensorId out = other.outputs[0];
        const Tensor& t = context.tensor(out);
        if (context.hasPlace(out) || t.elements() == 0)
            return false;
        std::vector<DimMap> maps(t.shape.size());
        for (std::size_t d = 0; d < maps.size(); ++d)
            maps[d] = {slice->starts[d], slice->steps[d], false};
        made.push_back(activationStorage(context.target(), t.shape, bytesOf(t.type)));
        parts.push_back({movePart(context, made.back(), in, maps, t.elements()), {}});
        if (!parts.back().move.canRegroup())
            return false;
        results.push_back(out);
    }
    if (parts.size() < 2)
        return false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Tensor& t = context.tensor(results[i]);
        parts[i].target =
            context.makeResult(results[i], t.name + "/out", made[i], identityView(t.shape.size()));
    }
    copyRegrouped(context, op.name, placed, parts);
    return true;
}

std::vector<DimMap> identityMaps(std::size_t rank) {
    return std::vector<DimMap>(rank);
}

} // namespace

void lowerSelection(LoweringContext& context, const Op& op) {
    if (const auto* slice = std::get_if<SliceAttributes>(&op.attributes)) {
        const bool isMade = context.isLoopBody() && context.hasPlace(op.outputs[0]);
        if (isMade || (context.isLoopBody() && regroupForSlices(context, op)) ||
            sliceInPlace(context, op, *slice))
            return;
    }
    if (const auto* concat = std::get_if<ConcatAttributes>(&op.attributes))
        if (joinRows(context, op, *concat))
            return;
    const TensorId out = op.outputs[0];
    const Tensor& t = context.tensor(out);
    const VariableId result = context.makeResult(
        out, op.name + "/out", activationStorage(context.target(), t.shape, bytesOf(t.type)),
        identityView(t.shape.size()));
    const std::size_t rank = t.shape.size();
    if (op.inputs.size() > 1 || std::holds_alternative<PadAttributes>(op.attributes))
        context.builder().writeUndef(op.name + "/out", result);
    if (const auto* concat = std::get_if<ConcatAttributes>(&op.attributes)) {
        PartCopies copies(context, op, result);
        std::int64_t offset = 0;
        for (const TensorId input : op.inputs) {
            std::vector<DimMap> maps = identityMaps(rank);
            maps[static_cast<std::size_t>(concat->axis)].offset = -offset;
            const Tensor& part = context.tensor(input);
            if (part.elements() > 0)
                copies.add(input, maps, part.elements());
            offset += part.shape[static_cast<std::size_t>(concat->axis)];
        }
        copies.emit();
        return;
    }
    std::vector<DimMap> maps = identityMaps(rank);
    std::int64_t read = t.elements();
    if (const auto* slice = std::get_if<SliceAttributes>(&op.attributes)) {
        for (std::size_t d = 0; d < rank; ++d)
            maps[d] = {slice->starts[d], slice->steps[d], false};
    } else if (const auto* pad = std::get_if<PadAttributes>(&op.attributes)) {
        for (std::size_t d = 0; d < rank; ++d)
            maps[d].offset = -pad->padsBegin[d];
        read = std::min(read, context.tensor(op.inputs[0]).elements());
    } else {
        const Shape& from = context.tensor(op.inputs[0]).shape;
        for (std::size_t d = 0; d < rank; ++d) {
            const std::size_t missing = rank - from.size();
            maps[d].broadcast = d < missing || (from[d - missing] == 1 && t.shape[d] != 1);
        }
    }
    copyPart(context, op, result, op.inputs[0], maps, read);
}

void lowerView(LoweringContext& context, const Op& op) {
    const TensorId in = op.inputs[0];
    const TensorId out = op.outputs[0];
    context.ensurePlace(in);
    if (const auto* transpose = std::get_if<TransposeAttributes>(&op.attributes)) {
        ViewDims view;
        for (const std::int64_t d : transpose->permutation)
            view.push_back(context.viewOf(in)[static_cast<std::size_t>(d)]);
        context.makeView(out, in, std::move(view));
        return;
    }
    if (auto view = tryViewAs(context, in, context.tensor(out).shape))
        context.makeView(out, in, *std::move(view));
    else
        copyToLinear(context, in, out);
}

} // namespace tilescope::sim
