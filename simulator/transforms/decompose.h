// Operations that Poplar's libraries compose of simpler ones are composed here too; the element
// type in which the host sends inputs.
#pragma once

#include "core/options/run_options.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// Softmax becomes maximum, subtraction, exponential, sum, inverse and product (PopLibs
/// popnn/NonLinearity.cpp, the stable form); Lrn becomes square, windowed sum over channels, and
/// the scaled power (PopART lrnx.cpp). Names of the parts nest under the op's.
Graph decomposed(const Graph& graph);

/// Makes floating-point inputs arrive as `type`; a cast before the first operation that reads one
/// converts it to the model's type on the device (as Graphcore's image models do with 8-bit
/// inputs). The inputs keep their names and are laid out linearly, since PopART's Cast does not
/// give its operand a layout (popx, CastOpx). Adds a message if no input is of another
/// floating-point type.
Graph withInputType(Graph graph, InputType type);

} // namespace tilescope::sim
