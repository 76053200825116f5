// Random convolutions and matrix products for the planner.
#pragma once

#include "simulator/planner/plan.h"

namespace tilescope::test {

using namespace sim;

/// Dimensions of up to `most`; to be called inside a property.
ConvProblem anyProblem(std::int64_t most);

/// The gradient of such a convolution (or product): strides become dilation of the input.
ConvProblem anyGradient(std::int64_t most);

std::string describe(const ConvProblem& problem);

} // namespace tilescope::test
