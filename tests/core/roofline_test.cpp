// The roofline: work a byte and a cycle against figures worked out by hand.
#include "core/analysis/accounting/roofline.h"

#include <QTest>
#include <algorithm>

#include "core/analysis/accounting/cost_columns.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace roofline_test {
using namespace tilescope;
using namespace tilescope::test;

class RooflineTest : public QObject {
    Q_OBJECT

    // 100 FLOPs and 4 bytes a cycle.
    static CostRow worked(double flops, std::int64_t bytes, double cycles) {
        CostRow row;
        row.executions = 1;
        row.flops = flops;
        row.bytesExchanged = bytes;
        row.workCycles = cycles;
        row.peakFlops = 100 * cycles;
        row.peakBytes = 4 * cycles;
        return row;
    }

private slots:
    /// 250 and 62.5 TFLOPS and 8 TB/s of a GC200, as published, at 1.33 GHz.
    void limitsAreThoseOfTheMachine() {
        const RooflineLimits limits = rooflineLimits(sampleProfile().info.target);
        QCOMPARE(limits.halfFlops, 1472 * 128.0);
        QCOMPARE(limits.singleFlops, 1472 * 32.0);
        QCOMPARE(limits.bytes, 1472 * 4.0);
        QCOMPARE(limits.at(2, limits.halfFlops), 2 * 1472 * 4.0);
        QCOMPARE(limits.at(1000, limits.halfFlops), limits.halfFlops);
        QCOMPARE(limits.at(1000, limits.singleFlops), limits.singleFlops);
    }

    void theLowerLimitHolds() {
        const CostRow little = worked(600, 60, 50); // 10 a byte: 40 a cycle at the most
        QCOMPARE(little.flopsPerByte().value(), 10.0);
        QCOMPARE(little.flopsPerCycle().value(), 12.0);
        QCOMPARE(little.roofFlopsPerCycle().value(), 40.0);
        const CostRow much = worked(600, 6, 50); // 100 a byte: the matrix units are the limit
        QCOMPARE(much.roofFlopsPerCycle().value(), 100.0);
        const CostRow alone = worked(600, 0, 50);
        QVERIFY(!alone.flopsPerByte());
        QCOMPARE(alone.roofFlopsPerCycle().value(), 100.0);
        QVERIFY(!worked(600, 6, 0).flopsPerCycle());
        QVERIFY(!worked(600, 6, 0).roofFlopsPerCycle());
    }

    void onlyWhatWorksIsAPoint() {
        const std::vector<CostRow> rows{worked(600, 60, 50), worked(0, 60, 500), worked(600, 0, 90),
                                        worked(600, 60, 0)};
        const std::vector<RooflinePoint> points = rooflinePoints(rows);
        QCOMPARE(points.size(), std::size_t(2));
        QCOMPARE(points[0].row, std::size_t(2)); // most cycles first
        QVERIFY(!points[0].flopsPerByte);
        QCOMPARE(points[0].flopsPerCycle, 600 / 90.0);
        QCOMPARE(points[1].flopsPerByte.value(), 10.0);
        QCOMPARE(points[1].cycles, 50.0);
    }

    /// conv1 receives 4,096 bytes on each tile and computes 12,000 cycles, ten times.
    void figuresAreThoseOfTheRun() {
        const ProfileView profile(std::make_shared<const Profile>(sampleProfile()));
        const auto accounting = accountingOf(profile);
        const auto rows = costRows(profile, *accounting, CostLayer::Place);
        const auto conv = std::find_if(rows.begin(), rows.end(),
                                       [](const CostRow& row) { return row.path == "conv1"; });
        QVERIFY(conv != rows.end());
        QCOMPARE(conv->executions, 10);
        QCOMPARE(conv->bytesOnce, 1472 * 4096);
        QCOMPARE(conv->bytesExchanged, 10 * conv->bytesOnce);
        QCOMPARE(conv->workCycles, static_cast<double>(conv->measured(CostKind::Compute) +
                                                       conv->measured(CostKind::Exchange)));
        QCOMPARE(conv->flopsPerByte().value(), conv->flopsOnce / (1472 * 4096));
        QCOMPARE(conv->flopsPerCycle().value(), 10 * conv->flopsOnce / conv->workCycles);
        QCOMPARE(conv->peakBytes, 1472 * 4 * conv->workCycles);
        const Table table = costTable(rows, accounting->totals(), CostLayer::Place);
        const Row& row = table.rows[static_cast<std::size_t>(conv - rows.begin())];
        QCOMPARE(std::get<double>(row.cells[table.columnOf("flopsPerByte")]),
                 conv->flopsPerByte().value());
        QCOMPARE(std::get<double>(row.cells[table.columnOf("roofFlopsPerCycle")]),
                 conv->roofFlopsPerCycle().value());
    }

    void withoutATraceFiguresAreOfOneExecution() {
        const ProfileView profile(
            std::make_shared<const Profile>(sampleProfile({.tooLarge = true})));
        const auto rows = costRows(profile, *accountingOf(profile), CostLayer::Place);
        const auto points = rooflinePoints(rows);
        QVERIFY(!points.empty());
        const CostRow& row = rows[points.front().row];
        QCOMPARE(row.bytesExchanged, 0);
        QVERIFY(row.bytesOnce > 0);
        QCOMPARE(points.front().flopsPerByte.value(),
                 row.flopsOnce / static_cast<double>(row.bytesOnce));
        QCOMPARE(points.front().cycles, static_cast<double>(row.cyclesOnce()));
    }
};

TILESCOPE_TEST(RooflineTest)

} // namespace roofline_test

#include "roofline_test.moc"
