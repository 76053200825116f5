// The whole simulation: from a graph and options to a profile.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/options/run_options.h"
#include "core/profile/profile.h"
#include "simulator/graph/graph.h"
#include "simulator/memory/out_of_memory.h"
#include "simulator/prepare/prepare.h"

namespace tilescope::sim {

struct KeptWork;

/// Called with the phase that begins ("plan", "lower", ...) and the share that is done, 0 to 1.
using Progress = std::function<void(std::string_view phase, double done)>;

/// Compiles a graph for options.machine.target, places it, times one run and records everything.
/// Out of memory is a result (info.fits is false and there is no execution), not an exception.
Profile simulate(const Graph& graph, const RunOptions& options, const Progress& progress = {},
                 const PassControl& passes = {});

/// The same through options.engine.executableCache, if there is one: a cached program is not
/// compiled again, and a message is added. `content` identifies the graph's model.
Profile simulate(const Graph& graph, const std::string& content, const RunOptions& options,
                 const Progress& progress = {});

/// Imports a model (an .onnx file or a zoo name) with the options and simulates it. With `kept`,
/// work kept by an earlier call is used, and new work is kept for the next; the profile is the same
/// except for the times that the phases took. options.engine.executableCache does the same through
/// files, which are checked first, and a message is added.
Profile simulateModel(const std::string& model, const RunOptions& options,
                      const Progress& progress = {}, KeptWork* kept = nullptr);

} // namespace tilescope::sim
