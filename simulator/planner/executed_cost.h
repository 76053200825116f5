// What a plan costs as it is executed, beside the estimate by which it is chosen.
#pragma once

#include "core/target/target.h"
#include "simulator/planner/plan.h"

namespace tilescope::sim {

/// The part of what tiles need of an operand in one step that lies on others, 0 to 1.
struct MovedShares {
    double input = 1, weights = 1;
};

/// Cycles of a plan's own steps by the formulas of the timing, for its fullest tile (the
/// slowest where it computes), without the copies that bring operands into its order: these follow
/// from how producers laid them out, which is known when the operation is lowered. Plans are chosen
/// by convCost(), which follows PopLibs' planner also where that is wrong (poplin/ConvModel.cpp):
/// it expects copies by the transforms of a plan and not by what lies where, takes an input to be
/// local on tiles that differ only in kernel indices, counts the exchange of a reduction that does
/// not happen, and rounds channels up before it adds partial sums. Bytes are those of the plan.
ConvCost executedCost(const Target& target, const ConvPlan& plan, const MovedShares& moved);

} // namespace tilescope::sim
