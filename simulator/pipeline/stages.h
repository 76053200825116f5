// Which operation belongs to which stage, and which tensors cross from one to another.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// True if the operation has the name or lies in the scope: "layer3" holds "layer3/conv1".
bool isInScope(const std::string& op, const std::string& scope);

/// Assigns forward operations to stages (Op::stage): operations from the first of each name in
/// `splits` on (an operation, or a scope such as "layer3") begin a further stage. Throws UserError
/// naming the nearest name if one does not exist or comes before the split ahead of it.
void splitAt(Graph& graph, const std::vector<std::string>& splits);

/// Cuts items, in their order, in `parts` runs whose largest sum of costs is least: the run of
/// each. No run is empty if there are enough items.
std::vector<std::int32_t> evenParts(const std::vector<double>& costs, std::int32_t parts);

/// Cuts the operations, in their order, in `stages` parts whose largest sum of `costs` is least:
/// one cost for each operation, or for those at the beginning that are to be cut. Cuts where more
/// than one activation crosses are avoided only by cost.
void splitEvenly(Graph& graph, std::int32_t stages, const std::vector<double>& costs);

/// Moves operations on weights and constants alone, such as transposes, right before their first
/// reader, where a split can leave them together.
void moveBeforeReaders(Graph& graph);
/// Gives these operations the stage of their first reader: the weight crosses, if anything must.
void followReaders(Graph& graph);

/// Makes runs of neighbouring stages on one IPU a single stage, as PopART does.
void mergeNeighbours(Graph& graph);

/// A tail of the model that reads a weight of its beginning, such as the word table that a
/// language-model head shares with the embedding.
struct SharedTail {
    std::size_t first = 0;  ///< operation that the tail begins with
    TensorId weight;        ///< what it shares with the first stage
    std::size_t reader = 0; ///< the first operation that reads the weight
};

/// For a graph whose operations have stages: the tail, from the outermost scope of the weight's
/// reader on, for which a stage of its own on the first stage's IPU moves fewer bytes a micro-batch
/// than copying the weight there. None if there is none.
std::optional<SharedTail> sharedTail(const Graph& graph);

} // namespace tilescope::sim
