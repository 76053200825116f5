#include "simulator/frontend/resolve/folding.h"

#include <algorithm>
#include <deque>

#include <onnx/onnx_pb.h>

#include "simulator/frontend/onnx_types/weight_values.h"
#include "simulator/frontend/resolve/evaluate.h"
#include "simulator/frontend/resolve/node_proto.h"
#include "simulator/graph/size_bounds.h"

namespace tilescope::sim {

namespace {

/// Views of a weight are weights again, stored in the order that their reader wants.
bool isViewOfFirstOperand(const std::string& type) {
    return type == "Reshape" || type == "Flatten" || type == "Squeeze" || type == "Unsqueeze" ||
           type == "Identity" || type == "Transpose" || type == "Cast";
}

} // namespace

Folding::Folding(const std::unordered_map<std::string, Value>& values, NameSet parameters,
                 bool keepsValues)
    : values_(values)
    , parameters_(std::move(parameters))
    , saysParameters_(!parameters_.empty())
    , keepsValues_(keepsValues) {}

void Folding::see(const onnx::GraphProto& graph) {
    for (const auto& node : graph.node())
        for (const auto& input : node.input())
            ++readers_[input];
    for (const auto& output : graph.output())
        ++readers_[output.name()];
    addLayerParameters(graph, parameters_);
}

/// None if the node reads anything other than constants and weights.
std::optional<TensorRole> Folding::roleOfOperands(const Node& node) const {
    TensorRole role = TensorRole::Constant;
    for (const auto& name : node.inputs) {
        if (name.empty())
            continue;
        const TensorRole input = values_.at(name).role;
        if (input != TensorRole::Constant && input != TensorRole::Weight)
            return std::nullopt;
        if (input == TensorRole::Weight)
            role = input;
    }
    return role;
}

/// Weights are not folded, whatever their size, except for views of them. A few numbers are never a
/// weight.
bool Folding::isFoldable(const Node& node, TensorRole role) const {
    constexpr std::int64_t fewNumbers = 8;
    if (!isEvaluable(node.type) || role == TensorRole::Constant)
        return isEvaluable(node.type);
    if (isTransposeOfView(node))
        return false;
    if (isViewOfFirstOperand(node.type) && readers_.at(node.inputs.at(0)) == 1)
        return true;
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&](const std::string& name) {
        return !isParameter(name) &&
               (name.empty() || elementsOf(values_.at(name).shape) <= fewNumbers);
    });
}

/// A parameter that the program has kept in another order can be read and written only through one
/// transposition, which comes first (app/python/simulator/stored_weights.h).
bool Folding::isTransposeOfView(const Node& node) const {
    return saysParameters_ && node.type == "Transpose" && views_.contains(node.inputs.at(0));
}

/// Whether a node without operands makes a weight. Some exporters have parameters in Constants,
/// which are weights like any other unless the exporter itself names the parameters.
bool Folding::isWeight(const Node& node, const std::string& name, const Constant& made) const {
    if (!isReal(made.type))
        return false;
    if (node.type == "ConstantOfShape")
        return made.size() > 1;
    return node.type == "Constant" && !saysParameters_ && isParameter(name);
}

std::optional<std::vector<FoldedResult>> Folding::results(const Node& node) {
    const auto role = roleOfOperands(node);
    if (!role || !isFoldable(node, *role))
        return std::nullopt;
    ConstantOperands operands;
    std::deque<Constant> temporary; // values that are too large to be kept as constants
    if (keepsValues_)
        operands.most = mostValues;
    for (const auto& name : node.inputs) {
        operands.push_back(nullptr);
        if (name.empty())
            continue;
        const Value& value = values_.at(name);
        if (!value.data && !value.large)
            return std::nullopt;
        operands.back() = value.data
                              ? &*value.data
                              : &temporary.emplace_back(constantOf(*value.large, value.type));
    }
    auto constants = evaluate(node, operands);
    if (!constants || constants->size() != node.outputs.size())
        return std::nullopt;
    noteView(node, *role);
    if (*role == TensorRole::Weight && isParameter(node.inputs.at(0)))
        parameters_.insert(node.outputs.begin(), node.outputs.end());
    std::vector<FoldedResult> results;
    for (std::size_t i = 0; i < constants->size(); ++i) {
        Constant& constant = (*constants)[i];
        const bool weight = isWeight(node, node.outputs[i], constant);
        results.push_back({std::move(constant), weight ? TensorRole::Weight : *role});
    }
    return results;
}

void Folding::noteView(const Node& node, TensorRole role) {
    const bool keeps = node.type == "Identity" || node.type == "Cast";
    if (role == TensorRole::Weight && isViewOfFirstOperand(node.type) &&
        (!keeps || views_.contains(node.inputs.at(0))))
        views_.insert(node.outputs.begin(), node.outputs.end());
}

std::optional<TensorRole> Folding::roleWithoutData(const Node& node) {
    const auto role = roleOfOperands(node);
    if (!role || !isFoldable(node, *role) || node.outputs.size() != 1)
        return std::nullopt;
    if (node.type == "ConstantOfShape")
        return isReal(values_.at(node.outputs[0]).type) ? TensorRole::Weight : TensorRole::Constant;
    const bool isView = *role == TensorRole::Weight && isViewOfFirstOperand(node.type);
    if (keepsValues_ && !isView)
        return std::nullopt; // its value is needed: it is computed as the program runs
    noteView(node, *role);
    return role;
}

} // namespace tilescope::sim
