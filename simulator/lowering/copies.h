// Copies that bring data where, and in the order that, a vertex wants them.
#pragma once

#include <string>
#include <vector>

#include "simulator/lowering/context.h"

namespace tilescope::sim {

/// How an operand gets to its user.
struct OperandMove {
    Traffic traffic;
    TileSeries bytes;           ///< gathered on each tile: what the vertex reads
    std::int64_t runBytes = 0;  ///< contiguous at source and destination
    [[nodiscard]] bool strided() const;
};

/// What bringing `needed` of a stored tensor to its tiles takes, in the wanted order.
OperandMove planMove(const PlacedStorage& placed, const Blocking& needed,
                     const std::vector<OrderLevel>& wantedOrder);

/// True if every tile already holds exactly what it needs, in order.
bool isInPlace(const OperandMove& move);

/// Cycles of a rearranging copy of `bytes` on a tile with runs of `runBytes`: a regression over
/// ten thousand random copies (PopLibs poplin/ConvModel.cpp).
std::int64_t rearrangeCycles(std::int64_t bytes, std::int64_t runBytes);

/// Class of the copy vertex for contiguous runs of `runBytes`.
std::string copyVertex(std::int64_t runBytes);

/// Emits the exchange of an operand and, where runs are shorter than 64 bits, the on-tile copy that
/// puts it in order ("PreArrange"). Returns the variable that the vertex reads: the operand's own
/// if it is in place. `user` is the compute set's name, `role` the variable's ("actsRearranged").
VariableId bringOperand(LoweringContext& context, const PlacedStorage& placed,
                        const OperandMove& move, const std::string& user, const std::string& role);

/// Removes atoms of size one: they cut nothing.
std::vector<int> withoutOnes(const std::vector<int>& atoms, const Storage& storage);

} // namespace tilescope::sim
