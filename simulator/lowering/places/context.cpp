#include "simulator/lowering/places/context.h"

#include <algorithm>

namespace tilescope::sim {

bool CollectiveCode::isNew(IpuId ipu, CollectiveSteps::Part part, const TileSeries& bytes) {
    auto& known = known_[{ipu, part, bytes.sum()}];
    if (std::find(known.begin(), known.end(), bytes) != known.end())
        return false;
    known.push_back(bytes);
    return true;
}

LoweringContext::LoweringContext(const Graph& graph, const LoweringOptions& options,
                                 const PlanTable& plans, ProgramBuilder& builder,
                                 TrafficTable& traffic, LoweredFunctions& functions,
                                 FunctionIndex function)
    : TensorPlaces(graph, options, builder, traffic)
    , plans_(plans)
    , function_(function)
    , functions_(functions)
    , remoteMemory_(graph.remoteBuffers) {}

void LoweringContext::setLoop(ProgramId before, std::vector<bool> constant) {
    beforeLoop_ = before;
    constant_ = std::move(constant);
}

void LoweringContext::beforeLoop(const std::function<void()>& add) {
    std::vector<ProgramId> open = builder().moveTo(beforeLoop_);
    add();
    builder().resume(std::move(open));
}

} // namespace tilescope::sim
