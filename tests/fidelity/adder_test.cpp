// Categories of the text report of a small program on a Mk1 with real code (TensorFlow port
// documentation, logging.rst): two streams in, an addition, a stream out, and the seeding of random
// generators, which is not simulated.
#include <QtTest>

#include "simulator/graph/graph.h"
#include "simulator/simulate.h"
#include "tests/support/test_main.h"

namespace adder_test {
using namespace tilescope;
using namespace tilescope::sim;

namespace {

Profile adder() {
    Graph graph;
    graph.name = "adder";
    const TensorId a = graph.tensors.add({"a", {2}, DataType::Float, TensorRole::Input});
    const TensorId b = graph.tensors.add({"b", {2}, DataType::Float, TensorRole::Input});
    const TensorId sum = graph.tensors.add({"sum", {2}, DataType::Float, TensorRole::Activation});
    graph.inputs = {a, b};
    graph.outputs = {sum};
    graph.ops.add(
        {"add", "Add", "add", ElementwiseAttributes{ElementwiseFunction::Add}, {a, b}, {sum}});
    RunOptions options;
    options.machine.target = targetPreset("mk1");
    return simulate(graph, options);
}

double bytesOf(const Profile& profile, MemoryCategory category) {
    double bytes = 0;
    for (std::size_t v = 0; v < profile.variables.size(); ++v)
        if (profile.variables[VariableId(v)].category == category)
            bytes += static_cast<double>(profile.variables[VariableId(v)].bytes.sum());
    return bytes;
}

} // namespace

class AdderTest : public QObject {
    Q_OBJECT

private slots:
    /// Host exchange code lacks the download of a cycle count from each of the 1,216 tiles that
    /// seed a generator, 44 B a tile or 0.15 of what is published.
    void categories_data() {
        QTest::addColumn<int>("category");
        QTest::addColumn<double>("published");
        QTest::addColumn<double>("tolerance");
        QTest::newRow("stack") << int(MemoryCategory::Stack) << 3'852'288.0 << 0.0;
        QTest::newRow("control code") << int(MemoryCategory::ControlCode) << 851'272.0 << 0.15;
        QTest::newRow("host exchange code")
            << int(MemoryCategory::HostExchangeCode) << 351'328.0 << 0.2;
    }
    void categories() {
        QFETCH(int, category);
        QFETCH(double, published);
        QFETCH(double, tolerance);
        const double simulated = bytesOf(adder(), static_cast<MemoryCategory>(category));
        QVERIFY2(std::abs(simulated / published - 1) <= tolerance,
                 qPrintable(QString::number(simulated)));
    }

    /// The published 4,876 B are a word for each of its 1,219 vertices.
    void instrumentation() {
        const Profile profile = adder();
        QCOMPARE(bytesOf(profile, MemoryCategory::InstrumentationResults),
                 4.0 * double(profile.info.vertices));
    }
};

TILESCOPE_TEST(AdderTest)

} // namespace adder_test

#include "adder_test.moc"
