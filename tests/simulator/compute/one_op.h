// One operation on values, and values to give it.
#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "simulator/compute/kernels/kernel.h"

namespace tilescope::test {

using namespace sim;

/// Calls of kernels on their own.
class OneOp {
public:
    TensorData run(const Attributes& attributes, std::vector<TensorData> inputs, Shape shape,
                   DataType type = DataType::Float, const ComputePlace& place = {}) {
        return runAll(attributes, std::move(inputs), {std::move(shape)}, type, place).at(0);
    }
    std::vector<TensorData> runAll(const Attributes& attributes, std::vector<TensorData> inputs,
                                   const std::vector<Shape>& shapes,
                                   DataType type = DataType::Float, const ComputePlace& place = {},
                                   double learningRate = 0) {
        Graph graph;
        Op op;
        op.name = op.type = "op";
        op.attributes = attributes;
        for (const TensorData& input : inputs)
            op.inputs.push_back(graph.tensors.add({"in", input.shape(), input.type()}));
        for (const Shape& shape : shapes)
            op.outputs.push_back(graph.tensors.add({"out", shape, type}));
        KernelCall call{graph, op, context_, std::move(inputs), {}, place, learningRate};
        call.outputs.resize(shapes.size());
        runKernel(call);
        return call.outputs;
    }

private:
    ComputeContext context_;
};

/// Numbers from -1 to 1 that are the same in each run.
inline TensorData someReals(Shape shape, unsigned seed = 1) {
    TensorData data(DataType::Float, std::move(shape));
    std::mt19937 generator(seed);
    for (float& value : data.reals())
        value = static_cast<float>(static_cast<int>(generator() % 2001U) - 1000) / 1000.0F;
    return data;
}
inline TensorData realsOfList(Shape shape, const std::vector<double>& list) {
    TensorData data(DataType::Float, std::move(shape));
    for (std::size_t i = 0; i < list.size(); ++i)
        data.setNumber(static_cast<std::int64_t>(i), list[i]);
    return data;
}
inline TensorData intsOfList(Shape shape, const std::vector<double>& list,
                             DataType type = DataType::Int32) {
    TensorData data(type, std::move(shape));
    for (std::size_t i = 0; i < list.size(); ++i)
        data.setNumber(static_cast<std::int64_t>(i), list[i]);
    return data;
}

/// The largest difference of elements, relative to elements larger than one; infinity where shapes
/// or only one is no number.
inline double difference(const TensorData& a, const TensorData& b) {
    if (a.shape() != b.shape())
        return INFINITY;
    double most = 0;
    for (std::int64_t i = 0; i < a.elements(); ++i) {
        const double x = a.number(i);
        const double y = b.number(i);
        if (std::isnan(x) && std::isnan(y))
            continue;
        if (x == y)
            continue;
        const double one = std::fabs(x - y) / std::max(1.0, std::fabs(y));
        most = std::isnan(one) ? INFINITY : std::max(most, one);
    }
    return most;
}

/// Index of each dimension of the n-th element.
inline std::vector<std::int64_t> indexOf(const Shape& shape, std::int64_t n) {
    std::vector<std::int64_t> index(shape.size());
    for (std::size_t d = shape.size(); d-- > 0;) {
        index[d] = n % shape[d];
        n /= shape[d];
    }
    return index;
}
/// The element at an index, whose further dimensions of size one are broadcast.
inline std::int64_t elementAt(const Shape& shape, const std::vector<std::int64_t>& index) {
    std::int64_t n = 0;
    const std::size_t lead = index.size() - shape.size();
    for (std::size_t d = 0; d < shape.size(); ++d)
        n = n * shape[d] + (shape[d] == 1 ? 0 : index[lead + d]);
    return n;
}

} // namespace tilescope::test
