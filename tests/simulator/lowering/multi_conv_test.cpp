// Convolutions that run at the same time: their steps, and what stays unchanged.
#include <set>

#include <QtTest>

#include "simulator/cost/exchange_cycles.h"
#include "simulator/graph/multi_conv_groups.h"
#include "simulator/operations/operations.h"
#include "simulator/outline/multi_convs.h"
#include "simulator/prepare/prepare.h"
#include "simulator/simulate.h"
#include "support/graph_builder.h"
#include "support/invariants.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace multi_conv_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

constexpr std::int32_t tiles = 1024;

enum class How { Alone, Parallel, Serial };

/// Three convolutions of one input with different channels, and their sum: the second is moved past
/// the operations in between.
Graph threeConvs(How how) {
    GraphBuilder b(DataType::Half);
    const TensorId x = b.input({1, 16, 8, 8});
    const TensorId first = b.conv("first", x, 32, 3, 1);
    const TensorId relu = b.unary("relu", ElementwiseFunction::Relu, first);
    const TensorId second = b.conv("second", x, 32, 3, 1);
    const TensorId third = b.conv("third", x, 32, 1, 1);
    const Shape shape{1, 32, 8, 8};
    const TensorId sum = b.binary("sum", ElementwiseFunction::Add, relu, second, shape);
    Graph graph = b.finish({b.binary("last", ElementwiseFunction::Add, sum, third, shape)});
    if (how == How::Alone)
        return graph;
    MultiConv options;
    options.parallel = how == How::Parallel;
    options.reservedTiles = 16;
    const auto together = std::make_shared<const MultiConv>(options);
    for (Op& op : graph.ops)
        if (isPlanned(op.attributes))
            op.multiConv = together;
    return graph;
}

RunOptions onTiles(bool trains = false) {
    RunOptions options;
    options.machine.target.tilesPerIpu = tiles;
    options.outline.enabled = false; // two are equal
    if (trains) {
        options.batch.mode = "training";
        options.batch.gradientAccumulation = 2;
    }
    return options;
}

QStringList namesOf(const Graph& graph) {
    QStringList names;
    for (const Op& op : graph.ops)
        names << text(op.name);
    return names;
}

std::vector<const ComputeSet*> convolveSets(const Profile& profile) {
    std::vector<const ComputeSet*> found;
    for (const ComputeSet& set : profile.computeSets)
        if (set.name.ends_with("/Convolve"))
            found.push_back(&set);
    return found;
}

double flops(const Profile& profile) {
    double sum = 0;
    for (const Operation& operation : profile.operations)
        sum += operation.flops;
    return sum;
}

} // namespace

class MultiConvTest : public QObject {
    Q_OBJECT

private slots:
    void theyFollowEachOther() {
        Graph graph = threeConvs(How::Parallel);
        gatherMultiConvs(graph);
        checkGraph(graph);
        QCOMPARE(namesOf(graph), (QStringList{"first", "second", "third", "relu", "sum", "last"}));
        QCOMPARE(multiConvsOf(graph).size(), std::size_t{1});
    }

    void whatNeedsAnotherIsPlannedByItself() {
        GraphBuilder b;
        const TensorId first = b.conv("first", b.input({1, 8, 8, 8}), 8, 3, 1);
        Graph graph = b.finish({b.conv("second", first, 8, 3, 1)});
        const auto together = std::make_shared<const MultiConv>();
        for (Op& op : graph.ops)
            op.multiConv = together;
        gatherMultiConvs(graph);
        QVERIFY(multiConvsOf(graph).empty());
        QCOMPARE(graph.messages.size(), std::size_t{1});
    }

    void oneComputeSetForAll() {
        const Profile alone = simulate(threeConvs(How::Alone), onTiles());
        const Profile parallel = simulate(threeConvs(How::Parallel), onTiles());
        const std::string wrong = complaints(parallel);
        QVERIFY2(wrong.empty(), wrong.c_str());
        QCOMPARE(convolveSets(alone).size(), std::size_t{3});
        QCOMPARE(convolveSets(parallel).size(), std::size_t{1});
        // On tiles of their own: no more than what there is.
        const TileSeries& busy = convolveSets(parallel).front()->cycles;
        QVERIFY(busy.ones().sum() <= tiles && busy.ones().max().value == 1);
        QCOMPARE(flops(parallel), flops(alone));
        QVERIFY(parallel.info.cycles < alone.info.cycles); // small ones do not fill all tiles
    }

    void oneByOneIsAsAlone() {
        const Profile alone = simulate(threeConvs(How::Alone), onTiles());
        const Profile serial = simulate(threeConvs(How::Serial), onTiles());
        QCOMPARE(convolveSets(serial).size(), std::size_t{3});
        QCOMPARE(flops(serial), flops(alone));
    }

    /// A function holds all of them or none.
    void functionsKeepThemTogether() {
        RunOptions options = onTiles();
        options.outline.enabled = true;
        const Profile profile = simulate(threeConvs(How::Parallel), options);
        const std::string wrong = complaints(profile);
        QVERIFY2(wrong.empty(), wrong.c_str());
        QCOMPARE(convolveSets(profile).size(), std::size_t{1});
    }

    /// Tiles send and receive at the same time, for whichever part.
    void anExchangeTakesAsLongAsItsLongerHalf() {
        const RunOptions options = onTiles();
        const Profile parallel = simulate(threeConvs(How::Parallel), options);
        for (const Exchange& exchange : parallel.exchanges) {
            // Rounded up for each part.
            const TileSeries most = TileSeries::zip(
                exchange.bytesReceived, exchange.bytesSent, [&](std::int64_t in, std::int64_t out) {
                    return exchangeCycles(options.machine.target, std::max(in, out)) + 3;
                });
            const TileSeries beyond =
                TileSeries::zip(exchange.cycles, most, [](std::int64_t cycles, std::int64_t bound) {
                    return std::max<std::int64_t>(0, cycles - bound);
                });
            QVERIFY2(beyond.sum() == 0, exchange.name.c_str());
        }
    }

    /// The sum of both frequencies reads the upsampled one as a view.
    void whatIsUpsampledIsNotWritten() {
        OctaveConvTool tool;
        tool.whole.field = {16, 16};
        tool.whole.kernel = tool.whole.stride = tool.whole.dilation = {1, 1};
        tool.whole.paddingLower = tool.whole.paddingUpper = {0, 0};
        tool.whole.inputChannels = tool.whole.outputChannels = 64;
        tool.whole.bias = false;
        const Graph graph = graphOf(tool, DataType::Half);
        for (const Op& op : graph.ops)
            QVERIFY(!std::holds_alternative<ExpandAttributes>(op.attributes));
        Profile profile;
        runOperation(graph, {}, &profile);
        QCOMPARE(complaints(profile), std::string());
    }

    /// Their gradients run together, too: those of the data, and those of the weights.
    void gradientsRunTogether() {
        const Profile alone = simulate(threeConvs(How::Alone), onTiles(true));
        const Profile parallel = simulate(threeConvs(How::Parallel), onTiles(true));
        const std::string wrong = complaints(parallel);
        QVERIFY2(wrong.empty(), wrong.c_str());
        QVERIFY(convolveSets(parallel).size() < convolveSets(alone).size());
        QCOMPARE(flops(parallel), flops(alone));
    }
};

TILESCOPE_TEST(MultiConvTest)

} // namespace multi_conv_test

#include "multi_conv_test.moc"
