// Loops of a gradient while they are put together.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "simulator/training/gradient_builder.h"

namespace tilescope::sim {

/// The body of a loop, and the operands that it turned out to need.
struct LoopInMaking {
    Graph body;
    std::map<TensorId, TensorId> map; ///< of the differentiated body to this one
    /// Operands of the loop and the body's inputs for them: sequences, and what every step reads.
    std::vector<TensorId> saved, savedInputs, constants, constantInputs;
};

/// Operations from number `first` on that the results need.
std::vector<bool> neededFor(const Graph& graph, std::size_t first,
                            const std::vector<TensorId>& results);

/// The operation that makes each tensor; none for inputs.
std::vector<OpId> makersOf(const Graph& graph);

/// What a tensor is a view of, itself if it is none. Its users can take the view again.
TensorId viewedBy(const Graph& graph, const std::vector<OpId>& makers, TensorId id);

/// For a step whose values are kept: its new states are beside the old ones (popnn Lstm.cpp and
/// Gru.cpp, basicLstmCellForwardPass and basicGruCellForwardPass), not in their place.
void keepStates(Graph& body, std::size_t states);

/// Adds the loop to the builder's graph. `loop`: its steps and states; `inputs`: the states that
/// are given, and sequences that come before the saved ones. Returns its results: states, rows.
std::vector<TensorId> emitLoop(GradientBuilder& builder, const std::string& name,
                               LoopAttributes loop, LoopInMaking made,
                               std::vector<TensorId> inputs);

} // namespace tilescope::sim
