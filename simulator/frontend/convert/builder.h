// Builds the graph from a resolved model; operations that no output needs are removed at the end.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "simulator/frontend/onnx_types/import_types.h"
#include "simulator/frontend/resolve/node.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// The number of an element of a constant, counted in row-major order.
using ElementNumbers = std::function<double(std::int64_t)>;

class GraphBuilder {
public:
    GraphBuilder(const ResolvedModel& model, const ImportOptions& options);

    /// True if the graph is to be trained.
    [[nodiscard]] bool isTraining() const { return training_; }
    /// True if normalisations by a model's own statistics go into the convolutions before them.
    [[nodiscard]] bool foldsNormalisations() const { return foldsNormalisations_; }

    /// True if the graph is to be computed: constants have their values.
    [[nodiscard]] bool keepsValues() const { return keepsValues_; }

    /// The tensor of an ONNX value. Weights and constants are created at their first use.
    TensorId tensorOf(const std::string& value);
    /// Gives a weight or constant the known values of an ONNX value of as many elements.
    void giveValue(TensorId tensor, const Value& from);
    /// A constant of one element.
    TensorId addScalar(std::string name, DataType type, double value);
    /// A constant of many elements; their numbers are computed only where values are kept.
    TensorId addConstant(std::string name, DataType type, Shape shape,
                         const ElementNumbers& numbers);
    /// From now on an ONNX value is this tensor.
    void bind(const std::string& value, TensorId tensor);

    TensorId addTensor(std::string name, Shape shape, DataType type, TensorRole role);
    /// Adds an op with one output that is named like the op. The shape is needed for Reshape, Slice
    /// and Expand, the type where it is not that of the first operand. Throws std::invalid_argument
    /// for operands that do not fit.
    TensorId addOp(const Node& node, const std::string& name, Attributes attributes,
                   std::vector<TensorId> inputs, std::optional<Shape> shape,
                   std::optional<DataType> type);

    /// Adds the function of a Loop; its operations belong to the node. Their names begin with the
    /// function's, which `path` makes unique.
    std::int32_t addFunction(const Node& node, Graph body);
    /// A name that no operation has so far.
    std::string path(const std::string& name) { return uniqueName(name); }

    /// A further result of the op added last, of the type of its first.
    TensorId addResult(const std::string& part, Shape shape);

    /// Gives the operation that makes a tensor the node's annotation about recomputation, if it has
    /// one.
    void hintRecompute(TensorId tensor, const Node& node);

    /// The device's type for an element type; adds a message if it is another type. Throws
    /// std::invalid_argument for types without one.
    DataType deviceType(ElementType type);

    [[nodiscard]] const ResolvedModel& model() const { return model_; }
    [[nodiscard]] const Tensor& tensor(TensorId id) const { return graph_.tensors[id]; }
    /// Gives a weight or constant other values.
    void setValue(TensorId id, TensorData value) {
        graph_.tensors[id].value = std::make_shared<const TensorData>(std::move(value));
    }
    /// Counts nodes of an operator that are reported in one message at the end, such as "folded".
    void count(const std::string& onnxType, const std::string& fate) {
        ++counts_[{onnxType, fate}];
    }

    /// A convolution that a BatchNormalization after it could be folded into.
    struct Convolution {
        std::string name;
        TensorId weights;
        TensorId bias;            ///< none: invalid
        bool ownsWeights = false; ///< nothing else reads them
        bool ownsBias = false;
    };
    void noteConvolution(const std::string& value, Convolution convolution) {
        convolutions_[value] = std::move(convolution);
    }
    /// The convolution that made an ONNX value, if one did.
    [[nodiscard]] std::optional<Convolution> convolutionOf(const std::string& value) const {
        const auto at = convolutions_.find(value);
        return at == convolutions_.end() ? std::nullopt : std::optional(at->second);
    }

    void message(Severity severity, std::string text);

    /// Binds inputs and outputs, removes operations that no output needs, and returns the graph.
    Graph finish();

private:
    [[nodiscard]] std::shared_ptr<const MultiConv> multiConvOf(const Node& node);
    /// Errors name the node that reads the input; an unread input may have any type.
    void addInput(const std::string& input);
    std::string uniqueName(const std::string& name);

    const ResolvedModel& model_;
    bool half_;
    bool doublesAreFloats_;
    bool training_, foldsNormalisations_, keepsValues_;
    Graph graph_;
    std::unordered_map<std::string, TensorId> bound_;
    std::unordered_map<std::string, int> names_;
    std::vector<bool> named_; ///< tensors that carry the name of an ONNX value
    std::map<std::pair<std::string, std::string>, int> counts_;
    std::unordered_map<std::string, Convolution> convolutions_;
    std::set<ElementType> noted_;
    std::map<std::int64_t, std::shared_ptr<MultiConv>> multiConvs_; ///< by the model's number
};

/// Renumbers ops and tensors; the inputs of the graph stay, read or not.
void removeDeadCode(Graph& graph);

} // namespace tilescope::sim
