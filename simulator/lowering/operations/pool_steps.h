// Steps that a pooling and its gradient have in common.
#pragma once

#include <string>
#include <vector>

#include "simulator/lowering/movement/copies.h"
#include "simulator/planner/pool_plan.h"

namespace tilescope::sim {

/// A planned pooling, or gradient: where its result lies, and what each tile reads for it.
class PoolSteps {
public:
    /// `operand`: the tensor of the pooling's input shape, or of the pooled one for a gradient,
    /// whose channel groups the plan goes by.
    PoolSteps(LoweringContext& context, const PoolAttributes& pool, bool gradient, TensorId operand,
              TensorId result);

    [[nodiscard]] const PoolPlan& plan() const { return plan_; }

    /// What the windows of a tile's results cover, or (not `windows`) the block of the results
    /// itself, of an operand that has been placed. In the order of the results.
    enum class Reads { Windows, Results };
    [[nodiscard]] OperandMove move(TensorId operand, Reads reads) const;

    /// Brings an operand as OperandGather does. What a tile reads and where it comes from lie in
    /// different memory elements, for what the tile has itself is copied by vertices that load and
    /// store in one cycle: published maxima of tiles have a gap of one element.
    VariableId bring(OperandGather& gather, const PlacedStorage& placed, const OperandMove& move,
                     const std::string& role);

    /// The vertices, in a compute set of that name. They read `operands`; the result is placed.
    void execute(const std::string& name, std::vector<VariableId> operands);

private:
    [[nodiscard]] Blocking need(TensorId operand, Reads reads) const;

    LoweringContext& context_;
    TensorId result_;
    PoolPlan plan_;
    Storage storage_; ///< of the result
};

/// Neighbouring channels of a tensor [N, C, ...] that lie together; 1 if it is in another order.
std::int64_t storedChannelGroup(LoweringContext& context, TensorId tensor);

/// Whether one window is the whole field (PopLibs popnn/Pooling.cpp, detectMatchingFieldAndKernel).
bool isGlobal(const PoolAttributes& pool, const Shape& in);

/// The field of a pooling from `in` to `out`, or of its gradient.
std::vector<FieldDim> poolField(const PoolAttributes& pool, const Shape& in, const Shape& out,
                                bool gradient);

} // namespace tilescope::sim
