// The program tree as lines of text, walked without unrolling anything.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/profile/profile.h"

namespace tilescope {

/// "OnTileExecute (conv1/Convolve)", "Repeat 10 times (main)", "Call (layer1)" or just the kind if
/// the program has no name.
std::string programLabel(const Program& program);

/// A line of the tree.
struct ProgramLine {
    ProgramId program;
    std::int32_t depth = 0;  ///< 0 for a control program or function
    std::string label;       ///< programLabel()
    std::int64_t cycles = 0; ///< estimated, of one execution of a compute set or exchange
};

/// A control program or a function with everything below it, depth first.
struct ProgramTree {
    std::string title; ///< "Control program 0 (weightsFromHost)" or "Function 2 (layer1)"
    std::vector<ProgramLine> lines;
};

/// Control programs first, then functions. Throws UserError if the tree of a damaged profile has a
/// program twice or names one that does not exist.
std::vector<ProgramTree> programTrees(const IdVector<ProgramId, Program>& programs,
                                      const std::vector<ProgramId>& controlPrograms,
                                      const std::vector<ProgramId>& functions,
                                      const IdVector<ComputeSetId, ComputeSet>& computeSets,
                                      const IdVector<ExchangeId, Exchange>& exchanges);

/// Estimated cycles of one execution of a leaf: the slowest tile; 0 for other programs.
std::int64_t programCycles(const Program& program,
                           const IdVector<ComputeSetId, ComputeSet>& computeSets,
                           const IdVector<ExchangeId, Exchange>& exchanges);

} // namespace tilescope
