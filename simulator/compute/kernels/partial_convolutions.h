// Convolutions and their gradients with halves as partial sums.
#pragma once

#include "simulator/compute/kernels/kernel.h"

namespace tilescope::sim {

// Each fills the result of an operation that has call.partials.
void sumInParts(const ConvAttributes& conv, KernelCall& call);
void sumInParts(const ConvGradInputAttributes& gradient, KernelCall& call);
void sumInParts(const ConvGradWeightsAttributes& gradient, KernelCall& call);

/// How partial sums are stored: exceptions look for those that were too large.
HalfRounding partialRounding(const ComputeContext& context);

} // namespace tilescope::sim
