// Reductions over dimensions.
#pragma once

#include <vector>

#include "simulator/compute/kernels/kernel.h"

namespace tilescope::sim {

/// Reduces dimensions (sorted) into a result of the kept ones' elements. Sums are in double, in an
/// order that only follows from the shapes.
void reduceInto(TensorData& result, const TensorData& data, ReduceFunction function,
                const std::vector<std::int64_t>& axes, double scale = 1);

} // namespace tilescope::sim
