#include "simulator/frontend/convert/recurrent_activation.h"

#include <map>

#include <fmt/format.h>

namespace tilescope::sim {

namespace {

using enum ElementwiseFunction;

struct RecurrentFunction {
    ElementwiseFunction function;
    double alpha = 0, beta = 0;
    int parameters = 0; ///< how many of the node's lists it takes an entry from
};

const RecurrentFunction* recurrentFunction(const std::string& name) {
    static const std::map<std::string, RecurrentFunction> known{
        {"Affine", {Copy, 1, 0, 2}},
        {"Sigmoid", {Sigmoid}},
        {"Tanh", {Tanh}},
        {"Relu", {Relu}},
        {"Softplus", {Softplus}},
        {"HardSigmoid", {HardSigmoid, 0.2, 0.5, 2}},
        {"LeakyRelu", {LeakyRelu, 0.01, 0, 1}},
        {"Elu", {Elu, 1, 0, 1}}};
    const auto found = known.find(name);
    return found == known.end() ? nullptr : &found->second;
}

/// The lists of parameters have an entry for each activation that takes one, in their order.
double recurrentParameter(const Node& node, const std::string& list, int which, std::size_t at,
                          double fallback) {
    const auto functions = node.texts("activations");
    std::size_t entry = 0;
    for (std::size_t i = 0; i < at && i < functions.size(); ++i)
        if (const auto* before = recurrentFunction(functions[i]))
            entry += before->parameters > which ? 1 : 0;
    const auto values = node.reals(list);
    return entry < values.size() ? values[entry] : fallback;
}

} // namespace

std::optional<ElementwiseAttributes> recurrentActivation(const NodeConverter& node,
                                                         const std::string& name, std::size_t at) {
    const RecurrentFunction* known = recurrentFunction(name);
    if (known == nullptr)
        NodeConverter::refuse(fmt::format("its activation '{}' is not supported", name));
    const Node& onnx = node.node();
    const double alpha = known->parameters > 0
                             ? recurrentParameter(onnx, "activation_alpha", 0, at, known->alpha)
                             : 0;
    const double beta =
        known->parameters > 1 ? recurrentParameter(onnx, "activation_beta", 1, at, known->beta) : 0;
    if (known->function != Copy)
        return ElementwiseAttributes{known->function, alpha, beta};
    if (alpha != 1 || beta != 0)
        node.refuseToCompute("its activation 'Affine' scales or shifts");
    return std::nullopt;
}

} // namespace tilescope::sim
