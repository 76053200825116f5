// Counters over time against an execution that is followed step by step.
#include "core/analysis/counters/counter_columns.h"

#include <QTemporaryDir>
#include <QTest>

#include "core/analysis/liveness/liveness.h"
#include "core/report/report.h"
#include "core/store/profile_writer.h"
#include "core/trace/lanes.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_profile.h"
#include "tests/support/scale_profile.h"
#include "tests/support/test_main.h"

namespace counters_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

std::int64_t alwaysLive(const Profile& profile, IpuId ipu) {
    return alwaysLiveBytes(profile.tileMemory,
                           TileSelection::ofIpu(ipu).range(profile.info.target));
}

const std::vector<std::int64_t> columnCounts{1, 2, 7, 40, 333, 1500};

} // namespace

class CountersTest : public QObject {
    Q_OBJECT

    const Profile p_ = sampleProfile({.ipus = 2});
    const std::shared_ptr<const ProfileView> view_ = ProfileView::of(p_);
    const std::int64_t total_ = view_->trace()->totalCycles();

    [[nodiscard]] std::vector<CycleRange> ranges() const {
        return {{0, total_},
                {total_ / 3, total_ / 2},
                {total_ / 7, total_ / 7 + 40},
                {-5000, total_ + 5000},
                {total_ - 3000, total_ + 100}};
    }

private slots:
    void columnsAreAsWideAsEachOther() {
        for (const std::int64_t wanted : columnCounts) {
            const CycleColumns columns({-17, 1000}, wanted);
            QCOMPARE(columns.at(0).begin, -17);
            QCOMPARE(columns.at(columns.count() - 1).end, 1000);
            for (std::size_t i = 1; i < columns.count(); ++i) {
                QCOMPARE(columns.at(i).begin, columns.at(i - 1).end);
                QVERIFY(std::abs(columns.at(i).cycles() - columns.at(0).cycles()) <= 1);
                QVERIFY(columns.at(i).cycles() > 0);
            }
        }
        QCOMPARE(CycleColumns({5, 8}, 100).count(), std::size_t(3));
        QCOMPARE(CycleColumns({5, 5}, 100).count(), std::size_t(0));
        // Weeks of cycles.
        const std::int64_t far = std::int64_t{1} << 60;
        QCOMPARE(CycleColumns({0, far}, 1500).border(1500), far);
    }

    void columnsOfBytesAddUpToTheRange() {
        const auto trace = view_->trace();
        for (const std::int32_t ipu : {0, 1})
            for (const std::int64_t wanted : columnCounts) {
                TraceSums sum;
                for (const TraceSums& column :
                     columnSums(*trace, IpuId(ipu), {{0, total_}, wanted}, usualColumnsOfBlock)) {
                    QVERIFY(column.exchangeBytesIn >= 0 && column.activeCycles >= 0);
                    sum += column;
                }
                TraceSums all = trace->statistics(IpuId(ipu), {0, total_}).sums;
                QVERIFY(all.exchangeBytesIn > 0 && all.hostBytesIn > 0 && all.globalBytesIn > 0);
                all.steps = 0;
                QVERIFY(sum == all);
            }
    }

    // Where a range cuts steps, each of its ends may be a byte off.
    void columnsAreWhatTheirRangesAre() {
        const auto trace = view_->trace();
        for (const CycleRange range : ranges()) {
            const CycleColumns columns(range, 50);
            const std::vector<TraceSums> sums =
                columnSums(*trace, IpuId(1), columns, usualColumnsOfBlock);
            for (std::size_t i = 0; i < sums.size(); ++i) {
                const TraceSums each = trace->statistics(IpuId(1), columns.at(i)).sums;
                constexpr std::int64_t cuts = 4; // steps at each end, of calls that overlap
                QVERIFY(std::abs(sums[i].exchangeBytesIn - each.exchangeBytesIn) <= cuts);
                QVERIFY(std::abs(sums[i].hostBytesIn - each.hostBytesIn) <= cuts);
                QVERIFY(std::abs(sums[i].activeCycles - each.activeCycles) <= cuts);
                QVERIFY(std::abs(sums[i].total() - each.total()) <= cuts);
            }
        }
    }

    void severalIpusAreAddedUp() {
        const CycleColumns columns({0, total_}, 20);
        const CounterColumns one(*view_, {IpuId(0)}, columns);
        const CounterColumns other(*view_, {IpuId(1)}, columns);
        const CounterColumns both(*view_, {IpuId(0), IpuId(1), IpuId(7)}, columns);
        QCOMPARE(both.tiles(), std::int64_t(2 * 1472));
        QCOMPARE(both.memory(), 2 * 1472 * p_.info.target.bytesPerTile);
        QVERIFY(both.liveIsExact());
        for (std::size_t i = 0; i < columns.count(); ++i) {
            QVERIFY(both.live()[i].most <= one.live()[i].most + other.live()[i].most);
            QVERIFY(both.live()[i].least >= one.live()[i].least + other.live()[i].least);
            QCOMPARE(both.activeTiles(i), one.activeTiles(i) + other.activeTiles(i));
            QCOMPARE(both.onChipBytesPerCycle(i),
                     one.onChipBytesPerCycle(i) + other.onChipBytesPerCycle(i));
            QVERIFY(both.activeTiles(i) <= static_cast<double>(both.tiles()));
        }
    }

    // A trace in its file yields the same, except that bytes are spread evenly over blocks that are
    // narrower than some columns.
    void aTraceInItsFileGivesTheSame() {
        const QTemporaryDir directory;
        const auto file = std::filesystem::path(directory.path().toStdString()) / "scale.pop";
        const Profile scale =
            scaleProfile({.steps = 210'000, .ipus = 3, .variables = 500, .tilesPerIpu = 8});
        writeProfile(scale, file);
        const ProfileView paged(file);
        const auto whole = ProfileView::of(scale);
        QVERIFY(paged.trace()->lanes().inPages() && !whole->trace()->lanes().inPages());
        const std::int64_t total = whole->trace()->totalCycles();
        const LiveMemory a(paged, {});
        const LiveMemory b(*whole, {});
        for (const CycleRange range : {CycleRange{0, total}, CycleRange{total / 2, total * 5 / 9},
                                       CycleRange{total / 3, total / 3 + 90'000}}) {
            const CycleColumns columns(range, 700);
            QVERIFY(a.columns(IpuId(1), columns) == b.columns(IpuId(1), columns));
            TraceSums ofFile;
            TraceSums ofMemory;
            for (const TraceSums& column :
                 columnSums(*paged.trace(), IpuId(1), columns, usualColumnsOfBlock)) {
                QVERIFY(column.exchangeBytesIn >= 0);
                ofFile += column;
            }
            for (const TraceSums& column :
                 columnSums(*whole->trace(), IpuId(1), columns, usualColumnsOfBlock))
                ofMemory += column;
            QVERIFY(ofMemory.exchangeBytesIn > 0);
            const double off = static_cast<double>(ofFile.exchangeBytesIn) /
                               static_cast<double>(ofMemory.exchangeBytesIn);
            QVERIFY2(std::abs(off - 1) < 0.01, qPrintable(QString::number(off)));
            if (range.begin == 0)
                QCOMPARE(ofFile.exchangeBytesIn, ofMemory.exchangeBytesIn);
        }
    }

    void refusesIpusThatAreNotThere() {
        QCOMPARE(userError([&] {
                     (void)columnSums(*view_->trace(), IpuId(2), {{0, total_}, 5}, 4);
                 }),
                 "there is no IPU 2: IPUs are 0 to 1");
        QCOMPARE(userError([&] {
                     (void)LiveMemory(*view_, {}).columns(IpuId(2), {{0, total_}, 5});
                 }),
                 "there is no IPU 2: IPUs are 0 to 1");
        std::stop_source stop;
        stop.request_stop();
        QVERIFY_EXCEPTION_THROWN(
            (void)columnSums(*view_->trace(), IpuId(0), {{0, total_}, 5}, 4, stop.get_token()),
            Cancelled);
        QVERIFY_EXCEPTION_THROWN(
            (void)LiveMemory(*view_, {}).columns(IpuId(0), {{0, total_}, 5}, stop.get_token()),
            Cancelled);
    }

    // A profile whose tree does not match its trace still has a curve: the always-live bytes.
    void aStrangeTreeHasNoSteps() {
        Profile strange = p_;
        for (Program& program : strange.programs)
            program.children.clear();
        const auto view = ProfileView::of(strange);
        for (const LiveExtremes& column : LiveMemory(*view, {}).columns(IpuId(0), {{0, total_}, 9}))
            QCOMPARE(column.most, alwaysLive(p_, IpuId(0)));
    }

    void theReportHasTheSameFigures() {
        ReportRequest request;
        request.breakdown = "time";
        const Document document = traceReport(*view_, request);
        const Table& table = document.tables.front();
        QVERIFY(document.fields.back().key == "liveMost");
        QCOMPARE(table.rows.size(), std::size_t(40));
        const CounterColumns counters(*view_, {IpuId(0), IpuId(1)}, {{0, total_}, 40});
        for (std::size_t i = 0; i < table.rows.size(); ++i) {
            const std::vector<Cell>& cells = table.rows[i].cells;
            QVERIFY(cells[table.columnOf("liveMost")] == Cell(counters.live()[i].most));
            QVERIFY(cells[table.columnOf("onChipBytesPerCycle")] ==
                    Cell(counters.onChipBytesPerCycle(i)));
            QVERIFY(cells[table.columnOf("activeTiles")] == Cell(counters.activeTiles(i)));
        }
        request.breakdown = "tim";
        QCOMPARE(userError([&] { (void)traceReport(*view_, request); }),
                 "option --by: 'tim' is not one of run, time. Did you mean 'time'?");
    }
};

TILESCOPE_TEST(CountersTest)

} // namespace counters_test

#include "counters_test.moc"
