// The weights of an ONNX model in a graph that may keep them in another order.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "simulator/graph/graph.h"
#include "simulator/graph/tensor_data.h"

namespace onnx {
class ModelProto;
}

namespace tilescope::python {

/// Where a weight is: the importer keeps a transposed or reshaped weight as a weight of its own.
struct StoredWeight {
    std::string name;                     ///< in the graph
    sim::Shape shape;                     ///< in the model
    std::vector<std::size_t> permutation; ///< from the model's dimensions; empty: none
};

/// By their names in the model, all initialisers that are weights of the graph.
std::map<std::string, StoredWeight> storedWeights(const onnx::ModelProto& model,
                                                  const sim::Graph& graph);

/// A weight of the graph as the model has it, and the other way round.
sim::TensorData asInModel(const sim::TensorData& stored, const StoredWeight& weight);
sim::TensorData asInGraph(const sim::TensorData& given, const StoredWeight& weight,
                          const sim::Tensor& tensor);

} // namespace tilescope::python
