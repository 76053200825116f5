// Every gradient rule makes a graph whose shapes fit, and reaches the weights.
#include <QtTest>
#include <algorithm>

#include "core/base/error.h"
#include "simulator/graph/elementwise_traits.h"
#include "simulator/training/optimizer.h"
#include "simulator/transforms/decompose.h"
#include "support/graph_builder.h"
#include "support/holds.h"
#include "support/random_graph.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace gradients_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;
using enum ElementwiseFunction;

namespace {

RunOptions training() {
    RunOptions options;
    options.batch.mode = "training";
    options.batch.gradientAccumulation = 2;
    return options;
}

/// How often the weights that the forward pass reads are updated; shapes are checked on the way.
std::size_t updatesOf(const Graph& graph) {
    Graph trained = trainingGraph(graph, training());
    checkGraph(trained);
    checkGraph(decomposed(trained));
    return static_cast<std::size_t>(
        std::count_if(trained.ops.begin(), trained.ops.end(),
                      [](const Op& op) { return op.type == "VarUpdate"; }));
}

} // namespace

class GradientsTest : public QObject {
    Q_OBJECT

private slots:
    void unaryFunctions_data() {
        QTest::addColumn<int>("function");
        for (const ElementwiseFunction f :
             {Relu,    LeakyRelu, Sigmoid, Tanh,   Gelu, Erf, Exp,  Log,      Sqrt, Rsqrt,
              Inverse, Abs,       Negate,  Square, Sin,  Cos, Clip, Softplus, Copy, Dropout})
            QTest::newRow(std::string(traitsOf(f).name).c_str()) << static_cast<int>(f);
    }
    void unaryFunctions() {
        QFETCH(int, function);
        GraphBuilder g;
        const TensorId x = g.input({4, 8});
        const TensorId hidden = g.matMul("in", x, g.weight({8, 8}));
        const TensorId f = g.unary("f", static_cast<ElementwiseFunction>(function), hidden);
        QCOMPARE(updatesOf(g.finish({f})), std::size_t(1));
    }

    void binaryFunctionsWithBroadcasts_data() {
        QTest::addColumn<int>("function");
        for (const ElementwiseFunction f : {Add, Subtract, Multiply, Divide, Power, Max, Min})
            QTest::newRow(std::string(traitsOf(f).name).c_str()) << static_cast<int>(f);
    }
    void binaryFunctionsWithBroadcasts() {
        QFETCH(int, function);
        const auto f = static_cast<ElementwiseFunction>(function);
        for (const Shape& other : {Shape{4, 8}, Shape{8}, Shape{1, 8}, Shape{4, 1}, Shape{}}) {
            GraphBuilder g;
            const TensorId x = g.input({4, 8});
            const TensorId hidden = g.matMul("in", x, g.weight({8, 8}));
            const TensorId right = g.binary("right", f, hidden, g.weight(other), {4, 8});
            const TensorId left = g.binary("left", f, g.weight(other), right, {4, 8});
            QCOMPARE(updatesOf(g.finish({left})), std::size_t(3));
        }
    }

    void stepsPassNothingOn() {
        GraphBuilder g;
        const TensorId x = g.input({4, 8});
        const TensorId before = g.matMul("before", x, g.weight({8, 8}));
        const TensorId step = g.unary("step", Floor, before);
        QCOMPARE(updatesOf(g.finish({g.matMul("after", step, g.weight({8, 8}))})), std::size_t(1));
    }

    void convolutionsAndPools() {
        for (const std::int64_t groups : {1, 2})
            for (const std::int64_t stride : {1, 2}) {
                GraphBuilder g;
                const TensorId x = g.input({2, 4, 8, 8});
                TensorId y = g.conv("conv1", x, 8, 3);
                y = g.conv("conv2", y, 8, 3, stride, groups);
                y = g.maxPool("pool", y, 2, 2);
                const std::int64_t left = 8 * (8 / stride / 2) * (8 / stride / 2);
                y = g.reshape("flat", y, {2, left});
                QCOMPARE(updatesOf(g.finish({g.matMul("fc", y, g.weight({left, 10}))})),
                         std::size_t(3));
            }
    }

    void viewsReductionsAndSoftmax() {
        GraphBuilder g;
        const TensorId x = g.input({2, 6, 8});
        TensorId y = g.matMul("in", x, g.weight({8, 8}));
        y = g.transpose("transpose", y, {0, 2, 1});
        y = g.concat("concat", {y, y}, 2);
        y = g.softmax("softmax", y);
        y = g.reduce("mean", ReduceFunction::Mean, y, {2});
        y = g.reshape("flat", y, {2, 8});
        QCOMPARE(updatesOf(g.finish({g.matMul("fc", y, g.weight({8, 4}))})), std::size_t(2));
    }

    void embeddings() {
        GraphBuilder g;
        const TensorId rows = g.gather("embedding", g.weight({100, 8}), g.indices({4}), 0);
        QCOMPARE(updatesOf(g.finish({g.matMul("fc", rows, g.weight({8, 4}))})), std::size_t(2));
    }

    /// Gradients of several readers are added up once, and the weight is updated once.
    void slicesWithSteps() {
        GraphBuilder g;
        const TensorId hidden = g.matMul("in", g.input({4, 8}), g.weight({8, 8}));
        const TensorId part =
            g.add("part", SliceAttributes{{1, 7}, {2, -3}}, {hidden}, Shape{2, 3});
        QCOMPARE(updatesOf(g.finish({part})), std::size_t(1));
    }

    void lookUpsOnAnyAxis() {
        for (const std::int64_t axis : {0, 1}) {
            GraphBuilder g;
            const TensorId found =
                g.add("found", GatherAttributes{axis}, {g.weight({8, 16}), g.indices({3, 2})},
                      axis == 0 ? Shape{3, 2, 16} : Shape{8, 3, 2});
            QCOMPARE(updatesOf(g.finish({found})), std::size_t(1));
        }
    }

    void scattersPassToBoth_data() {
        QTest::addColumn<int>("function");
        QTest::newRow("set") << static_cast<int>(UpdateFunction::Set);
        QTest::newRow("add") << static_cast<int>(UpdateFunction::Add);
    }
    void scattersPassToBoth() {
        QFETCH(int, function);
        GraphBuilder g;
        const TensorId data = g.matMul("data", g.input({6, 8}), g.weight({8, 4}));
        const TensorId rows = g.matMul("rows", g.input({2, 8}), g.weight({8, 4}));
        const TensorId made =
            g.add("update", MultiUpdateAttributes{0, static_cast<UpdateFunction>(function)},
                  {data, g.indices({2}), rows}, Shape{6, 4});
        QCOMPARE(updatesOf(g.finish({made})), std::size_t(2));
    }

    void sharedWeights() {
        GraphBuilder g;
        const TensorId x = g.input({4, 8});
        const TensorId w = g.weight({8, 8});
        const TensorId a = g.matMul("a", x, w);
        const TensorId b = g.matMul("b", a, w);
        QCOMPARE(updatesOf(g.finish({b})), std::size_t(1));
    }

    /// Whatever the graph: shapes fit, or an error names the operation without a gradient.
    void randomGraphs() {
        QVERIFY(holds("training graphs", 500, [] {
            const Graph graph = anyGraph();
            try {
                (void)updatesOf(graph);
            } catch (const UserError& error) {
                const QString message = text(error.what());
                if (!message.contains("no gradient") && !message.contains("no classes"))
                    RC_FAIL(error.what());
            }
        }));
    }
};

TILESCOPE_TEST(GradientsTest)

} // namespace gradients_test

#include "gradients_test.moc"
