// Convolutions that run at the same time: their steps, and what stays unchanged.
#include <set>

#include <QtTest>

#include "simulator/cost/exchange_cycles.h"
#include "simulator/graph/multi_conv_groups.h"
#include "simulator/operations/operations.h"
#include "simulator/outline/multi_convs.h"
#include "simulator/planner/plan_table.h"
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

/// An octave convolution of `input` to `output` channels, forward.
OctaveConvTool octave(std::int64_t field, std::int64_t input, std::int64_t output) {
    OctaveConvTool tool;
    tool.whole.field = {field, field};
    tool.whole.kernel = tool.whole.stride = tool.whole.dilation = {1, 1};
    tool.whole.paddingLower = tool.whole.paddingUpper = {0, 0};
    tool.whole.inputChannels = input;
    tool.whole.outputChannels = output;
    tool.whole.bias = false;
    return tool;
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
        const Graph graph = graphOf(octave(16, 64, 64), DataType::Half);
        for (const Op& op : graph.ops)
            QVERIFY(!std::holds_alternative<ExpandAttributes>(op.attributes));
        Profile profile;
        runOperation(graph, {}, &profile);
        QCOMPARE(complaints(profile), std::string());
    }

    /// An input is laid out for a convolution of its own to all output channels, which is planned
    /// together with that of the other frequency (PopLibs tools/oct_conv_layer.cpp).
    void octavesAreAllocatedForAllOutputs() {
        const Graph graph = graphOf(octave(16, 64, 64), DataType::Half);
        QCOMPARE(graph.allocations.size(), std::size_t{2});
        const OperationOptions options;
        const PlanTable plans(graph, {options.target, {}}, options.planning);
        Profile profile;
        runOperation(graph, options, &profile);
        std::vector<TileSeries> places;
        for (std::size_t i = 0; i < 2; ++i) {
            const Op& op = graph.allocations[i];
            QCOMPARE(graph.tensors[op.outputs[0]].shape[1], std::int64_t{64});
            QCOMPARE(plans.allocationPlan(i).problem.outChans, std::int64_t{64});
            for (const Variable& variable : profile.variables)
                if (variable.name == graph.tensors[op.inputs[0]].name)
                    places.push_back(variable.bytes.ones());
        }
        // Both on tiles of their own.
        QCOMPARE(places.size(), std::size_t{2});
        QVERIFY(places[0].sum() > 0 && places[1].sum() > places[0].sum());
        QCOMPARE((places[0] + places[1]).max().value, std::int64_t{1});
    }

    /// What the vertices read comes right before they run, for all of them: also where some of the
    /// operands have to be rearranged and others lie as they are read.
    void oneExchangeBringsWhatTheyRead() {
        OctaveConvTool tool = octave(28, 128, 512);
        tool.whole.batchSize = 4;
        Profile profile;
        runOperation(graphOf(tool, DataType::Half), {}, &profile);
        QCOMPARE(complaints(profile), std::string());
        std::size_t exchanges = 0;
        for (const Program& sequence : profile.programs) {
            bool waits = false; // for the vertices
            for (const ProgramId child : sequence.children) {
                const Program& step = profile.programs[child];
                if (step.kind == ProgramKind::OnTileExecute) {
                    const std::string& name = profile.computeSets[step.computeSet].name;
                    QVERIFY2(!waits || name.ends_with("/Convolve"), name.c_str());
                    waits = false;
                }
                for (const VariableId written : step.variablesWritten)
                    if (step.kind == ProgramKind::DoExchange &&
                        profile.variables[written].name.find("/Convolve/") != std::string::npos)
                        waits = true;
                exchanges += step.kind == ProgramKind::DoExchange && waits ? 1 : 0;
            }
        }
        QCOMPARE(exchanges, convolveSets(profile).size());
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
