// Which results are sent to the host, and when (PopTorch's OutputMode).
#pragma once

#include <map>
#include <vector>

#include "simulator/lowering/operations/lower_op.h"

namespace tilescope::sim {

/// The streams of a graph's results, once these have their places. With OutputMode::Sum the host
/// gets a variable of the result's shape that each micro-batch adds to, which is set to zero again
/// once it has been sent.
class OutputReturns {
public:
    explicit OutputReturns(LoweringContext& context);

    // Each adds its programs to the builder's open sequence.

    /// After a micro-batch; for one stage's results unless that is -1. Sends results returned with
    /// each micro-batch, adds those that are summed.
    void afterMicroBatch(std::int32_t stage = -1);
    /// After the loops, or after each n-th turn of the outer one: sends the remaining results.
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
