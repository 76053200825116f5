// Convolutions, products and pooling against sums written out.
#include <QtTest>
#include <algorithm>

#include "compute/one_op.h"
#include "simulator/graph/shape_rules.h"
#include "support/holds.h"
#include "tests/support/test_main.h"

namespace product_kernels_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

/// A window of 1 to 3 dimensions with all that it can have, and its input.
template <class Window> Shape anyWindow(Window& window, std::int64_t channels) {
    Shape input{anyFrom(1, 2), channels};
    for (std::int64_t d = anyFrom(1, 3); d > 0; --d) {
        window.kernel.push_back(anyFrom(1, 3));
        window.strides.push_back(anyFrom(1, 3));
        window.dilations.push_back(anyFrom(1, 2));
        window.padsBegin.push_back(anyFrom(0, window.kernel.back() - 1));
        window.padsEnd.push_back(anyFrom(0, window.kernel.back() - 1));
        input.push_back(anyFrom(5, 8));
    }
    return input;
}

/// Calls use(output, input, tap) with the spatial indices of each tap within the input.
template <class Window, class Use>
void eachTap(const Window& window, const Shape& in, const Shape& out, const Use& use) {
    const Shape spatialOut(out.begin() + 2, out.end());
    for (std::int64_t o = 0; o < elementsOf(spatialOut); ++o)
        for (std::int64_t k = 0; k < elementsOf(window.kernel); ++k) {
            const auto at = indexOf(spatialOut, o);
            const auto tap = indexOf(window.kernel, k);
            std::int64_t i = 0;
            bool inside = true;
            for (std::size_t d = 0; d < tap.size(); ++d) {
                const std::int64_t x =
                    at[d] * window.strides[d] + tap[d] * window.dilations[d] - window.padsBegin[d];
                inside = inside && x >= 0 && x < in[d + 2];
                i = i * in[d + 2] + x;
            }
            use(o, i, k, inside);
        }
}

struct Convolution {
    ConvAttributes conv;
    Shape input, weights, output;
};

Convolution anyConvolution() {
    Convolution all;
    all.conv.groups = anyFrom(1, 3);
    const std::int64_t inEach = anyFrom(1, 5);
    const std::int64_t outEach = anyFrom(1, 5);
    all.input = anyWindow(all.conv, inEach * all.conv.groups);
    all.weights = {outEach * all.conv.groups, inEach};
    all.weights.insert(all.weights.end(), all.conv.kernel.begin(), all.conv.kernel.end());
    all.output = *outputShape(all.conv, {all.input, all.weights});
    return all;
}

/// Calls use(x, w, y) for each product that a convolution sums, with the elements' numbers.
template <class Use> void eachProduct(const Convolution& c, const Use& use) {
    const std::int64_t in = elementsOf({c.input.begin() + 2, c.input.end()});
    const std::int64_t out = elementsOf({c.output.begin() + 2, c.output.end()});
    const std::int64_t taps = elementsOf(c.conv.kernel);
    const std::int64_t each = c.weights[1];
    const std::int64_t outEach = c.weights[0] / c.conv.groups;
    eachTap(c.conv, c.input, c.output,
            [&](std::int64_t o, std::int64_t i, std::int64_t k, bool inside) {
                if (!inside)
                    return;
                for (std::int64_t n = 0; n < c.input[0]; ++n)
                    for (std::int64_t oc = 0; oc < c.weights[0]; ++oc)
                        for (std::int64_t ic = 0; ic < each; ++ic) {
                            const std::int64_t channel = oc / outEach * each + ic;
                            use((n * c.input[1] + channel) * in + i, (oc * each + ic) * taps + k,
                                (n * c.output[1] + oc) * out + o);
                        }
            });
}

void addTo(TensorData& sum, std::int64_t i, double value) {
    sum.setNumber(i, sum.number(i) + value);
}

TensorData zeros(const Shape& shape) {
    return TensorData::filled(DataType::Float, shape, 0);
}

} // namespace

class ProductKernelsTest : public QObject {
    Q_OBJECT

    /// How far results are from sums of products, forward and of both gradients, at most.
    double worstOfPasses(const Convolution& c) {
        const TensorData x = someReals(c.input, 1);
        const TensorData w = someReals(c.weights, 2);
        const TensorData g = someReals(c.output, 3);
        TensorData y = zeros(c.output);
        TensorData dx = zeros(c.input);
        TensorData dw = zeros(c.weights);
        eachProduct(c, [&](std::int64_t i, std::int64_t k, std::int64_t o) {
            addTo(y, o, x.number(i) * w.number(k));
            addTo(dx, i, g.number(o) * w.number(k));
            addTo(dw, k, g.number(o) * x.number(i));
        });
        return std::max(
            {difference(op_.run(c.conv, {x, w}, c.output), y),
             difference(op_.run(ConvGradInputAttributes{c.conv}, {g, w}, c.input), dx),
             difference(op_.run(ConvGradWeightsAttributes{c.conv}, {x, g}, c.weights), dw)});
    }

private slots:
    void convolutionsAndTheirGradients() {
        QVERIFY(
            holds("convolution", 60, [&] { RC_ASSERT(worstOfPasses(anyConvolution()) < 1e-4); }));
    }

    void convolutionsOfOneTap() {
        Convolution c;
        c.conv = {{1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, 1};
        c.input = {2, 5, 16, 15};
        c.weights = {7, 5, 1, 1};
        c.output = *outputShape(c.conv, {c.input, c.weights});
        QVERIFY(worstOfPasses(c) < 1e-4);
    }

    void negativePadsCrop() {
        Convolution c;
        c.conv = {{3, 3}, {1, 1}, {1, 1}, {-1, 1}, {0, -2}, 1};
        c.input = {1, 2, 8, 8};
        c.weights = {3, 2, 3, 3};
        c.output = *outputShape(c.conv, {c.input, c.weights});
        QVERIFY(worstOfPasses(c) < 1e-4);
    }

    void keptWeightsGiveTheSame() {
        ComputeContext context;
        Graph graph;
        Op op;
        op.attributes = ConvAttributes{{3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 1};
        const TensorData x = someReals({1, 16, 9, 9}, 1);
        const TensorData w = someReals({32, 16, 3, 3}, 2);
        op.inputs = {graph.tensors.add({"x", x.shape()}), graph.tensors.add({"w", w.shape()})};
        op.outputs = {graph.tensors.add({"y", {1, 32, 9, 9}})};
        context.keep(w);
        const auto run = [&](ComputeContext& with) {
            KernelCall call{graph, op, with, {x, w}, {TensorData()}};
            runKernel(call);
            return call.outputs[0];
        };
        ComputeContext other;
        const TensorData expected = run(other);
        QCOMPARE(difference(run(context), expected), 0.0);
        QCOMPARE(difference(run(context), expected), 0.0);
    }

    void products() {
        QVERIFY(holds("product", 100, [&] {
            MatMulAttributes product{anyFrom(0, 1) == 1, anyFrom(0, 1) == 1};
            const std::int64_t m = anyFrom(1, 9);
            const std::int64_t k = anyFrom(1, 9);
            const std::int64_t n = anyFrom(1, 9);
            Shape a;
            Shape b;
            for (std::int64_t d = anyFrom(0, 3); d > 0; --d) {
                const std::int64_t size = anyFrom(1, 3);
                const std::int64_t kind = anyFrom(0, 3);
                a.push_back(kind == 1 ? 1 : size);
                b.push_back(kind == 2 ? 1 : size);
            }
            if (anyFrom(0, 2) == 0)
                b.clear();
            a.insert(a.end(), {product.transposeA ? k : m, product.transposeA ? m : k});
            b.insert(b.end(), {product.transposeB ? n : k, product.transposeB ? k : n});
            const Shape shape = *outputShape(product, {a, b});
            const TensorData left = someReals(a, 1);
            const TensorData right = someReals(b, 2);
            const TensorData y = op_.run(product, {left, right}, shape);
            for (std::int64_t i = 0; i < y.elements(); ++i) {
                double sum = 0;
                for (std::int64_t c = 0; c < k; ++c) {
                    auto ofA = indexOf(shape, i);
                    auto ofB = ofA;
                    ofA.back() = c;
                    ofB[ofB.size() - 2] = c;
                    if (product.transposeA)
                        std::swap(ofA[ofA.size() - 1], ofA[ofA.size() - 2]);
                    if (product.transposeB)
                        std::swap(ofB[ofB.size() - 1], ofB[ofB.size() - 2]);
                    sum += left.number(elementAt(a, ofA)) * right.number(elementAt(b, ofB));
                }
                RC_ASSERT(std::fabs(y.number(i) - sum) < 1e-5);
            }
        }));
    }

    void productsOfWholeNumbers() {
        const TensorData a = intsOfList({2, 3}, {1, 2, 3, -4, 5, 16777217});
        const TensorData b = intsOfList({3, 1}, {1, 10, 1});
        const TensorData y = op_.run(MatMulAttributes{}, {a, b}, {2, 1}, DataType::Int32);
        QVERIFY(difference(y, intsOfList({2, 1}, {24, 16777263})) == 0);
    }

    void poolingAndItsGradient() {
        QVERIFY(holds("pooling", 60, [&] {
            PoolAttributes pool;
            const Shape in = anyWindow(pool, anyFrom(1, 3));
            pool.kind = static_cast<PoolKind>(anyFrom(0, 2));
            pool.countIncludePad = anyFrom(0, 1) == 1;
            const Shape out = *outputShape(pool, {in});
            const TensorData x = someReals(in, 4);
            const TensorData g = someReals(out, 5);
            const bool isMax = pool.kind == PoolKind::Max;
            const std::int64_t inPlane = elementsOf({in.begin() + 2, in.end()});
            const std::int64_t outPlane = elementsOf({out.begin() + 2, out.end()});
            TensorData y = TensorData::filled(DataType::Float, out, isMax ? -INFINITY : 0);
            TensorData dx = zeros(in);
            std::vector<std::int64_t> counts(static_cast<std::size_t>(outPlane));
            const auto countOf = [&](std::int64_t o) -> std::int64_t& {
                return counts[static_cast<std::size_t>(o)];
            };
            eachTap(pool, in, out, [&](std::int64_t o, std::int64_t, std::int64_t, bool inside) {
                countOf(o) += inside || pool.countIncludePad ? 1 : 0;
            });
            const auto share = [&](std::int64_t o) {
                return pool.kind == PoolKind::Sum ? 1.0 : 1.0 / static_cast<double>(countOf(o));
            };
            for (std::int64_t p = 0; p < in[0] * in[1]; ++p)
                eachTap(pool, in, out, [&](std::int64_t o, std::int64_t i, std::int64_t, bool in1) {
                    const std::int64_t to = p * outPlane + o;
                    const std::int64_t from = p * inPlane + i;
                    if (!in1)
                        return;
                    if (isMax)
                        y.setNumber(to, std::max(y.number(to), x.number(from)));
                    else
                        addTo(y, to, x.number(from) * share(o));
                    if (!isMax)
                        addTo(dx, from, g.number(to) * share(o));
                });
            RC_ASSERT(difference(op_.run(pool, {x}, out), y) < 1e-5);
            if (isMax) {
                std::vector<bool> given(static_cast<std::size_t>(y.elements()));
                for (std::int64_t p = 0; p < in[0] * in[1]; ++p)
                    eachTap(pool, in, out,
                            [&](std::int64_t o, std::int64_t i, std::int64_t, bool in1) {
                                const std::int64_t to = p * outPlane + o;
                                const std::int64_t from = p * inPlane + i;
                                if (!in1 || given[static_cast<std::size_t>(to)] ||
                                    x.number(from) != y.number(to))
                                    return;
                                given[static_cast<std::size_t>(to)] = true;
                                addTo(dx, from, g.number(to));
                            });
            }
            std::vector<TensorData> operands{g};
            if (isMax)
                operands = {g, x, y};
            RC_ASSERT(difference(op_.run(PoolGradAttributes{pool}, operands, in), dx) < 1e-5);
        }));
    }

private:
    OneOp op_;
};

TILESCOPE_TEST(ProductKernelsTest)

} // namespace product_kernels_test

#include "product_kernels_test.moc"
