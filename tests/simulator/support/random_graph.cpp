#include "random_graph.h"

#include <algorithm>
#include <functional>

#include "graph_builder.h"
#include "holds.h"

namespace tilescope::test {
namespace {

class RandomGraph {
public:
    RandomGraph()
        : b_(*rc::gen::element(DataType::Float, DataType::Half)) {}

    Graph run() {
        tensors_.push_back(b_.input(
            {anyFrom(1, 3), anyOf({1, 3, 4, 6, 8, 12, 16, 20, 48}), anyFrom(1, 9), anyFrom(1, 9)}));
        const std::int64_t ops = anyFrom(1, 8);
        while (static_cast<std::int64_t>(b_.ops()) < ops)
            addOp();
        std::vector<TensorId> outputs{tensors_.back()};
        if (const TensorId other = any(); other != outputs[0])
            outputs.push_back(other);
        return b_.finish(outputs);
    }

private:
    static std::int64_t anyOf(std::vector<std::int64_t> values) {
        return *rc::gen::elementOf(std::move(values));
    }
    std::int64_t index(std::size_t size) { return anyFrom(0, static_cast<std::int64_t>(size) - 1); }
    TensorId any() { return tensors_[static_cast<std::size_t>(index(tensors_.size()))]; }
    std::string name(const char* kind) { return kind + std::to_string(b_.ops()); }
    void keep(TensorId tensor) { tensors_.push_back(tensor); }

    void addOp() {
        const TensorId in = any();
        const Shape shape = b_.shapeOf(in);
        switch (anyFrom(0, 9)) {
        case 0:
            keep(b_.unary(name("relu"), ElementwiseFunction::Relu, in));
            break;
        case 1:
            addBinary(in, shape);
            break;
        case 2:
            addReduce(in, shape);
            break;
        case 3:
            keep(b_.reshape(name("reshape"), in, anyFactors(shape)));
            break;
        case 4:
            addTranspose(in, shape);
            break;
        case 5:
            keep(b_.concat(name("concat"), {in, anyLike(shape, in)}, index(shape.size())));
            break;
        case 6:
            addMatMul(in, shape);
            break;
        case 7:
            addGather(in, shape);
            break;
        case 8:
            keep(b_.softmax(name("softmax"), in));
            break;
        default:
            addWindow(in, shape);
            break;
        }
    }

    /// A tensor of this shape: one that is there, a weight, or the same one.
    TensorId anyLike(const Shape& shape, TensorId same) {
        for (const TensorId tensor : tensors_)
            if (tensor != same && b_.shapeOf(tensor) == shape && *rc::gen::arbitrary<bool>())
                return tensor;
        return *rc::gen::arbitrary<bool>() ? same : b_.weight(shape);
    }

    void addBinary(TensorId in, const Shape& shape) {
        Shape other = shape;
        const std::int64_t dropped = index(shape.size() + 1);
        if (dropped > 0 && *rc::gen::arbitrary<bool>())
            other.erase(other.begin(),
                        other.begin() + std::min<std::ptrdiff_t>(dropped, std::ssize(other) - 1));
        else if (*rc::gen::arbitrary<bool>())
            other[static_cast<std::size_t>(index(other.size()))] = 1;
        const TensorId second = other == shape ? anyLike(shape, in) : b_.weight(other);
        keep(b_.binary(name("add"), ElementwiseFunction::Add, in, second, shape));
    }

    void addReduce(TensorId in, const Shape& shape) {
        std::vector<std::int64_t> axes;
        for (std::size_t d = 0; d < shape.size(); ++d)
            if (*rc::gen::arbitrary<bool>())
                axes.push_back(static_cast<std::int64_t>(d));
        if (!axes.empty())
            keep(b_.reduce(name("sum"), ReduceFunction::Add, in, axes));
    }

    void addTranspose(TensorId in, const Shape& shape) {
        std::vector<std::int64_t> order;
        for (std::size_t d = 0; d < shape.size(); ++d)
            order.insert(order.begin() + static_cast<std::ptrdiff_t>(index(order.size() + 1)),
                         static_cast<std::int64_t>(d));
        keep(b_.transpose(name("transpose"), in, order));
    }

    void addMatMul(TensorId in, const Shape& shape) {
        if (shape.size() < 2)
            return;
        Shape right{shape.back(), anyOf({1, 2, 5, 16, 33})};
        if (*rc::gen::arbitrary<bool>())
            right.insert(right.begin(), shape.begin(), shape.end() - 2);
        keep(b_.matMul(name("matmul"), in, b_.weight(right)));
    }

    void addGather(TensorId in, const Shape& shape) {
        keep(b_.gather(name("gather"), in, b_.indices({anyFrom(1, 6)}), index(shape.size())));
    }

    void addWindow(TensorId in, const Shape& shape) {
        if (shape.size() != 4)
            return;
        if (*rc::gen::arbitrary<bool>() && shape[2] >= 2 && shape[3] >= 2) {
            keep(b_.maxPool(name("pool"), in, 2, anyFrom(1, 2)));
            return;
        }
        std::vector<std::int64_t> groups;
        for (const std::int64_t g : {1, 2, 3, 4, 6, 8, 16})
            if (shape[1] % g == 0)
                groups.push_back(g);
        const std::int64_t g = anyOf(groups);
        keep(b_.conv(name("conv"), in, g * anyOf({1, 2, 5, 8}), anyOf({1, 3}), anyFrom(1, 2), g));
    }

    Shape anyFactors(const Shape& shape) {
        std::int64_t elements = 1;
        for (const std::int64_t size : shape)
            elements *= size;
        Shape factors;
        while (elements > 1 && factors.size() < 5) {
            std::vector<std::int64_t> divisors;
            for (std::int64_t d = 1; d <= elements; ++d)
                if (elements % d == 0)
                    divisors.push_back(d);
            factors.push_back(anyOf(divisors));
            elements /= factors.back();
        }
        if (elements > 1 || factors.empty())
            factors.push_back(elements);
        return factors;
    }

    GraphBuilder b_;
    std::vector<TensorId> tensors_;
};

} // namespace

Graph anyGraph() {
    return RandomGraph().run();
}

} // namespace tilescope::test
