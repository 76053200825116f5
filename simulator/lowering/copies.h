// Copies that bring data where, and in the order that, a vertex wants them.
#pragma once

#include <string>
#include <vector>

#include "simulator/lowering/context.h"

namespace tilescope::sim {

/// How an operand gets to its user.
struct OperandMove {
    Traffic traffic;
    TileSeries bytes;          ///< gathered on each tile: what the vertex reads
    std::int64_t runBytes = 0; ///< contiguous at source and destination
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

/// Brings the operands of one compute set together: what can be exchanged straight into place moves
/// in one exchange before the compute set ("ExchangePre"); operands whose runs are shorter than
/// 64 bits are exchanged first and put in order by an on-tile copy ("PreArrange").
class OperandGather {
public:
    /// `user`: the compute set's name.
    OperandGather(LoweringContext& context, std::string user);

    /// The variable that the vertex will read: the operand's own if it is in place. `role`: name of
    /// the gathered variable ("actsRearranged").
    VariableId bring(const PlacedStorage& placed, const OperandMove& move, const std::string& role,
                     bool sharedBus = false);
    /// Adds the exchange, if anything moves. Call before the compute set is added.
    void emit();

private:
    VariableId bringInOrder(const PlacedStorage& placed, const OperandMove& move,
                            const std::string& role);

    LoweringContext& context_;
    std::string user_;
    Movement movement_;
    Access access_;
    int rearranged_ = 0;
};

/// An on-tile copy of `bytes` with runs of `runBytes`, by all six workers.
void emitCopy(ProgramBuilder& builder, const std::string& name, const TileSeries& bytes,
              std::int64_t runBytes, Access access);

/// Removes atoms of size one: they cut nothing.
std::vector<int> withoutOnes(const std::vector<int>& atoms, const Storage& storage);

} // namespace tilescope::sim
