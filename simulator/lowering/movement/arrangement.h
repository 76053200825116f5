// Operands of a convolution copied once into the order that its plan needs, before they are
// broadcast (PopLibs poplin/Convolution.cpp; poputil/VarStructure.cpp).
#pragma once

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

/// Copies operands to where, and in the order in which, the plan has them, each element to one
/// tile. Copies of several operands are merged: one exchange brings all of them.
class Arrangement {
public:
    /// `op`: prefix of the names.
    Arrangement(LoweringContext& context, std::string op);

    /// `role`: name of the copy ("actsRearranged"). `wanted`: its target. Returns its number.
    std::size_t add(RegroupRequest operand, std::string role, Storage wanted);
    /// Adds the steps. Operands already in place are not copied.
    void emit();
    /// The operand as arranged; valid after emit().
    [[nodiscard]] const PlacedStorage& result(std::size_t number) const;

private:
    struct Item {
        RegroupRequest operand;
        std::string role;
        Storage wanted;
        PlacedStorage result;
        VariableId from;
        Traffic traffic;
        bool regrouped = false;
        bool arrived = false; ///< in its place and order without another copy
    };
    void regroupAll();
    void writeUndefs(bool ofWeights);
    void copyAll();

    LoweringContext& context_;
    ProgramBuilder& b_;
    std::string op_;
    std::vector<Item> items_;
};

} // namespace tilescope::sim
