#include "simulator/operations/joint_passes.h"

#include <utility>

namespace tilescope::sim {

JointPasses::JointPasses(OperationGraph& g, const MultiConv& options, std::vector<JointPart>& parts)
    : g_(g)
    , with_(std::make_shared<const MultiConv>(options))
    , parts_(parts) {
    for (JointPart& part : parts_)
        part.weights = g_.held(part.named("weights"), shapesOf(part.layer).weights);
}

TensorId JointPasses::add(const std::string& name, ConvPass pass, const Shape& shape) {
    return g_.together(with_, name, pass.type, std::move(pass.attributes), std::move(pass.operands),
                       shape);
}

std::vector<TensorId> JointPasses::forward() {
    std::vector<TensorId> results;
    for (const JointPart& part : parts_)
        results.push_back(add(part.named("fwd"), forwardPass(part.layer, part.in, part.weights),
                              shapesOf(part.layer).out));
    return results;
}

void JointPasses::gradients(const Passes& passes, bool ownProgram) {
    std::vector<TensorId> deltas, changes;
    for (const JointPart& part : parts_)
        deltas.push_back(g_.held(part.named("zDeltas"), shapesOf(part.layer).out));
    const auto started = [&] {
        if (std::exchange(ownProgram, false))
            g_.startProgram();
    };
    for (std::size_t i = 0; i < parts_.size() && passes.backward; ++i) {
        const JointPart& part = parts_[i];
        g_.download(add(part.named("bwd"), backwardPass(part.layer, deltas[i], part.weights),
                        shapesOf(part.layer).in));
        started();
    }
    for (std::size_t i = 0; i < parts_.size() && passes.update; ++i) {
        const JointPart& part = parts_[i];
        changes.push_back(add(part.named("wu"), updatePass(part.layer, part.in, deltas[i]),
                              shapesOf(part.layer).weights));
        started();
    }
    for (std::size_t i = 0; i < changes.size(); ++i)
        g_.scaledAdd(parts_[i].named("wu") + "/AddTo", parts_[i].weights, changes[i]);
}

} // namespace tilescope::sim
