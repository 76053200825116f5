#include "app/python/simulator/stored_weights.h"

#include <algorithm>
#include <numeric>
#include <onnx/onnx_pb.h>
#include <optional>
#include <set>

#include "simulator/frontend/onnx_types/weight_values.h"

namespace tilescope::python {

using sim::Graph;
using sim::Shape;
using sim::Tensor;
using sim::TensorData;

namespace {

std::vector<std::size_t> permutationOf(const onnx::NodeProto& node, std::size_t rank) {
    std::vector<std::size_t> permutation(rank);
    std::iota(permutation.rbegin(), permutation.rend(), std::size_t(0));
    for (const auto& attribute : node.attribute())
        if (attribute.name() == "perm")
            std::transform(attribute.ints().begin(), attribute.ints().end(), permutation.begin(),
                           [](std::int64_t axis) { return static_cast<std::size_t>(axis); });
    return permutation;
}

bool keepsOrder(const std::string& type) {
    return type == "Reshape" || type == "Flatten" || type == "Squeeze" || type == "Unsqueeze" ||
           type == "Identity" || type == "Cast";
}

class Search {
public:
    Search(const onnx::ModelProto& model, const Graph& graph) {
        for (const auto& node : model.graph().node())
            for (const std::string& input : node.input())
                readers_.emplace(input, &node);
        for (const Tensor& tensor : graph.tensors)
            if (tensor.role == sim::TensorRole::Weight)
                weights_.insert(tensor.name);
    }

    /// Follows views of the weight to the one in the graph.
    [[nodiscard]] std::optional<StoredWeight> find(const std::string& name,
                                                   const Shape& shape) const {
        StoredWeight found{name, shape, {}};
        bool reshaped = false;
        while (!weights_.contains(found.name)) {
            if (readers_.count(found.name) != 1)
                return std::nullopt;
            const onnx::NodeProto& node = *readers_.find(found.name)->second;
            if (node.op_type() == "Transpose" && !reshaped && found.permutation.empty())
                found.permutation = permutationOf(node, shape.size());
            else if (keepsOrder(node.op_type()) && node.input(0) == found.name)
                reshaped = true;
            else
                return std::nullopt;
            found.name = node.output(0);
        }
        return found;
    }

private:
    std::multimap<std::string, const onnx::NodeProto*> readers_;
    std::set<std::string> weights_;
};

/// Dimension d of the result is dimension permutation[d] of `data`.
TensorData transposed(const TensorData& data, const std::vector<std::size_t>& permutation) {
    const Shape& from = data.shape();
    const std::size_t rank = from.size();
    Shape shape(rank);
    std::vector<std::int64_t> strides(rank, 1);
    for (std::size_t d = rank; d-- > 1;)
        strides[d - 1] = strides[d] * from[d];
    for (std::size_t d = 0; d < rank; ++d)
        shape[d] = from[permutation[d]];
    TensorData result(data.type(), shape);
    std::vector<std::int64_t> at(rank, 0);
    const auto copyAll = [&](const auto& source, auto target) {
        for (std::size_t i = 0; i < target.size(); ++i) {
            std::int64_t index = 0;
            for (std::size_t d = 0; d < rank; ++d)
                index += at[d] * strides[permutation[d]];
            target[i] = source[static_cast<std::size_t>(index)];
            for (std::size_t d = rank; d-- > 0 && ++at[d] == shape[d];)
                at[d] = 0;
        }
    };
    if (data.isReal())
        copyAll(data.reals(), result.reals());
    else
        copyAll(data.ints(), result.ints());
    return result;
}

} // namespace

std::map<std::string, StoredWeight> storedWeights(const onnx::ModelProto& model,
                                                  const Graph& graph) {
    const Search search(model, graph);
    std::map<std::string, StoredWeight> weights;
    for (const auto& tensor : model.graph().initializer())
        if (auto found =
                search.find(tensor.name(), Shape(tensor.dims().begin(), tensor.dims().end())))
            weights.emplace(tensor.name(), std::move(*found));
    return weights;
}

TensorData asInModel(const TensorData& stored, const StoredWeight& weight) {
    if (weight.permutation.empty())
        return stored.reshaped(weight.shape);
    Shape shape(weight.shape.size());
    std::vector<std::size_t> inverse(weight.shape.size());
    for (std::size_t d = 0; d < shape.size(); ++d) {
        shape[d] = weight.shape[weight.permutation[d]];
        inverse[weight.permutation[d]] = d;
    }
    return transposed(stored.reshaped(shape), inverse);
}

TensorData asInGraph(const TensorData& given, const StoredWeight& weight, const Tensor& tensor) {
    const TensorData ordered =
        weight.permutation.empty() ? given : transposed(given, weight.permutation);
    return sim::converted(ordered, tensor.type).reshaped(tensor.shape);
}

} // namespace tilescope::python
