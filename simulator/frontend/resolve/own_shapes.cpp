#include "simulator/frontend/resolve/own_shapes.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>

#include "core/base/ceil_div.h"
#include "core/base/formula.h"
#include "simulator/frontend/resolve/einsum.h"
#include "simulator/frontend/resolve/index_rules.h"
#include "simulator/graph/shape_rules.h"

namespace tilescope::sim {

namespace {

template <std::size_t n>
bool isOneOf(const std::array<const char*, n>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

const Value& operandOf(const OperandValues& operands, std::size_t i) {
    if (i >= operands.size() || operands[i] == nullptr)
        throw std::invalid_argument(fmt::format("operand {} is missing", i));
    return *operands[i];
}

/// Data like the operand, statistics for samples and groups.
std::vector<InferredResult> groupNormalization(const Node& node, const Value& data) {
    const std::int64_t groups = node.integer("num_groups", 0);
    if (data.shape.size() < 2 || groups < 1 || data.shape[1] % groups != 0)
        throw std::invalid_argument(
            fmt::format("{} groups do not divide the channels of its operand of shape {}", groups,
                        toString(data.shape)));
    const Shape statistics{data.shape[0] * groups};
    return {{data.type, data.shape}, {data.type, statistics}, {data.type, statistics}};
}

Shape slicedShape(const Node& node, const Shape& data) {
    const auto axes = node.integers("axes");
    const auto sizes = node.integers("sizes");
    if (axes.empty() || axes.size() != sizes.size())
        throw std::invalid_argument("its attributes 'axes' and 'sizes' do not match");
    Shape shape = data;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        std::int64_t& size = shape[normalizedAxis(axes[i], data.size())];
        if (sizes[i] < 1 || sizes[i] > size)
            throw std::invalid_argument(
                fmt::format("a slice of {} does not fit {}", sizes[i], toString(data)));
        size = sizes[i];
    }
    return shape;
}

Shape subsampledShape(const Node& node, const Shape& data) {
    const auto strides = node.integers("strides");
    if (strides.size() != data.size())
        throw std::invalid_argument("its attribute 'strides' does not have its operand's rank");
    Shape shape = data;
    for (std::size_t d = 0; d < shape.size(); ++d)
        shape[d] = ceilDiv(shape[d], strides[d]);
    return shape;
}

Shape lossShape(const Node& node, const Shape& data, const Shape& each) {
    if (graphcoreReduction(node) == "none")
        return each;
    return data.empty() ? data : Shape{};
}

} // namespace

std::string graphcoreReduction(const Node& node) {
    std::string text = node.text("reduction", "mean");
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (text == "noreduction")
        return "none";
    if (text != "mean" && text != "sum" && text != "none")
        throw std::invalid_argument(
            fmt::format("reduction '{}' is none of 'Mean', 'Sum' and 'NoReduction'", text));
    return text;
}

namespace {

std::vector<InferredResult> graphcoreResults(const Node& node, const OperandValues& operands) {
    static constexpr std::array binary{"Atan2",     "Fmod",       "Remainder",  "BitwiseAnd",
                                       "BitwiseOr", "BitwiseXor", "BitwiseXnor"};
    const Value& data = operandOf(operands, 0);
    const std::string& type = node.type;
    if (type == "GroupNormalization")
        return groupNormalization(node, data);
    if (type == "DynamicSlice")
        return {{data.type, slicedShape(node, data.shape)}};
    if (type == "DynamicUpdate" || type == "DynamicAdd" || type == "DynamicZero")
        slicedShape(node, data.shape); // for its checks
    if (type == "Subsample")
        return {{data.type, subsampledShape(node, data.shape)}};
    if (type == "L1" || type == "IdentityLoss")
        return {{data.type, lossShape(node, data.shape, data.shape)}};
    if (type == "Nll")
        return {{data.type, lossShape(node, data.shape, operandOf(operands, 1).shape)}};
    if (isOneOf(binary, type))
        return {{data.type, broadcastShapes(data.shape, operandOf(operands, 1).shape)}};
    if (type == "ShapedDropout")
        return {{data.type, data.shape}, {ElementType::Bool, node.integers("shape")}};
    return {{data.type, data.shape}};
}

ElementType declaredType(const std::string& name, ElementType otherwise) {
    if (name == "float")
        return ElementType::Float;
    if (name == "half")
        return ElementType::Float16;
    return name == "int" ? ElementType::Int32 : otherwise;
}

/// The user's declaration applied to a node's operands.
InferredResult customResult(const CustomOperation& operation, const OperandValues& operands) {
    if (operands.size() != operation.inputs.size() ||
        std::find(operands.begin(), operands.end(), nullptr) != operands.end())
        throw std::invalid_argument(fmt::format("it has {} operands, its declaration has {}",
                                                operands.size(), operation.inputs.size()));
    InferredResult result{declaredType(operation.type, operands[0]->type), operands[0]->shape};
    FormulaValues values;
    for (std::size_t i = 0; i < operands.size(); ++i)
        for (std::size_t d = 0; d < operands[i]->shape.size(); ++d)
            values[fmt::format("in{}_{}", i, d)] = static_cast<double>(operands[i]->shape[d]);
    if (!operation.shape.empty())
        result.shape.clear();
    constexpr double largest = 1 << 30;
    for (const std::string& formula : operation.shape) {
        const double size = evaluateFormula(formula, values);
        if (!(size >= 1 && size <= largest))
            throw std::invalid_argument(
                fmt::format("its declaration's shape '{}' makes {}", formula, size));
        result.shape.push_back(static_cast<std::int64_t>(size));
    }
    for (std::size_t i = 0; i < operands.size(); ++i)
        if (operation.inputs[i] == CustomLayout::LikeResult &&
            broadcastShapes(operands[i]->shape, result.shape) != result.shape)
            throw std::invalid_argument(
                fmt::format("operand {} of shape {} cannot be spread as the result {}; declare it "
                            "'linear' or 'everywhere'",
                            i, toString(operands[i]->shape), toString(result.shape)));
    return result;
}

/// libonnx does not read a depth that is a real number.
InferredResult oneHotResult(const Node& node, const Value& indices, const Constant& depth,
                            ElementType type) {
    constexpr double largest = 1 << 30;
    if (depth.size() != 1 || !(depth.real(0) >= 1 && depth.real(0) <= largest))
        throw std::invalid_argument("its depth is not one positive number");
    Shape shape = indices.shape;
    const std::size_t axis = normalizedAxis(node.integer("axis", -1), shape.size() + 1);
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis),
                 static_cast<std::int64_t>(depth.real(0)));
    return {type, shape};
}

InferredResult compressResult(const Node& node, const Value& data, const Constant& condition) {
    std::int64_t kept = 0;
    for (std::size_t i = 0; i < condition.size(); ++i)
        kept += condition.real(i) != 0 ? 1 : 0;
    if (!node.has("axis"))
        return {data.type, {kept}};
    Shape shape = data.shape;
    shape[normalizedAxis(node.integer("axis", 0), shape.size())] = kept;
    return {data.type, shape};
}

std::vector<InferredResult> einsumResults(const Node& node, const OperandValues& operands) {
    std::vector<Shape> shapes;
    for (std::size_t i = 0; i < operands.size(); ++i)
        shapes.push_back(operandOf(operands, i).shape);
    const EinsumTerms terms = parseEinsum(node.text("equation", ""), shapes);
    return {{operandOf(operands, 0).type, einsumShape(terms, terms.result)}};
}

} // namespace

std::optional<std::vector<InferredResult>>
ownResults(const Node& node, const OperandValues& operands, const CustomOperations& custom) {
    if (const auto declared = custom.find(node.key()); declared != custom.end())
        return {{customResult(declared->second, operands)}};
    if (!node.domain.empty())
        return graphcoreResults(node, operands);
    if (node.type == "Einsum")
        return einsumResults(node, operands);
    if (node.type == "Compress" && operandOf(operands, 1).data)
        return {{compressResult(node, operandOf(operands, 0), *operands[1]->data)}};
    if (node.type == "OneHot" && operandOf(operands, 1).data)
        return {{oneHotResult(node, operandOf(operands, 0), *operands[1]->data,
                              operandOf(operands, 2).type)}};
    if (node.type == "MeanVarianceNormalization") {
        const Value& data = operandOf(operands, 0);
        return {{{data.type, data.shape}}};
    }
    if (node.type == "GreaterOrEqual" || node.type == "LessOrEqual")
        return {{{ElementType::Bool,
                  broadcastShapes(operandOf(operands, 0).shape, operandOf(operands, 1).shape)}}};
    return std::nullopt;
}

} // namespace tilescope::sim
