#include "simulator/frontend/resolve/node_proto.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <unordered_map>

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

namespace tilescope::sim {

namespace {

AttributeValue valueOf(const onnx::AttributeProto& attribute) {
    switch (attribute.type()) {
    case onnx::AttributeProto::INT:
        return attribute.i();
    case onnx::AttributeProto::FLOAT:
        return static_cast<double>(attribute.f());
    case onnx::AttributeProto::STRING:
        return attribute.s();
    case onnx::AttributeProto::INTS:
        return std::vector<std::int64_t>(attribute.ints().begin(), attribute.ints().end());
    case onnx::AttributeProto::FLOATS:
        return std::vector<double>(attribute.floats().begin(), attribute.floats().end());
    case onnx::AttributeProto::STRINGS:
        return std::vector<std::string>(attribute.strings().begin(), attribute.strings().end());
    case onnx::AttributeProto::TENSOR:
        return constantFrom(attribute.t());
    default:
        throw std::invalid_argument(
            fmt::format("attribute '{}' has a kind that is not supported", attribute.name()));
    }
}

/// Shape inference divides by some of these and multiplies others.
void checkRange(const std::string& name, const AttributeValue& value) {
    static constexpr std::array positive{"strides", "dilations", "kernel_shape", "group",
                                         "blocksize"};
    static constexpr std::array bounded{"pads",           "axis",           "axes",
                                        "split",          "output_shape",   "sizes",
                                        "output_padding", "batch_dims",     "output_height",
                                        "output_width",   "sampling_ratio", "hidden_size"};
    constexpr std::int64_t limit = std::int64_t{1} << 31;
    const bool mustBePositive = std::find(positive.begin(), positive.end(), name) != positive.end();
    const bool mustBeSmall = std::find(bounded.begin(), bounded.end(), name) != bounded.end();
    if (!mustBePositive && !mustBeSmall)
        return;
    const auto check = [&](std::int64_t number) {
        if (number > limit || number < (mustBePositive ? 1 : -limit))
            throw std::invalid_argument(fmt::format("attribute '{}' is {}", name, number));
    };
    if (const auto* number = std::get_if<std::int64_t>(&value))
        check(*number);
    if (const auto* numbers = std::get_if<std::vector<std::int64_t>>(&value))
        std::for_each(numbers->begin(), numbers->end(), check);
}

/// Whether a layer's operand is one of its parameters, even where it is one number.
bool isParameterOperand(const std::string& type, int operand) {
    static const std::unordered_map<std::string, int> last{
        {"Conv", 2},  {"ConvTranspose", 2},      {"Gemm", 2},
        {"PRelu", 1}, {"BatchNormalization", 4}, {"InstanceNormalization", 2},
        {"RNN", 3},   {"LayerNormalization", 2}, {"LSTM", 3},
        {"GRU", 3},   {"GroupNormalization", 2}};
    const auto found = last.find(type);
    return operand > 0 && found != last.end() && operand <= found->second;
}

} // namespace

Node nodeFrom(const onnx::NodeProto& proto, int opset) {
    Node node;
    node.type = proto.op_type();
    if (proto.domain() != "ai.onnx")
        node.domain = proto.domain();
    node.name = proto.name().empty() && proto.output_size() > 0 ? proto.output(0) : proto.name();
    node.opset = opset;
    node.inputs.assign(proto.input().begin(), proto.input().end());
    node.outputs.assign(proto.output().begin(), proto.output().end());
    for (const auto& attribute : proto.attribute()) {
        auto value = valueOf(attribute);
        checkRange(attribute.name(), value);
        node.attributes.insert_or_assign(attribute.name(), std::move(value));
    }
    return node;
}

void addLayerParameters(const onnx::GraphProto& graph, NameSet& names) {
    for (int at = graph.node_size(); at-- > 0;) {
        const auto& node = graph.node(at);
        for (int i = 1; i < node.input_size(); ++i)
            if (isParameterOperand(node.op_type(), i))
                names.insert(node.input(i));
        if (node.op_type() == "Identity" && node.input_size() == 1 && node.output_size() == 1 &&
            names.contains(node.output(0)))
            names.insert(node.input(0));
    }
}

} // namespace tilescope::sim
