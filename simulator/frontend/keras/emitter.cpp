#include "simulator/frontend/keras/emitter.h"

#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/suggest.h"

namespace tilescope::sim {
namespace {

constexpr const char* stageAttribute = "__pipeline_stage";

/// Functions that are one ONNX operator without attributes.
const std::map<std::string, std::string, std::less<>>& plainFunctions() {
    static const std::map<std::string, std::string, std::less<>> table{
        {"relu", "Relu"},         {"sigmoid", "Sigmoid"},   {"tanh", "Tanh"},
        {"softplus", "Softplus"}, {"softsign", "Softsign"}, {"exponential", "Exp"},
        {"elu", "Elu"},           {"selu", "Selu"}};
    return table;
}

/// Keras's initialisers by the name of the weight: kernels uniform as in Glorot and Bengio
/// (recurrent ones, too, where Keras uses an orthogonal matrix), embeddings within 0.05.
std::string beginning(std::string_view part, const Shape& shape, std::int64_t fans) {
    const std::string_view name = part.substr(part.rfind('/') + 1);
    if (name == "gamma" || name == "moving_variance")
        return start::ones;
    if (name == "bias" || name == "beta" || name == "moving_mean")
        return start::zeros;
    if (name == "embeddings")
        return fmt::format("{} 0.05", start::uniform);
    if (!name.ends_with("kernel") || shape.size() < 2)
        return start::byLayer;
    if (fans == 0) // of a window [outputs, inputs, window...], or a matrix
        fans = (shape[0] + shape[1]) * elementsOf({shape.begin() + 2, shape.end()});
    return fmt::format("{} {}", start::uniform, std::sqrt(6 / static_cast<double>(fans)));
}

} // namespace

std::int64_t kerasElements(const KerasEmitter& emitter, const Shape& shape) {
    constexpr std::int64_t most = std::int64_t{1} << 40;
    std::int64_t elements = 1;
    for (const std::int64_t size : shape) {
        if (size < 1 || size > most / elements)
            throw emitter.layer().error(
                fmt::format("a tensor of shape {} is too large for any model", toString(shape)));
        elements *= size;
    }
    return elements;
}

KerasEmitter::KerasEmitter(ZooBuilder& builder, std::set<std::string>& weights,
                           const LayerReader& layer, const std::string& path, std::size_t call,
                           int stage)
    : builder_(builder)
    , weights_(weights)
    , layer_(layer)
    , name_(call == 0 ? path : fmt::format("{}_{}", path, call))
    , weightAt_(path)
    , stage_(stage) {}

std::string KerasEmitter::named(std::string_view part) const {
    return part.empty() ? name_ : fmt::format("{}/{}", name_, part);
}

std::string KerasEmitter::apply(const std::string& type, std::string_view part,
                                const std::vector<std::string>& inputs, ZooAttributes attributes) {
    if (stage_ >= 0)
        attributes.emplace_back(stageAttribute, std::int64_t{stage_});
    return builder_.apply(type, named(part), inputs, 0, attributes).name;
}

std::vector<std::string> KerasEmitter::applyAll(const std::string& type, std::string_view part,
                                                const std::vector<std::string>& inputs, int results,
                                                ZooAttributes attributes) {
    if (stage_ >= 0)
        attributes.emplace_back(stageAttribute, std::int64_t{stage_});
    return builder_.applyAll(type, named(part), inputs, results, attributes);
}

std::vector<std::string> KerasEmitter::split(std::string_view part, const std::string& input,
                                             std::int64_t axis, int parts) {
    std::vector<std::string> names;
    for (const ZooValue& value : builder_.split(named(part), {input, 0}, axis, parts))
        names.push_back(value.name);
    return names;
}

std::string KerasEmitter::weight(std::string_view part, const Shape& shape, std::int64_t fans) {
    kerasElements(*this, shape);
    const std::string name = fmt::format("{}/{}", weightAt_, part);
    return weights_.insert(name).second ? builder_.weight(name, shape, beginning(part, shape, fans))
                                        : name;
}

std::string KerasEmitter::forgetBias(const Shape& shape, std::int64_t from, std::int64_t units) {
    if (!layer_.flag("unit_forget_bias", true))
        return weight("bias", shape);
    kerasElements(*this, shape);
    const std::string name = fmt::format("{}/bias", weightAt_);
    return weights_.insert(name).second
               ? builder_.weight(name, shape,
                                 fmt::format("{} {} {}", start::onesWithin, from, from + units))
               : name;
}

std::string KerasEmitter::integers(std::string_view part, const std::vector<std::int64_t>& values) {
    return builder_.integers(named(part), values);
}

std::string KerasEmitter::real(std::string_view part, double value) {
    return builder_.real(named(part), value);
}

std::string KerasEmitter::reals(std::string_view part, const std::vector<double>& values) {
    return builder_.reals(named(part), values);
}

KerasTensor KerasEmitter::padded(const KerasTensor& x) {
    if (x.padding.empty())
        return x;
    std::vector<std::int64_t> begin(2, 0), end(2, 0);
    for (const auto& [before, after] : x.padding) {
        begin.push_back(before);
        end.push_back(after);
    }
    begin.insert(begin.end(), end.begin(), end.end());
    KerasTensor result = x;
    result.padding.clear();
    result.value = apply("Pad", "pad", {x.value, integers("pads", begin)});
    return result;
}

KerasTensor KerasEmitter::asKeras(const KerasTensor& x) {
    KerasTensor result = padded(x);
    if (!result.channelsFirst)
        return result;
    std::vector<std::int64_t> order{0};
    for (std::size_t i = 2; i <= x.shape.size(); ++i)
        order.push_back(static_cast<std::int64_t>(i));
    order.push_back(1);
    result.value = apply("Transpose", "channelsLast", {result.value}, {{"perm", order}});
    result.channelsFirst = false;
    return result;
}

KerasTensor KerasEmitter::withChannelsFirst(const KerasTensor& x) {
    if (x.channelsFirst || x.shape.size() < 2)
        return x;
    KerasTensor result = padded(x);
    const auto rank = static_cast<std::int64_t>(x.shape.size());
    std::vector<std::int64_t> order{0, rank};
    for (std::int64_t i = 1; i < rank; ++i)
        order.push_back(i);
    result.value = apply("Transpose", "channelsFirst", {result.value}, {{"perm", order}});
    result.channelsFirst = true;
    return result;
}

std::int64_t KerasEmitter::onnxAxis(const KerasTensor& x, std::int64_t axis) const {
    const auto rank = static_cast<std::int64_t>(x.shape.size()) + 1;
    const std::int64_t positive = axis < 0 ? axis + rank : axis;
    if (positive < 1 || positive >= rank)
        throw layer_.keyError(
            "axis", fmt::format("is {}, but its operand has the dimensions 1 to {} after the batch",
                                axis, rank - 1));
    if (!x.channelsFirst)
        return positive;
    return positive == rank - 1 ? 1 : positive + 1;
}

KerasTensor KerasEmitter::activated(const KerasTensor& given, const std::string& function,
                                    std::string_view part) {
    if (function.empty() || function == "linear")
        return padded(given);
    KerasTensor x = padded(given);
    const std::string inner = part.empty() ? "" : std::string(part) + "/";
    if (const auto plain = plainFunctions().find(function); plain != plainFunctions().end()) {
        x.value = apply(plain->second, part, {x.value});
    } else if (function == "softmax") {
        x.value = apply("Softmax", part, {x.value}, {{"axis", onnxAxis(x, -1)}});
    } else if (function == "relu6") {
        x.value = apply("Clip", part, {x.value, real(inner + "low", 0), real(inner + "high", 6)});
    } else if (function == "hard_sigmoid") {
        x.value = apply("HardSigmoid", part, {x.value}, {{"alpha", 0.2}, {"beta", 0.5}});
    } else if (function == "swish" || function == "silu") {
        x.value = apply("Mul", part, {x.value, apply("Sigmoid", inner + "sigmoid", {x.value})});
    } else if (function == "leaky_relu") {
        x.value = apply("LeakyRelu", part, {x.value}, {{"alpha", 0.2}});
    } else if (function == "gelu") {
        // Its exact form, which the importer recognises and joins again.
        const std::string scaled =
            apply("Div", inner + "div", {x.value, real(inner + "sqrt2", std::numbers::sqrt2)});
        const std::string sum = apply(
            "Add", inner + "add", {apply("Erf", inner + "erf", {scaled}), real(inner + "one", 1)});
        const std::string product = apply("Mul", inner + "mul", {x.value, sum});
        x.value = apply("Mul", part, {product, real(inner + "half", 0.5)});
    } else {
        std::vector<std::string> names{"softmax", "relu6",      "hard_sigmoid", "swish",
                                       "silu",    "leaky_relu", "gelu",         "linear"};
        for (const auto& [name, type] : plainFunctions())
            names.push_back(name);
        throw layer_.error(fmt::format("the function '{}' is not known.{} Known are {}", function,
                                       didYouMean(function, names), fmt::join(names, ", ")));
    }
    return x;
}

const KerasConversions& kerasConversions() {
    static const KerasConversions table = [] {
        KerasConversions all;
        addKerasDense(all);
        addKerasConvolutions(all);
        addKerasShapes(all);
        addKerasMerges(all);
        addKerasRecurrent(all);
        addKerasAttention(all);
        addKerasUpsampling(all);
        return all;
    }();
    return table;
}

} // namespace tilescope::sim
