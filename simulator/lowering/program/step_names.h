// Names of copies and compute sets, which bear numbers.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/profile/profile.h"

namespace tilescope::sim {

/// In which pass of the compiler a copy program arises; they are numbered pass by pass.
enum class CopyPass {
    Written, ///< a copy of the graph as it is written
    Padded,  ///< joined with the padding of its operand
    Control, ///< the engine's own
    Merged,  ///< neighbouring copies made one
};

class StepNames {
public:
    /// Name of a new copy program, "copy7_<name>", of which finish() knows the number: copies
    /// of a pass are numbered after all those of the passes before. `parts`: written copies that
    /// went into it. A '#' in the name is replaced by the number.
    std::string copyName(std::string_view name, CopyPass pass = CopyPass::Written, int parts = 1);
    /// Gives a compute set its number before it is added.
    void numberComputeSet(const std::string& name);
    /// Name of a compute set's exchange: "cs3_<name>/ExchangePre".
    std::string exchangeName(const std::string& computeSet);
    /// Puts the numbers of copies in all names of a program; call when everything is added.
    void finish(Profile& profile) const;

private:
    struct Copy {
        CopyPass pass;
        int parts;
    };
    std::vector<Copy> copies_; ///< in the order of copyName()
    std::map<std::string, int> setNumbers_;
};

} // namespace tilescope::sim
