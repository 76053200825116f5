// Which memory each operation may take, and what that does to its plan.
#include <QtTest>

#include "core/base/error.h"
#include "simulator/planner/plan_table.h"
#include "support/graph_builder.h"
#include "tests/support/test_main.h"

namespace plan_table_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

/// Two equal convolutions in a row.
Graph twoConvolutions() {
    GraphBuilder b(DataType::Half);
    const ConvAttributes conv{{3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 1};
    const Shape shape{1, 64, 56, 56};
    const TensorId x = b.input(shape);
    const TensorId y = b.add("block/first", conv, {x, b.weight({64, 64, 3, 3})}, shape);
    const TensorId z = b.add("block/second", conv, {y, b.weight({64, 64, 3, 3})}, shape);
    return b.finish({z});
}

std::int64_t tempBytes(const PlanTable& table, std::int32_t op) {
    return table.planOf(OpId(op)).cost.tempBytes;
}

} // namespace

class PlanTableTest : public QObject {
    Q_OBJECT

private slots:
    void operationsOfOneSignatureShareAPlan() {
        const PlanTable table(twoConvolutions(), {}, {});
        QCOMPARE(table.distinctPlans(), std::size_t(1));
    }

    void theModelStandsAboveTheIpu() {
        Graph graph = twoConvolutions();
        graph.ops[OpId(1)].availableMemory = 0.01;
        PlanningOptions options;
        options.availableMemoryProportionByIpu[0] = 0.5;
        QCOMPARE(proportionOf(graph, graph.ops[OpId(0)], options), 0.5);
        QCOMPARE(proportionOf(graph, graph.ops[OpId(1)], options), 0.01);
        const PlanTable table(graph, {}, options);
        QCOMPARE(table.distinctPlans(), std::size_t(2));
        QVERIFY(tempBytes(table, 1) < tempBytes(table, 0));
        QVERIFY(tempBytes(table, 1) <= targetPreset("mk2").bytesPerTile / 100);
    }

    void theOptionStandsAboveTheModel() {
        Graph graph = twoConvolutions();
        graph.ops[OpId(0)].availableMemory = 0.01;
        PlanningOptions options;
        options.availableMemoryProportionByOperation["block/first"] = 0.6;
        options.availableMemoryProportionByOperation["block/second"] = 0.01;
        QCOMPARE(proportionOf(graph, graph.ops[OpId(0)], options), 0.6);
        const PlanTable table(graph, {}, options);
        QVERIFY(tempBytes(table, 1) < tempBytes(table, 0));
    }

    void unknownOperationsAreNamed() {
        PlanningOptions options;
        options.availableMemoryProportionByOperation["block/frist"] = 0.2;
        try {
            const PlanTable table(twoConvolutions(), {}, options);
            QFAIL("no error");
        } catch (const UserError& error) {
            const QString text = error.what();
            QVERIFY2(text.contains("'block/frist'"), qPrintable(text));
            QVERIFY2(text.contains("Did you mean 'block/first'?"), qPrintable(text));
        }
    }
};

TILESCOPE_TEST(PlanTableTest)

} // namespace plan_table_test

#include "plan_table_test.moc"
