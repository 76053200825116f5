// Results of nodes whose shapes libonnx does not infer: operators that PopART adds to ONNX (domain
// ai.graphcore), and those that ONNX only defines by a function body.
#pragma once

#include <optional>
#include <vector>

#include "simulator/frontend/resolve/node.h"
#include "simulator/frontend/resolve/rebatch.h"

namespace tilescope::sim {

struct InferredResult {
    ElementType type = ElementType::Undefined;
    Shape shape;
};

/// Type and shape of each result; none where libonnx infers them. Throws std::invalid_argument
/// naming what does not fit.
std::optional<std::vector<InferredResult>>
ownResults(const Node& node, const OperandValues& operands, const CustomOperations& custom);

/// ONNX's lower-case name of PopART's reduction "Mean", "Sum" or "NoReduction".
std::string graphcoreReduction(const Node& node);

} // namespace tilescope::sim
