#include "simulator/outline/overwrites.h"

#include "simulator/outline/sequence.h"

namespace tilescope::sim {

Overwrites overwritesOf(const Graph& function, const std::vector<Graph>& functions) {
    Overwrites made{std::vector<bool>(function.inputs.size(), false), {}};
    // By tensor, the input whose current value it is, updated operation by operation.
    std::vector<std::int32_t> inputOf(function.tensors.size(), -1);
    for (std::size_t i = 0; i < function.inputs.size(); ++i)
        inputOf[function.inputs[i].index()] = static_cast<std::int32_t>(i);
    const auto overwrite = [&](TensorId operand) {
        const std::int32_t input = inputOf[operand.index()];
        if (input >= 0)
            made.inputs[static_cast<std::size_t>(input)] = true;
        return input;
    };
    for (const Op& op : function.ops) {
        if (const auto* call = std::get_if<CallAttributes>(&op.attributes)) {
            const Overwrites inner =
                overwritesOf(functions[static_cast<std::size_t>(call->function)], functions);
            for (std::size_t i = 0; i < op.inputs.size(); ++i)
                if (inner.inputs[i])
                    overwrite(op.inputs[i]);
            for (std::size_t i = 0; i < op.outputs.size(); ++i)
                if (inner.outputs[i] >= 0)
                    inputOf[op.outputs[i].index()] =
                        inputOf[op.inputs[static_cast<std::size_t>(inner.outputs[i])].index()];
        } else if (overwritesOperand(op)) {
            inputOf[op.outputs[0].index()] = overwrite(op.inputs[0]);
        }
    }
    for (const TensorId output : function.outputs)
        made.outputs.push_back(inputOf[output.index()]);
    return made;
}

} // namespace tilescope::sim
