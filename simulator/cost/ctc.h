// Connectionist temporal classification: how PopLibs spreads it over tiles, and the cycles of its
// vertices (popnn/CTCLossPlan.cpp, CTCInferencePlan.cpp, PerformanceEstimation.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "core/target/target.h"

namespace tilescope::sim {

/// Sizes of a loss: `label` is the longest label, `classes` counts the blank.
struct CtcLossProblem {
    std::int64_t batch = 1, time = 1, label = 1, classes = 2;
    std::int64_t inBytes = 4, partialBytes = 4;
};

/// Parts of each dimension; a tile has one of each. The blank after the label may have tiles of its
/// own.
struct CtcLossPlan {
    std::int64_t batch = 1, time = 1, label = 1;
    bool lastBlankApart = false;
    std::int64_t cycles = 0;    ///< of both loops, as the planner estimates them
    std::int64_t tempBytes = 0; ///< of the fullest tile

    [[nodiscard]] std::int64_t labelTiles() const { return label + (lastBlankApart ? 1 : 0); }
    [[nodiscard]] std::int64_t tiles() const { return batch * time * labelTiles(); }
};

/// The fastest plan whose temporary data fit in `proportion` of a tile; among equally fast ones
/// that with the least memory, then the fewest tiles. Where none fits, the one with the least
/// memory.
CtcLossPlan planCtcLoss(const Target& target, const CtcLossProblem& problem, double proportion);

/// Cycles of one worker for one time step of `labels` symbols with the blanks between them: alpha,
/// or beta, which goes the other way; and the gradient given the other of the two.
std::int64_t ctcAlphaCycles(std::int64_t labels, bool extraBlank);
std::int64_t ctcGradientCycles(std::int64_t labels, bool extraBlank);

/// How the decoder spreads one sample's candidates; samples have tiles of their own where there are
/// enough.
struct CtcBeamSearchPlan {
    /// Candidates are sorted in groups, in one stage or two (from 20 classes on).
    struct Sort {
        std::int64_t groups = 1, rankParts = 1, reduceParts = 1;
        std::int64_t candidates = 1; ///< of a group
    };
    std::int64_t batch = 1, extend = 1, extendVertices = 1, copy = 1, merge = 1;
    std::vector<Sort> sort;
    std::int64_t tilesPerSample = 1;

    [[nodiscard]] std::int64_t tiles() const { return batch * tilesPerSample; }
};

CtcBeamSearchPlan planCtcBeamSearch(const Target& target, std::int64_t batch, std::int64_t classes,
                                    std::int64_t beamWidth);

} // namespace tilescope::sim
