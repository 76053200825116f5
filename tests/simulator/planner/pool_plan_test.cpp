// How poolings and their gradients are cut, and what their vertices take.
#include <QtTest>

#include <numeric>

#include "simulator/planner/pool_plan.h"
#include "support/holds.h"
#include "tests/support/test_main.h"

namespace pool_plan_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

Target mk2() {
    return targetPreset("mk2");
}

/// A square window of 3 over a square field, in channel groups of 8.
PoolProblem window(std::int64_t in, std::int64_t channels, std::int64_t stride,
                   std::int64_t padding) {
    PoolProblem problem;
    problem.channels = channels;
    problem.storedGroup = 8;
    const std::int64_t out = (in + 2 * padding - 3) / stride + 1;
    problem.field.assign(2, {in, out, 3, stride, 1, padding, 1});
    return problem;
}

std::int64_t tilesOf(const PoolPlan& plan) {
    return std::accumulate(plan.splits.begin(), plan.splits.end(), std::int64_t{1},
                           std::multiplies<>());
}

} // namespace

class PoolPlanTest : public QObject {
    Q_OBJECT

private slots:
    /// Groups that suit other operations, unless they take a third more.
    void groupsOfSixteenWhereTheyCostLittle() {
        QCOMPARE(planPool(mk2(), window(8, 2048, 1, 1)).group.elements(), 16);
        QCOMPARE(planPool(mk2(), window(17, 768, 2, 0)).group.elements(), 4);
    }

    /// 9 positions, a row of one result: one worker has one row of each.
    void cyclesOfARow() {
        const PoolVertex vertex{PoolKind::Max, false, 1, 2};
        const PoolCycles terms(mk2(), vertex);
        QCOMPARE(terms.position(1), 20 + 1 + 2 * (2 + 4 + 1) + 1 + 3);
        QCOMPARE(terms.position(3) - terms.position(1), 2 * 2 * 3);
        const PoolVertex gradient{PoolKind::Max, true, 1, 2};
        QCOMPARE(PoolCycles(mk2(), gradient).position(1), 20 + 1 + 2 * (2 + 7 + 1) + 1 + 3);
        const std::int64_t row = terms.row() + 9 * terms.position(1);
        QCOMPARE(poolCycles(mk2(), vertex, {2, 3, 9, 1}), terms.vertex(terms.worker(6, row)));
    }

    /// Windows that neither overlap nor reach over the edge make one row for all workers.
    void flatFieldsAreSharedEvenly() {
        PoolProblem flat = window(32, 64, 2, 0);
        for (FieldDim& dim : flat.field)
            dim = {32, 16, 2, 2, 1, 0, 1};
        QVERIFY(flat.isFlat());
        PoolProblem padded = flat;
        padded.field[0].padBegin = 1;
        QVERIFY(!padded.isFlat());
        QCOMPARE(planPool(mk2(), flat).vertexOf(1, 64).groups, 1);
        const PoolPlan rows = planPool(mk2(), padded);
        QCOMPARE(rows.vertexOf(1, 64).groups, 64 / rows.group.channels);
    }

    /// A single channel: elements of a dimension without windows fill the vectors, not zeros.
    void fewChannelsAreFilled() {
        PoolProblem problem;
        problem.channels = 1;
        problem.field = {{64, 64, 5, 1, 1, 2, 1}, {100, 100, 1, 1, 1, 0, 1}};
        const PoolPlan plan = planPool(mk2(), problem);
        QCOMPARE(plan.group.inner, 4);
        QCOMPARE(plan.grains.back(), 4);
        problem.field.back().kernel = 3;
        problem.batch = 6;
        QCOMPARE(planPool(mk2(), problem).group.batch, 2);
    }

    void everyPlanFits() {
        QVERIFY(holds("poolings", 200, [] {
            PoolProblem problem =
                window(anyFrom(3, 80), 4 * anyFrom(1, 100), anyFrom(1, 3), anyFrom(0, 1));
            problem.batch = anyFrom(1, 9);
            problem.gradient = anyFrom(0, 1) == 1;
            problem.kind = anyFrom(0, 1) == 1 ? PoolKind::Max : PoolKind::Average;
            problem.storedGroup = 1 << anyFrom(0, 4);
            const PoolPlan plan = planPool(mk2(), problem);
            RC_ASSERT(tilesOf(plan) <= mk2().tilesPerIpu);
            RC_ASSERT(plan.splits.size() == 4);
            RC_ASSERT(plan.computeCycles > 0);
            RC_ASSERT(plan.group.channels % 4 == 0);
            RC_ASSERT(plan.splits[1] <= (problem.channels + plan.grains[1] - 1) / plan.grains[1]);
        }));
    }
};

TILESCOPE_TEST(PoolPlanTest)

} // namespace pool_plan_test

#include "pool_plan_test.moc"
