// Graphs of the tools, put together by hand. Internal to operations.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// Tensors that the tools keep on the device: they are never streamed, so always live.
class OperationGraph {
public:
    OperationGraph(std::string name, DataType type)
        : type_(type) {
        graph_.name = std::move(name);
    }

    TensorId held(const std::string& name, Shape shape) {
        return held(name, std::move(shape), type_);
    }
    TensorId held(const std::string& name, Shape shape, DataType type) {
        return graph_.tensors.add({name, std::move(shape), type, TensorRole::Weight});
    }

    TensorId op(const std::string& name, const std::string& type, Attributes attributes,
                std::vector<TensorId> inputs, Shape shape) {
        const TensorId out =
            graph_.tensors.add({name, std::move(shape), type_, TensorRole::Activation});
        graph_.ops.add({name, type, name, std::move(attributes), std::move(inputs), {out}});
        return out;
    }

    /// The same of a convolution that is planned together with others.
    TensorId together(const std::shared_ptr<const MultiConv>& with, const std::string& name,
                      const std::string& type, Attributes attributes, std::vector<TensorId> inputs,
                      Shape shape) {
        const TensorId out =
            op(name, type, std::move(attributes), std::move(inputs), std::move(shape));
        graph_.ops[OpId(graph_.ops.size() - 1)].multiConv = with;
        return out;
    }

    /// Lays `input` out for a convolution that does not run, planned together with the others so
    /// added.
    void allocate(const std::shared_ptr<const MultiConv>& with, const std::string& name,
                  Attributes attributes, TensorId input, const Shape& weights, const Shape& out) {
        const auto shapeOnly = [&](const char* role, const Shape& shape) {
            return graph_.tensors.add({name + role, shape, type_, TensorRole::Activation});
        };
        Op op{name, "Conv", name, std::move(attributes), {input}, {}};
        op.inputs.push_back(shapeOnly("/weights", weights));
        op.outputs.push_back(shapeOnly("/out", out));
        op.multiConv = with;
        graph_.allocations.push_back(std::move(op));
    }

    /// The tool's program that downloads results reads the tensor, whether or not it is run.
    void download(TensorId result) { graph_.outputs.push_back(result); }

    /// The tool runs the operations from the last one on as a program of their own.
    void startProgram() { graph_.ops[OpId(graph_.ops.size() - 1)].startsProgram = true; }

    /// target += value, in place (popops::scaledAddTo).
    void scaledAdd(const std::string& name, TensorId target, TensorId value) {
        op(name, "ScaledAdd", ElementwiseAttributes{ElementwiseFunction::ScaledAdd},
           {target, value}, graph_.tensors[target].shape);
    }

    /// The last operation becomes the body of a function that it is replaced by a call of
    /// (poplibs graphfn::TensorFunction): arguments and result are copied at each call.
    void wrapLast() {
        Op& op = graph_.ops[OpId(graph_.ops.size() - 1)];
        Graph body;
        body.name = op.name + "/function";
        Op inside = op;
        for (TensorId& input : inside.inputs) {
            Tensor argument = graph_.tensors[input];
            argument.role = TensorRole::Input;
            input = body.tensors.add(std::move(argument));
        }
        body.inputs = inside.inputs;
        inside.outputs = {body.tensors.add(graph_.tensors[op.outputs.front()])};
        body.outputs = inside.outputs;
        body.ops.add(std::move(inside));
        op.attributes = CallAttributes{static_cast<std::int32_t>(graph_.functions.size())};
        op.type = "Call";
        graph_.functions.push_back(std::move(body));
    }

    [[nodiscard]] Graph& graph() { return graph_; }
    Graph take() { return std::move(graph_); }

private:
    Graph graph_;
    DataType type_;
};

} // namespace tilescope::sim
