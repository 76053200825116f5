// Which results leave for the host, and when (PopTorch's OutputMode).
#pragma once

#include <map>
#include <vector>

#include "simulator/lowering/operations/lower_op.h"

namespace tilescope::sim {

/// The streams of a graph's results, once these have their places. With OutputMode::Sum what the
/// host gets is a variable of the result's shape that each micro-batch adds to: it is set to zero
/// again once it has been sent.
class OutputReturns {
public:
    explicit OutputReturns(LoweringContext& context);

    // Each adds its programs after what the builder has open.

    /// After a micro-batch; of one stage's results unless that is -1. What leaves with each
    /// micro-batch is sent, what is summed is added.
    void afterMicroBatch(std::int32_t stage = -1);
    /// After the loops, or after each n-th turn of the outer one: what has not been sent.
    void afterLoops();

private:
    [[nodiscard]] bool sums() const { return mode_ == OutputMode::Sum; }
    void makeSums();
    void execute(const HostStream& result, ElementwiseFunction function, const char* what);

    LoweringContext& context_;
    ProgramBuilder& b_;
    OutputMode mode_;
    std::vector<HostStream> streams_;        ///< to the host
    std::map<StreamId, VariableId> results_; ///< that sums are made of
};

} // namespace tilescope::sim
