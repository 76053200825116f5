// What the floating-point units would stop at.
#pragma once

#include "simulator/compute/kernels/kernel.h"

namespace tilescope::sim {

/// Looks at an operation before and after it is executed, if call.context.exceptions ask for it. An
/// exception is raised where a value comes to be that no operand had: no number (invalid), infinity
/// of finite operands by a division or logarithm (division) or otherwise (overflow), or what is
/// beyond the halves (overflow). IEEE 754-2008, clause 7.
class OperandCheck {
public:
    explicit OperandCheck(const KernelCall& call);
    /// Before results are rounded. Throws UserError with operation, tensor and first value.
    void results(const KernelCall& call) const;

private:
    bool wanted_ = false;
    bool hasNan_ = false, hasInfinity_ = false; ///< an operand
};

/// The same for a sum that is no kernel's: of replicas. `finite`: all terms were.
void checkSum(const FpExceptions& exceptions, const Graph& graph, const Op& op, TensorId tensor,
              const TensorData& sum, bool finite);

/// Whether all of them are numbers.
bool allFinite(const TensorData& data);

} // namespace tilescope::sim
