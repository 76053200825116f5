// Plans of embeddings: the best of all splits, and known ones.
#include <QtTest>

#include "simulator/cost/slice_cycles.h"
#include "simulator/planner/embedding_plan.h"
#include "simulator/planner/planner.h"
#include "support/holds.h"
#include "tests/support/test_main.h"

namespace embedding_plan_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

EmbeddingProblem anyProblem() {
    EmbeddingProblem problem;
    problem.rows = anyFrom(1, 400);
    problem.width = anyFrom(1, 60);
    problem.indices = anyFrom(1, 300);
    problem.type = *rc::gen::element(DataType::Half, DataType::Float);
    problem.updates = *rc::gen::arbitrary<bool>();
    problem.slices = !problem.updates || *rc::gen::arbitrary<bool>();
    return problem;
}

} // namespace

class EmbeddingPlanTest : public QObject {
    Q_OBJECT

private slots:
    void publishedShapes() {
        const Target target = targetPreset("mk1");
        // A large table is cut by rows as far as tiles go.
        const EmbeddingPlan large =
            planEmbedding(target, {100'000, 200, 1440, DataType::Half, true, true}, 0.6);
        QCOMPARE(large.splits, (EmbeddingSplits{100, 12, 1}));
        QVERIFY(large.withinMemoryTarget);
        QVERIFY(large.partialType() == DataType::Half);
        // Many indices of a small one are shared out; their updates are added up in float.
        const EmbeddingPlan small =
            planEmbedding(target, {1000, 200, 21'600, DataType::Half, true, true}, 0.6);
        QCOMPARE(small.splits, (EmbeddingSplits{100, 1, 12}));
        QVERIFY(small.partialType() == DataType::Float);
        QCOMPARE(small.indicesPerPart(), 1800);
        QVERIFY(small.toJson().find(R"("lookups":12,"sliced":1,"unsliced":100)") !=
                std::string::npos);
    }

    void noSplitIsBetter() {
        QVERIFY(holds("embedding plan", 60, [] {
            Target target = targetPreset("mk2");
            target.tilesPerIpu = static_cast<std::int32_t>(anyFrom(1, 24));
            const EmbeddingProblem problem = anyProblem();
            const double proportion = *rc::gen::element(0.0001, 0.01, 0.6);
            const EmbeddingPlan plan = planEmbedding(target, problem, proportion);
            const std::int64_t bound = memoryBound(target, proportion);
            RC_ASSERT(plan.splits.tiles() <= target.tilesPerIpu);
            RC_ASSERT(plan.withinMemoryTarget == (plan.cost.tempBytes <= bound));
            const std::int64_t grains = (problem.width + plan.grain - 1) / plan.grain;
            for (std::int64_t u = 1; u <= std::min<std::int64_t>(grains, target.tilesPerIpu); ++u)
                for (std::int64_t r = 1;
                     r <= std::min((problem.rows + 1) / 2, target.tilesPerIpu / u); ++r)
                    for (std::int64_t l = 1;
                         l <= std::min(problem.indices, target.tilesPerIpu / (u * r)); ++l) {
                        const EmbeddingCost cost = embeddingCost(target, problem, {u, r, l});
                        if (cost.tempBytes <= bound)
                            RC_ASSERT(plan.withinMemoryTarget &&
                                      plan.cost.tempBytes + plan.cost.tableBytes <=
                                          cost.tempBytes + cost.tableBytes);
                        else if (!plan.withinMemoryTarget)
                            RC_ASSERT(plan.cost.tempBytes <= cost.tempBytes);
                    }
        }));
    }

    void skippedRowsCostLess() {
        const Target target = targetPreset("mk2");
        // 60 indices are 10 a worker; 19 + 2 cycles a row of a pair of halves, 8 for one to skip.
        QCOMPARE(multiSliceCycles(target, 60, 2), 6 * (30 + 10 * 21));
        QCOMPARE(multiSliceCycles(target, 60, 2, 0.1), 6 * (30 + 21 + 9 * 8));
        QCOMPARE(multiUpdateCycles(target, 60, 2, DataType::Half), 6 * (33 + 60 * 12));
        QCOMPARE(multiUpdateCycles(target, 60, 2, DataType::Float), 6 * (32 + 60 * 14));
        QCOMPARE(multiUpdateCycles(target, 60, 2, DataType::Float, 0.5),
                 6 * (32 + 30 * 14 + 30 * 5));
    }

    void anEmptyTable() {
        const EmbeddingPlan plan =
            planEmbedding(targetPreset("mk2"), {1, 1, 0, DataType::Float, true, false}, 0.6);
        QCOMPARE(plan.splits.tiles(), 1);
    }
};

TILESCOPE_TEST(EmbeddingPlanTest)

} // namespace embedding_plan_test

#include "embedding_plan_test.moc"
