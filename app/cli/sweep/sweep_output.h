// What `sweep` prints and draws.
#pragma once

#include <string>

#include "app/cli/document.h"
#include "core/sweep/sweep_store.h"

namespace tilescope::cli {

/// Where the results are, and what this call added to them.
struct SweepRun {
    std::string database;
    std::string heatMap; ///< "" if none was asked for
    std::size_t simulated = 0;
    std::size_t skipped = 0;     ///< done by an earlier call
    std::size_t notCompiled = 0; ///< of those simulated: their programs were in the cache
    bool usesCache = false;      ///< there is an executable cache
};

/// The number of points by outcome.
struct SweepCounts {
    std::size_t fits = 0;
    std::size_t outOfMemory = 0;
    std::size_t errors = 0;
};
SweepCounts countPoints(const SweepResults& results);

/// Data: one row per point. Text: for two axes a matrix of throughputs, the first axis downwards,
/// otherwise the rows; then the points that failed.
Document sweepDocument(const SweepResults& results, const SweepRun& run, Format format);

} // namespace tilescope::cli
