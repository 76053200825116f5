// Plans of convolutions that run at the same time.
#include <QtTest>
#include <set>

#include "core/target/target.h"
#include "simulator/planner/goal.h"
#include "simulator/planner/multi_plan.h"
#include "support/any_problem.h"
#include "support/holds.h"
#include "tests/support/test_main.h"

namespace multi_plan_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

/// A 3x3 convolution that keeps its field.
MultiConvPart part(std::int64_t field, std::int64_t in, std::int64_t out) {
    MultiConvPart made;
    made.problem.inChans = in;
    made.problem.outChans = out;
    made.problem.inType = made.problem.outType = DataType::Half;
    made.problem.field.assign(2, {field, field, 3, 1, 1, 1});
    return made;
}

std::int64_t slowest(const std::vector<ConvPlan>& plans) {
    std::int64_t cycles = 0;
    for (const ConvPlan& plan : plans)
        cycles = std::max(cycles, plan.cost.cycles());
    return cycles;
}

std::int64_t sum(const Target& target, const std::vector<MultiConvPart>& parts) {
    std::int64_t cycles = 0;
    for (const MultiConvPart& part : parts)
        cycles += planConv(target, part.problem, part.proportion, OverMemory::Relax).cost.cycles();
    return cycles;
}

/// Parallel parts have tiles of their own.
QString complaint(const Target& target, const std::vector<MultiConvPart>& parts,
                  const std::vector<ConvPlan>& plans) {
    if (plans.size() != parts.size())
        return "a part has no plan";
    std::set<std::int64_t> taken;
    for (const ConvPlan& plan : plans) {
        if (plan.parallel != plans.front().parallel)
            return "some are parallel and some are not";
        if (!plan.parallel)
            continue;
        for (std::int64_t i = 0; i < plan.splits.tiles(); ++i)
            if (plan.firstTile + i >= target.tilesPerIpu ||
                !taken.insert(plan.firstTile + i).second)
                return "two have the same tile, or one that there is not";
        if (plan.firstTile % target.tilesPerSharedBus != 0 || plan.splits.serialSteps() > 1)
            return "a part begins within a pair of tiles, or has slices in time";
    }
    return {};
}

} // namespace

class MultiPlanTest : public QObject {
    Q_OBJECT

private slots:
    void partsHaveTilesOfTheirOwn() {
        const Target target = targetPreset("mk2");
        const std::vector<MultiConvPart> parts{part(28, 64, 64), part(14, 64, 64),
                                               part(14, 64, 32)};
        const auto plans = planMultiConv(target, parts, {}, OverMemory::Relax);
        QCOMPARE(complaint(target, parts, plans), QString());
        QVERIFY(plans.front().parallel);
        QCOMPARE(plans.front().firstTile, 0); // the largest is the first
        QVERIFY(slowest(plans) < sum(target, parts));
    }

    /// As asked for, also where the largest is nearly all of the work and its back-off costs more
    /// than the others take.
    void togetherEvenIfThatIsSlower() {
        const Target target = targetPreset("mk2");
        const std::vector<MultiConvPart> parts{part(56, 64, 64), part(7, 16, 16)};
        MultiConv options;
        options.cycleBackOff = 1;
        const auto plans = planMultiConv(target, parts, options, OverMemory::Relax);
        QCOMPARE(complaint(target, parts, plans), QString());
        QVERIFY(plans.front().parallel);
        QVERIFY(slowest(plans) > sum(target, parts));
    }

    /// The smaller ones have no step that is longer than that of the largest: the first on as few
    /// tiles as that takes, the second with the least memory on what remains.
    void noStepOfASmallerOneIsLonger() {
        const Target target = targetPreset("mk2");
        const std::vector<MultiConvPart> parts{part(56, 64, 64), part(14, 16, 16),
                                               part(14, 16, 16)};
        const auto plans = planMultiConv(target, parts, {}, OverMemory::Relax);
        QVERIFY(plans.front().parallel);
        for (const ConvPlan& plan : plans)
            QCOMPARE(excessCycles(plan.cost, plans.front().cost), 0);
        QVERIFY(plans[1].splits.tiles() < plans[2].splits.tiles());
        QVERIFY(plans[2].cost.tempBytes < plans[1].cost.tempBytes);
    }

    /// Where that leaves the second largest few tiles, nothing is slower than the largest instead.
    void noneIsLeftWithFewTiles() {
        const Target target = targetPreset("mk2");
        const std::vector<MultiConvPart> parts{part(28, 64, 64), part(14, 64, 64),
                                               part(14, 64, 32)};
        const auto plans = planMultiConv(target, parts, {}, OverMemory::Relax);
        QVERIFY(plans.front().parallel);
        QVERIFY(slowest(plans) < sum(target, parts));
    }

    void oneByOneIfAskedFor() {
        const Target target = targetPreset("mk2");
        const std::vector<MultiConvPart> parts{part(28, 64, 64), part(14, 64, 64)};
        MultiConv options;
        options.parallel = false;
        for (const ConvPlan& plan : planMultiConv(target, parts, options, OverMemory::Relax)) {
            QVERIFY(!plan.parallel);
            QCOMPARE(plan.firstTile, 0);
        }
    }

    /// More convolutions than tiles cannot run at the same time.
    void tooFewTiles() {
        Target target = targetPreset("mk2");
        target.tilesPerIpu = 4;
        const std::vector<MultiConvPart> parts(6, part(8, 16, 16));
        const auto plans = planMultiConv(target, parts, {}, OverMemory::Relax);
        QCOMPARE(complaint(target, parts, plans), QString());
        QVERIFY(!plans.front().parallel);
    }

    /// A larger back-off lets the largest take fewer tiles.
    void backOffTakesTiles() {
        const Target target = targetPreset("mk2");
        const std::vector<MultiConvPart> parts{part(56, 64, 64), part(28, 64, 64)};
        std::int64_t before = target.tilesPerIpu;
        for (const double backOff : {0.0, 0.1, 0.5}) {
            MultiConv options;
            options.cycleBackOff = backOff;
            const auto plans = planMultiConv(target, parts, options, OverMemory::Relax);
            QCOMPARE(complaint(target, parts, plans), QString());
            if (!plans.front().parallel)
                continue;
            QVERIFY(plans.front().splits.tiles() <= before);
            before = plans.front().splits.tiles();
        }
        QVERIFY(before < target.tilesPerIpu);
    }

    void anyConvolutions() {
        QVERIFY(holds("convolutions together", 12, [] {
            Target target = targetPreset("mk2");
            target.tilesPerIpu = static_cast<std::int32_t>(anyFrom(2, 64));
            std::vector<MultiConvPart> parts(static_cast<std::size_t>(anyFrom(1, 4)));
            for (MultiConvPart& one : parts)
                one = part(anyFrom(4, 16), 4 * anyFrom(1, 8), 4 * anyFrom(1, 8));
            MultiConv options;
            options.reservedTiles = anyFrom(0, 20);
            options.cycleBackOff = static_cast<double>(anyFrom(0, 10)) / 10;
            const auto plans = planMultiConv(target, parts, options, OverMemory::Relax);
            RC_ASSERT(complaint(target, parts, plans).isEmpty());
        }));
    }
};

TILESCOPE_TEST(MultiPlanTest)

} // namespace multi_plan_test

#include "multi_plan_test.moc"
