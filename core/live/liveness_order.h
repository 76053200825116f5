// Where the executed steps of a trace are in the liveness order.
#pragma once

#include <cstdint>
#include <vector>

#include "core/profile/profile.h"

namespace tilescope {

/// The liveness order is the program tree with functions expanded at each of their calls (see
/// Profile::steps). A step is found from the place at which its function was entered and its own
/// place in the function: nothing is stored per call. Bases are steps; -1 where the order has none.
class LivenessOrder {
public:
    LivenessOrder(const IdVector<ProgramId, Program>& programs,
                  const std::vector<ProgramId>& controlPrograms,
                  const std::vector<ProgramId>& functions, const IdVector<StepId, ProgramId>& steps,
                  bool pipelined);

    /// The first step of a control program.
    [[nodiscard]] std::int32_t baseOf(ProgramId controlProgram) const;
    /// The first step of what a call executes, from inside of a function entered at `base`; of a
    /// repeat, `base`.
    [[nodiscard]] std::int32_t inside(std::int32_t base, ProgramId call) const;
    /// A leaf's step in a function or control program entered at `base`.
    [[nodiscard]] std::int32_t stepOf(std::int32_t base, ProgramId leaf) const {
        // `within_` has one for each program. Asked for each of millions of executed steps.
        if (base < 0 || !leaf.valid() || leaf.index() >= within_.size() ||
            within_[leaf.index()] < 0)
            return -1;
        const auto step =
            static_cast<std::size_t>(base) + static_cast<std::size_t>(within_[leaf.index()]);
        return step < steps_.size() && steps_[StepId(step)] == leaf
                   ? static_cast<std::int32_t>(step)
                   : -1;
    }

private:
    [[nodiscard]] std::vector<bool> calledBy(const std::vector<ProgramId>& controlPrograms) const;
    void layOut(const std::vector<ProgramId>& controlPrograms,
                const std::vector<ProgramId>& functions, const std::vector<bool>& once);
    std::int32_t sizeOf(ProgramId root, int depth);
    [[nodiscard]] bool exists(ProgramId program) const {
        return program.valid() && program.index() < programs_.size();
    }

    const IdVector<ProgramId, Program>& programs_;
    const IdVector<StepId, ProgramId>& steps_;
    std::vector<std::int32_t> within_; ///< by program: steps before it in its function
    std::vector<std::int32_t> sizes_;  ///< by program: steps of a function; -1: not computed yet
    std::vector<std::int32_t> bases_;  ///< by program: of control programs and functions that are
                                       ///< in the order once
    std::vector<bool> standing_;       ///< by program: a function that is in the order once
    std::int32_t end_ = 0;             ///< number of steps laid out
};

} // namespace tilescope
