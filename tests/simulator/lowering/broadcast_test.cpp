// Vectors that are broadcast: which codelets take them, and which operands are written out first.
#include <algorithm>

#include <QtTest>

#include "core/target/target.h"
#include "simulator/cost/elementwise_cycles.h"
#include "simulator/layout/inner_run.h"
#include "support/graph_builder.h"
#include "support/program_text.h"
#include "tests/support/test_main.h"

namespace broadcast_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

/// A convolution of 16 channels with `other` of that shape added.
Profile sumWith(const Shape& other, DataType type) {
    GraphBuilder b(type);
    const TensorId conv = b.conv("conv", b.input({1, 16, 32, 32}), 16, 3);
    const TensorId sum =
        b.binary("sum", ElementwiseFunction::Add, conv, b.weight(other), b.shapeOf(conv));
    return lowerOn(b.finish({sum}), RunOptions{}, 16).profile;
}

bool hasVertex(const Profile& profile, const std::string& part) {
    return std::any_of(
        profile.vertexTypes.begin(), profile.vertexTypes.end(),
        [&](const VertexType& type) { return type.name.find(part) != std::string::npos; });
}

/// A step that writes the second operand of the sum out.
bool writesOut(const Profile& profile) {
    return std::any_of(profile.computeSets.begin(), profile.computeSets.end(),
                       [](const ComputeSet& set) {
                           const std::string name = std::string(set.name);
                           return name.find("sum/Op/Add/PreArrange") != std::string::npos;
                       });
}

std::int64_t cyclesOf(ElementwiseFunction function, Operands operands, bool inPlace, DataType type,
                      std::int64_t elements, std::int64_t run = 1) {
    return elementwiseCycles(targetPreset("mk2"), function, operands, inPlace, type, elements, run);
}

} // namespace

class BroadcastTest : public QObject {
    Q_OBJECT

private slots:
    /// Groups of 16 channels in rows: the channels vary first.
    void innermostRunOfAnOrder() {
        const std::vector<OrderLevel> order{{0, 0}, {1, 0}, {0, 16}};
        const InnerRun channels = innerRun(order, {true, false}, {32, 12});
        QVERIFY(channels.isOfThem);
        QCOMPARE(channels.elements, 16);
        const InnerRun rows = innerRun(order, {false, true}, {32, 12});
        QVERIFY(!rows.isOfThem);
        QCOMPARE(rows.elements, 16);
        // One group of channels is all of them.
        QCOMPARE(innerRun(order, {true, true}, {16, 12}).elements, 16 * 12);
    }

    void halvesOfAChannelVectorHaveACodelet() {
        const Profile profile = sumWith({16, 1, 1}, DataType::Half);
        QVERIFY(hasVertex(profile, "BroadcastVectorInner1D"));
        QVERIFY(!writesOut(profile));
    }

    /// Those of single precision are slower than writing the vector out (popops/ElementWise.cpp).
    void singlesOfAChannelVectorAreWrittenOut() {
        const Profile profile = sumWith({16, 1, 1}, DataType::Float);
        QVERIFY(!hasVertex(profile, "BroadcastVector"));
        QVERIFY(writesOut(profile));
    }

    void positionsAreElementsOfRows() {
        for (const DataType type : {DataType::Half, DataType::Float}) {
            const Profile profile = sumWith({32, 32}, type);
            QVERIFY(hasVertex(profile, "BroadcastVectorOuterByRow1D"));
            QVERIFY(!writesOut(profile));
        }
    }

    /// A worker takes 8 halves in two cycles, and 15 for each 8 of the vector.
    void biasOfHalves() {
        QCOMPARE(cyclesOf(ElementwiseFunction::Add, Operands::BroadcastInner, true, DataType::Half,
                          6 * 10 * 16, 16),
                 13 + 6 * (21 + 12 + 2 * (15 + 2 * 9)));
    }

    void overwritingReluIsFaster() {
        const auto relu = [](bool inPlace) {
            return cyclesOf(ElementwiseFunction::Relu, Operands::Unary, inPlace, DataType::Half,
                            6 * 4 * 100);
        };
        QCOMPARE(relu(false), 20 + 6 * (17 + 3 * 100));
        QCOMPARE(relu(true), 20 + 6 * (55 + 2 * 100));
    }
};

TILESCOPE_TEST(BroadcastTest)

} // namespace broadcast_test

#include "broadcast_test.moc"
