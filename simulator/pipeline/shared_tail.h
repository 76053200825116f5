// A tail of the model that reads a weight of its beginning, such as the word table that a
// language-model head shares with the embedding.
#pragma once

#include <cstddef>
#include <optional>

#include "simulator/graph/graph.h"

namespace tilescope::sim {

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
