// Names of copies and compute sets, which contain numbers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/profile/profile.h"
#include "simulator/lowering/program/step_name.h"

namespace tilescope::sim {

/// The pass of the compiler that makes a copy program; copies are numbered pass by pass.
enum class CopyPass {
    Written, ///< a copy of the graph as it is written
    Padded,  ///< joined with the padding of its operand
    Control, ///< the engine's own
    Merged,  ///< neighbouring copies made one
};

class StepNames {
public:
    /// Name of a new copy program, "copy7_<name>", whose number finish() sets: copies of a pass are
    /// numbered after all those of earlier passes. `parts`: written copies that were merged into
    /// it.
    StepName copyName(const StepName& name, CopyPass pass = CopyPass::Written, int parts = 1);
    /// Name of a copy of the engine's own, "copy7_<name>7", and of what it writes, "<name>7".
    struct ControlName {
        StepName copy, target;
    };
    ControlName controlCopyName(const StepName& name);
    /// Gives a compute set its number before it is added.
    void numberComputeSet(const StepName& name);
    /// Name of a compute set's exchange: "cs3_<name>/ExchangePre".
    StepName exchangeName(const StepName& computeSet);

    /// Names of what a program has, with the places of their numbers: the entry of the same id, in
    /// the profile only the text until finish().
    IdVector<VariableId, StepName> variables;
    IdVector<ComputeSetId, StepName> computeSets;
    IdVector<ExchangeId, StepName> exchanges;

    /// Puts the numbers of copies in all names of a program; call when everything is added. A step
    /// that runs a compute set or an exchange has its name.
    void finish(Profile& profile) const;

private:
    struct Copy {
        CopyPass pass;
        int parts;
    };
    std::size_t newCopy(CopyPass pass, int parts);
    [[nodiscard]] std::vector<int> copyNumbers() const;

    std::vector<Copy> copies_; ///< in the order of copyName()
    std::map<StepName, int> setNumbers_;
};

} // namespace tilescope::sim
