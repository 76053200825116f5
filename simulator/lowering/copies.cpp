#include "simulator/lowering/copies.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "simulator/cost/footprint.h"

namespace tilescope::sim {
namespace {

// Exchange writes 32-bit words and copies move 64-bit atoms: shorter runs need a copy by elements.
constexpr std::int64_t shortestUnstridedRun = 8;

// Regression of PopLibs poplin/ConvModel.cpp: fixed cycles, and cycles a byte by alignment of the
// contiguous run.
constexpr double fixedCopyCycles = 587;
constexpr double cyclesPerByteRun8 = 0.44;
constexpr double cyclesPerByteRun4 = 3.125;
constexpr double cyclesPerByteRun2 = 5.148;

} // namespace

bool OperandMove::strided() const {
    // A tile that gets a single run, such as a scalar, has nothing to put in order.
    return runBytes < std::min(shortestUnstridedRun, bytes.max().value);
}

OperandMove planMove(const PlacedStorage& placed, const Blocking& needed,
                     const std::vector<OrderLevel>& wantedOrder) {
    const Storage& storage = placed.storage;
    OperandMove move;
    move.traffic = trafficBetween(storage.layout.blocking, needed, storage.atomSizes);
    move.bytes = needed.elements().scaled(storage.elementBytes);
    move.runBytes =
        storage.elementBytes * contiguousElements(storage.layout.order, wantedOrder,
                                                  blockSizes(needed, storage.atomSizes));
    return move;
}

bool isInPlace(const OperandMove& move) {
    return move.traffic.total == 0 && !move.strided();
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

std::string copyVertex(std::int64_t runBytes) {
    if (runBytes % 8 == 0)
        return "poplar_rt::DstStridedCopy64BitMultiAccess";
    return runBytes % 4 == 0 ? "poplar_rt::DstStridedCopyDA32" : "poplar_rt::StridedCopyDA32";
}

void emitCopy(ProgramBuilder& builder, const std::string& name, const TileSeries& bytes,
              std::int64_t runBytes, Access access) {
    const TileSeries cycles = TileSeries::zip(
        bytes, {}, [&](std::int64_t n, std::int64_t) { return rearrangeCycles(n, runBytes); });
    const std::int64_t workers = builder.target().workers;
    const TileSeries vertices =
        TileSeries::zip(bytes, {}, [&](std::int64_t, std::int64_t) { return workers; });
    builder.execute(name, cycles, {{copyVertex(runBytes), vertices}}, std::move(access));
}

OperandGather::OperandGather(LoweringContext& context, std::string user)
    : context_(context)
    , user_(std::move(user)) {}

VariableId OperandGather::bring(const PlacedStorage& placed, const OperandMove& move,
                                const std::string& role, bool sharedBus) {
    if (isInPlace(move))
        return placed.variable;
    if (move.strided())
        return bringInOrder(placed, move, role);
    ProgramBuilder& b = context_.builder();
    const std::string type = b.lowered().profile.variables[placed.variable].type;
    const VariableId gathered =
        b.variable(user_ + "/" + role, MemoryCategory::Message, move.bytes, type);
    movement_.add(b.target(), move.traffic, placed.storage.elementBytes, move.runBytes, sharedBus);
    access_.reads.push_back(placed.variable);
    access_.writes.push_back(gathered);
    return gathered;
}

VariableId OperandGather::bringInOrder(const PlacedStorage& placed, const OperandMove& move,
                                       const std::string& role) {
    ProgramBuilder& b = context_.builder();
    const Variable source = b.lowered().profile.variables[placed.variable];
    VariableId raw = placed.variable;
    if (move.traffic.total > 0) {
        const std::string copy = b.copyName("Copy_" + source.name + "_to_" + user_ + "/" + role);
        raw = b.variable(copy + "/message", MemoryCategory::Message, move.bytes, source.type);
        Movement movement;
        movement.add(b.target(), move.traffic, placed.storage.elementBytes, move.runBytes);
        b.exchange(copy + "/ExchangePre", std::move(movement), {{placed.variable}, {raw}});
    }
    const VariableId ordered =
        b.variable(user_ + "/" + role, MemoryCategory::Variable, move.bytes, source.type);
    emitCopy(b, user_ + "/PreArrange-" + std::to_string(rearranged_++), move.bytes, move.runBytes,
             {{raw}, {ordered}});
    return ordered;
}

void OperandGather::emit() {
    if (access_.writes.empty())
        return;
    ProgramBuilder& b = context_.builder();
    b.exchange(b.exchangeName(user_), std::exchange(movement_, {}), std::exchange(access_, {}));
}

std::vector<int> withoutOnes(const std::vector<int>& atoms, const Storage& storage) {
    std::vector<int> kept;
    std::copy_if(atoms.begin(), atoms.end(), std::back_inserter(kept),
                 [&](int atom) { return storage.atomSizes[static_cast<std::size_t>(atom)] != 1; });
    return kept;
}

} // namespace tilescope::sim
