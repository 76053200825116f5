// What the floating-point units would stop at.
#pragma once

#include "simulator/compute/kernels/kernel.h"

namespace tilescope::sim {

/// Checks an operation before and after it is executed, if call.context.exceptions require it. An
/// exception is raised where a value arises that no operand had: NaN (invalid), infinity from
/// finite operands by a division or logarithm (division) or otherwise (overflow), or a value beyond
/// the range of half (overflow). IEEE 754-2008, clause 7.
class OperandCheck {
public:
    explicit OperandCheck(const KernelCall& call);
    /// Before results are rounded. Throws UserError with operation, tensor and first value.
    void results(const KernelCall& call) const;

private:
    bool wanted_ = false;
    bool hasNan_ = false, hasInfinity_ = false; ///< any operand
};

/// The same for sums over replicas, which no kernel computes. `finite`: all terms were.
void checkSum(const FpExceptions& exceptions, const Graph& graph, const Op& op, TensorId tensor,
              const TensorData& sum, bool finite);

/// Whether all elements are finite.
bool allFinite(const TensorData& data);

} // namespace tilescope::sim
