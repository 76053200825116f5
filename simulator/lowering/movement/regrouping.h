// Operands whose groups of channels are changed: blocks of them are transposed on tiles (PopLibs
// popops/Rearrange.cpp).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "simulator/lowering/movement/copies.h"

namespace tilescope::sim {

/// An operand to regroup, and how much of it lies in channel groups that are filled up with zeros.
struct RegroupRequest {
    PlacedStorage placed;
    OperandMove move;
    std::int64_t paddedElements = 0;
    /// Whole blocks are transposed on the tile of their first element, as they lie, instead of
    /// being spread over the tiles (PopLibs poplin/Convolution.cpp, fullyConnectedWeightTranspose).
    bool asTheyLie = false;
    std::int64_t elements = 0; ///< of it that are regrouped; 0: all
};

/// A copy of an operand, spread evenly over the tiles, whose blocks are transposed there.
struct Regrouped {
    VariableId variable;
    TileSeries elements;
};

/// Emits one exchange and one compute set of transposes that regroup operands which
/// OperandMove::canRegroup(). `op`: prefix of the names.
std::vector<Regrouped> regroup(LoweringContext& context, const std::string& op,
                               const std::vector<RegroupRequest>& requests);

/// Regroups an operand that OperandMove::canRegroup() and brings it to `target`, in whole groups
/// (popnn tryGroupedPartialTranspose). `op`: prefix of the names.
void copyRegrouped(LoweringContext& context, const std::string& op, const RegroupRequest& request,
                   VariableId target);

/// A part of an operand, and what it is brought to.
struct PartOfOperand {
    OperandMove move;
    VariableId target;
};

/// The same for parts of one operand, which is regrouped as a whole.
void copyRegrouped(LoweringContext& context, const std::string& op, const PlacedStorage& placed,
                   const std::vector<PartOfOperand>& parts);

/// Transposes blocks where they are. The vertex needs all of a tile's blocks contiguously: where
/// some of their elements come from other tiles all are joined by a copy first, and the results of
/// several blocks are separated by a copy afterwards.
Regrouped regroupAsTheyLie(LoweringContext& context, const std::string& op,
                           const RegroupRequest& request);

/// Traffic in elements of gathering from a copy, where data are local only by chance.
Traffic trafficFrom(const Regrouped& copy, const OperandMove& move, std::int64_t elementBytes);

using StepNameSet = std::set<StepName>;

/// "Copy_a_to_b", with "{a,b}" for several.
StepName copyOf(const StepNameSet& from, const StepNameSet& to);

} // namespace tilescope::sim
