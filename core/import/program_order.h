// Which steps may come next in a program. Internal to core/import.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/profile/profile.h"

namespace tilescope {

/// The tree numbered in preorder, with the functions that each part may call.
class ProgramOrder {
public:
    /// `programs` outlive this object; their calls may lack their target.
    explicit ProgramOrder(const IdVector<ProgramId, Program>& programs);

    /// Whether executing `program` may execute the step `leaf`.
    [[nodiscard]] bool mayRun(ProgramId program, ProgramId leaf) const;
    /// Whether there are calls in a program.
    [[nodiscard]] bool mayCall(ProgramId program) const { return !callsIn(program).empty(); }
    /// The root of a program's tree.
    [[nodiscard]] ProgramId rootOf(ProgramId program) const { return root_[program.index()]; }
    /// The function that a call runs; none if it is not known.
    [[nodiscard]] ProgramId target(ProgramId call) const { return target_[call.index()]; }
    void setTarget(ProgramId call, ProgramId function);
    /// Whether a function would call itself, directly or through others, if `call` ran it.
    [[nodiscard]] bool wouldRecur(ProgramId call, ProgramId function) const {
        return reachOf(function).roots[rootOf(call).index()];
    }

private:
    /// Calls in a program's tree, which are next to each other.
    [[nodiscard]] std::span<const ProgramId> callsIn(ProgramId program) const;
    /// Whether a call leads to a function, directly or through others.
    [[nodiscard]] bool leadsTo(ProgramId call, ProgramId function) const;
    /// The functions that a function leads to, itself among them; what it may call is not known if
    /// `anything`.
    struct Reach {
        std::vector<bool> roots; ///< by program
        bool anything = false;
    };
    [[nodiscard]] const Reach& reachOf(ProgramId function) const;

    std::vector<std::int32_t> first_; ///< place in preorder, by program
    std::vector<std::int32_t> end_;   ///< end of the places of its tree
    std::vector<ProgramId> root_;
    std::vector<ProgramId> target_;
    std::vector<ProgramId> calls_; ///< in preorder
    mutable std::unordered_map<ProgramId, Reach> reach_;
};

} // namespace tilescope
