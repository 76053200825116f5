#include "simulator/graph/graph.h"

namespace tilescope::sim {

std::vector<OpId> Graph::producers() const {
    std::vector<OpId> result(tensors.size());
    for (std::size_t i = 0; i < ops.size(); ++i) {
        for (const TensorId output : ops[OpId(i)].outputs)
            result.at(output.index()) = OpId(i);
    }
    return result;
}

std::vector<std::vector<OpId>> Graph::consumers() const {
    std::vector<std::vector<OpId>> result(tensors.size());
    for (std::size_t i = 0; i < ops.size(); ++i) {
        for (const TensorId input : ops[OpId(i)].inputs) {
            auto& readers = result.at(input.index());
            if (readers.empty() || readers.back() != OpId(i))
                readers.push_back(OpId(i));
        }
    }
    return result;
}

} // namespace tilescope::sim
