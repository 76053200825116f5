// Small graphs, an operation a line.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "simulator/graph/graph.h"

namespace tilescope::test {

using namespace sim;

class GraphBuilder {
public:
    explicit GraphBuilder(DataType type = DataType::Float)
        : type_(type) {
        graph_.name = "test";
    }

    TensorId input(Shape shape) { return outer(std::move(shape), TensorRole::Input); }
    TensorId number() { return outer({}, TensorRole::Constant); }
    TensorId weight(Shape shape) { return outer(std::move(shape), TensorRole::Weight); }
    TensorId indices(Shape shape) {
        const TensorId id = outer(std::move(shape), TensorRole::Input);
        graph_.tensors[id].type = DataType::Int32;
        return id;
    }

    TensorId add(const std::string& name, Attributes attributes, std::vector<TensorId> inputs,
                 Shape shape) {
        const TensorId out =
            graph_.tensors.add({name + ":0", std::move(shape), type_, TensorRole::Activation});
        graph_.ops.add({name,
                        std::string(traitsOf(attributes).name),
                        name,
                        attributes,
                        std::move(inputs),
                        {out}});
        return out;
    }

    TensorId unary(const std::string& name, ElementwiseFunction function, TensorId in) {
        return add(name, ElementwiseAttributes{function, 0, 0}, {in}, shapeOf(in));
    }
    TensorId binary(const std::string& name, ElementwiseFunction function, TensorId a, TensorId b,
                    Shape shape) {
        return add(name, ElementwiseAttributes{function, 0, 0}, {a, b}, std::move(shape));
    }
    TensorId reshape(const std::string& name, TensorId in, Shape shape) {
        return add(name, ReshapeAttributes{}, {in}, std::move(shape));
    }
    TensorId transpose(const std::string& name, TensorId in, std::vector<std::int64_t> order) {
        Shape shape;
        for (const std::int64_t d : order)
            shape.push_back(shapeOf(in)[static_cast<std::size_t>(d)]);
        return add(name, TransposeAttributes{std::move(order)}, {in}, std::move(shape));
    }
    TensorId concat(const std::string& name, std::vector<TensorId> inputs, std::int64_t axis) {
        Shape shape = shapeOf(inputs[0]);
        const auto at = static_cast<std::size_t>(axis);
        shape[at] = 0;
        for (const TensorId input : inputs)
            shape[at] += shapeOf(input)[at];
        return add(name, ConcatAttributes{axis}, std::move(inputs), std::move(shape));
    }
    TensorId slice(const std::string& name, TensorId in, std::vector<std::int64_t> starts,
                   Shape shape) {
        const std::vector<std::int64_t> steps(shape.size(), 1);
        return add(name, SliceAttributes{std::move(starts), steps}, {in}, std::move(shape));
    }
    TensorId reduce(const std::string& name, ReduceFunction function, TensorId in,
                    std::vector<std::int64_t> axes) {
        Shape shape = shapeOf(in);
        for (const std::int64_t axis : axes)
            shape[static_cast<std::size_t>(axis)] = 1;
        return add(name, ReduceAttributes{function, std::move(axes), true}, {in}, std::move(shape));
    }
    TensorId softmax(const std::string& name, TensorId in) {
        const auto rank = static_cast<std::int64_t>(shapeOf(in).size());
        return add(name, SoftmaxAttributes{rank - 1, rank, false}, {in}, shapeOf(in));
    }
    TensorId matMul(const std::string& name, TensorId a, TensorId b) {
        Shape shape = shapeOf(a).size() < shapeOf(b).size() ? shapeOf(b) : shapeOf(a);
        shape[shape.size() - 2] = shapeOf(a)[shapeOf(a).size() - 2];
        shape[shape.size() - 1] = shapeOf(b).back();
        return add(name, MatMulAttributes{}, {a, b}, std::move(shape));
    }
    /// Two spatial dimensions, padded to keep their size at stride one.
    TensorId conv(const std::string& name, TensorId in, std::int64_t outChannels,
                  std::int64_t kernel, std::int64_t stride = 1, std::int64_t groups = 1) {
        const Shape shape = shapeOf(in);
        const std::int64_t pad = kernel / 2;
        ConvAttributes conv;
        conv.kernel = {kernel, kernel};
        conv.strides = {stride, stride};
        conv.dilations = {1, 1};
        conv.padsBegin = conv.padsEnd = {pad, pad};
        conv.groups = groups;
        const auto outSize = [&](std::int64_t size) {
            return (size + 2 * pad - kernel) / stride + 1;
        };
        const TensorId weights = weight({outChannels, shape[1] / groups, kernel, kernel});
        return add(name, conv, {in, weights},
                   {shape[0], outChannels, outSize(shape[2]), outSize(shape[3])});
    }
    TensorId maxPool(const std::string& name, TensorId in, std::int64_t kernel,
                     std::int64_t stride) {
        const Shape shape = shapeOf(in);
        PoolAttributes pool;
        pool.kernel = {kernel, kernel};
        pool.strides = {stride, stride};
        pool.dilations = {1, 1};
        pool.padsBegin = pool.padsEnd = {0, 0};
        return add(name, pool, {in},
                   {shape[0], shape[1], (shape[2] - kernel) / stride + 1,
                    (shape[3] - kernel) / stride + 1});
    }
    TensorId gather(const std::string& name, TensorId table, TensorId indices, std::int64_t axis) {
        Shape shape = shapeOf(table);
        const Shape rows = shapeOf(indices);
        const auto at = shape.begin() + static_cast<std::ptrdiff_t>(axis);
        shape.insert(shape.erase(at), rows.begin(), rows.end());
        return add(name, GatherAttributes{axis}, {table, indices}, std::move(shape));
    }

    [[nodiscard]] const Shape& shapeOf(TensorId id) const { return graph_.tensors[id].shape; }
    [[nodiscard]] std::size_t ops() const { return graph_.ops.size(); }

    Graph finish(std::vector<TensorId> outputs) {
        graph_.outputs = std::move(outputs);
        checkGraph(graph_);
        return graph_;
    }

private:
    TensorId outer(Shape shape, TensorRole role) {
        const bool isInput = role == TensorRole::Input;
        const std::string name =
            (isInput ? "x" : "w") + std::to_string(isInput ? inputs_++ : weights_++);
        const TensorId id = graph_.tensors.add({name, std::move(shape), type_, role});
        if (isInput)
            graph_.inputs.push_back(id);
        return id;
    }

    Graph graph_;
    DataType type_;
    int inputs_ = 0, weights_ = 0;
};

} // namespace tilescope::test
