// Stages of reductions and how a tile shares its part of one.
#include <numeric>

#include <QtTest>

#include "simulator/cost/reduce_cycles.h"
#include "simulator/planner/reduce_plan.h"
#include "support/holds.h"
#include "tests/support/test_main.h"

namespace reduce_plan_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

class ReducePlanTest : public QObject {
    Q_OBJECT

private slots:
    void stagesEndAndLoseNothing() {
        QVERIFY(holds("reduce stages", 500, [] {
            const Target target = targetPreset("mk2");
            ReduceShape shape;
            shape.results = anyFrom(1, 5000);
            shape.columns = anyFrom(1, shape.results);
            shape.tiles = anyFrom(1, target.tilesPerIpu);
            shape.partials = shape.results * anyFrom(1, shape.tiles);
            const ReduceFunction function =
                *rc::gen::element(ReduceFunction::Add, ReduceFunction::Max);
            for (int stages = 0; needsStage(target, shape); ++stages) {
                RC_ASSERT(stages < 20);
                const ReduceStage stage = spreadStage(target, function, DataType::Float, shape);
                RC_ASSERT(stage.rows >= 2);
                RC_ASSERT(stage.columns <= shape.columns);
                const std::int64_t regions = std::accumulate(
                    stage.regionsOfTile.begin(), stage.regionsOfTile.end(), std::int64_t{0});
                RC_ASSERT(regions * stage.columns * stage.rows >= shape.partials);
                RC_ASSERT(static_cast<std::int32_t>(stage.regionsOfTile.size()) <=
                          target.tilesPerIpu);
                RC_ASSERT(stage.after.results == shape.results);
                RC_ASSERT(stage.after.partials < shape.partials);
                shape = stage.after;
            }
        }));
    }

    void fewSourcesOnMostTilesNeedNoStage() {
        const Target target = targetPreset("mk2");
        QVERIFY(!needsStage(target, {16, 16 * 70, 8, 1472}));
        QVERIFY(needsStage(target, {16, 16 * 70, 8, 1000}));
        QVERIFY(!needsStage(target, {16, 16 * 64, 8, 1000}));
    }

    void resultsAreMappedInGrains() {
        const Target target = targetPreset("mk2");
        // At least four vectors a tile: 8 floats, 16 halves.
        QCOMPARE(spreadResults(target, DataType::Float, 128).tiles, 16);
        QCOMPARE(spreadResults(target, DataType::Half, 128).tiles, 8);
        QCOMPARE(spreadResults(target, DataType::Float, 1).tiles, 1);
        QVERIFY(spreadResults(target, DataType::Float, 1'000'000).tiles <= 1472);
    }

    // PopLibs' estimate: 23 cycles for two floats where columns are whole vectors, 36 for each
    // element and 22 for each region elsewhere.
    void sumsOfLogarithms() {
        const Target target = targetPreset("mk2");
        const auto vectors = reduceOnTile(target, ReduceFunction::LogAdd, DataType::Float,
                                          DataType::Float, {{12, 200}});
        QCOMPARE(vectors.vertices, 6);
        QCOMPARE(vectors.cycles, 6 * (15 + 10 + 23 * 199));
        const auto odd = reduceOnTile(target, ReduceFunction::LogAdd, DataType::Float,
                                      DataType::Float, {{1, 3}});
        QCOMPARE(odd.cycles, 6 * (39 + 22 + 36 * 3));
    }

    void columnsAreSplitBeforeRows() {
        const Target target = targetPreset("mk2");
        // Two vectors of halves a vertex of sums, one of maxima.
        const auto max =
            reduceOnTile(target, ReduceFunction::Max, DataType::Half, DataType::Half, {{8, 32}});
        QCOMPARE(max.vertices, 2);
        QCOMPARE(max.secondVertices, 0);
        QCOMPARE(max.cycles, 6 * (24 + 6 + 32));
        // One region of eight columns: six row parts pay.
        const auto sum =
            reduceOnTile(target, ReduceFunction::Add, DataType::Half, DataType::Float, {{8, 32}});
        QCOMPARE(sum.vertices, 6);
        QCOMPARE(sum.secondVertices, 1);
        QCOMPARE(sum.secondElements, 48);
        QCOMPARE(sum.cycles, 6 * (24 + 12 + 12));
        QCOMPARE(sum.secondCycles, 6 * (24 + 24 + 24));
    }

    void neighbouringValuesOfAResult() {
        const Target target = targetPreset("mk2");
        const auto two =
            reduceOnTile(target, ReduceFunction::Add, DataType::Half, DataType::Float, {{8, 4, 4}});
        QCOMPARE(two.secondElements, 32);
        // Four vertices of two results: the fixed cycles hold the first one's start.
        QCOMPARE(two.secondCycles, 6 * (2 * 2 + 12 + 17));
        const auto one = reduceOnTile(target, ReduceFunction::Add, DataType::Half, DataType::Float,
                                      {{8, 1, 64}});
        QCOMPARE(one.secondElements, 0);
        QCOMPARE(one.cycles, 6 * (2 * 16 + 12 + 17));
    }

    void moreWorkIsNeverFaster() {
        QVERIFY(holds("reduce cycles", 300, [] {
            const Target target = targetPreset("mk2");
            const RegionReduction region{anyFrom(1, 64), anyFrom(1, 100), 1, anyFrom(1, 2000)};
            RegionReduction more = region;
            more.count *= 2;
            const auto cycles = [&](const RegionReduction& r) {
                const auto done = reduceOnTile(target, ReduceFunction::Max, DataType::Float,
                                               DataType::Float, {r});
                RC_ASSERT(done.cycles > 0);
                return done.cycles + done.secondCycles;
            };
            // Row splits may make one region slower than two: only whole rounds are compared.
            if (region.count >= target.workers)
                RC_ASSERT(cycles(more) >= cycles(region));
        }));
    }

    void nothing() {
        QCOMPARE(reduceOnTile(targetPreset("mk2"), ReduceFunction::Add, DataType::Float,
                              DataType::Float, {})
                     .cycles,
                 0);
    }
};

TILESCOPE_TEST(ReducePlanTest)

} // namespace reduce_plan_test

#include "reduce_plan_test.moc"
