// The search for the partition of a convolution or matrix product over the tiles of an IPU.
#pragma once

#include <cstdint>
#include <vector>

#include "core/target/target.h"
#include "simulator/planner/plan.h"

namespace tilescope::sim {

/// Bytes of a tile that the temporary data of one operation may take.
std::int64_t memoryBound(const Target& target, double availableMemoryProportion);

/// Two phases, as the available-memory-proportion note describes them: the fewest cycles among the
/// plans whose temporary memory stays within the proportion of a tile's memory; if there is none,
/// the plan of least temporary memory, with withinMemoryTarget false.
/// Throws UserError if an operation is too large to be cut over the tiles at all.
ConvPlan planConv(const Target& target, const ConvProblem& problem,
                  double availableMemoryProportion);

/// Cost terms of a given partition (PopLibs poplin/ConvModel.cpp). The problem is the planned one,
/// that is after a swap of operands.
ConvCost convCost(const Target& target, const ConvProblem& problem, ConvMethod method,
                  std::int32_t convUnits, const ConvGrains& grains, const ConvSplits& splits,
                  const ConvTransform& transform);

/// Method and grain candidates that a problem allows, most promising first.
struct MethodCandidate {
    ConvMethod method = ConvMethod::Amp;
    std::int32_t convUnits = 0;
    ConvGrains grains;
};
std::vector<MethodCandidate> methodCandidates(const Target& target, const ConvProblem& problem);

/// Numbers of parts, at most `most`, that give different largest parts: a split that leaves the
/// largest part as it was on more tiles is never better.
std::vector<std::int64_t> distinctSplits(std::int64_t size, std::int64_t most);

/// The problem with field and output channels exchanged (A x B computed as B' x A').
ConvProblem swapped(const ConvProblem& problem);

} // namespace tilescope::sim
