// What the user's program recorded about itself: in the file, on the axis, in the report.
#include "core/profile/host_record.h"

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <sstream>

#include "core/analysis/hosts/host_record_lanes.h"
#include "core/export/chrome_trace.h"
#include "core/report/report.h"
#include "core/store/profile_reader.h"
#include "core/store/profile_writer.h"
#include "tests/support/profile_sql.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace host_record_test {
using namespace tilescope;
using namespace tilescope::test;
namespace fs = std::filesystem;

class HostRecordTest : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;
    const Profile profile_ = sampleProfile({.withRecord = true});

    [[nodiscard]] fs::path written() const {
        const fs::path file = fs::path(directory_.path().toStdString()) / "record.pop";
        writeProfile(profile_, file);
        return file;
    }
    [[nodiscard]] static Document report(const fs::path& file, const std::string& by) {
        ReportRequest request;
        request.breakdown = by;
        return hostsReport(ProfileView(file), request);
    }

private slots:
    void theFileHasItAll() {
        const fs::path file = written();
        QVERIFY(ProfileReader(file).hostRecord() == profile_.hostRecord);
        const HostRecord none = sampleProfile().hostRecord;
        QVERIFY(none.empty() && !profile_.hostRecord.empty());
    }

    void damageIsRefused_data() {
        QTest::addColumn<QString>("sql");
        const auto row = [](const char* sql) { QTest::newRow(sql) << QString(sql); };
        row("UPDATE host_events SET seconds = -1 WHERE id = 0");
        row("UPDATE host_events SET start = 'soon' WHERE id = 0");
        row("UPDATE host_events SET start = 1e300 WHERE id = 0");
        row("UPDATE host_points SET series = 7");
        row("UPDATE host_points SET value = NULL");
        row("UPDATE host_series SET id = 3");
        row("UPDATE host_heat_maps SET id = 2");
        row("UPDATE host_heat_edges SET edge = 1 WHERE bin = 0");
        row("UPDATE host_heat_counts SET bin = bin + 9");
        row("UPDATE host_heat_counts SET count = -count");
        row("UPDATE host_heat_counts SET map = 1");
    }
    void damageIsRefused() {
        QFETCH(QString, sql);
        const fs::path file = written();
        QCOMPARE(text(changeProfile(file, sql.toStdString())), "");
        QVERIFY_THROWS_EXCEPTION(UserError, (void)ProfileReader(file).hostRecord());
    }

    void tracepointsWithinOthersAreBelowThem() {
        const std::vector<HostLane> lanes = recordLanes(profile_.hostRecord, 1e6);
        QCOMPARE(lanes.size(), std::size_t{3});
        QCOMPARE(lanes[0].name, std::string("MainThread"));
        QCOMPARE(lanes[1].name, std::string("MainThread"));
        QCOMPARE(lanes[2].name, std::string("Loader"));
        QCOMPARE(lanes[0].boxes.size(), std::size_t{1});
        QCOMPARE(lanes[0].boxes[0].cycles, (CycleRange{-2000, 8000}));
        QCOMPARE(lanes[1].boxes.size(), std::size_t{2});
        QVERIFY(lanes[1].boxes[0].work == HostWork::Tracepoint);
        QVERIFY(lanes[1].boxes[1].work == HostWork::Moment);
        QCOMPARE(lanes[1].boxes[1].cycles, (CycleRange{4000, 4000}));
    }

    void rowsHaveAnEnd() {
        HostRecord deep;
        for (int i = 0; i < 3 * deepestHostRow; ++i)
            deep.events.push_back({"MainThread", "app", "again", 0.001 * i, 1 - 0.001 * i});
        QCOMPARE(recordLanes(deep, 1e6).size(), static_cast<std::size_t>(deepestHostRow));
    }

    void equalTracepointsAreAddedUp() {
        HostRecord record = profile_.hostRecord;
        record.events.push_back({"MainThread", "app", "epoch", 0.01, 0.03});
        const std::vector<HostEventSum> sums = eventSums(record);
        QCOMPARE(sums[0].name, std::string("epoch"));
        QCOMPARE(sums[0].count, std::int64_t{2});
        QCOMPARE(sums[0].seconds, 0.04);
        QCOMPARE(sums[0].longest, 0.03);
        QCOMPARE(sums[0].firstStart, -0.002);
        QVERIFY(sums.back().isMoment);
    }

    void theReportSaysIt() {
        const fs::path file = written();
        const Document sums = report(file, "");
        QCOMPARE(sums.tables[0].rows.size(), std::size_t{4});
        QCOMPARE(std::get<double>(sums.tables[1].rows[0].cells[7]), 2.0); // the mean loss
        QCOMPARE(sums.tables[2].rows.size(), std::size_t{3});             // bins that have any
        QCOMPARE(std::get<std::string>(sums.tables[2].rows[1].cells[2]), std::string("-8 to 0"));
        QCOMPARE(std::get<std::int64_t>(sums.tables[2].rows[1].cells[3]), std::int64_t{9});
        const Document list = report(file, "time");
        QCOMPARE(list.tables[1].rows.size(), std::size_t{2});
        QCOMPARE(list.tables[2].rows.size(), std::size_t{4});
        QVERIFY_THROWS_EXCEPTION(UserError, (void)report(file, "thread"));
    }

    void theLanesGoToTraceFiles() {
        const TraceIndex index{profile_.trace, 1, profile_.info.target.tilesPerIpu};
        HostTimeline host(
            profile_.hostSpans, index,
            HostCopies(profile_.trace, profile_.info.target, profile_.programs, profile_.streams),
            profile_.info.target);
        host.addRecord(profile_.hostRecord);
        QVERIFY(host.lastCycle() > 0);
        std::ostringstream out;
        writeChromeTrace(out, {profile_.info, index, profile_.programs, profile_.operations, &host},
                         {});
        QVERIFY(text(out.str()).contains("\"tracepoint\""));
        QVERIFY(text(out.str()).contains("\"best so far\""));
    }
};

TILESCOPE_TEST(HostRecordTest)

} // namespace host_record_test

#include "host_record_test.moc"
