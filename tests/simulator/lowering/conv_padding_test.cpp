// Zeros that fill up a tile's operands, and the copies that put them there.
#include <algorithm>

#include <QtTest>

#include "core/target/target.h"
#include "simulator/lowering/operations/conv_orders.h"
#include "simulator/lowering/operations/conv_padding.h"
#include "simulator/operations/operations.h"
#include "support/graph_builder.h"
#include "support/program_text.h"
#include "tests/support/test_main.h"

namespace conv_padding_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

/// A product [4, inChans] x [inChans, outChans] in half precision, cut in three along the inputs
/// and in two along the outputs: tile o + 2 i.
ConvPlan productPlan(std::int64_t inChans, std::int64_t outChans) {
    ConvPlan plan;
    plan.convUnits = 8;
    plan.grains = {1, 16, 8, 1};
    plan.problem.inType = DataType::Half;
    plan.problem.matMul = true;
    plan.problem.inChans = inChans;
    plan.problem.outChans = outChans;
    plan.problem.field = {{4, 4}};
    plan.splits.field = {1};
    plan.splits.kernel = {1};
    plan.splits.inChans = 3;
    plan.splits.outChans = 2;
    return plan;
}

struct Padded {
    std::vector<std::int64_t> input, weights;
};

Padded paddedOn(const ConvPlan& plan, bool channels, bool all) {
    const Target target = targetPreset("mk2");
    const ConvTiling tiling(plan);
    const ConvPieces pieces(tiling);
    const ConvPadding padding(target, plan, tiling, pieces);
    return {padding.inputBytes(channels, all).toDense(tiling.tiles()),
            padding.weightBytes(channels, all).toDense(tiling.tiles())};
}

using Bytes = std::vector<std::int64_t>;

/// Compute sets of a dense layer's training whose names contain a text.
std::int64_t stepsOf(const FullyConnectedLayer& layer, DataType type, const std::string& part) {
    OperationOptions options;
    options.target = targetPreset("mk2");
    Profile profile;
    runOperation(graphOf(layer, type), options, &profile);
    return std::count_if(
        profile.computeSets.begin(), profile.computeSets.end(),
        [&](const ComputeSet& set) { return set.name.find(part) != std::string::npos; });
}

std::string productText(std::int64_t inputs, std::int64_t outputs) {
    GraphBuilder b(DataType::Half);
    const TensorId x = b.input({8, inputs});
    const LoweredProgram lowered =
        lowerOn(b.finish({b.matMul("product", x, b.weight({inputs, outputs}))}), RunOptions{}, 16);
    return programText(lowered.profile);
}

} // namespace

class ConvPaddingTest : public QObject {
    Q_OBJECT

private slots:
    void wholeGroupsNeedNothing() {
        const Padded padded = paddedOn(productPlan(48, 16), true, false);
        QCOMPARE(padded.input, Bytes(6));
        QCOMPARE(padded.weights, Bytes(6));
    }

    /// The last group of each operand on the tiles that have it: 4 rows of 16 inputs, 16 x 8
    /// weights.
    void inputChannels() {
        const Padded padded = paddedOn(productPlan(40, 16), true, false);
        QCOMPARE(padded.input, (Bytes{0, 0, 0, 0, 128, 128}));
        QCOMPARE(padded.weights, (Bytes{0, 0, 0, 0, 256, 256}));
    }

    void outputChannels() {
        const Padded padded = paddedOn(productPlan(48, 12), true, false);
        QCOMPARE(padded.input, Bytes(6));
        QCOMPARE(padded.weights, (Bytes{0, 256, 0, 256, 0, 256}));
    }

    /// A group that lacks both is one group.
    void bothChannels() {
        const Padded padded = paddedOn(productPlan(40, 12), true, false);
        QCOMPARE(padded.weights, (Bytes{0, 256, 0, 256, 256, 256}));
    }

    /// Operands padded by a copy before the broadcast are not padded again.
    void filledBefore() {
        const Padded padded = paddedOn(productPlan(40, 12), false, false);
        QCOMPARE(padded.input, Bytes(6));
        QCOMPARE(padded.weights, Bytes(6));
    }

    void otherSequences() {
        const Padded padded = paddedOn(productPlan(48, 16), true, true);
        QCOMPARE(padded.input, Bytes(6, 128));
        QCOMPARE(padded.weights, Bytes(6, 256));
    }

    /// AMP takes four kernel rows of four channels at once: a 7x7 kernel has eight.
    void kernelRows() {
        ConvPlan plan;
        plan.convUnits = 8;
        plan.grains = {1, 4, 8, 1};
        plan.problem.inType = DataType::Half;
        plan.problem.inChans = 4;
        plan.problem.outChans = 8;
        plan.problem.field = {{10, 4, 7}, {10, 4, 7}};
        plan.splits.field = {1, 1};
        plan.splits.kernel = {1, 1};
        const Padded padded = paddedOn(plan, true, false);
        QCOMPARE(padded.input, Bytes{11 * 10 * 4 * 2});
        QCOMPARE(padded.weights, Bytes{8 * 7 * 4 * 8 * 2});
        // A window of SLIC is along a row.
        plan.method = ConvMethod::Slic;
        plan.convUnits = 2;
        plan.grains.outChans = 4;
        const Padded windows = paddedOn(plan, true, false);
        QCOMPARE(windows.input, Bytes{10 * 11 * 4 * 2});
        QCOMPARE(windows.weights, Bytes{7 * 8 * 4 * 8 * 2});
    }

    /// One on-tile copy before the product, whatever it fills up.
    void productsWithPartOfAGroup() {
        QVERIFY(productText(64, 32).find("PreArrange") == std::string::npos);
        const std::string both = productText(72, 30);
        QVERIFY2(both.find("Convolve/PreArrange-0") != std::string::npos, both.c_str());
        QVERIFY2(both.find("PreArrange-1") == std::string::npos, both.c_str());
    }

    /// Operands that are laid out for a plan have groups that fill themselves.
    void storedGroups() {
        ConvPlan plan = productPlan(1000, 1000);
        ConvAtoms atoms;
        atoms.inChans = {0};
        atoms.field = {{1}};
        atoms.kernel = {{}};
        const auto inner = [&](std::int64_t channels) {
            return storedInputOrder(atoms, plan, {channels, 4}).back().extent;
        };
        QCOMPARE(inner(1000), 8);
        QCOMPARE(inner(1024), 16);
        QCOMPARE(inner(5), 1);
        ConvAtoms weights;
        weights.inChans = {0};
        weights.outChans = {1};
        weights.kernel = {{}};
        const auto order = storedWeightsOrder(weights, plan, {1000, 100});
        QVERIFY((order[order.size() - 2] == OrderLevel{1, 4}));
        QVERIFY((order.back() == OrderLevel{0, 8}));
    }

    /// Half precision's transpose takes all blocks of a tile in a row; single precision's a list.
    void transposesOfListedBlocks() {
        const FullyConnectedLayer layer{16, 1024, 1024, 1, false, false};
        QCOMPARE(stepsOf(layer, DataType::Half, "Transpose/PostArrange"), 1);
        QCOMPARE(stepsOf(layer, DataType::Float, "Transpose/PostArrange"), 0);
    }
};

TILESCOPE_TEST(ConvPaddingTest)

} // namespace conv_padding_test

#include "conv_padding_test.moc"
