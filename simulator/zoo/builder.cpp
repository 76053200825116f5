#include "simulator/zoo/builder.h"

#include <algorithm>
#include <cmath>

#include <onnx/onnx_pb.h>

#include "simulator/graph/tensor_data.h"

namespace tilescope::sim {

namespace {

constexpr int irVersion = 8;
constexpr int opset = 17; // the first with LayerNormalization

void setAttribute(onnx::NodeProto& node, const std::string& name, std::int64_t value) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(value);
}

void setAttribute(onnx::NodeProto& node, const std::string& name,
                  const std::vector<std::int64_t>& values) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INTS);
    attribute.mutable_ints()->Assign(values.begin(), values.end());
}

void setAttribute(onnx::NodeProto& node, const std::string& name, double value) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::FLOAT);
    attribute.set_f(static_cast<float>(value));
}

void setAttribute(onnx::NodeProto& node, const std::string& name, const std::string& value) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::STRING);
    attribute.set_s(value);
}

void setAttribute(onnx::NodeProto& node, const std::string& name,
                  const std::vector<std::string>& values) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::STRINGS);
    for (const std::string& value : values)
        attribute.add_strings(value);
}

/// Lets a model's nodes be of a domain beside ONNX's own.
void useDomain(onnx::ModelProto& model, const std::string& domain) {
    for (const auto& set : model.opset_import())
        if (set.domain() == domain)
            return;
    auto& set = *model.add_opset_import();
    set.set_domain(domain);
    set.set_version(1);
}

/// Adds a number to a tensor's data, in half precision as ONNX has it: the bits as an integer.
void addNumber(onnx::TensorProto& tensor, double value, bool half) {
    tensor.set_data_type(half ? onnx::TensorProto::FLOAT16 : onnx::TensorProto::FLOAT);
    if (!half)
        return tensor.add_float_data(static_cast<float>(value));
    constexpr int fractionBits = 10, leastExponent = -14, bias = 15;
    const double size = std::abs(static_cast<double>(roundedToHalf(static_cast<float>(value))));
    const int exponent = size > 0 ? std::max(std::ilogb(size), leastExponent) : leastExponent;
    const auto fraction = static_cast<std::int32_t>(std::ldexp(size, fractionBits - exponent));
    // The leading one of a normal number adds one to the exponent.
    const std::int32_t bits = ((exponent + bias - 1) << fractionBits) + fraction;
    tensor.add_int32_data(value < 0 ? bits | 1 << 15 : bits);
}

/// A tensor [N, shape...].
void describe(onnx::ValueInfoProto& info, const std::string& name,
              const std::vector<std::int64_t>& shape, int elementType = onnx::TensorProto::FLOAT) {
    info.set_name(name);
    auto& type = *info.mutable_type()->mutable_tensor_type();
    type.set_elem_type(elementType);
    type.mutable_shape()->add_dim()->set_dim_param("N");
    for (const std::int64_t size : shape)
        type.mutable_shape()->add_dim()->set_dim_value(size);
}

} // namespace

ZooBuilder::ZooBuilder(const std::string& name)
    : model_(std::make_unique<onnx::ModelProto>())
    , graph_(*model_->mutable_graph()) {
    model_->set_ir_version(irVersion);
    model_->set_producer_name("TileScope");
    auto& set = *model_->add_opset_import();
    set.set_domain("");
    set.set_version(opset);
    graph_.set_name(name);
}

ZooBuilder::ZooBuilder(const std::string& name, const std::vector<std::int64_t>& inputShape)
    : ZooBuilder(name) {
    input_ = addInput("input", inputShape);
}

ZooBuilder::~ZooBuilder() = default;

ZooValue ZooBuilder::addInput(const std::string& name, const std::vector<std::int64_t>& shape) {
    describe(*graph_.add_input(), name, shape);
    return {name, shape.at(0)};
}

onnx::NodeProto& ZooBuilder::node(const std::string& type, const std::string& name,
                                  const std::vector<std::string>& inputs) {
    auto& node = *graph_.add_node();
    const auto dot = type.rfind('.');
    if (dot != std::string::npos)
        useDomain(*model_, type.substr(0, dot));
    node.set_domain(dot == std::string::npos ? "" : type.substr(0, dot));
    node.set_op_type(dot == std::string::npos ? type : type.substr(dot + 1));
    node.set_name(name);
    for (const auto& input : inputs)
        node.add_input(input);
    node.add_output(name + ":0");
    return node;
}

ZooValue ZooBuilder::addIndices(const std::string& name, const std::vector<std::int64_t>& shape) {
    describe(*graph_.add_input(), name, shape, onnx::TensorProto::INT64);
    return {name, shape.back()};
}

ZooValue ZooBuilder::apply(const std::string& type, const std::string& name,
                           const std::vector<std::string>& inputs, std::int64_t channels,
                           const ZooAttributes& attributes) {
    auto& made = node(type, name, inputs);
    for (const auto& [key, value] : attributes)
        std::visit([&, &attribute = key](const auto& v) { setAttribute(made, attribute, v); },
                   value);
    return {made.output(0), channels};
}

std::vector<std::string> ZooBuilder::applyAll(const std::string& type, const std::string& name,
                                              const std::vector<std::string>& inputs, int results,
                                              const ZooAttributes& attributes) {
    auto& made = node(type, name, inputs);
    for (int i = 1; i < results; ++i)
        made.add_output(name + ":" + std::to_string(i));
    for (const auto& [key, value] : attributes)
        std::visit([&, &attribute = key](const auto& v) { setAttribute(made, attribute, v); },
                   value);
    return {made.output().begin(), made.output().end()};
}

std::vector<ZooValue> ZooBuilder::split(const std::string& name, const ZooValue& x,
                                        std::int64_t axis, int parts) {
    auto& made = node("Split", name, {x.name});
    setAttribute(made, "axis", axis);
    std::vector<ZooValue> values;
    for (int part = 0; part < parts; ++part) {
        if (part > 0)
            made.add_output(name + ":" + std::to_string(part));
        values.push_back({made.output(part), x.channels / parts});
    }
    return values;
}

std::string ZooBuilder::integers(const std::string& name, const std::vector<std::int64_t>& values) {
    auto& tensor = *graph_.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::INT64);
    tensor.add_dims(static_cast<std::int64_t>(values.size()));
    tensor.mutable_int64_data()->Assign(values.begin(), values.end());
    return name;
}

std::string ZooBuilder::real(const std::string& name, double value) {
    auto& tensor = *graph_.add_initializer();
    tensor.set_name(name);
    addNumber(tensor, value, half_);
    return name;
}

std::string ZooBuilder::reals(const std::string& name, const std::vector<double>& values) {
    auto& tensor = *graph_.add_initializer();
    tensor.set_name(name);
    tensor.add_dims(static_cast<std::int64_t>(values.size()));
    for (const double value : values)
        addNumber(tensor, value, half_);
    return name;
}

std::string ZooBuilder::weight(const std::string& name, const std::vector<std::int64_t>& shape,
                               const std::string& begins) {
    return filled(name, name + "/shape", shape, begins);
}

std::string ZooBuilder::buffer(const std::string& name, const std::vector<std::int64_t>& shape,
                               const std::string& begins) {
    return filled(name, name + "/bufferShape", shape, begins);
}

std::string ZooBuilder::filled(const std::string& name, const std::string& shapeName,
                               const std::vector<std::int64_t>& shape, const std::string& begins) {
    integers(shapeName, shape);
    auto& maker = *graph_.add_node();
    maker.set_op_type("ConstantOfShape");
    maker.set_name(name);
    maker.set_doc_string(begins);
    maker.add_input(shapeName);
    maker.add_output(name);
    auto& attribute = *maker.add_attribute();
    attribute.set_name("value");
    attribute.set_type(onnx::AttributeProto::TENSOR);
    auto& value = *attribute.mutable_t();
    value.add_dims(1);
    addNumber(value, 0.02, half_);
    return name;
}

ZooValue ZooBuilder::conv(const std::string& name, const ZooValue& x, const ZooConv& conv) {
    std::vector<std::string> inputs{x.name};
    inputs.push_back(weight(name + ".weight",
                            {conv.channels, x.channels / conv.groups, conv.kernel, conv.kernel}));
    if (conv.bias)
        inputs.push_back(weight(name + ".bias", {conv.channels}));
    return apply("Conv", name, inputs, conv.channels,
                 {{"kernel_shape", std::vector(2, conv.kernel)},
                  {"strides", std::vector(2, conv.stride)},
                  {"pads", std::vector(4, conv.pad < 0 ? conv.kernel / 2 : conv.pad)},
                  {"group", conv.groups}});
}

ZooValue ZooBuilder::batchNorm(const std::string& name, const ZooValue& x) {
    std::vector<std::string> inputs{x.name};
    for (const char* part : {".weight", ".bias", ".running_mean", ".running_var"})
        inputs.push_back(weight(name + part, {x.channels}));
    return apply("BatchNormalization", name, inputs, x.channels);
}

ZooValue ZooBuilder::groupNorm(const std::string& name, const ZooValue& x, std::int64_t groups) {
    const ZooValue shape = apply("Shape", name + "/shape", {x.name}, 4);
    ZooValue y = apply("Reshape", name + "/groups",
                       {x.name, integers(name + "/to", {0, groups, -1})}, groups);
    y = apply("InstanceNormalization", name + "/InstanceNormalization",
              {y.name, buffer(name + "/ones", {groups}, start::ones),
               buffer(name + "/zeros", {groups}, start::zeros)},
              groups);
    y = apply("Reshape", name + "/channels", {y.name, shape.name}, x.channels);
    y = apply("Mul", name + "/scale",
              {y.name, weight(name + ".weight", {x.channels, 1, 1}, start::ones)}, x.channels);
    return apply("Add", name, {y.name, weight(name + ".bias", {x.channels, 1, 1}, start::zeros)},
                 x.channels);
}

ZooValue ZooBuilder::proxyNorm(const std::string& name, const ZooValue& x,
                               const std::string& normName, std::int64_t samples) {
    const auto step = [&](const char* type, const char* part,
                          const std::vector<std::string>& inputs,
                          const ZooAttributes& attributes = {}) {
        return apply(type, name + "/" + part, inputs, x.channels, attributes).name;
    };
    const ZooAttributes overSamples{{"axes", std::vector<std::int64_t>{0}},
                                    {"keepdims", std::int64_t{1}}};
    const std::string normal = buffer(name + "/samples", {samples, 1, 1, 1}, start::normal);
    std::string proxy = step("Mul", "proxyScale", {normal, normName + ".weight"});
    proxy = step("Add", "proxyBias", {proxy, normName + ".bias"});
    proxy = step("Relu", "proxyRelu", {proxy});
    const std::string mean = step("ReduceMean", "mean", {proxy}, overSamples);
    const std::string off = step("Sub", "off", {proxy, mean});
    std::string variance = step("Mul", "square", {off, off});
    variance = step("ReduceMean", "variance", {variance}, overSamples);
    const std::string deviation =
        step("Sqrt", "deviation", {step("Add", "epsilon", {variance, real(name + "/eps", 0.03)})});
    const std::string centred = step("Sub", "centre", {x.name, mean});
    return apply("Div", name, {centred, deviation}, x.channels);
}

ZooValue ZooBuilder::relu(const std::string& name, const ZooValue& x) {
    return apply("Relu", name, {x.name}, x.channels);
}

ZooValue ZooBuilder::add(const std::string& name, const ZooValue& a, const ZooValue& b) {
    return apply("Add", name, {a.name, b.name}, a.channels);
}

ZooValue ZooBuilder::maxPool(const std::string& name, const ZooValue& x, std::int64_t kernel,
                             std::int64_t stride, std::int64_t pad) {
    return apply("MaxPool", name, {x.name}, x.channels,
                 {{"kernel_shape", std::vector(2, kernel)},
                  {"strides", std::vector(2, stride)},
                  {"pads", std::vector(4, pad)}});
}

ZooValue ZooBuilder::globalAveragePool(const std::string& name, const ZooValue& x) {
    return apply("GlobalAveragePool", name, {x.name}, x.channels);
}

ZooValue ZooBuilder::transpose(const std::string& name, const ZooValue& x,
                               const std::vector<std::int64_t>& permutation,
                               std::int64_t channels) {
    return apply("Transpose", name, {x.name}, channels, {{"perm", permutation}});
}

ZooValue ZooBuilder::flatten(const std::string& name, const ZooValue& x, std::int64_t features) {
    return apply("Flatten", name, {x.name}, features, {{"axis", std::int64_t{1}}});
}

ZooValue ZooBuilder::dense(const std::string& name, const ZooValue& x, std::int64_t features) {
    const std::string weights = weight(name + ".weight", {features, x.channels});
    const std::string bias = weight(name + ".bias", {features});
    return apply("Gemm", name, {x.name, weights, bias}, features, {{"transB", std::int64_t{1}}});
}

ZooValue ZooBuilder::softmax(const std::string& name, const ZooValue& x) {
    return apply("Softmax", name, {x.name}, x.channels, {{"axis", std::int64_t{1}}});
}

onnx::ModelProto ZooBuilder::finish(const ZooValue& output) {
    return finish(output, {output.channels});
}

onnx::ModelProto ZooBuilder::finish(const ZooValue& output,
                                    const std::vector<std::int64_t>& shape) {
    // The result has a name of its own, as exporters give it.
    for (auto& node : *graph_.mutable_node()) {
        if (node.output(0) == output.name)
            node.set_output(0, "output");
    }
    describe(*graph_.add_output(), "output", shape);
    return std::move(*model_);
}

onnx::ModelProto ZooBuilder::finishAs(
    const std::vector<std::pair<std::string, std::vector<std::int64_t>>>& outputs) {
    for (const auto& [name, shape] : outputs)
        describe(*graph_.add_output(), name, shape);
    return std::move(*model_);
}

} // namespace tilescope::sim
