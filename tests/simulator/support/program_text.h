// A program tree as text: what lowering tests compare with.
#pragma once

#include <string>

#include "core/options/run_options.h"
#include "core/profile/profile.h"
#include "simulator/graph/graph.h"
#include "simulator/lowering/program/builder.h"

namespace tilescope::test {

using namespace sim;

/// A line for each program, "OnTileExecute relu0/Op/Relu: x0 -> relu0/out", indented by depth.
/// Stream copies are one line each; functions come after the control programs.
std::string programText(const Profile& profile);

/// Decomposes, plans and lowers a graph for `tiles` tiles of an mk2.
LoweredProgram lowerOn(const Graph& graph, RunOptions options, std::int32_t tiles);

} // namespace tilescope::test
