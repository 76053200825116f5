// Runs all operations of a small graph, and compares its gradients with differences.
#pragma once

#include <map>
#include <string>

#include "compute/one_op.h"
#include "simulator/training/autodiff.h"
#include "simulator/transforms/decompose.h"

namespace tilescope::test {

/// Values of tensors by their number.
using GraphValues = std::map<TensorId, TensorData>;

/// Executes operation after operation; `values` begins with those that are given. Constants have
/// their own, and state that has none is zero.
inline void runGraph(
    const Graph& graph, GraphValues& values, double learningRate = 0,
    const std::function<bool(const Op&)>& chosen = [](const Op&) { return true; }) {
    ComputeContext context;
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
        const Tensor& tensor = graph.tensors[TensorId(i)];
        if (tensor.value && tensor.role == TensorRole::Constant)
            values[TensorId(i)] = *tensor.value;
        else if (tensor.state != StateKind::None && !values.contains(TensorId(i)))
            values[TensorId(i)] = TensorData::filled(tensor.type, tensor.shape, 0);
    }
    for (const Op& op : graph.ops) {
        if (!chosen(op))
            continue;
        KernelCall call{graph, op, context, {}, {}, {}, learningRate};
        call.place.seed = 3;
        call.place.randomStream = op.randomStreams.empty() ? 0 : op.randomStreams.front();
        for (const TensorId in : op.inputs)
            call.inputs.push_back(values.at(in));
        call.outputs.resize(op.outputs.size());
        runKernel(call);
        for (std::size_t i = 0; i < op.outputs.size(); ++i)
            values[op.outputs[i]] = call.outputs[i];
    }
}

/// The loss of a graph that has one output, and its gradients by autodiff and by differences.
class GradientCheck {
public:
    /// `first`: what all that is given begins with; weights are from -1 to 1 times `scale` plus
    /// `offset`.
    GradientCheck(Graph graph, double offset = 0, double scale = 1)
        : forward_(std::move(graph)) {
        unsigned seed = 20;
        for (std::size_t i = 0; i < forward_.tensors.size(); ++i) {
            const Tensor& tensor = forward_.tensors[TensorId(i)];
            const bool isGiven =
                tensor.role == TensorRole::Weight || tensor.role == TensorRole::Input;
            if (!isGiven || tensor.value)
                continue;
            TensorData data = TensorData::filled(tensor.type, tensor.shape, 0);
            const TensorData numbers = someReals(tensor.shape, ++seed);
            for (std::int64_t k = 0; k < data.elements(); ++k)
                data.setNumber(k, isFloating(tensor.type) ? offset + scale * numbers.number(k)
                                                          : static_cast<double>(k % 3));
            given_[TensorId(i)] = data;
        }
    }
    TensorData& operator[](TensorId id) { return given_[id]; }

    /// The largest difference between both gradients, relative where they are larger than one;
    /// infinity if a weight has none.
    double worst(double step = 1e-2) {
        weighOutput();
        const std::map<TensorId, TensorData> gradients = byAutodiff(false);
        const std::map<TensorId, TensorData> inParts = byAutodiff(true);
        double most = 0;
        for (const auto& [id, value] : given_)
            if (forward_.tensors[id].role == TensorRole::Weight && isFloating(value.type())) {
                if (!gradients.contains(id))
                    return INFINITY;
                const TensorData slopes = byDifferences(id, step);
                most = std::max({most, difference(gradients.at(id), slopes),
                                 difference(inParts.at(id), slopes)});
            }
        return most;
    }

private:
    /// Loss: the output's elements times numbers of their own, so that none cancel.
    void weighOutput() {
        const TensorId out = forward_.outputs.front();
        const Shape shape = forward_.tensors[out].shape;
        Tensor factors{"factors", shape};
        factors.role = TensorRole::Constant;
        factors.value = std::make_shared<TensorData>(someReals(shape, 99));
        const TensorId numbers = forward_.tensors.add(std::move(factors));
        const TensorId product = forward_.tensors.add({"product", shape});
        add("product", ElementwiseAttributes{ElementwiseFunction::Multiply}, {out, numbers},
            product);
        ReduceAttributes all{ReduceFunction::Add, {}, false};
        for (std::size_t d = 0; d < shape.size(); ++d)
            all.axes.push_back(static_cast<std::int64_t>(d));
        loss_ = forward_.tensors.add({"loss", {}});
        add("loss", all, {product}, loss_);
        forward_.outputs = {loss_};
    }
    void add(const std::string& name, Attributes attributes, std::vector<TensorId> inputs,
             TensorId out) {
        forward_.ops.add({name, name, name, std::move(attributes), std::move(inputs), {out}});
    }

    double lossOf(GraphValues values) {
        for (auto& [id, value] : values)
            value = value.copy();
        runGraph(forward_, values);
        return values.at(loss_).number(0);
    }

    /// As the graph is, or with its operations decomposed.
    std::map<TensorId, TensorData> byAutodiff(bool decomposes) {
        Graph graph = forward_;
        Tensor one{"one", {}};
        one.role = TensorRole::Constant;
        one.value = std::make_shared<TensorData>(TensorData::scalar(DataType::Float, 1));
        const TensorId start = graph.tensors.add(std::move(one));
        const std::vector<WeightGradient> weights = addGradients(graph, {loss_, start});
        if (decomposes)
            graph = decomposed(graph);
        checkGraph(graph);
        GraphValues values = given_;
        for (auto& [id, value] : values)
            value = value.copy();
        runGraph(graph, values);
        std::map<TensorId, TensorData> gradients;
        for (const WeightGradient& pair : weights)
            gradients[pair.weight] = values.at(pair.parts.front());
        return gradients;
    }

    TensorData byDifferences(TensorId id, double step) {
        TensorData slopes(DataType::Float, given_.at(id).shape());
        for (std::int64_t i = 0; i < slopes.elements(); ++i) {
            const auto lossAt = [&](double change) {
                GraphValues values = given_;
                values[id] = given_.at(id).copy();
                values[id].setNumber(i, values[id].number(i) + change);
                return lossOf(std::move(values));
            };
            slopes.setNumber(i, (lossAt(step) - lossAt(-step)) / (2 * step));
        }
        return slopes;
    }

    Graph forward_;
    GraphValues given_;
    TensorId loss_;
};

} // namespace tilescope::test
