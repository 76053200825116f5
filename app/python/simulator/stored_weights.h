// The weights of an ONNX model in a graph that may store them in another order.
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

/// Where a weight is stored: the importer keeps a transposed or reshaped weight as its own weight.
struct StoredWeight {
    std::string name;                     ///< in the graph
    sim::Shape shape;                     ///< in the model
    std::vector<std::size_t> permutation; ///< of the model's dimensions; empty: none
};

/// All initialisers that are weights of the graph, by their names in the model.
std::map<std::string, StoredWeight> storedWeights(const onnx::ModelProto& model,
                                                  const sim::Graph& graph);

/// Converts a weight of the graph to the model's form, and vice versa.
sim::TensorData asInModel(const sim::TensorData& stored, const StoredWeight& weight);
sim::TensorData asInGraph(const sim::TensorData& given, const StoredWeight& weight,
                          const sim::Tensor& tensor);

} // namespace tilescope::python
