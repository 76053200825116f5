// Steps of convolutions that run at the same time.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "simulator/lowering/program/builder.h"

namespace tilescope::sim {

/// Steps are added in lanes, one after the other, in one open sequence; merge() makes steps of
/// different lanes one step: a compute set with the vertices of all, an exchange of everything
/// (PopLibs poplin/MultiConvolution.cpp: rearrangements, convolutions and reductions of all parts
/// share their compute sets). Lanes may have different numbers of steps: next comes one that moves
/// data, of all lanes that are about to, and the compute set whose name ends in `meeting` waits for
/// all lanes, as does the exchange of what it reads. Lanes with other steps than exchanges and
/// compute sets stay one after the other.
class ParallelSteps {
public:
    ParallelSteps(ProgramBuilder& builder, std::string meeting)
        : builder_(builder)
        , meeting_(std::move(meeting))
        , start_(here()) {}

    /// Before the steps of each lane.
    void nextLane() { firstChildren_.push_back(builder_.childCount()); }
    /// After the last lane.
    void merge();

private:
    struct Counts {
        std::size_t children, computeSets, exchanges, programs, copies;
    };
    using Lane = std::vector<ProgramId>; ///< that are left, the next one last
    [[nodiscard]] Counts here() const;
    /// False if a lane has a step that cannot be put together with others.
    [[nodiscard]] bool readLanes();
    [[nodiscard]] bool isNext(const Lane& lane, ProgramKind kind, bool meets) const;
    /// The next steps of that kind of all lanes as one.
    void take(ProgramKind kind, bool meets);
    void order();
    void mergeStep(ProgramId into, ProgramId from);
    /// Removes steps that have been merged into others, and renumbers the rest.
    void renumber();

    ProgramBuilder& builder_;
    std::string meeting_;
    Counts start_;
    std::vector<std::size_t> firstChildren_;
    std::vector<Lane> lanes_;
    std::vector<ProgramId> steps_;                         ///< in their new order
    std::vector<std::pair<ProgramId, ProgramId>> mergers_; ///< a step, and what it is merged into
    std::map<ProgramId, TileSeries> receiving_;            ///< cycles that merged exchanges receive
};

} // namespace tilescope::sim
