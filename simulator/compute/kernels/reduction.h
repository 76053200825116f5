// Reductions over dimensions.
#pragma once

#include <vector>

#include "simulator/compute/kernels/kernel.h"

namespace tilescope::sim {

/// Reduces dimensions (sorted) into a result with the elements of the others. Sums are in double,
/// in an order that depends on the shapes only.
void reduceInto(TensorData& result, const TensorData& data, ReduceFunction function,
                const std::vector<std::int64_t>& axes, double scale = 1);

} // namespace tilescope::sim
