// Gradients by autodiff against differences of the loss.
#include <QtTest>

#include "compute/run_graph.h"
#include "simulator/graph/elementwise_traits.h"
#include "simulator/graph/shape_rules.h"
#include "simulator/transforms/decompose.h"
#include "support/graph_builder.h"
#include "support/holds.h"
#include "tests/support/test_main.h"

namespace differences_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;
using enum ElementwiseFunction;

namespace {

/// Tolerance for differences of sums in float over steps of a hundredth.
constexpr double close = 4e-3;

struct UnaryDomain {
    ElementwiseAttributes attributes;
    double offset = 0, scale = 2;
};

/// Numbers away from where a function has an edge.
std::vector<UnaryDomain> unaryDomains() {
    return {{{Relu}, 0.003, 1.9},
            {{LeakyRelu, 0.3}, 0.003, 1.9},
            {{Sigmoid}},
            {{Tanh}},
            {{Gelu}},
            {{Gelu, 1}},
            {{Erf}},
            {{Exp}},
            {{Log}, 2, 1},
            {{Sqrt}, 2, 1},
            {{Rsqrt}, 2, 1},
            {{Inverse}, 2, 1},
            {{Abs}, 0.003, 1.9},
            {{Negate}},
            {{Square}},
            {{Sin}},
            {{Cos}},
            {{Tan}, 0, 1},
            {{Clip, -1, 0.5}, 0.003, 1.9},
            {{Cast}},
            {{Elu, 0.7}, 0.003, 1.9},
            {{Elu, 1}, 0.003, 1.9},
            {{Softplus}},
            {{HardSigmoid, 0.4, 0.5}, 0.003, 1.9},
            {{HardSwish}, 0.003, 4},
            {{Asin}, 0, 0.8},
            {{Acos}, 0, 0.8},
            {{Atan}},
            {{Asinh}},
            {{Acosh}, 3, 1},
            {{Atanh}, 0, 0.8},
            {{Sinh}},
            {{Cosh}},
            {{Expm1}},
            {{Log1p}, 1, 1},
            {{Swish}},
            {{Copy}},
            {{Dropout, 0.4}}};
}

struct BinaryDomain {
    ElementwiseFunction function;
    double offset = 0, scale = 1;
};

} // namespace

class DifferencesTest : public QObject {
    Q_OBJECT

private slots:
    void unaryFunctions_data() {
        QTest::addColumn<int>("index");
        const auto all = unaryDomains();
        for (std::size_t i = 0; i < all.size(); ++i)
            QTest::addRow("%s-%zu", std::string(traitsOf(all[i].attributes.function).name).c_str(),
                          i)
                << static_cast<int>(i);
    }
    void unaryFunctions() {
        QFETCH(int, index);
        const UnaryDomain domain = unaryDomains().at(static_cast<std::size_t>(index));
        GraphBuilder g;
        const TensorId w = g.weight({4, 5});
        const TensorId y = g.add("f", domain.attributes, {w}, {4, 5});
        QVERIFY(GradientCheck(g.finish({y}), domain.offset, domain.scale).worst() < close);
    }

    void binaryFunctionsWithBroadcasts_data() {
        QTest::addColumn<int>("function");
        QTest::addColumn<double>("offset");
        QTest::addColumn<double>("scale");
        for (const BinaryDomain& one :
             {BinaryDomain{Add}, BinaryDomain{Subtract}, BinaryDomain{Multiply},
              BinaryDomain{Divide, 2, 1}, BinaryDomain{Power, 2, 1}, BinaryDomain{Max},
              BinaryDomain{Min}, BinaryDomain{PRelu, 0.003, 1.9}, BinaryDomain{CrossEntropy, 2, 1},
              BinaryDomain{Atan2, 0.3, 1}, BinaryDomain{Remainder, 2, 1}})
            QTest::newRow(std::string(traitsOf(one.function).name).c_str())
                << static_cast<int>(one.function) << one.offset << one.scale;
    }
    void binaryFunctionsWithBroadcasts() {
        QFETCH(int, function);
        QFETCH(double, offset);
        QFETCH(double, scale);
        const auto f = static_cast<ElementwiseFunction>(function);
        for (const Shape& other : {Shape{3, 4}, Shape{4}, Shape{1, 4}, Shape{3, 1}, Shape{}}) {
            GraphBuilder g;
            const TensorId a = g.weight({3, 4});
            // Expected probabilities do not need a gradient.
            const TensorId b = f == CrossEntropy ? g.input(other) : g.weight(other);
            GradientCheck right(g.finish({g.binary("right", f, a, b, {3, 4})}), offset, scale);
            QVERIFY2(right.worst(1e-3) < close, toString(other).c_str());
            if (f == PRelu || f == CrossEntropy)
                continue;
            GraphBuilder h;
            const TensorId c = h.weight(other);
            const TensorId d = h.weight({3, 4});
            GradientCheck left(h.finish({h.binary("left", f, c, d, {3, 4})}), offset, scale);
            QVERIFY2(left.worst(1e-3) < close, toString(other).c_str());
        }
    }

    void severalOperands() {
        GraphBuilder g;
        const TensorId a = g.weight({2, 3});
        const TensorId b = g.weight({3});
        const TensorId c = g.weight({2, 1});
        const TensorId sum = g.add("sum", ElementwiseAttributes{Add}, {a, b, c}, {2, 3});
        const TensorId product = g.add("times", ElementwiseAttributes{Multiply}, {a, b, c}, {2, 3});
        const TensorId rest =
            g.add("rest", ElementwiseAttributes{SubtractProduct}, {sum, b, product}, {2, 3});
        QVERIFY(GradientCheck(g.finish({rest})).worst() < close);
    }

    void choices() {
        GraphBuilder g;
        const TensorId a = g.weight({2, 3});
        const TensorId b = g.weight({3});
        const TensorId condition = g.indices({2, 1});
        const TensorId y = g.add("y", ElementwiseAttributes{Select}, {condition, a, b}, {2, 3});
        Graph graph = g.finish({y});
        graph.tensors[condition].type = DataType::Bool;
        QVERIFY(GradientCheck(graph).worst() < close);
    }

    void twoReductionsOfATensor() {
        GraphBuilder g;
        const TensorId w = g.weight({3, 4});
        const TensorId squares = g.unary("square", Square, w);
        const TensorId rows = g.reduce("rows", ReduceFunction::Mean, squares, {1});
        const TensorId columns = g.reduce("columns", ReduceFunction::Add, squares, {0});
        const TensorId y = g.binary("y", Multiply, rows, columns, {3, 4});
        QVERIFY(GradientCheck(g.finish({y})).worst() < close);
    }

    void reductions() {
        for (const auto function :
             {ReduceFunction::Add, ReduceFunction::Mean, ReduceFunction::Max, ReduceFunction::Min,
              ReduceFunction::SquareAdd, ReduceFunction::Multiply})
            for (const bool keep : {true, false})
                for (const std::vector<std::int64_t>& axes :
                     {std::vector<std::int64_t>{1}, {0, 2}, {0, 1, 2}}) {
                    GraphBuilder g;
                    const TensorId w = g.weight({3, 4, 2});
                    const bool sums = function != ReduceFunction::Max &&
                                      function != ReduceFunction::Min &&
                                      function != ReduceFunction::Multiply;
                    const ReduceAttributes reduce{function, axes, keep, sums ? 1.5 : 1};
                    const TensorId y =
                        g.add("y", reduce, {w}, *outputShape(reduce, {Shape{3, 4, 2}}));
                    const std::string name = fmt::format("{} {}", toString(function), keep);
                    QVERIFY2(GradientCheck(g.finish({y})).worst(1e-4) < 10 * close, name.c_str());
                }
    }

    /// Rows without a zero, with one, and with two.
    void productsWithZeros() {
        GraphBuilder g;
        const TensorId w = g.weight({3, 3});
        const TensorId y = g.reduce("y", ReduceFunction::Multiply, w, {1});
        GradientCheck check(g.finish({y}));
        const std::vector<double> numbers{2, -1, 3, 0, 2, 4, 0, 5, 0};
        TensorData given(DataType::Float, {3, 3});
        for (std::int64_t i = 0; i < given.elements(); ++i)
            given.setNumber(i, numbers[static_cast<std::size_t>(i)]);
        check[w] = given;
        QVERIFY(check.worst() < close);
    }

    void softmax() {
        for (const bool logarithm : {false, true})
            for (const auto& [first, end] : {std::pair(1, 2), std::pair(0, 2), std::pair(1, 3)}) {
                GraphBuilder g;
                const TensorId w = g.weight({3, 4, 2});
                const TensorId y =
                    g.add("y", SoftmaxAttributes{first, end, logarithm}, {w}, {3, 4, 2});
                const Graph graph = g.finish({y});
                QVERIFY(GradientCheck(graph).worst() < close);
                QVERIFY(GradientCheck(decomposed(graph)).worst() < close);
            }
    }

    void convolutions() {
        QVERIFY(holds("convolution's gradients", 12, [&] {
            ConvAttributes conv;
            conv.groups = anyFrom(1, 2);
            Shape input{2, 2 * conv.groups};
            Shape weights{2 * conv.groups, 2};
            for (std::int64_t d = anyFrom(1, 2); d > 0; --d) {
                conv.kernel.push_back(anyFrom(1, 3));
                conv.strides.push_back(anyFrom(1, 2));
                conv.dilations.push_back(anyFrom(1, 2));
                conv.padsBegin.push_back(anyFrom(0, 1));
                conv.padsEnd.push_back(anyFrom(0, 2));
                input.push_back(anyFrom(5, 6));
                weights.push_back(conv.kernel.back());
            }
            const Shape output = *outputShape(conv, {input, weights});
            GraphBuilder g;
            const TensorId x = g.weight(input);
            const TensorId w = g.weight(weights);
            const TensorId y = g.add("y", conv, {x, w}, output);
            RC_ASSERT(GradientCheck(g.finish({y})).worst() < close);
            GraphBuilder h;
            const TensorId from = h.weight(output);
            const TensorId kernel = h.weight(weights);
            const TensorId back = h.add("y", ConvGradInputAttributes{conv}, {from, kernel}, input);
            RC_ASSERT(GradientCheck(h.finish({back})).worst() < close);
        }));
    }

    void products() {
        QVERIFY(holds("product's gradients", 40, [&] {
            const MatMulAttributes product{anyFrom(0, 1) == 1, anyFrom(0, 1) == 1};
            Shape a;
            Shape b;
            for (std::int64_t d = anyFrom(0, 2); d > 0; --d) {
                const std::int64_t size = anyFrom(1, 3);
                const std::int64_t kind = anyFrom(0, 3);
                a.push_back(kind == 1 ? 1 : size);
                b.push_back(kind == 2 ? 1 : size);
            }
            if (anyFrom(0, 1) == 0)
                b.clear();
            else if (anyFrom(0, 3) == 0)
                a.clear();
            a.insert(a.end(), {product.transposeA ? 3 : 2, product.transposeA ? 2 : 3});
            b.insert(b.end(), {product.transposeB ? 4 : 3, product.transposeB ? 3 : 4});
            GraphBuilder g;
            const TensorId left = g.weight(a);
            const TensorId right = g.weight(b);
            const TensorId y = g.add("y", product, {left, right}, *outputShape(product, {a, b}));
            RC_ASSERT(GradientCheck(g.finish({y})).worst() < close);
        }));
    }

    void pooling() {
        for (const PoolKind kind : {PoolKind::Max, PoolKind::Average, PoolKind::Sum})
            for (const bool countIncludePad : {false, true}) {
                const PoolAttributes pool{kind,   {3, 2}, {2, 1},         {1, 2},
                                          {1, 0}, {1, 1}, countIncludePad};
                GraphBuilder g;
                const TensorId w = g.weight({2, 2, 6, 5});
                const TensorId y = g.add("y", pool, {w}, *outputShape(pool, {Shape{2, 2, 6, 5}}));
                QVERIFY(GradientCheck(g.finish({y})).worst(1e-4) < 10 * close);
            }
    }

    void rows() {
        for (const std::int64_t axis : {0, 1}) {
            GraphBuilder g;
            const TensorId y = g.gather("y", g.weight({3, 4, 2}), g.indices({2, 4}), axis);
            QVERIFY(GradientCheck(g.finish({y})).worst() < close);
        }
        for (const auto function : {UpdateFunction::Add, UpdateFunction::Set}) {
            GraphBuilder g;
            const TensorId table = g.unary("copy", Copy, g.weight({4, 2}));
            const TensorId given = g.weight({3, 2});
            const TensorId y = g.add("y", MultiUpdateAttributes{0, function},
                                     {table, g.indices({3}), given}, {4, 2});
            QVERIFY(GradientCheck(g.finish({y})).worst() < close);
        }
    }

    void views() {
        GraphBuilder g;
        const TensorId w = g.weight({3, 4, 2});
        const TensorId t = g.transpose("t", w, {2, 0, 1});
        const TensorId s = g.add("s", SliceAttributes{{1, 2, 1}, {-1, -2, 2}}, {t}, {2, 2, 2});
        const TensorId r = g.reshape("r", s, {4, 2});
        const TensorId c = g.concat("c", {r, g.weight({1, 2}), r}, 0);
        const TensorId p = g.add("p", PadAttributes{{1, -1}, {-2, 2}, 3}, {c}, {8, 3});
        const TensorId e = g.add("e", ExpandAttributes{}, {g.weight({8, 1})}, {8, 3});
        const TensorId y = g.binary("y", Multiply, p, e, {8, 3});
        QVERIFY(GradientCheck(g.finish({y})).worst() < close);
    }

    void normalisations() {
        struct Case {
            Shape parameter;
            std::vector<std::int64_t> axes;
            std::size_t operands;
        };
        for (const Case& one : {Case{{3, 1}, {0, 2}, 5}, Case{{3, 4}, {1, 2}, 3}, Case{{4}, {2}, 3},
                                Case{{}, {1, 2}, 1}}) {
            GraphBuilder g;
            NormAttributes norm{one.axes, one.operands == 5};
            std::vector<TensorId> operands{g.weight({2, 3, 4})};
            for (std::size_t i = 1; i < std::min<std::size_t>(one.operands, 3); ++i)
                operands.push_back(g.weight(one.parameter));
            for (std::size_t i = 3; i < one.operands; ++i)
                operands.push_back(g.input(one.parameter));
            const TensorId y = g.add("y", norm, operands, {2, 3, 4});
            QVERIFY(GradientCheck(g.finish({y})).worst(3e-3) < 3 * close);
        }
    }

    void localResponse() {
        for (const std::int64_t size : {3, 4}) {
            GraphBuilder g;
            const TensorId w = g.weight({2, 5, 2});
            const TensorId y = g.add("y", LrnAttributes{size, 0.5, 0.75, 1.5}, {w}, {2, 5, 2});
            const Graph graph = g.finish({y});
            QVERIFY(GradientCheck(graph).worst() < close);
            QVERIFY(GradientCheck(decomposed(graph)).worst() < close);
        }
    }

    void droppedElementsHaveNoGradient() {
        GraphBuilder g;
        const TensorId w = g.weight({200});
        const TensorId y = g.add("y", ElementwiseAttributes{Dropout, 0.5}, {w}, {200});
        Graph graph = g.finish({y});
        graph.ops[OpId(0)].randomStreams = {5};
        QVERIFY(GradientCheck(graph).worst() < close);
    }

private:
};

TILESCOPE_TEST(DifferencesTest)

} // namespace differences_test

#include "differences_test.moc"
