#include "simulator/training/autodiff.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "simulator/training/gradient_builder.h"

namespace tilescope::sim {
namespace {

/// Tensors between a weight and the loss, whose gradients are needed.
std::vector<bool> wantedTensors(const Graph& graph, TensorId loss) {
    std::vector<bool> fromWeights(graph.tensors.size());
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
        const Tensor& t = graph.tensors[TensorId(i)];
        fromWeights[i] = t.role == TensorRole::Weight && isFloating(t.type) && !t.frozen;
    }
    for (const Op& op : graph.ops) {
        const bool depends = std::any_of(op.inputs.begin(), op.inputs.end(),
                                         [&](TensorId in) { return fromWeights[in.index()]; });
        for (const TensorId out : op.outputs)
            fromWeights[out.index()] = depends && isFloating(graph.tensors[out].type);
    }
    std::vector<bool> toLoss(graph.tensors.size());
    toLoss[loss.index()] = true;
    for (std::size_t i = graph.ops.size(); i-- > 0;) {
        const Op& op = graph.ops[OpId(i)];
        if (std::any_of(op.outputs.begin(), op.outputs.end(),
                        [&](TensorId out) { return toLoss[out.index()]; }))
            for (const TensorId in : op.inputs)
                toLoss[in.index()] = true;
    }
    std::vector<bool> wanted(graph.tensors.size());
    for (std::size_t i = 0; i < wanted.size(); ++i)
        wanted[i] = fromWeights[i] && toLoss[i];
    return wanted;
}

void addRule(GradientBuilder& builder, TensorId gradient) {
    const Attributes attributes = builder.forward().attributes; // rules add operations
    std::visit(
        [&](const auto& one) {
            if constexpr (requires { addGradient(builder, one, gradient); }) {
                addGradient(builder, one, gradient);
            } else if (one.traits.isView) {
                const TensorId in = builder.forward().inputs[0];
                builder.contribute(in,
                                   builder.reshaped("ReshapeGrad", gradient, builder.shape(in)));
            } else {
                throw UserError(fmt::format("operation '{}' ({}) has no gradient in this version; "
                                            "train a model without it",
                                            builder.forward().name, builder.forward().type));
            }
        },
        attributes);
}

void markForwardPasses(Graph& graph) {
    for (Op& op : graph.ops) {
        if (auto* product = std::get_if<MatMulAttributes>(&op.attributes))
            product->pass = TrainingPass::TrainingForward;
        if (auto* conv = std::get_if<ConvAttributes>(&op.attributes))
            conv->trained = true;
    }
    for (Graph& function : graph.functions)
        markForwardPasses(function);
}

} // namespace

void backpropagate(GradientBuilder& builder, const Op& op) {
    builder.setForward(op);
    TensorId gradient = builder.gradientOf(op.outputs[0]);
    if (std::holds_alternative<LoopAttributes>(op.attributes))
        for (const TensorId output : op.outputs)
            if (!gradient.valid())
                gradient = builder.gradientOf(output);
    if (gradient.valid())
        addRule(builder, gradient);
}

std::vector<WeightGradient> addGradients(Graph& graph, const Loss& loss, bool inParts) {
    markForwardPasses(graph);
    keepNormStatistics(graph);
    const auto forwardOps = static_cast<std::size_t>(std::count_if(
        graph.ops.begin(), graph.ops.end(), [](const Op& op) { return op.pass == Pass::Forward; }));
    GradientBuilder builder(graph);
    builder.setWanted(wantedTensors(graph, loss.of));
    builder.contribute(loss.of, loss.gradient);

    // A weight's gradient is complete at the first of its readers, a part at the first of a stage.
    std::map<std::pair<TensorId, std::int32_t>, OpId> firstReader;
    const auto stageKey = [&](const Op& op) { return inParts ? op.stage : 0; };
    for (std::size_t i = forwardOps; i-- > 0;)
        for (const TensorId in : graph.ops[OpId(i)].inputs)
            if (graph.tensors[in].role == TensorRole::Weight)
                firstReader[{in, stageKey(graph.ops[OpId(i)])}] = OpId(i);

    std::map<TensorId, WeightGradient> gradients;
    std::vector<TensorId> ready;
    for (std::size_t i = forwardOps; i-- > 0;) {
        const Op op = graph.ops[OpId(i)];
        backpropagate(builder, op);
        std::vector<TensorId> operands = op.inputs;
        std::sort(operands.begin(), operands.end());
        operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
        for (const TensorId in : operands) {
            if (graph.tensors[in].role != TensorRole::Weight || !builder.wanted(in) ||
                firstReader.at({in, stageKey(op)}) != OpId(i))
                continue;
            const std::vector<TensorId> parts =
                inParts ? builder.takeParts(in) : builder.takeSum(in);
            if (parts.empty())
                continue;
            auto [entry, isNew] = gradients.try_emplace(in, WeightGradient{in, {}});
            entry->second.parts.insert(entry->second.parts.end(), parts.begin(), parts.end());
            if (isNew)
                ready.push_back(in);
        }
    }
    std::vector<WeightGradient> list;
    list.reserve(ready.size());
    for (const TensorId weight : ready)
        list.push_back(std::move(gradients.at(weight)));
    return list;
}

} // namespace tilescope::sim
