// Initial values of weights for which the model, such as a built-in one, has no data.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <unordered_map>

#include <onnx/onnx_pb.h>

#include "simulator/frontend/model/prepare.h"
#include "simulator/zoo/start.h"

namespace tilescope::sim {
namespace {

enum class Start { Ones, Zeros, Uniform, Normal, Causal, OnesWithin };

struct Rule {
    Start start = Start::Normal;
    double size = 0;               ///< bound of uniform values, deviation of normal ones
    std::int64_t from = 0, to = 0; ///< columns of ones
};

/// A mask adds this to scores to be ignored: a half can hold it, and its exponential is zero.
constexpr double hidden = -1e4;
/// Deviation of weights without another rule (BERT's initializer_range).
constexpr double smallDeviation = 0.02;

/// FNV-1a: the same on every machine.
std::uint64_t hashOf(const std::string& text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 0x100000001b3;
    }
    return hash;
}

class Initialiser {
public:
    Initialiser(const onnx::ModelProto& model, const NameSet& weights)
        : graph_(model.graph())
        , weights_(weights) {
        for (const auto& input : graph_.input())
            if (const auto stated = statedRule(input.doc_string()))
                rules_.try_emplace(input.name(), *stated);
        for (const auto& input : graph_.input())
            for (const auto& dim : input.type().tensor_type().shape().dim())
                shapes_[input.name()].push_back(dim.dim_value());
        for (const auto& node : graph_.node()) {
            for (const auto& output : node.output())
                makers_[output] = &node;
            for (int i = 0; i < node.input_size(); ++i)
                if (weights.contains(node.input(i)))
                    rules_.try_emplace(node.input(i), ruleOf(node, i));
        }
    }

    [[nodiscard]] Rule ruleFor(const std::string& weight) const {
        const auto found = rules_.find(weight);
        return found == rules_.end() ? Rule{Start::Normal, smallDeviation} : found->second;
    }

    [[nodiscard]] const Shape& shapeOf(const std::string& name) const { return shapes_.at(name); }

private:
    /// The rule given by the model itself (zoo/start.h).
    static std::optional<Rule> statedRule(const std::string& text) {
        if (text == start::ones)
            return Rule{Start::Ones, 0};
        if (text == start::zeros)
            return Rule{Start::Zeros, 0};
        if (text == start::normal)
            return Rule{Start::Normal, 1};
        if (text == start::causal)
            return Rule{Start::Causal, 0};
        std::istringstream words(text);
        std::string word;
        words >> word;
        Rule rule;
        if (word == start::uniform && words >> rule.size)
            rule.start = Start::Uniform;
        else if (word == start::onesWithin && words >> rule.from >> rule.to)
            rule.start = Start::OnesWithin;
        else
            return std::nullopt;
        return rule;
    }

    static bool isNormalisation(const std::string& type) {
        return type.ends_with("Normalization") || type == "GroupNorm";
    }

    static double boundOf(std::int64_t fanIn) {
        return 1 / std::sqrt(static_cast<double>(std::max<std::int64_t>(fanIn, 1)));
    }

    [[nodiscard]] Rule ruleOf(const onnx::NodeProto& node, int operand) const {
        const std::string& type = node.op_type();
        if (isNormalisation(type)) {
            constexpr int scale = 1;
            constexpr int variance = 4;
            return {operand == scale || operand == variance ? Start::Ones : Start::Zeros, 0};
        }
        if (type == "Gather" && operand == 0)
            return {Start::Normal, smallDeviation};
        if (type == "PRelu")
            return {Start::Ones, 0};
        if (const std::int64_t fanIn = fanInOf(node); fanIn > 0)
            return {Start::Uniform, boundOf(fanIn)};
        if (type == "Add") { // a bias after its product
            const auto maker = makers_.find(node.input(operand == 0 ? 1 : 0));
            if (maker != makers_.end() && fanInOf(*maker->second) > 0)
                return {Start::Uniform, boundOf(fanInOf(*maker->second))};
        }
        if (type == "Transpose" || type == "Reshape")
            if (const onnx::NodeProto* reader = readerOf(node.output(0)))
                return ruleOf(*reader, 1);
        return {Start::Normal, smallDeviation};
    }

    [[nodiscard]] const onnx::NodeProto* readerOf(const std::string& value) const {
        for (const auto& node : graph_.node())
            for (const auto& input : node.input())
                if (input == value)
                    return &node;
        return nullptr;
    }

    /// Inputs of each result of a layer with weights; 0 for all others.
    [[nodiscard]] std::int64_t fanInOf(const onnx::NodeProto& node) const {
        const std::string& type = node.op_type();
        if (node.input_size() < 2)
            return 0;
        const auto found = shapes_.find(node.input(1));
        if (found == shapes_.end() || !weights_.contains(node.input(1)))
            return 0;
        const Shape& shape = found->second;
        if (type == "Conv" && shape.size() > 2)
            return elementsOf({shape.begin() + 1, shape.end()});
        if (type == "ConvTranspose" && shape.size() > 2)
            return shape[0] * elementsOf({shape.begin() + 2, shape.end()});
        if (type == "MatMul" && shape.size() >= 2)
            return shape[shape.size() - 2];
        if (type == "Gemm" && shape.size() == 2)
            return shape[isTransposed(node) ? 1 : 0];
        if ((type == "LSTM" || type == "GRU" || type == "RNN") && node.input_size() > 2 &&
            shapes_.contains(node.input(2)))
            return shapes_.at(node.input(2)).back(); // torch: by the hidden size
        return 0;
    }

    static bool isTransposed(const onnx::NodeProto& gemm) {
        for (const auto& attribute : gemm.attribute())
            if (attribute.name() == "transB")
                return attribute.i() != 0;
        return false;
    }

    const onnx::GraphProto& graph_;
    const NameSet& weights_;
    std::unordered_map<std::string, Shape> shapes_;
    std::unordered_map<std::string, const onnx::NodeProto*> makers_;
    std::unordered_map<std::string, Rule> rules_;
};

/// Numbers from 0 to 1 of 53 bits; the library's distributions differ between libraries.
class Numbers {
public:
    explicit Numbers(std::uint64_t seed)
        : engine_(seed) {}
    double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
    double normal() { // Box and Muller
        const double radius = std::sqrt(-2 * std::log(1 - uniform()));
        return radius * std::cos(2 * std::numbers::pi * uniform());
    }

private:
    std::mt19937_64 engine_;
};

TensorData started(const Rule& rule, const Shape& shape, std::uint64_t seed) {
    if (rule.start == Start::Ones || rule.start == Start::Zeros)
        return TensorData::filled(DataType::Float, shape, rule.start == Start::Ones ? 1 : 0);
    TensorData data(DataType::Float, shape);
    if (rule.start == Start::Causal) {
        const std::int64_t columns = shape.back();
        for (std::int64_t i = 0; i < data.elements(); ++i)
            data.setNumber(i, i % columns > i / columns % columns ? hidden : 0);
        return data;
    }
    if (rule.start == Start::OnesWithin) {
        const std::int64_t columns = shape.back();
        for (std::int64_t i = 0; i < data.elements(); ++i)
            data.setNumber(i, i % columns >= rule.from && i % columns < rule.to ? 1 : 0);
        return data;
    }
    Numbers numbers(seed);
    for (float& value : data.reals())
        value = static_cast<float>(rule.start == Start::Uniform
                                       ? (2 * numbers.uniform() - 1) * rule.size
                                       : numbers.normal() * rule.size);
    return data;
}

} // namespace

void initialiseWeights(const onnx::ModelProto& model, const NameSet& weights, std::uint64_t seed,
                       WeightValues& values) {
    const Initialiser initialiser(model, weights);
    for (const std::string& name : weights)
        if (!values.contains(name))
            values[name] = std::make_shared<const TensorData>(
                started(initialiser.ruleFor(name), initialiser.shapeOf(name), hashOf(name) ^ seed));
}

} // namespace tilescope::sim
