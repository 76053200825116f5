// Two program trees laid side by side: which program of one is which of the other.
#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/programs/program_costs.h"

namespace tilescope {

enum class ProgramChange : std::uint8_t {
    Same,    ///< costs what its counterpart does
    Changed, ///< has a counterpart that costs something else or repeats another number of times
    Only,    ///< has none
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
