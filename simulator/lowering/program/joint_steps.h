// Steps of independent computations that run in the same compute sets and exchanges.
#pragma once

#include <cstddef>
#include <vector>

#include "simulator/lowering/program/builder.h"

namespace tilescope::sim {

/// Steps are added in lanes, one after the other, in one open sequence; merge() makes the n-th
/// steps of all lanes one step: a compute set with the vertices of all, whose cycles on a tile add
/// up, or an exchange of everything. Lanes whose steps differ in kind or number, or that recorded
/// copies, stay one after the other.
class JointSteps {
public:
    explicit JointSteps(ProgramBuilder& builder)
        : builder_(builder)
        , first_(builder.childCount()) {}

    /// Before the steps of each lane.
    void nextLane();
    /// After the last lane.
    void merge();

private:
    struct Lane {
        std::size_t firstChild, firstComputeSet, firstExchange, firstProgram, firstCopy;
    };
    [[nodiscard]] Lane here() const;
    [[nodiscard]] bool canMerge(const std::vector<ProgramId>& programs, std::size_t steps) const;
    void mergeStep(ProgramId into, ProgramId from);

    ProgramBuilder& builder_;
    std::size_t first_;
    std::vector<Lane> lanes_;
};

} // namespace tilescope::sim
