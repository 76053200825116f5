// The interface of conversions of nodes, and their table.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "simulator/frontend/convert/builder.h"

namespace tilescope::sim {

/// One node under conversion. Errors are std::invalid_argument; the caller adds file and node.
class NodeConverter {
public:
    NodeConverter(GraphBuilder& builder, const Node& node)
        : builder_(builder)
        , node_(node) {}

    [[nodiscard]] const Node& node() const { return node_; }
    GraphBuilder& builder() { return builder_; }

    [[nodiscard]] std::size_t operands() const { return node_.inputs.size(); }
    [[nodiscard]] bool has(std::size_t i) const;
    [[nodiscard]] const Value& value(std::size_t i) const;
    [[nodiscard]] const Shape& shape(std::size_t i) const { return value(i).shape; }
    [[nodiscard]] std::size_t rank(std::size_t i) const { return shape(i).size(); }
    [[nodiscard]] TensorId input(std::size_t i);
    [[nodiscard]] std::vector<TensorId> allInputs();
    [[nodiscard]] const Value& output(std::size_t i = 0) const;
    [[nodiscard]] bool isOutputUsed(std::size_t i) const;
    [[nodiscard]] const Shape& shapeOf(TensorId id) const { return builder_.tensor(id).shape; }

    /// The values of an operand that must be known while compiling.
    [[nodiscard]] const Constant& constant(std::size_t i) const;
    /// A list that was an attribute in older operator sets and is an operand in newer ones.
    [[nodiscard]] std::vector<std::int64_t> list(const std::string& attribute,
                                                 std::size_t position) const;
    /// An axis attribute counted from the front of the first operand.
    [[nodiscard]] std::int64_t axis(const std::string& attribute, std::int64_t fallback) const;

    /// Adds an op named like the node, or nested in it where there is a part.
    TensorId emit(const std::string& part, Attributes attributes, std::vector<TensorId> inputs);
    TensorId emit(const std::string& part, Attributes attributes, std::vector<TensorId> inputs,
                  Shape shape);
    /// Adds an op of any name.
    TensorId emitAt(const std::string& name, Attributes attributes, std::vector<TensorId> inputs);
    TensorId elementwise(const std::string& part, ElementwiseFunction function,
                         std::vector<TensorId> inputs, double alpha = 0, double beta = 0);
    TensorId cast(const std::string& part, TensorId from, DataType type);
    /// The same elements in another shape; no op where the shape is the same.
    TensorId reshape(const std::string& part, TensorId from, const Shape& shape);
    /// Operand i in another shape: a weight of that shape where nothing else reads it.
    TensorId parameter(std::size_t i, const Shape& shape);
    /// A scalar that is part of the program, of the type of `like`.
    TensorId scalar(const std::string& part, TensorId like, double value);
    /// A tensor that is part of the program.
    TensorId constantTensor(const std::string& part, DataType type, Shape shape,
                            const ElementNumbers& numbers);

    void result(TensorId tensor, std::size_t i = 0);
    [[noreturn]] static void refuse(const std::string& text);
    /// Refuses a node that is only simulated, not computed, where values are asked for.
    void refuseToCompute(const std::string& text) const;
    /// values[i] of an operand's dimensions or values; refuses a node whose operand has fewer.
    [[nodiscard]] static std::int64_t at(const std::vector<std::int64_t>& values, std::size_t i);

private:
    [[nodiscard]] std::string path(const std::string& part) const;
    [[nodiscard]] const std::string& outputName(std::size_t i) const;

    GraphBuilder& builder_;
    const Node& node_;
};

using Conversion = std::function<void(NodeConverter&)>;
using ConversionTable = std::map<std::string, Conversion>;

/// All conversions by operator.
const ConversionTable& conversions();

void addConvolutionConversions(ConversionTable& table);
void addMatMulConversions(ConversionTable& table);
void addElementwiseConversions(ConversionTable& table);
void addActivationConversions(ConversionTable& table);
void addReduceConversions(ConversionTable& table);
void addViewConversions(ConversionTable& table);
void addIndexConversions(ConversionTable& table);
void addNormalizationConversions(ConversionTable& table);
void addLossConversions(ConversionTable& table);
void addResizeConversions(ConversionTable& table);
void addScatterConversions(ConversionTable& table);
void addSortConversions(ConversionTable& table);
void addEinsumConversions(ConversionTable& table);
void addRandomConversions(ConversionTable& table);
void addQuantizationConversions(ConversionTable& table);
void addRecurrentConversions(ConversionTable& table);
void addSamplingConversions(ConversionTable& table);
void addGraphcoreConversions(ConversionTable& table);

/// The convolution of a node whose first operand is [N, C, spatial...], with weights of that shape.
ConvAttributes convolutionOf(const NodeConverter& node, const Shape& weights);

/// A Pad that repeats or mirrors the edge: `pads` of the first side, then of the other.
void convertPadByRows(NodeConverter& node, const std::string& mode,
                      const std::vector<std::int64_t>& pads);

/// [C, 1, ...]: a value per channel beside `rank` dimensions of [N, C, ...].
Shape channelShape(std::int64_t channels, std::size_t rank);

} // namespace tilescope::sim
