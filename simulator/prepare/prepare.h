// Preparation of an imported model for lowering.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/options/run_options.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// A pass of preparedGraph() that has run.
struct PassReport {
    std::string_view name;
    double seconds = 0;
    const Graph& graph; ///< after the pass
};

/// How maintainers watch and change the passes.
struct PassControl {
    std::vector<std::string> off; ///< passes to leave out, by name
    std::function<void(const PassReport&)> after = {};
};

/// Passes without which a program can still be lowered.
std::vector<std::string_view> optionalPasses();

/// Assigns stages or phases (by names, or evenly by cycles), adds the training step, decomposes
/// composed operations, inserts copies between IPUs and activation buffers, and makes repeated
/// parts functions. Throws UserError for options that do not fit the model, and for a pass to leave
/// out that is not one of optionalPasses().
Graph preparedGraph(const Graph& graph, const RunOptions& options, const PassControl& passes = {});

/// Whether the planner's estimates decide where stages or phases begin: then the prepared graph
/// depends on the planner's options too.
bool plansDecideStages(const RunOptions& options);

} // namespace tilescope::sim
