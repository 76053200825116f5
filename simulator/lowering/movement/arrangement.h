// Operands of a convolution copied once into the order that its plan needs, before they are
// broadcast (PopLibs poplin/Convolution.cpp; poputil/VarStructure.cpp).
#pragma once

#include <string>
#include <vector>

#include "simulator/lowering/movement/regrouping.h"

namespace tilescope::sim {

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
