#include "simulator/lowering/movement/views.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "simulator/lowering/movement/copies.h"

namespace tilescope::sim {
namespace {

std::vector<std::int64_t> sizesOf(const std::vector<int>& atoms, const Storage& storage) {
    std::vector<std::int64_t> sizes;
    for (const int atom : withoutOnes(atoms, storage))
        sizes.push_back(storage.atomSizes[static_cast<std::size_t>(atom)]);
    return sizes;
}

/// The shape a view would have if every atom were a dimension, with dimension `d` cut as `cut`.
bool recut(LoweringContext& context, TensorId tensor, std::size_t d,
           const std::vector<std::int64_t>& cut) {
    Shape shape;
    const ViewDims& view = context.viewOf(tensor);
    const Storage& storage = context.storageOf(tensor).storage;
    for (std::size_t i = 0; i < view.size(); ++i) {
        if (i == d)
            shape.insert(shape.end(), cut.begin(), cut.end());
        else
            shape.push_back(sizeOf(view[i], storage));
    }
    const StorageId id = context.storageIdOf(tensor);
    const ViewDims own = view;
    return reshapeView(own, shape, context.storageOf(tensor).storage, context.viewsOf(id))
        .has_value();
}

/// Atoms of b with the same indices as atoms of a, after alignAtoms.
std::map<int, int> sharedAtoms(LoweringContext& context, TensorId a, TensorId b) {
    const ViewDims& viewA = context.viewOf(a);
    const ViewDims& viewB = context.viewOf(b);
    std::map<int, int> atomOfB;
    for (std::size_t fromEnd = 1; fromEnd <= std::min(viewA.size(), viewB.size()); ++fromEnd) {
        const auto atomsA =
            withoutOnes(viewA[viewA.size() - fromEnd], context.storageOf(a).storage);
        const auto atomsB =
            withoutOnes(viewB[viewB.size() - fromEnd], context.storageOf(b).storage);
        if (atomsA.size() != atomsB.size())
            continue;
        for (std::size_t i = 0; i < atomsA.size(); ++i)
            atomOfB[atomsA[i]] = atomsB[i];
    }
    return atomOfB;
}

/// The coarsest cut of a dimension that both cuts nest in; empty if there is none.
std::vector<std::int64_t> commonCut(std::vector<std::int64_t> a, std::vector<std::int64_t> b) {
    std::vector<std::int64_t> cut;
    while (!a.empty() && !b.empty()) {
        const std::int64_t small = std::min(a.back(), b.back());
        if (a.back() % small != 0 || b.back() % small != 0)
            return {};
        cut.insert(cut.begin(), small);
        for (auto* side : {&a, &b}) {
            side->back() /= small;
            if (side->back() == 1)
                side->pop_back();
        }
    }
    return a.empty() && b.empty() ? cut : std::vector<std::int64_t>{};
}

/// A block of indices [outer, missing, inner] without the middle one.
Interval withoutMiddle(Interval block, std::int64_t missing, std::int64_t inner) {
    const auto outerOf = [&](std::int64_t index) { return index / (missing * inner); };
    const auto rowOf = [&](std::int64_t index) { return index / inner % missing; };
    const std::int64_t first = block.begin;
    const std::int64_t last = block.end - 1;
    const bool oneOuter = outerOf(first) == outerOf(last);
    const bool oneRow = oneOuter && rowOf(first) == rowOf(last);
    // Where a row ends within the block, the next one begins at the first inner index.
    const bool firstCut = oneRow || (!oneOuter && rowOf(first) == missing - 1);
    const bool lastCut = oneRow || (!oneOuter && rowOf(last) == 0);
    return {outerOf(first) * inner + (firstCut ? first % inner : 0),
            outerOf(last) * inner + (lastCut ? last % inner + 1 : inner)};
}

} // namespace

std::optional<ViewDims> tryViewAs(LoweringContext& context, TensorId tensor, const Shape& shape) {
    const ViewDims own = context.viewOf(tensor);
    const StorageId id = context.storageIdOf(tensor);
    return reshapeView(own, shape, context.storageOf(tensor).storage, context.viewsOf(id));
}

ViewDims viewAs(LoweringContext& context, TensorId tensor, const Shape& shape) {
    if (auto view = tryViewAs(context, tensor, shape))
        return *std::move(view);
    rearrangeToLinear(context, tensor);
    if (auto view = tryViewAs(context, tensor, shape))
        return *std::move(view);
    throw InternalError("a linear layout cannot be viewed as " + toString(shape));
}

namespace {

/// Copies `from` into a new storage for `to`.
void copyTo(LoweringContext& context, TensorId from, TensorId to, Storage target, ViewDims view) {
    ProgramBuilder& b = context.builder();
    const Tensor& t = context.tensor(to);
    const PlacedStorage source = context.storageOf(from);
    const std::string& sourceName = context.tensor(from).name;
    // The orders differ all over, so nothing is counted as already local.
    OperandMove move;
    move.traffic.received = target.layout.blocking.elements();
    move.traffic.total = move.traffic.received.sum();
    move.traffic.sent = shareOut(move.traffic.total, source.storage.layout.blocking.elements());
    // A tile cannot listen to more tiles than hold something.
    const std::int64_t sources = source.storage.layout.blocking.elements().tilesUsed();
    move.traffic.messages =
        move.traffic.received.mapped([&](std::int64_t n) { return std::min(n, sources); });
    move.bytes = move.traffic.received.scaled(target.elementBytes);
    move.runBytes = target.elementBytes;
    move.wantedOrder = rowMajorOrder(context.viewOf(from));
    move.cause = CopyCause::Reshape;
    const StepName name =
        b.names().copyName("Copy_" + sourceName + "_to_" + t.name + "/rearranged");
    const VariableId raw = b.variable(name + "/message", MemoryCategory::Message, move.bytes,
                                      std::string(toString(t.type)));
    Movement movement;
    movement.add(b.machine(), move.traffic, target.elementBytes, move.runBytes);
    const ExchangeId exchange =
        b.exchange(name + "/ExchangePre", std::move(movement), {{source.variable}, {raw}});
    const std::string result = t.name + "/rearranged";
    if (from == to)
        context.replacePlace(to, result, std::move(target), std::move(view));
    else
        context.makeResult(to, result, std::move(target), std::move(view));
    emitCopy(context, name + "/PreArrange-0", source, move, CopyCause::Reshape,
             {raw, context.variableOf(to), exchange});
}

} // namespace

void copyToLinear(LoweringContext& context, TensorId from, TensorId to) {
    const Tensor& t = context.tensor(to);
    copyTo(context, from, to, linearStorage(t.shape, bytesOf(t.type), context.target().tilesPerIpu),
           identityView(t.shape.size()));
}

void rearrangeTo(LoweringContext& context, TensorId tensor, Storage storage, ViewDims view) {
    copyTo(context, tensor, tensor, std::move(storage), std::move(view));
}

void rearrangeToLinear(LoweringContext& context, TensorId tensor) {
    copyToLinear(context, tensor, tensor);
}

bool alignAtoms(LoweringContext& context, TensorId a, TensorId b) {
    const std::size_t rankA = context.viewOf(a).size();
    const std::size_t rankB = context.viewOf(b).size();
    for (std::size_t fromEnd = 1; fromEnd <= std::min(rankA, rankB); ++fromEnd) {
        const std::size_t dimA = rankA - fromEnd;
        const std::size_t dimB = rankB - fromEnd;
        const auto cutA = sizesOf(context.viewOf(a)[dimA], context.storageOf(a).storage);
        const auto cutB = sizesOf(context.viewOf(b)[dimB], context.storageOf(b).storage);
        if (cutA.empty() || cutB.empty() || cutA == cutB)
            continue;
        const auto cut = commonCut(cutA, cutB);
        if (cut.empty() || !recut(context, a, dimA, cut) || !recut(context, b, dimB, cut))
            return false;
    }
    return true;
}

Interval projected(Interval block, const std::vector<SharedAtom>& atoms) {
    if (block.size() == 0)
        return {};
    std::int64_t inner = 1;
    std::int64_t missing = 1;
    for (auto atom = atoms.rbegin(); atom != atoms.rend(); ++atom) {
        if (!atom->shared) {
            missing *= atom->size;
            continue;
        }
        // Neighbours are left out together, since a hull of a hull would be wider.
        block = withoutMiddle(block, std::exchange(missing, 1), inner);
        inner *= atom->size;
    }
    return withoutMiddle(block, missing, inner);
}

Blocking needLike(LoweringContext& context, const Blocking& blocksOfA, TensorId a, TensorId b) {
    const Storage& storageA = context.storageOf(a).storage;
    const Storage& storageB = context.storageOf(b).storage;
    const std::map<int, int> atomOfB = sharedAtoms(context, a, b);
    std::vector<bool> covered(storageB.atomSizes.size(), false);
    Blocking need;
    need.firstTile = blocksOfA.firstTile;
    for (const BlockedDim& dim : blocksOfA.dims) {
        BlockedDim mapped;
        std::vector<SharedAtom> atoms;
        for (const int atom : withoutOnes(dim.atoms, storageA)) {
            const auto found = atomOfB.find(atom);
            const bool shared = found != atomOfB.end();
            atoms.push_back({storageA.atomSizes[static_cast<std::size_t>(atom)], shared});
            if (shared)
                mapped.atoms.push_back(found->second);
        }
        if (mapped.atoms.empty()) {
            need.copies.insert(need.copies.end(), dim.digits.begin(), dim.digits.end());
            continue;
        }
        mapped.size = sizeOf(mapped.atoms, storageB);
        mapped.digits = dim.digits;
        for (const Interval block : dim.blocks)
            mapped.blocks.push_back(projected(block, atoms));
        for (const int atom : mapped.atoms)
            covered[static_cast<std::size_t>(atom)] = true;
        need.dims.push_back(std::move(mapped));
    }
    need.copies.insert(need.copies.end(), blocksOfA.copies.begin(), blocksOfA.copies.end());
    for (std::size_t atom = 0; atom < covered.size(); ++atom)
        if (!covered[atom] && storageB.atomSizes[atom] != 1)
            need.dims.push_back({{static_cast<int>(atom)},
                                 storageB.atomSizes[atom],
                                 {{0, storageB.atomSizes[atom]}},
                                 {{1, 1}}});
    // Tiles that share a block of `a` work on their share only; where `b` is broadcast over the
    // shared block, each of them needs all of it.
    need.copiesShare = blocksOfA.copiesShare && need.copies == blocksOfA.copies;
    need.sharing = blocksOfA.sharing;
    return need;
}

std::vector<OrderLevel> orderLike(LoweringContext& context, TensorId a, TensorId b) {
    const std::map<int, int> atomOfB = sharedAtoms(context, a, b);
    std::vector<OrderLevel> order;
    for (const OrderLevel& level : context.storageOf(a).storage.layout.order)
        if (const auto found = atomOfB.find(level.atom); found != atomOfB.end())
            order.push_back({found->second, level.extent});
    return order;
}

InnerRun broadcastRun(LoweringContext& context, TensorId a, TensorId b) {
    const Storage& storage = context.storageOf(a).storage;
    std::vector<bool> isShared(storage.atomSizes.size(), false);
    for (const auto& [atom, other] : sharedAtoms(context, a, b))
        isShared[static_cast<std::size_t>(atom)] = true;
    return innerRun(storage.layout.order, isShared,
                    blockSizes(storage.layout.blocking, storage.atomSizes));
}

} // namespace tilescope::sim
