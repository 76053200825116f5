#include "simulator/lowering/movement/copies.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <utility>

#include "core/base/ceil_div.h"
#include "core/options/engine_options.h"
#include "simulator/cost/elementwise_cycles.h"
#include "simulator/lowering/movement/order_text.h"
#include "simulator/lowering/movement/regrouping.h"

namespace tilescope::sim {
namespace {

// Regression of PopLibs poplin/ConvModel.cpp: fixed cycles, and cycles a byte by alignment of the
// contiguous run.
constexpr double fixedCopyCycles = 587;
constexpr double cyclesPerByteRun8 = 0.44;
constexpr double cyclesPerByteRun4 = 3.125;
constexpr double cyclesPerByteRun2 = 5.148;

} // namespace

bool OperandMove::isInOtherSequence() const {
    return otherSequence && traffic.total == 0;
}

bool OperandMove::hasWholeGroups() const {
    const auto isWhole = [&](std::int64_t group) {
        return group > 1 && group * elementBytes % shortestUnstridedRun == 0;
    };
    return isWhole(sourceGroup) && isWhole(wantedGroup);
}

bool OperandMove::strided() const {
    // A tile that gets a single run, such as a scalar, has nothing to put in order.
    const bool words = traffic.total > 0 && !hasWholeGroups();
    return runBytes < std::min(words ? exchangeWordBytes : shortestUnstridedRun, bytes.max().value);
}

namespace {

/// The innermost level of an order that holds more than one index: its atom and how many.
OrderLevel innermost(const std::vector<OrderLevel>& order, const std::vector<std::int64_t>& sizes) {
    for (auto level = order.rbegin(); level != order.rend(); ++level) {
        const std::int64_t held = sizes[static_cast<std::size_t>(level->atom)];
        const std::int64_t extent = level->extent == 0 ? held : std::min(level->extent, held);
        if (extent > 1)
            return {level->atom, extent};
    }
    return {-1, 1};
}

/// Elements of the innermost group that no cut between tiles separates; a 64-bit grain at least.
std::int64_t uncutRun(const Storage& storage, const OrderLevel& group) {
    const Blocking& blocking = storage.layout.blocking;
    std::int64_t run = group.extent;
    for (const BlockedDim& dim : blocking.dims)
        if (!dim.atoms.empty() && dim.atoms.back() == group.atom)
            for (const Interval& block : dim.blocks)
                run = std::gcd(run, block.begin);
    if (blocking.copiesShare && blocking.copyCount() > 1)
        run = std::gcd(run, blocking.sharing.grain);
    return std::max(run,
                    shortestUnstridedRun / std::min(shortestUnstridedRun, storage.elementBytes));
}

/// Sets the run that is contiguous on both tiles of a message where the orders differ, unless runs
/// are so short that their code would be longer than the data. Where exchanges are to save memory,
/// whole messages move and a copy puts them in order: what Poplar does then is not public, and
/// nothing faster would leave as little code (*assumed*: a bound from above).
void cutInPieces(OperandMove& move, const LoweringOptions& options, const Storage& storage,
                 const Blocking& needed, const std::vector<OrderLevel>& wantedOrder) {
    if (storage.layout.order == wantedOrder)
        return;
    const std::vector<std::int64_t> held = blockSizes(storage.layout.blocking, storage.atomSizes);
    const std::vector<std::int64_t> wanted = blockSizes(needed, storage.atomSizes);
    std::vector<std::int64_t> moved(held.size());
    std::transform(held.begin(), held.end(), wanted.begin(), moved.begin(),
                   [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
    const std::int64_t piece =
        pieceElements(storage.layout.order, wantedOrder, moved, held, wanted);
    if (piece * storage.elementBytes < shortestPieceBytes)
        return;
    if (engineChoice(options.engine, "opt.internalExchangeOptimisationTarget") == "memory") {
        move.wholeMessages = move.traffic.total > piece * move.traffic.messages.sum();
        return;
    }
    move.traffic.piece = piece;
    // As if a tile had only the elements that it sends, in the wanted order.
    move.traffic.landing = pieceElements(wantedOrder, wantedOrder, moved, moved, wanted);
}

} // namespace

bool OperandMove::canRegroup() const {
    return strided() && hasWholeGroups();
}

bool OperandMove::canTranspose() const {
    return runBytes < std::min(shortestUnstridedRun, bytes.max().value) && sourceGroup > 1 &&
           wantedGroup > 1;
}

OperandMove planMove(LoweringContext& context, const PlacedStorage& placed, const Blocking& needed,
                     const std::vector<OrderLevel>& wantedOrder) {
    const Storage& storage = placed.storage;
    OperandMove move;
    move.elementBytes = storage.elementBytes;
    move.traffic = context.traffic().between(storage.layout.blocking, needed, storage.atomSizes);
    move.bytes = context.traffic().elementsOf(needed).scaled(storage.elementBytes);
    const std::vector<std::int64_t> held = blockSizes(storage.layout.blocking, storage.atomSizes);
    move.runBytes =
        storage.elementBytes * contiguousElements(storage.layout.order, wantedOrder,
                                                  blockSizes(needed, storage.atomSizes), held);
    cutInPieces(move, context.options(), storage, needed, wantedOrder);
    move.otherSequence = !isSameSequence(storage.layout.order, wantedOrder, held);
    const OrderLevel from = innermost(storage.layout.order, held);
    const OrderLevel to = innermost(wantedOrder, storage.atomSizes);
    move.wantedOrder = wantedOrder;
    if (from.atom != to.atom) {
        move.sourceGroup = from.extent;
        move.sourceRun = uncutRun(storage, from);
        move.wantedGroup = to.extent;
    }
    return move;
}

OperandMove planUnfold(const PlacedStorage& placed, const Blocking& needed,
                       const std::vector<int>& channelAtoms, std::int64_t wantedGroup) {
    const Storage& storage = placed.storage;
    OperandMove move;
    move.elementBytes = storage.elementBytes;
    move.traffic.received = needed.elements();
    move.traffic.total = move.traffic.received.sum();
    const TileSeries held = storage.layout.blocking.elements();
    move.traffic.sent = shareOut(move.traffic.total, held);
    move.traffic.receivers = receiversOf(move.traffic.total, held.sum());
    const std::int64_t sources = held.tilesUsed();
    const std::int64_t each = std::max<std::int64_t>(1, held.max().value);
    move.traffic.messages = move.traffic.received.mapped(
        [&](std::int64_t n) { return std::min(sources, ceilDiv(n, each) + 1); });
    move.bytes = move.traffic.received.scaled(storage.elementBytes);
    const OrderLevel inner =
        innermost(storage.layout.order, blockSizes(storage.layout.blocking, storage.atomSizes));
    const bool channels =
        std::find(channelAtoms.begin(), channelAtoms.end(), inner.atom) != channelAtoms.end();
    move.runBytes = storage.elementBytes * (channels ? inner.extent : 1);
    if (!channels) {
        move.sourceGroup = inner.extent;
        move.sourceRun = uncutRun(storage, inner);
        move.wantedGroup = wantedGroup;
    }
    return move;
}

bool isInPlace(const OperandMove& move) {
    return move.traffic.total == 0 && !move.strided();
}

bool isThere(const OperandMove& move) {
    return isInPlace(move) && !move.isInOtherSequence();
}

std::int64_t rearrangeCycles(std::int64_t bytes, std::int64_t runBytes) {
    if (bytes == 0)
        return 0;
    const double perByte = runBytes % 8 == 0   ? cyclesPerByteRun8
                           : runBytes % 4 == 0 ? cyclesPerByteRun4
                                               : cyclesPerByteRun2;
    return static_cast<std::int64_t>(
        std::llround(fixedCopyCycles + perByte * static_cast<double>(bytes)));
}

std::int64_t localCopyCycles(const MachineOptions& machine, std::int64_t bytes) {
    if (bytes == 0)
        return 0;
    if (machine.ipuModel) {
        // Cycles of a worker before its first element (*assumed*: published reductions leave 60 to
        // 200 cycles for a copy of 32 bytes, and convolutions 40 to 170 for each copy of a call).
        constexpr std::int64_t workerStart = 20;
        return machine.target.workers * workerStart +
               static_cast<std::int64_t>(
                   std::llround(cyclesPerByteRun8 * static_cast<double>(bytes)));
    }
    // Fixed cost of a local copy by six workers, measured on ipu21 (public kernel notes).
    constexpr std::int64_t fixed = 288;
    return fixed + ceilDiv(bytes, std::int64_t{machine.target.memcpyBytesPerCycle});
}

std::string copyVertex(std::int64_t runBytes) {
    if (runBytes % 8 == 0)
        return "poplar_rt::DstStridedCopy64BitMultiAccess";
    return runBytes % 4 == 0 ? "poplar_rt::DstStridedCopyDA32" : "poplar_rt::StridedCopyDA32";
}

namespace {

/// The operand of the current operation that is stored there, by its index; none if the operation
/// reads a copy that has no tensor.
std::optional<std::size_t> operandIn(LoweringContext& context, const PlacedStorage& placed) {
    const Op& op = context.graph().ops[context.current()];
    for (std::size_t i = 0; i < op.inputs.size(); ++i)
        if (context.hasPlace(op.inputs[i]) && context.variableOf(op.inputs[i]) == placed.variable)
            return i;
    return std::nullopt;
}

void describeOrders(LoweringContext& context, const PlacedStorage& placed, const OperandMove& move,
                    Copy& copy) {
    const Op& op = context.graph().ops[context.current()];
    const std::optional<std::size_t> operand = operandIn(context, placed);
    ViewDims view = identityView(placed.storage.atomSizes.size());
    if (operand) {
        view = context.viewOf(op.inputs[*operand]);
        copy.shape = toString(context.tensor(op.inputs[*operand]).shape);
    }
    const std::vector<std::string> names = dimensionNames(op, operand.value_or(0), view.size());
    copy.sourceOrder = orderText(placed.storage.layout.order, view, placed.storage, names);
    copy.wantedOrder = move.wantedOrder.empty()
                           ? fmt::format("[windows][{}]", move.wantedGroup)
                           : orderText(move.wantedOrder, view, placed.storage, names);
}

} // namespace

void recordCopy(LoweringContext& context, const PlacedStorage& placed, const OperandMove& move,
                const CopySteps& steps, CopyCause cause, ProgramId program, bool transposed) {
    Profile& profile = context.builder().lowered().profile;
    Copy copy;
    copy.program = program;
    copy.computeSet = profile.programs[program].computeSet;
    copy.exchange = steps.exchange;
    copy.variable = placed.variable;
    copy.result = steps.result;
    copy.cause = move.cause.value_or(cause);
    copy.runBytes = move.runBytes;
    copy.runElements = move.runBytes / std::max<std::int64_t>(1, placed.storage.elementBytes);
    copy.strided = move.strided() || transposed;
    copy.transposed = transposed;
    describeOrders(context, placed, move, copy);
    profile.copies.add(std::move(copy));
}

namespace {

/// Copies that one compute set makes. A tile that has several starts once.
class OnTileCopies {
public:
    void add(const ProgramBuilder& b, const TileSeries& bytes, std::int64_t runBytes) {
        if (bytes.empty())
            return;
        const TileSeries more =
            bytes.mapped([&](std::int64_t n) { return rearrangeCycles(n, runBytes); });
        cycles_ = TileSeries::zip(cycles_, more, [](std::int64_t before, std::int64_t now) {
            const auto start = static_cast<std::int64_t>(fixedCopyCycles);
            return before > 0 && now > 0 ? before + now - start : before + now;
        });
        const TileSeries vertices = bytes.ones().scaled(b.machine().workers);
        const std::string name = copyVertex(runBytes);
        const auto same = std::find_if(uses_.begin(), uses_.end(),
                                       [&](const VertexUse& use) { return use.name == name; });
        if (same != uses_.end())
            same->count += vertices;
        else
            uses_.push_back({name, vertices});
    }

    ProgramId emit(ProgramBuilder& b, const StepName& name, Access access) {
        return b.execute(name, cycles_, std::move(uses_), std::move(access), SetMaker::Compiler);
    }

private:
    TileSeries cycles_;
    std::vector<VertexUse> uses_;
};

} // namespace

void emitJoin(ProgramBuilder& builder, const StepName& name, const TileSeries& bytes,
              std::int64_t runBytes, Access access) {
    OnTileCopies copies;
    copies.add(builder, bytes, runBytes);
    copies.emit(builder, name, std::move(access));
}

void emitCopies(LoweringContext& context, const StepName& name,
                const std::vector<OrderedOperand>& operands, CopyCause cause,
                const Joined& joined) {
    ProgramBuilder& b = context.builder();
    OnTileCopies copies;
    copies.add(b, joined.bytes, joined.runBytes);
    Access access = joined.access;
    for (const OrderedOperand& operand : operands) {
        copies.add(b, operand.move.bytes, operand.move.runBytes);
        access.reads.push_back(operand.steps.source);
        access.writes.push_back(operand.steps.result);
    }
    const ProgramId program = copies.emit(b, name, std::move(access));
    for (const OrderedOperand& operand : operands)
        recordCopy(context, operand.placed, operand.move, operand.steps, cause, program, false);
}

void emitCopy(LoweringContext& context, const StepName& name, const PlacedStorage& placed,
              const OperandMove& move, CopyCause cause, const CopySteps& steps) {
    emitCopies(context, name, {{placed, move, steps}}, cause);
}

OperandGather::OperandGather(LoweringContext& context, std::string user, Regroup regroup)
    : context_(context)
    , user_(std::move(user))
    , regroup_(regroup) {}

VariableId OperandGather::bring(const PlacedStorage& placed, const OperandMove& move,
                                const std::string& role, bool sharedBus) {
    if (isInPlace(move))
        return placed.variable;
    if (regroup_ == Regroup::Yes && move.canRegroup())
        return bringRegrouped(placed, move, role, sharedBus);
    if (move.strided() || (move.wholeMessages && regroup_ == Regroup::No))
        return bringInOrder(placed, move, role);
    ProgramBuilder& b = context_.builder();
    const std::string type = b.lowered().profile.variables[placed.variable].type;
    const VariableId gathered =
        b.variable(user_ + "/" + role, MemoryCategory::Message, move.bytes, type);
    Traffic traffic = move.traffic;
    if (regroup_ == Regroup::Yes)
        traffic.piece = traffic.landing = 0;
    movement_.add(b.machine(), traffic, placed.storage.elementBytes, move.runBytes, sharedBus);
    access_.reads.push_back(placed.variable);
    access_.writes.push_back(gathered);
    return gathered;
}

VariableId OperandGather::bringRegrouped(const PlacedStorage& placed, const OperandMove& move,
                                         const std::string& role, bool sharedBus) {
    ProgramBuilder& b = context_.builder();
    const std::string op = user_.substr(0, user_.rfind('/'));
    const Regrouped copy = regroup(context_, op, {{placed, move, 0}}).front();
    const std::string type = b.lowered().profile.variables[placed.variable].type;
    const VariableId gathered =
        b.variable(user_ + "/" + role, MemoryCategory::Message, move.bytes, type);
    Traffic again = move.traffic;
    again.piece = again.landing = 0;
    again.received =
        move.bytes.mapped([&](std::int64_t n) { return n / placed.storage.elementBytes; });
    again.total = again.received.sum();
    again.sent = shareOut(again.total, copy.elements);
    again.receivers = receiversOf(again.total, copy.elements.sum());
    movement_.add(b.machine(), again, placed.storage.elementBytes, shortestUnstridedRun, sharedBus);
    access_.reads.push_back(copy.variable);
    access_.writes.push_back(gathered);
    return gathered;
}

VariableId OperandGather::bringInOrder(const PlacedStorage& placed, const OperandMove& move,
                                       const std::string& role) {
    ProgramBuilder& b = context_.builder();
    const std::string type = b.lowered().profile.variables[placed.variable].type;
    VariableId raw = placed.variable;
    ExchangeId exchange;
    if (move.traffic.total > 0) {
        const StepName copy =
            b.names().copyName("Copy_" + b.nameOf(placed.variable) + "_to_" + user_ + "/" + role);
        raw = b.variable(copy + "/message", MemoryCategory::Message, move.bytes, type);
        Movement movement;
        movement.add(b.machine(), move.traffic, placed.storage.elementBytes, move.runBytes);
        exchange =
            b.exchange(copy + "/ExchangePre", std::move(movement), {{placed.variable}, {raw}});
    }
    const VariableId ordered =
        b.variable(user_ + "/" + role, MemoryCategory::Variable, move.bytes, type);
    ordered_.push_back({placed, move, {raw, ordered, exchange}});
    return ordered;
}

void OperandGather::join(VariableId gathered, const std::string& result, TileSeries bytes,
                         std::int64_t runBytes) {
    if (bytes.empty())
        return;
    // The copy that puts an operand in order writes it as often as it has to be there.
    const auto inOrder =
        std::find_if(ordered_.begin(), ordered_.end(), [&](const OrderedOperand& operand) {
            return operand.steps.result == gathered;
        });
    if (inOrder != ordered_.end()) {
        inOrder->move.bytes = std::move(bytes);
        return;
    }
    ProgramBuilder& b = context_.builder();
    const std::string type = b.lowered().profile.variables[gathered].type;
    joined_.access.reads.push_back(gathered);
    joined_.access.writes.push_back(
        b.variable(user_ + "/" + result, MemoryCategory::Variable, bytes, type));
    joined_.bytes += bytes;
    joined_.runBytes = std::gcd(joined_.runBytes, runBytes);
}

std::vector<VariableId> OperandGather::emit() {
    ProgramBuilder& b = context_.builder();
    if (!access_.writes.empty())
        b.exchange(b.names().exchangeName(user_), std::exchange(movement_, {}),
                   std::exchange(access_, {}));
    const Joined joined = std::exchange(joined_, {});
    const std::vector<OrderedOperand> ordered = std::exchange(ordered_, {});
    if (!ordered.empty() || !joined.bytes.empty())
        emitCopies(context_, user_ + "/PreArrange-" + std::to_string(rearranged_++), ordered,
                   regroup_ == Regroup::Yes ? CopyCause::Plan : CopyCause::Consumer, joined);
    return joined.access.writes;
}

std::vector<int> withoutOnes(const std::vector<int>& atoms, const Storage& storage) {
    std::vector<int> kept;
    std::copy_if(atoms.begin(), atoms.end(), std::back_inserter(kept),
                 [&](int atom) { return storage.atomSizes[static_cast<std::size_t>(atom)] != 1; });
    return kept;
}

} // namespace tilescope::sim
