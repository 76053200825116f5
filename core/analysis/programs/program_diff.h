// Matches two program trees: which program of one corresponds to which of the other.
#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/programs/program_costs.h"

namespace tilescope {

enum class ProgramChange : std::uint8_t {
    Same,    ///< costs the same as its counterpart
    Changed, ///< has a counterpart with another cost or another number of repetitions
    Only,    ///< has no counterpart
};

/// A tree to compare.
struct ProgramSide {
    const IdVector<ProgramId, Program>& programs;
    const std::vector<ProgramId>& roots; ///< control programs, then functions
    const std::vector<ProgramCost>& costs;
};

/// The counterpart of a program.
struct ProgramMatch {
    ProgramChange change = ProgramChange::Only;
    ProgramId other;
};

struct ProgramDiff {
    std::vector<ProgramMatch> source; ///< by program
    std::vector<ProgramMatch> target;
};

/// Matches roots with roots and children with children of matched programs, in order, by kind and
/// name: the longest common subsequence, or, for very long lists, the first with the same name that
/// keeps the order. A Repeat matches whatever its count, and the number that names of copies and
/// exchanges begin with does not count. Between two matches the programs of one
/// kind that are left match one after the other: they have other names.
ProgramDiff diffPrograms(const ProgramSide& source, const ProgramSide& target);

} // namespace tilescope
