// Functions of a graph in the program: lowered once, called from many places.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "simulator/lowering/places/context.h"
#include "simulator/outline/overwrites.h"

namespace tilescope::sim {

/// A function as it was lowered: its own tensors and places, and its body in the program.
struct LoweredFunction {
    std::unique_ptr<LoweringContext> context;
    ProgramId program;
    Overwrites overwrites;
};

class LoweredFunctions {
public:
    LoweredFunctions(const Graph& graph, const LoweringOptions& options, const PlanTable& plans,
                     ProgramBuilder& builder, TrafficTable& traffic);

    /// The function, lowered at its first use. `placeInputs` may then lay inputs out before the
    /// operations that read them do.
    LoweredFunction& get(FunctionIndex function,
                         const std::function<void(LoweringContext&)>& placeInputs);

    /// The places of a function that is the body of one loop, which lowers it where it is.
    LoweringContext& bodyOf(FunctionIndex function);

private:
    const Graph& graph_;
    const LoweringOptions& options_;
    const PlanTable& plans_;
    ProgramBuilder& builder_;
    TrafficTable& traffic_;
    std::vector<LoweredFunction> functions_;
};

/// A call: copies operands to the function's inputs, runs it, copies its outputs to the results and
/// inputs that it overwrites back (PopART's copies on entering and leaving and of modified inputs;
/// popart popx/op/callx.cpp). A result that is the new value of an operand takes the operand's
/// place. A function's input is laid out as the operand of its first call, or, if that has no
/// place, as its first reader in the function requires; an operand without a place is laid out like
/// the input, so that its copy moves nothing between tiles.
void lowerCall(LoweringContext& context, const Op& op);

} // namespace tilescope::sim
