#include <fmt/format.h>
#include <optional>

#include "core/base/error.h"
#include "core/options/option_error.h"
#include "simulator/training/autodiff.h"

namespace tilescope::sim {
namespace {

using enum ElementwiseFunction;

class LossBuilder {
public:
    LossBuilder(Graph& graph, double scaling)
        : graph_(graph)
        , scaling_(scaling) {}

    Loss run(LossFunction loss, const std::string& output) {
        if (graph_.outputs.empty() || graph_.ops.empty())
            throw UserError(fmt::format("model '{}' has no output to train on", graph_.name));
        if (!output.empty())
            return named(output);
        stage_ = graph_.ops[OpId(graph_.ops.size() - 1)].stage;
        if (loss == LossFunction::Automatic)
            loss = graph_.loss;
        switch (loss) {
        case LossFunction::Automatic:
            if (const std::optional<Loss> own = modelsOwn(graph_.outputs.front())) {
                graph_.outputs = {graph_.outputs.front()};
                return *own;
            }
            return crossEntropy(true);
        case LossFunction::CrossEntropy:
            return crossEntropy(true);
        case LossFunction::CategoricalCrossEntropy:
            return crossEntropy(false);
        case LossFunction::BinaryCrossEntropy:
            return binaryCrossEntropy();
        case LossFunction::MeanSquaredError:
            return regression(Square, "square");
        case LossFunction::MeanAbsoluteError:
            return regression(Abs, "abs");
        }
        throw InternalError("a loss without a function");
    }

private:
    /// Labels are class indices, or a probability for each class.
    Loss crossEntropy(bool indices) {
        findScores();
        const Shape shape = graph_.tensors[scores_].shape;
        const auto axis = static_cast<std::size_t>(classAxis(shape));
        if (!probabilities_.valid())
            probabilities_ =
                op("Softmax", SoftmaxAttributes{classAxis(shape), classAxis(shape) + 1}, {scores_},
                   shape, type(), Pass::Forward);

        const TensorId wanted = indices ? encodedLabels(shape, axis) : label(shape, type());
        const TensorId terms = op("nll", ElementwiseAttributes{CrossEntropy},
                                  {probabilities_, wanted}, shape, type(), Pass::Forward);
        ReduceAttributes all{ReduceFunction::Add, {}, false};
        for (std::size_t d = 0; d < shape.size(); ++d)
            all.axes.push_back(static_cast<std::int64_t>(d));
        all.scale = static_cast<double>(shape[axis]) / static_cast<double>(elementsOf(shape));
        graph_.outputs = {op("reduce", all, {terms}, {}, type(), Pass::Forward)};

        return lossGradient(wanted, all.scale);
    }

    TensorId label(Shape shape, DataType type) {
        Tensor label;
        label.name = "label";
        label.shape = std::move(shape);
        label.type = type;
        label.role = TensorRole::Input;
        const TensorId labels = graph_.tensors.add(std::move(label));
        graph_.inputs.push_back(labels);
        return labels;
    }

    TensorId encodedLabels(const Shape& shape, std::size_t axis) {
        Shape one = shape;
        one[axis] = 1;
        const TensorId labels = label(std::move(one), DataType::Int32);
        const TensorId expected =
            op("oneHot", ElementwiseAttributes{OneHot}, {asLast(labels, axis)},
               lastShape(shape, axis), type(), Pass::Forward);
        graph_.tensors[expected].layoutOf = axis + 1 == shape.size() ? probabilities_ : TensorId();
        return fromLast(expected, shape, axis);
    }

    /// A function of each output and its label, of the output's shape.
    TensorId forward(const std::string& part, ElementwiseFunction function,
                     std::vector<TensorId> inputs) {
        return op(part, ElementwiseAttributes{function}, std::move(inputs),
                  graph_.tensors[scores_].shape, type(), Pass::Forward);
    }

    /// The mean of terms for all outputs, differentiated as it is.
    Loss meanOf(TensorId terms) {
        ReduceAttributes all{ReduceFunction::Mean, {}, false};
        for (std::size_t d = 0; d < graph_.tensors[scores_].shape.size(); ++d)
            all.axes.push_back(static_cast<std::int64_t>(d));
        graph_.outputs = {op("mean", all, {terms}, {}, type(), Pass::Forward)};
        return {graph_.outputs.front(), lossScaling(type(), {}, 1)};
    }

    Loss regression(ElementwiseFunction function, const std::string& part) {
        scores_ = graph_.outputs.front();
        const TensorId labels = label(graph_.tensors[scores_].shape, type());
        return meanOf(forward(part, function, {forward("error", Subtract, {scores_, labels})}));
    }

    /// A logarithm that stays finite: PyTorch's BCELoss has none below -100.
    TensorId finiteLog(const std::string& part, TensorId of) {
        constexpr double least = -100;
        return op(part, ElementwiseAttributes{Log, least}, {of}, graph_.tensors[scores_].shape,
                  type(), Pass::Forward);
    }

    /// -(t log p + (1 - t) log(1 - p))
    Loss binaryCrossEntropy() {
        scores_ = graph_.outputs.front();
        const TensorId labels = label(graph_.tensors[scores_].shape, type());
        Tensor number;
        number.name = "Loss/one";
        number.type = type();
        number.role = TensorRole::Constant;
        number.value = std::make_shared<TensorData>(TensorData::scalar(number.type, 1));
        const TensorId one = graph_.tensors.add(std::move(number));
        const TensorId yes = forward("yes", Multiply, {labels, finiteLog("log", scores_)});
        const TensorId notP = forward("rest", Subtract, {one, scores_});
        const TensorId notT = forward("restLabel", Subtract, {one, labels});
        const TensorId no = forward("no", Multiply, {notT, finiteLog("restLog", notP)});
        return meanOf(forward("negate", Negate, {forward("add", Add, {yes, no})}));
    }

    /// The gradient of softmax and cross-entropy in one (popnn NllWithSoftmaxGradDirect). `share`:
    /// factor of the sum of all terms.
    Loss lossGradient(TensorId wanted, double share) {
        const Shape shape = graph_.tensors[scores_].shape;
        const TensorId difference = op("NllWithSoftmaxGradDirect", ElementwiseAttributes{Subtract},
                                       {probabilities_, wanted}, shape, type(), Pass::Backward);
        return {scores_,
                op("combinedLossScale", ElementwiseAttributes{Multiply},
                   {difference, lossScaling(type(), {}, share)}, shape, type(), Pass::Backward)};
    }

    TensorId lossScaling(DataType type, Shape shape, double share) {
        Tensor scale;
        scale.name = "lossScaling";
        scale.lossScaling = LossScalingPart::Factor;
        scale.value =
            std::make_shared<TensorData>(TensorData::filled(type, shape, scaling_ * share));
        scale.type = type;
        scale.shape = std::move(shape);
        scale.role = TensorRole::Constant;
        return graph_.tensors.add(std::move(scale));
    }

    /// The output of that name is the loss.
    Loss named(const std::string& name) {
        std::string names;
        for (const TensorId output : graph_.outputs) {
            const Tensor& tensor = graph_.tensors[output];
            names += (names.empty() ? "" : ", ") + tensor.name;
            if (tensor.name != name)
                continue;
            if (const std::optional<Loss> loss = modelsOwn(output))
                return *loss;
            throw OptionError("lossOutput",
                              fmt::format("output '{}' of shape {} is not one number that "
                                          "operations make; reduce it to one",
                                          name, toString(tensor.shape)));
        }
        throw OptionError("lossOutput", fmt::format("model '{}' has no output '{}'; it has {}",
                                                    graph_.name, name, names));
    }

    /// A model whose output is one number to which operations reduced contains its own loss:
    /// softmax cross-entropy keeps its short gradient, any other is differentiated as it is.
    std::optional<Loss> modelsOwn(TensorId output) {
        const Tensor loss = graph_.tensors[output];
        const std::vector<OpId> producers = graph_.producers();
        const OpId last = producers[output.index()];
        if (loss.shape.size() > 1 || loss.elements() != 1 || !last.valid())
            return std::nullopt;
        stage_ = graph_.ops[last].stage;
        const auto makerOf = [&](TensorId id) -> const Op* {
            return producers[id.index()].valid() ? &graph_.ops[producers[id.index()]] : nullptr;
        };
        const Op* terms = makerOf(graph_.ops[last].inputs[0]);
        const auto* nll = terms ? std::get_if<ElementwiseAttributes>(&terms->attributes) : nullptr;
        const auto* reduce = std::get_if<ReduceAttributes>(&graph_.ops[last].attributes);
        const bool fused = reduce && nll && nll->function == CrossEntropy;
        const Op* softmax = fused ? makerOf(terms->inputs[0]) : nullptr;
        if (!softmax || !std::holds_alternative<SoftmaxAttributes>(softmax->attributes) ||
            !isOneHot(TensorId(terms->inputs[1]), producers))
            return Loss{output, lossScaling(loss.type, loss.shape, 1)};
        const double count = reduce->function == ReduceFunction::Mean
                                 ? static_cast<double>(graph_.tensors[terms->outputs[0]].elements())
                                 : 1;
        const double share = reduce->scale / count;
        probabilities_ = terms->inputs[0];
        scores_ = softmax->inputs[0];
        return lossGradient(TensorId(terms->inputs[1]), share);
    }

    /// Whether each row adds up to one, as the short gradient needs: masked or weighted labels do
    /// not.
    [[nodiscard]] bool isOneHot(TensorId labels, const std::vector<OpId>& producers) const {
        while (producers[labels.index()].valid()) {
            const Op& maker = graph_.ops[producers[labels.index()]];
            const auto* elementwise = std::get_if<ElementwiseAttributes>(&maker.attributes);
            if (elementwise != nullptr)
                return elementwise->function == OneHot;
            if (!std::holds_alternative<TransposeAttributes>(maker.attributes) &&
                !std::holds_alternative<ReshapeAttributes>(maker.attributes))
                return false;
            labels = maker.inputs[0];
        }
        return false;
    }

    [[nodiscard]] DataType type() const { return graph_.tensors[scores_].type; }

    /// The first output, or what the softmax that makes it is computed from.
    void findScores() {
        scores_ = graph_.outputs.front();
        const OpId maker = graph_.producers()[scores_.index()];
        if (!maker.valid())
            return;
        const Op& last = graph_.ops[maker];
        const auto* softmax = std::get_if<SoftmaxAttributes>(&last.attributes);
        if (softmax && !softmax->logarithm) {
            probabilities_ = scores_;
            scores_ = last.inputs[0];
        }
    }

    /// The samples of a batch are not classes.
    [[nodiscard]] std::int64_t classAxis(const Shape& shape) const {
        const std::size_t first = shape.size() > 1 ? 1 : 0;
        for (std::size_t d = shape.size(); d-- > first;)
            if (shape[d] > 1)
                return static_cast<std::int64_t>(d);
        throw UserError(
            fmt::format("model '{}': its first output has shape {}, which leaves no "
                        "classes to train on; choose a loss for regression with --loss "
                        "mse or mae, or for yes and no with --loss binary-cross-entropy",
                        graph_.name, toString(shape)));
    }

    TensorId op(const std::string& part, Attributes attributes, std::vector<TensorId> inputs,
                Shape shape, DataType type, Pass pass) {
        Tensor made;
        made.name = "Loss/" + part;
        made.shape = std::move(shape);
        made.type = type;
        const TensorId out = graph_.tensors.add(std::move(made));
        graph_.ops.add({"Loss/" + part,
                        part,
                        "Loss",
                        std::move(attributes),
                        std::move(inputs),
                        {out},
                        pass,
                        stage_});
        return out;
    }

    /// Dimensions after the classes are all of size one: moved before them.
    static Shape lastShape(const Shape& shape, std::size_t axis) {
        return {shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1};
    }
    TensorId asLast(TensorId labels, std::size_t axis) {
        const Shape shape = graph_.tensors[labels].shape;
        if (axis + 1 == shape.size())
            return labels;
        return op("labels", ReshapeAttributes{}, {labels}, lastShape(shape, axis), DataType::Int32,
                  Pass::Forward);
    }
    TensorId fromLast(TensorId expected, const Shape& shape, std::size_t axis) {
        if (axis + 1 == shape.size())
            return expected;
        return op("expected", ReshapeAttributes{}, {expected}, shape, type(), Pass::Forward);
    }

    Graph& graph_;
    const double scaling_;
    TensorId scores_, probabilities_;
    std::int32_t stage_ = 0;
};

} // namespace

Loss addLoss(Graph& graph, LossFunction loss, double scaling, const std::string& output) {
    return LossBuilder(graph, scaling).run(loss, output);
}

} // namespace tilescope::sim
