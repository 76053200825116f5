// Lines of the program for operations that no line was recorded with.
#pragma once

#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// In a model as it was imported: what has no line, such as the constants of an exporter, gets that
/// of the first operation which reads its result (SourceLink::Inferred).
void inferSources(Graph& graph);

/// In a prepared graph: what the compiler added, such as copies between IPUs, stashes and sums of
/// gradients, gets the line of the operation that makes its first operand with one, or else of its
/// first reader (SourceLink::Moved; in the update SourceLink::Update).
void followSources(Graph& graph);

} // namespace tilescope::sim
