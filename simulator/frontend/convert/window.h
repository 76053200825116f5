// Sliding windows of convolution and pooling as ONNX describes them.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/frontend/convert/converter.h"

namespace tilescope::sim {

struct Window {
    std::vector<std::int64_t> kernel, strides, dilations, padsBegin, padsEnd;
};

/// Kernel, strides, dilations and pads of a node whose input is [N, C, spatial...]. Automatic
/// padding becomes numbers, and rounding up (ceil_mode) becomes padding at the end.
Window windowOf(const NodeConverter& node, const std::vector<std::int64_t>& kernel);

/// One window over all of [N, C, spatial...].
Window globalWindow(const Shape& input);

} // namespace tilescope::sim
