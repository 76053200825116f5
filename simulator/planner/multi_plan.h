// Convolutions that are planned together, on tiles of their own.
#pragma once

#include <vector>

#include "core/target/target.h"
#include "simulator/graph/multi_conv.h"
#include "simulator/planner/planner.h"

namespace tilescope::sim {

/// One of the convolutions, and the share of a tile's memory that it may take.
struct MultiConvPart {
    ConvProblem problem;
    double proportion = 0.6;
    friend bool operator==(const MultiConvPart&, const MultiConvPart&) = default;
};

/// Plans of convolutions that run at the same time, each on tiles of its own, as in PopLibs
/// (poplin/ConvPlan.cpp, getParallelMultiPlan): the one with most products first, on all tiles
/// except those reserved for the others; then on as few tiles as exceed its time by no more than
/// the back-off; the others from the smallest on, on as few tiles as are not slower than it; the
/// remaining tiles are for the second largest. Each begins at a pair of tiles that share an
/// exchange bus. One by one (ConvPlan::parallel is not set) if that is requested, if there are too
/// few tiles, if a part needs a loop over slices, or if the slowest part takes more cycles than all
/// parts on all tiles one after the other. PopLibs falls back only where it finds no plan, and
/// compares step by step where this compares sums.
std::vector<ConvPlan> planMultiConv(const Target& target, const std::vector<MultiConvPart>& parts,
                                    const MultiConv& options, OverMemory overMemory);

} // namespace tilescope::sim
