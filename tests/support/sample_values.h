// Values of a training, and what a program recorded, made by hand.
#pragma once

#include "core/profile/host_record.h"
#include "core/profile/values.h"

namespace tilescope::test {

/// A tensor's elements: so many zeros, and so many of each power of two from `first` on, half of
/// them negative.
ValueSample sampleOf(ValueTensorId tensor, std::int64_t iteration, std::int64_t zeros, int first,
                     const std::vector<std::uint32_t>& counts, int subnormalBelow);

/// Two epochs of four updates, sampled at updates 1, 4 and 8. Tensors: weights of conv1 (float),
/// what relu1 makes (half, with 3 of 64 channels dead), the gradient of conv1's weights (half:
/// seven tenths are zero or subnormal), momentum of conv1's weights (float). A changed run has loss
/// scaling of 1024, under which the gradient loses nothing, learns faster and knows no momentum.
ProfileValues sampleValues(bool changed = false);

/// Two threads, one with a tracepoint in another, a moment, a graph and a heat map.
HostRecord sampleRecord();

} // namespace tilescope::test
