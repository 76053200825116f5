// Which operations run again, and before which.
#include <QtTest>

#include "simulator/schedule/reruns.h"
#include "support/graph_builder.h"
#include "tests/support/test_main.h"

namespace reruns_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

class RerunsTest : public QObject {
    Q_OBJECT

private slots:
    /// The second group reads from the first one, which has to be whole by then.
    void groupsRunAgainAfterThoseThatTheyRead() {
        GraphBuilder b;
        const Shape shape{2, 4};
        const auto relu = [&](const char* name, TensorId in) {
            return b.unary(name, ElementwiseFunction::Relu, in);
        };
        const TensorId a = relu("a", b.input(shape));
        const TensorId kept = relu("kept", a);
        const TensorId c = relu("c", kept);
        const TensorId d = b.binary("d", ElementwiseFunction::Add, c, a, shape);
        const TensorId first = relu("first", d);
        const TensorId second = relu("second", a);
        Graph graph = b.finish({first, second});
        const OpId opA(0), opKept(1), opC(2), opD(3), opFirst(4), opSecond(5);
        graph.ops[opA].recomputeGroup = 0;
        graph.ops[opC].recomputeGroup = graph.ops[opD].recomputeGroup = 1;
        for (const OpId id : {opFirst, opSecond})
            graph.ops[id].pass = Pass::Backward;

        const Reruns reruns(graph);
        QCOMPARE(reruns.before(opFirst), (std::vector<std::int32_t>{0, 1}));
        QVERIFY(reruns.before(opSecond).empty());
        QVERIFY(reruns.membersOf(1) == (std::vector<OpId>{opC, opD}));
        QCOMPARE(reruns.groupOf(d), 1);
        QCOMPARE(reruns.groupOf(kept), -1);
        QVERIFY(reruns.readerOf(graph.ops[opA]) == opFirst);
        QVERIFY(!reruns.readerOf(graph.ops[opKept]).valid());
    }
};

TILESCOPE_TEST(RerunsTest)

} // namespace reruns_test

#include "reruns_test.moc"
