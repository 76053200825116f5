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
/// except those reserved for the others, and there on as few as exceed its time by no more than the
/// back-off; the others from the smallest on, with the plans whose steps exceed the longest of the
/// same steps so far least, and of these the one on the fewest tiles; the second largest last, on
/// what remains, with the least memory. Each begins at a pair of tiles that share an exchange bus,
/// and none has slices in time. If the longest steps take more than the back-off allows beyond all
/// parts on all tiles one after the other (PopLibs keeps such plans: the second largest may have
/// few tiles), the others are planned on as few tiles as are not slower than the slowest so far.
/// One by one (ConvPlan::parallel is not set) if that is requested, if these steps take as long, if
/// there are too few tiles, or if the largest needs slices.
std::vector<ConvPlan> planMultiConv(const Target& target, const std::vector<MultiConvPart>& parts,
                                    const MultiConv& options, OverMemory overMemory);

} // namespace tilescope::sim
