// Shapes and operations of the passes of a convolution. Internal to operations.
#pragma once

#include <string>
#include <vector>

#include "simulator/graph/graph.h"
#include "simulator/operations/operations.h"

namespace tilescope::sim {

struct ConvShapes {
    Shape in, weights, out;
};
ConvShapes shapesOf(const SingleConvLayer& layer);

/// An operation of a pass, without its name.
struct ConvPass {
    std::string type;
    Attributes attributes;
    std::vector<TensorId> operands;
};

/// A convolution whose input is dilated is the gradient of a strided one, and the other way round.
ConvPass forwardPass(const SingleConvLayer& layer, TensorId in, TensorId weights);
ConvPass backwardPass(const SingleConvLayer& layer, TensorId delta, TensorId weights);
ConvPass updatePass(const SingleConvLayer& layer, TensorId in, TensorId delta);

} // namespace tilescope::sim
