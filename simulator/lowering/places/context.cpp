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

LoweringContext::LoweringContext(const Graph& graph, const RunOptions& options,
                                 const PlanTable& plans, ProgramBuilder& builder,
                                 TrafficTable& traffic, LoweredFunctions& functions,
                                 FunctionIndex function)
    : TensorPlaces(graph, options, builder)
    , plans_(plans)
    , function_(function)
    , traffic_(traffic)
    , functions_(functions)
    , recomputation_(graph)
    , remoteMemory_(graph.remoteBuffers) {}

} // namespace tilescope::sim
