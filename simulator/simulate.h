// The whole way: a graph and options in, a profile out.
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

/// The same through options.engine.executableCache, if there is one: a program that is there is not
/// compiled again, and a message says so. `content` tells the graph's model from others.
Profile simulate(const Graph& graph, const std::string& content, const RunOptions& options,
                 const Progress& progress = {});

/// Imports a model (an .onnx file or a zoo name) as the options say and simulates it. With `kept`,
/// what an earlier call has left there is used, and something is left for the next; the profile is
/// the same but for the times that the phases took. options.engine.executableCache does the same
/// through files, which are looked at first, and a message says so.
Profile simulateModel(const std::string& model, const RunOptions& options,
                      const Progress& progress = {}, KeptWork* kept = nullptr);

} // namespace tilescope::sim
