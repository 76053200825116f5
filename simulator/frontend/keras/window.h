// Where a Keras window (of a convolution or a pool) reads beyond its operand, and how many results
// it has.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/frontend/keras/emitter.h"

namespace tilescope::sim {

struct KerasWindow {
    std::vector<std::int64_t> size, strides, dilations;
    std::vector<std::int64_t> padsBegin, padsEnd;
    Shape output; ///< spatial

    /// ONNX has all beginnings before all ends.
    [[nodiscard]] std::vector<std::int64_t> pads() const;
};

/// True if the layer's data are channels first in Keras's own order.
bool hasChannelsFirst(const LayerReader& layer);

/// The window over `spatial` sizes of an operand under the layer's padding ("valid", "same" as
/// TensorFlow counts it: the larger share at the end; "causal": all before), after `before` zeros
/// were put around it. Throws UserError for a window that does not fit.
KerasWindow kerasWindow(const LayerReader& layer, const Shape& spatial,
                        std::vector<std::int64_t> size, std::vector<std::int64_t> strides,
                        std::vector<std::int64_t> dilations,
                        const std::vector<std::pair<std::int64_t, std::int64_t>>& before);

/// An operand of a window in ONNX's order, channels first, whatever the model's order.
struct KerasImage {
    KerasTensor tensor;
    std::int64_t channels = 1;
    Shape spatial;
    bool keptFirst = false; ///< the model itself has channels first

    /// A result with other channels and spatial sizes.
    [[nodiscard]] KerasTensor with(const std::string& value, std::int64_t newChannels,
                                   const Shape& newSpatial) const;
};

/// Throws UserError unless there are `dimensions` spatial ones.
KerasImage kerasImage(KerasEmitter& emitter, const KerasTensor& x, std::size_t dimensions);

} // namespace tilescope::sim
