// The graph's own rules.
#include <QtTest>

#include "core/base/error.h"
#include "simulator/graph/elementwise_traits.h"
#include "simulator/graph/graph.h"
#include "simulator/graph/shape_rules.h"
#include "tests/support/test_main.h"

namespace graph_test {
using namespace tilescope;
using namespace tilescope::sim;

namespace {

/// relu(x) * w
Graph smallGraph() {
    Graph graph;
    graph.name = "small";
    const auto x = graph.tensors.add({"x", {2, 3}, DataType::Float, TensorRole::Input});
    const auto w = graph.tensors.add({"w", {3, 4}, DataType::Float, TensorRole::Weight});
    const auto r = graph.tensors.add({"r", {2, 3}, DataType::Float, TensorRole::Activation});
    const auto y = graph.tensors.add({"y", {2, 4}, DataType::Float, TensorRole::Activation});
    graph.ops.add(
        {"relu", "Relu", "", ElementwiseAttributes{ElementwiseFunction::Relu, 0, 0}, {x}, {r}});
    graph.ops.add({"product", "MatMul", "", MatMulAttributes{}, {r, w}, {y}});
    graph.inputs = {x};
    graph.outputs = {y};
    return graph;
}

std::string errorOf(const Graph& graph) {
    try {
        checkGraph(graph);
    } catch (const InternalError& error) {
        return error.what();
    }
    return "";
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

} // namespace

class GraphTest : public QObject {
    Q_OBJECT

private slots:
    void sizesAndNames() {
        QCOMPARE(bytesOf(DataType::Half), 2);
        QCOMPARE(bytesOf(DataType::Bool), 1);
        QCOMPARE(std::string(toString(DataType::UInt32)), std::string("unsigned int"));
        QCOMPARE(toString(Shape{1, 64, 7}), std::string("[1,64,7]"));
        QCOMPARE((Tensor{"t", {2, 3}, DataType::Half, TensorRole::Input}.bytes()), 12);
        QCOMPARE((Tensor{"scalar", {}, DataType::Float, TensorRole::Constant}.elements()), 1);
        QCOMPARE(std::string(traitsOf(ElementwiseFunction::Select).name), std::string("SELECT"));
        QCOMPARE(std::string(traitsOf(ElementwiseFunction::Add).name), std::string("ADD"));
        QCOMPARE(std::string(toString(ReduceFunction::ArgMin)), std::string("ARG_MIN"));
        QCOMPARE(std::string(traitsOf(PadAttributes{}).name), std::string("Pad"));
        QVERIFY(isView(ReshapeAttributes{}));
        QVERIFY(!isView(PadAttributes{}));
    }

    void elementwiseFunctionsThatAskOrDraw() {
        using enum ElementwiseFunction;
        for (const ElementwiseFunction asks :
             {Not, IsNan, IsInf, Equal, Less, Greater, LessEqual, GreaterEqual, And, Or, Xor})
            QVERIFY(traitsOf(asks).makesBool);
        for (const ElementwiseFunction counts : {Relu, Remainder, ShiftLeft, Select, BitwiseNot})
            QVERIFY(!traitsOf(counts).makesBool);
        for (const ElementwiseFunction draws : {Dropout, RandomUniform, RandomNormal})
            QVERIFY(traitsOf(draws).isRandom);
        QVERIFY(!traitsOf(Copy).isRandom && !traitsOf(OneHot).isRandom);
    }

    void whoMakesAndReadsWhat() {
        const Graph graph = smallGraph();
        const auto producers = graph.producers();
        QVERIFY(!producers[0].valid());
        QCOMPARE(producers[3], OpId(1));
        const auto consumers = graph.consumers();
        QCOMPARE(consumers[2], std::vector<OpId>{OpId(1)});
        QVERIFY(consumers[3].empty());
    }

    void flops() {
        const Graph graph = smallGraph();
        QCOMPARE(flopsOf(graph, graph.ops[OpId(0)]), 6.0);
        QCOMPARE(flopsOf(graph, graph.ops[OpId(1)]), 2.0 * 2 * 3 * 4);
    }

    void aGoodGraphPasses() { QCOMPARE(errorOf(smallGraph()), std::string()); }

    void brokenGraphsNameTheOp() {
        Graph shape = smallGraph();
        shape.tensors[TensorId(3)].shape = {2, 5};
        QVERIFY(contains(errorOf(shape), "op 'product'"));
        Graph order = smallGraph();
        std::swap(order.ops[OpId(0)], order.ops[OpId(1)]);
        QVERIFY(contains(errorOf(order), "reads tensor 'r' before it is made"));
        Graph twice = smallGraph();
        twice.ops[OpId(1)].outputs = {TensorId(2)};
        QVERIFY(contains(errorOf(twice), "a second time"));
        Graph range = smallGraph();
        range.ops[OpId(0)].inputs = {TensorId(9)};
        QVERIFY(contains(errorOf(range), "out of range"));
        Graph names = smallGraph();
        names.ops[OpId(1)].name = "relu";
        QVERIFY(contains(errorOf(names), "used twice"));
        Graph output = smallGraph();
        output.ops = {};
        QVERIFY(contains(errorOf(output), "never made"));
    }

    void broadcasting() {
        QCOMPARE(broadcastShapes({2, 1, 4}, {3, 1}), (Shape{2, 3, 4}));
        QCOMPARE(broadcastShapes({}, {5}), (Shape{5}));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, broadcastShapes({2}, {3}));
    }
};

TILESCOPE_TEST(GraphTest)

} // namespace graph_test

#include "graph_test.moc"
