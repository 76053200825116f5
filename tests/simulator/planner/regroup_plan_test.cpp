// Blocks that are transposed where an operand's groups change, and the vertices that do it.
#include <QtTest>

#include "simulator/planner/regroup_plan.h"
#include "support/holds.h"
#include "tests/support/test_main.h"

namespace regroup_plan_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

constexpr std::int64_t half = 2, single = 4;

Target mk2() {
    return targetPreset("mk2");
}

} // namespace

class RegroupPlanTest : public QObject {
    Q_OBJECT

private slots:
    void groupsAreTakenApartWhileTilesAreIdle() {
        // 128 x 1024 in groups of 16: 512 whole blocks, 1024 halves of them, and no more than
        // tiles.
        const RegroupPlan plan = planRegroup(mk2(), 128 * 1024, half, 16, 16);
        QCOMPARE(plan.rows, 16);
        QCOMPARE(plan.columns, 8);
        QCOMPARE(plan.blocks, 1024);
        QCOMPARE(plan.blocksPerTile, 1);
    }

    void wholeGroupsWhereTilesAreBusy() {
        const RegroupPlan plan = planRegroup(mk2(), 128 * 4096, half, 16, 16);
        QCOMPARE(plan.rows, 16);
        QCOMPARE(plan.columns, 16);
        QCOMPARE(plan.blocksPerTile, 2);
    }

    void groupsWithoutWholeGrainsStay() {
        const RegroupPlan plan = planRegroup(mk2(), 6 * 16 * 10, half, 6, 16);
        QCOMPARE(plan.columns, 6);
        QCOMPARE(plan.rows, 16);
    }

    void blocksHoldEverything() {
        QVERIFY(holds("regrouped blocks", 300, [] {
            const std::int64_t bytes = anyFrom(0, 1) == 0 ? half : single;
            const std::int64_t grain = 8 / bytes;
            const std::int64_t source = grain * anyFrom(1, 64), wanted = grain * anyFrom(1, 4);
            const std::int64_t elements = source * wanted * anyFrom(1, 20000);
            const Target target = mk2();
            const RegroupPlan plan = planRegroup(target, elements, bytes, source, wanted);
            RC_ASSERT(plan.blocks * plan.rows * plan.columns == elements);
            RC_ASSERT(source % plan.columns == 0 && plan.columns % grain == 0);
            RC_ASSERT(wanted % plan.rows == 0 && plan.rows % grain == 0);
            RC_ASSERT(plan.blocksPerTile * target.tilesPerIpu >= plan.blocks);
        }));
    }

    void whoTransposes() {
        const Target target = mk2();
        const auto method = [&](std::int64_t rows, std::int64_t columns, std::int64_t onTile) {
            return transposeMethod(target, {rows, columns, onTile, onTile}, half);
        };
        QVERIFY(method(4, 4, 4) == TransposeMethod::OneWorker);
        QVERIFY(method(4, 4, 5) == TransposeMethod::Shared);
        QVERIFY(method(16, 16, 3) == TransposeMethod::Split);
        QVERIFY(method(16, 16, 4) == TransposeMethod::Shared);
        QVERIFY(method(16, 6, 1) == TransposeMethod::Workers);
        QVERIFY(transposeMethod(target, {16, 16, 1, 1}, single) == TransposeMethod::Workers);
    }

    void blocksAreSplitByRowsFirst() {
        // Six workers: four take a grain of rows each, the others nothing.
        const TransposePart one = splitTranspose(mk2(), {16, 16, 1, 1});
        QCOMPARE(one.rows, 4);
        QCOMPARE(one.columns, 16);
        const TransposePart flat = splitTranspose(mk2(), {4, 16, 1, 1});
        QCOMPARE(flat.rows, 4);
        QCOMPARE(flat.columns, 4);
    }
};

TILESCOPE_TEST(RegroupPlanTest)

} // namespace regroup_plan_test

#include "regroup_plan_test.moc"
