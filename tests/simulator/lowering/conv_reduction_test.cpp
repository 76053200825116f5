// Stages of a reduction: nothing lost, nothing sent twice, results where they are stored.
#include <numeric>

#include <QtTest>

#include "simulator/lowering/operations/conv_reduction.h"
#include "simulator/operations/operations.h"
#include "simulator/planner/plan.h"
#include "support/holds.h"
#include "tests/support/test_main.h"

namespace conv_reduction_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

/// Output blocks, each with partials on `depth` tiles.
Blocking outputsOf(std::int64_t size, std::int32_t blocks, std::int32_t depth, std::int64_t grain) {
    Blocking outputs;
    outputs.dims = {{{0}, size, evenBlocks(size, blocks), {{blocks, 1}}}};
    outputs.copies = {{depth, blocks}};
    outputs.copiesShare = true;
    outputs.sharing.grain = grain;
    return outputs;
}

} // namespace

class ConvReductionTest : public QObject {
    Q_OBJECT

private slots:
    void everyPartialIsAddedOnce() {
        QVERIFY(holds("reduction", 300, [] {
            ConvPlan plan;
            plan.splits.inChans = anyFrom(2, 200);
            const auto depth = static_cast<std::int32_t>(plan.splits.reductionDepth());
            const std::int64_t size = anyFrom(1, 300);
            const Blocking outputs =
                outputsOf(size, static_cast<std::int32_t>(anyFrom(1, 4)), depth, anyFrom(1, 4));
            const auto stages = reduceInStages(outputs, plan.reductionStages());
            TileSeries held = [&] {
                Blocking whole = outputs;
                whole.copiesShare = false;
                return whole.elements();
            }();
            for (const ReductionStage& stage : stages) {
                RC_ASSERT(stage.traffic.sent.sum() == stage.traffic.received.sum());
                RC_ASSERT(stage.traffic.total == stage.traffic.sent.sum());
                // All partials held so far are added now.
                RC_ASSERT(stage.gathered.sum() == held.sum());
                for (std::int32_t tile = 0; tile < outputs.tiles(); ++tile) {
                    const TileId id(tile);
                    const std::int64_t sent = stage.traffic.sent.at(id);
                    RC_ASSERT(sent >= 0);
                    RC_ASSERT(sent <= held.at(id));
                    // A tile keeps the partials that it does not send, and adds these and the
                    // received ones.
                    RC_ASSERT(held.at(id) - sent + stage.traffic.received.at(id) ==
                              stage.gathered.at(id));
                    RC_ASSERT(stage.gathered.at(id) <= stage.results.at(id) * stage.depth);
                    RC_ASSERT(stage.traffic.messages.at(id) <= stage.traffic.received.at(id));
                    RC_ASSERT(stage.traffic.messages.at(id) <= stage.depth);
                }
                held = stage.results;
            }
            RC_ASSERT(held == outputs.elements());
        }));
    }

    void partsNestWhereDepthsDivide() {
        // 16 tiles, two stages of four: a tile's last part lies within its part after the first.
        const auto stages = reduceInStages(outputsOf(64, 1, 16, 1), {4, 4});
        QCOMPARE(stages.size(), std::size_t(2));
        QCOMPARE(stages[0].results, TileSeries(TileId(0), 16, 16));
        QCOMPARE(stages[0].traffic.sent, TileSeries(TileId(0), 16, 64 - 16));
        QCOMPARE(stages[1].results, TileSeries(TileId(0), 16, 4));
        QCOMPARE(stages[1].traffic.sent, TileSeries(TileId(0), 16, 16 - 4));
        QCOMPARE(stages[1].traffic.messages, TileSeries(TileId(0), 16, 3));
    }

    // What tiles share out to add it up are groups of channels, of 64 bits at least (PopLibs
    // poplin/ConvReduce.cpp, partialGroupedReduce).
    void groupsOfChannelsStayTogether_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<std::int64_t>("channels");
        QTest::addColumn<std::int64_t>("grain");
        QTest::newRow("a group") << int(DataType::Half) << std::int64_t{16} << std::int64_t{16};
        QTest::newRow("one channel, half")
            << int(DataType::Half) << std::int64_t{1} << std::int64_t{4};
        QTest::newRow("one channel, single")
            << int(DataType::Float) << std::int64_t{1} << std::int64_t{2};
        QTest::newRow("part of a vector")
            << int(DataType::Half) << std::int64_t{6} << std::int64_t{8};
    }
    void groupsOfChannelsStayTogether() {
        QFETCH(int, type);
        QFETCH(std::int64_t, channels);
        ConvPlan plan;
        plan.problem.outType = DataType(type);
        plan.grains.outChans = channels;
        QTEST(plan.resultGrain(), "grain");
    }

    void resultsLieInGroupsOfChannels() {
        SingleConvLayer layer;
        layer.field = {7, 7};
        layer.kernel = layer.stride = layer.dilation = {1, 1};
        layer.paddingLower = layer.paddingUpper = {0, 0};
        layer.inputChannels = 512;
        layer.outputChannels = 64;
        layer.bias = false;
        layer.passes = {true, false, false};
        Profile profile;
        const OperationResult result =
            runOperation(graphOf(layer, DataType::Half), OperationOptions(), &profile);
        const std::string& plan = result.plans.front();
        QVERIFY2(plan.find(R"("inChans":16,"outChans":8})") != std::string::npos, plan.c_str());
        std::size_t found = 0;
        for (const Variable& variable : profile.variables)
            if (variable.name.ends_with("/partialReduceOut") && variable.shape == "[1,64,7,7]") {
                ++found;
                // 8 halves on each of 49 x 8 tiles.
                QCOMPARE(variable.bytes.max().value, std::int64_t{16});
                QCOMPARE(variable.bytes.ones().sum(), std::int64_t{49 * 8});
            }
        QCOMPARE(found, std::size_t(1));
    }

    /// Fewer outputs than tiles, in unequal groups: once gave negative bytes.
    void fewOutputsOnManyTiles() {
        const auto stages = reduceInStages(outputsOf(3, 1, 17, 1), {5, 4});
        for (const ReductionStage& stage : stages)
            for (const TileRun& run : stage.traffic.sent.runs())
                QVERIFY(run.value > 0);
        QCOMPARE(stages.back().results.sum(), 3);
    }
};

TILESCOPE_TEST(ConvReductionTest)

} // namespace conv_reduction_test

#include "conv_reduction_test.moc"
