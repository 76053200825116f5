// Why the planner chose what it did: the best plans of every method beside the chosen one.
#pragma once

#include <string>
#include <vector>

#include "core/options/run_options.h"
#include "simulator/graph/graph.h"
#include "simulator/planner/plan.h"

namespace tilescope::sim {

struct ExplainedPlan {
    ConvPlan plan;
    bool chosen = false; ///< it is the operation's
};

struct ExplainedOperation {
    std::string name;
    double availableMemoryProportion = 0;
    std::vector<ExplainedPlan> plans; ///< by method, the best of each first
};

/// For each convolution and matrix product of a graph, the best plans of each method that its
/// memory allows, at most `most` of each.
std::vector<ExplainedOperation> explainOperations(const Graph& graph, const RunOptions& options,
                                                  std::size_t most);

} // namespace tilescope::sim
