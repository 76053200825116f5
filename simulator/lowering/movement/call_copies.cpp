#include "simulator/lowering/movement/call_copies.h"

#include <algorithm>

#include "simulator/lowering/movement/regrouping.h"
#include "simulator/lowering/movement/views.h"

namespace tilescope::sim {
namespace {

/// A copy between layouts whose dimensions do not nest in each other: all elements may move, one
/// by one.
OperandMove elementByElement(const Storage& source, const Storage& target) {
    OperandMove move;
    const TileSeries held = source.layout.blocking.elements();
    move.traffic.received = target.layout.blocking.elements();
    move.traffic.total = move.traffic.received.sum();
    move.traffic.sent = shareOut(move.traffic.total, held);
    const std::int64_t sources = held.tilesUsed();
    move.traffic.messages =
        move.traffic.received.mapped([&](std::int64_t n) { return std::min(n, sources); });
    move.bytes = move.traffic.received.scaled(target.elementBytes);
    move.runBytes = target.elementBytes;
    return move;
}

} // namespace

CallCopies::CallCopies(LoweringContext& context, std::string name, Regroup regroup)
    : context_(context)
    , b_(context.builder())
    , name_(std::move(name))
    , regroup_(regroup)
    , first_(b_.lowered().profile.programs.size()) {}

void CallCopies::add(TensorId tensor, const PlacedStorage& target, const ViewDims& targetView) {
    addBetween(tensor, context_.addForeign(context_.tensor(tensor), target, targetView));
    targets_.push_back(target.variable);
}

void CallCopies::addBack(TensorId tensor, const PlacedStorage& source, const ViewDims& sourceView) {
    addBetween(context_.addForeign(context_.tensor(tensor), source, sourceView), tensor);
    // Of a storage that has other tensors, too, the rest lives on.
    const PlacedStorage& target = context_.storageOf(tensor);
    if (!target.parts && context_.traffic().elementsOf(target.storage.layout.blocking).sum() ==
                             context_.tensor(tensor).elements())
        targets_.push_back(target.variable);
}

void CallCopies::addBetween(TensorId from, TensorId to) {
    const bool aligned = alignAtoms(context_, to, from);
    const PlacedStorage& source = context_.storageOf(from);
    const PlacedStorage& target = context_.storageOf(to);
    const OperandMove move =
        aligned ? planMove(context_, source,
                           needLike(context_, target.storage.layout.blocking, to, from),
                           orderLike(context_, to, from))
                : elementByElement(source.storage, target.storage);
    addMove(source, move, target.variable);
}

void CallCopies::addAlike(VariableId source, const PlacedStorage& target) {
    addLocal(source, target.variable,
             context_.traffic()
                 .elementsOf(target.storage.layout.blocking)
                 .scaled(target.storage.elementBytes));
    targets_.push_back(target.variable);
}

void CallCopies::addMove(const PlacedStorage& source, const OperandMove& move, VariableId target) {
    const std::int64_t elementBytes = source.storage.elementBytes;
    if (regroup_ == Regroup::Yes && move.canRegroup()) {
        copyRegrouped(context_, name_, {source, move}, target);
        return;
    }
    const Variable& from = b_.lowered().profile.variables[source.variable];
    const StepName copy =
        b_.names().copyName("Copy_" + b_.nameOf(source.variable) + "_to_" + name_);
    const bool moves = move.traffic.total > 0;
    VariableId arrived = target;
    if (moves) {
        if (move.strided())
            arrived =
                b_.variable(copy + "/message", MemoryCategory::Message, move.bytes, from.type);
        movement_.add(b_.machine(), move.traffic, elementBytes, move.runBytes);
        exchanged_.reads.push_back(source.variable);
        exchanged_.writes.push_back(arrived);
    }
    if (move.strided()) {
        reorderings_.push_back(
            {copy, source, move, moves ? arrived : source.variable, target, moves});
        return;
    }
    const TileSeries stays = TileSeries::zip(move.bytes, move.traffic.received.scaled(elementBytes),
                                             [](std::int64_t all, std::int64_t received) {
                                                 return std::max<std::int64_t>(0, all - received);
                                             });
    addLocal(source.variable, target, stays);
}

void CallCopies::addLocal(VariableId source, VariableId target, const TileSeries& bytes) {
    if (bytes.empty())
        return;
    localBytes_ += bytes;
    local_.reads.push_back(source);
    local_.writes.push_back(target);
}

void CallCopies::emitLocal() {
    if (localBytes_.empty())
        return;
    const TileSeries cycles = localBytes_.mapped(
        [&](std::int64_t n) { return localCopyCycles(context_.options().machine, n); });
    const std::int64_t workers = b_.machine().workers;
    const TileSeries vertices = localBytes_.ones().scaled(workers);
    b_.execute(name_ + "/OnTileCopy", cycles, {{copyVertex(shortestUnstridedRun), vertices}},
               std::move(local_));
}

void CallCopies::emitReordering(const Reordering& one, ExchangeId exchange) {
    const StepName name = one.name + "/OnTileCopy-0";
    // Where dimensions do not nest there is no order to name.
    if (one.move.wantedOrder.empty())
        emitJoin(b_, name, one.move.bytes, one.move.runBytes, {{one.source}, {one.target}});
    else
        emitCopy(context_, name, one.operand, one.move, CopyCause::Consumer,
                 {one.source, one.target, exchange});
}

void CallCopies::emit() {
    auto& lowered = b_.lowered();
    ExchangeId exchange;
    if (!exchanged_.writes.empty())
        exchange = b_.exchange(b_.names().copyName(name_) + "/ExchangePre", std::move(movement_),
                               std::move(exchanged_));
    emitLocal();
    for (const Reordering& one : reorderings_)
        emitReordering(one, one.exchanged ? exchange : ExchangeId());
    // The first step that writes a target begins its new life.
    for (const VariableId target : targets_)
        for (std::size_t i = first_; i < lowered.profile.programs.size(); ++i) {
            const auto& written = lowered.profile.programs[ProgramId(i)].variablesWritten;
            if (std::find(written.begin(), written.end(), target) == written.end())
                continue;
            lowered.kills.emplace(ProgramId(i), target);
            break;
        }
}

} // namespace tilescope::sim
