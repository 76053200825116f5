// The rules of a graph, so that a mistake of a transform shows where it was made.
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "core/base/error.h"
#include "simulator/graph/graph.h"
#include "simulator/graph/shape_rules.h"

namespace tilescope::sim {

namespace {

class Check {
public:
    /// `functions`: those of the outermost graph.
    Check(const Graph& graph, const std::vector<Graph>& functions)
        : graph_(graph)
        , functions_(functions)
        , made_(graph.tensors.size()) {}

    void run() {
        checkTensors();
        for (const Op& op : graph_.ops)
            checkOp(op);
        for (const TensorId input : graph_.inputs)
            requireTensor(input, "the graph's inputs");
        for (const TensorId output : graph_.outputs) {
            requireTensor(output, "the graph's outputs");
            if (!made_[output.index()])
                fail(fmt::format("output '{}' is never made", graph_.tensors[output].name));
        }
    }

private:
    [[noreturn]] void fail(const std::string& text) const {
        throw InternalError(fmt::format("graph '{}': {}", graph_.name, text));
    }

    void requireTensor(TensorId id, std::string_view where) const {
        if (!id.valid() || id.index() >= graph_.tensors.size())
            fail(fmt::format("tensor id {} in {} is out of range", id.value(), where));
    }

    void checkTensors() {
        for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
            const Tensor& tensor = graph_.tensors[TensorId(i)];
            for (const std::int64_t size : tensor.shape) {
                if (size < 1)
                    fail(fmt::format("tensor '{}' has shape {}", tensor.name,
                                     toString(tensor.shape)));
            }
            made_[i] = tensor.role != TensorRole::Activation && tensor.role != TensorRole::Remote;
        }
    }

    void checkOp(const Op& op) {
        if (op.name.empty() || !names_.insert(op.name).second)
            fail(fmt::format("op name '{}' is empty or used twice", op.name));
        if (op.outputs.empty())
            fail(fmt::format("op '{}' ({}) has no output", op.name, op.kind()));
        for (const TensorId input : op.inputs) {
            requireTensor(input, op.name);
            if (!made_[input.index()])
                fail(fmt::format("op '{}' reads tensor '{}' before it is made", op.name,
                                 graph_.tensors[input].name));
        }
        for (const TensorId output : op.outputs) {
            requireTensor(output, op.name);
            if (made_[output.index()])
                fail(fmt::format("op '{}' makes tensor '{}' a second time", op.name,
                                 graph_.tensors[output].name));
            made_[output.index()] = true;
        }
        if (const auto* call = std::get_if<CallAttributes>(&op.attributes))
            checkCall(op, *call);
        checkShapes(op);
    }

    void checkCall(const Op& op, const CallAttributes& call) const {
        if (call.function < 0 || static_cast<std::size_t>(call.function) >= functions_.size())
            fail(fmt::format("op '{}' calls function {} of {}", op.name, call.function,
                             functions_.size()));
        const Graph& callee = functions_[static_cast<std::size_t>(call.function)];
        checkPassed(op, op.inputs, callee, callee.inputs);
        checkPassed(op, op.outputs, callee, callee.outputs);
    }

    void checkPassed(const Op& op, const std::vector<TensorId>& own, const Graph& callee,
                     const std::vector<TensorId>& theirs) const {
        bool fits = own.size() == theirs.size();
        for (std::size_t i = 0; fits && i < own.size(); ++i) {
            const Tensor& a = graph_.tensors[own[i]];
            const Tensor& b = callee.tensors[theirs[i]];
            fits = a.shape == b.shape && a.type == b.type;
        }
        if (!fits)
            fail(fmt::format("op '{}' does not fit the function '{}'", op.name, callee.name));
    }

    void checkShapes(const Op& op) const {
        std::vector<Shape> inputs;
        for (const TensorId input : op.inputs)
            inputs.push_back(graph_.tensors[input].shape);
        const Shape& output = graph_.tensors[op.outputs[0]].shape;
        try {
            const auto expected = outputShape(op.attributes, inputs);
            if (!expected)
                checkOpenShape(op.attributes, inputs, output);
            else if (*expected != output)
                throw std::invalid_argument(fmt::format("its output is {} but should be {}",
                                                        toString(output), toString(*expected)));
        } catch (const std::invalid_argument& error) {
            fail(fmt::format("op '{}' ({}): {}", op.name, op.kind(), error.what()));
        }
    }

    const Graph& graph_;
    const std::vector<Graph>& functions_;
    std::vector<bool> made_;
    std::set<std::string_view> names_;
};

} // namespace

void checkGraph(const Graph& graph) {
    for (const Graph& function : graph.functions)
        Check(function, graph.functions).run();
    Check(graph, graph.functions).run();
}

} // namespace tilescope::sim
