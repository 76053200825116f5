// Reductions that share compute sets and exchanges.
#include "simulator/lowering/operations/families.h"
#include "simulator/lowering/program/joint_steps.h"

namespace tilescope::sim {

void lowerJointReduce(LoweringContext& context, const Op& op) {
    const auto& joint = std::get<JointReduceAttributes>(op.attributes);
    JointSteps steps(context.builder());
    for (std::size_t i = 0; i < joint.functions.size(); ++i) {
        Op one = op;
        one.attributes = ReduceAttributes{joint.functions[i], joint.axes, true};
        one.inputs = {op.inputs[i]};
        one.outputs = {op.outputs[i]};
        steps.nextLane();
        lowerReduce(context, one);
    }
    steps.merge();
}

} // namespace tilescope::sim
