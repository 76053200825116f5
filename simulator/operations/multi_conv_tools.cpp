// Graphs of convolutions that are planned together.
#include "simulator/operations/joint_passes.h"

namespace tilescope::sim {

Graph graphOf(const MultiConvTool& tool, DataType type) {
    OperationGraph g("multi_conv_layer", type);
    std::vector<JointPart> parts;
    for (std::size_t i = 0; i < tool.parts.size(); ++i)
        parts.push_back({std::to_string(i), tool.parts[i]});
    JointPasses passes(g, tool.options, parts);
    for (JointPart& part : parts)
        part.in = g.held(part.named("prevAct"), shapesOf(part.layer).in);
    if (tool.passes.forward)
        for (const TensorId result : passes.forward())
            g.download(result);
    if (!tool.parts.front().inferenceOnly)
        passes.gradients(tool.passes, false);
    return g.take();
}

} // namespace tilescope::sim
