// The passes of convolutions that are planned together. Internal to operations.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "simulator/operations/conv_passes.h"
#include "simulator/operations/operation_graph.h"

namespace tilescope::sim {

/// One of the convolutions. Its input is set before its passes are added.
struct JointPart {
    std::string name; ///< ends the names of its tensors and operations
    SingleConvLayer layer;
    TensorId in = {}, weights = {};
    [[nodiscard]] std::string named(const char* what) const { return what + name; }
};

class JointPasses {
public:
    /// Adds the weights of all parts.
    JointPasses(OperationGraph& g, const MultiConv& options, std::vector<JointPart>& parts);

    /// The convolutions' results.
    std::vector<TensorId> forward();
    /// Gradients of inputs and weights, with the update of the latter; `ownProgram`: the host
    /// starts them as a second program.
    void gradients(const Passes& passes, bool ownProgram);

private:
    TensorId add(const std::string& name, ConvPass pass, const Shape& shape);

    OperationGraph& g_;
    std::shared_ptr<const MultiConv> with_;
    std::vector<JointPart>& parts_;
};

} // namespace tilescope::sim
