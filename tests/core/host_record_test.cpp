// What the user's program recorded about itself: in the file, on the axis, in the report.
#include "core/profile/host_record.h"

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <sstream>

#include "core/analysis/hosts/host_calls.h"
#include "core/analysis/hosts/host_event_sums.h"
#include "core/analysis/hosts/host_threads.h"
#include "core/analysis/hosts/repeated_runs.h"
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
        const HostThreads threads(profile_.hostRecord, 1e6);
        QCOMPARE(threads.threads().size(), std::size_t{2});
        QCOMPARE(threads.threads()[0].name, std::string("MainThread"));
        QCOMPARE(threads.threads()[1].name, std::string("Loader"));
        const std::vector<HostThreads::Row>& rows = threads.threads()[0].rows;
        QCOMPARE(rows.size(), std::size_t{2});
        const auto pieces = [&](std::size_t row, std::int64_t minimum) {
            return threads.pieces(rows[row], {-10'000, 10'000}, minimum);
        };
        QCOMPARE(pieces(0, 1).size(), std::size_t{1});
        QCOMPARE(pieces(0, 1)[0].cycles, (CycleRange{-2000, 8000}));
        QCOMPARE(pieces(1, 1).size(), std::size_t{2});
        QVERIFY(!pieces(1, 1)[0].hasMoment);
        QVERIFY(pieces(1, 1)[1].hasMoment);
        QCOMPARE(pieces(1, 1)[1].cycles, (CycleRange{4000, 4000}));
        QCOMPARE(threads.word(pieces(1, 1)[1].name), std::string("best so far"));
        QCOMPARE(threads.channels().size(), std::size_t{3});
        QCOMPARE(threads.firstCycle(), std::int64_t{-2000});
        QCOMPARE(threads.lastCycle(), std::int64_t{8000});
    }

    /// At any resolution nothing is lost, and there are no more pieces than a screen has pixels.
    void narrowNeighboursAreJoined() {
        HostRecord many;
        constexpr int count = 10'000;
        for (int i = 0; i < count; ++i)
            many.events.push_back({"MainThread", i % 4 == 0 ? "rare" : "often", "step", 0.001 * i,
                                   i == count / 2 ? 0.0009 : 0.0005});
        many.events.push_back({"MainThread", "rare", "long", 0.001 * count, 1.0});
        const HostThreads threads(many, 1e6);
        const HostThreads::Row& row = threads.threads()[0].rows[0];
        for (const std::int64_t minimum : {1, 700, 5'000, 100'000}) {
            const auto pieces = threads.pieces(row, {0, 12'000'000}, minimum);
            std::int64_t events = 0;
            for (std::size_t i = 0; i < pieces.size(); ++i) {
                events += pieces[i].count;
                QVERIFY(i == 0 || pieces[i].cycles.begin >= pieces[i - 1].cycles.end);
            }
            QCOMPARE(events, std::int64_t{count + 1});
            QVERIFY(static_cast<std::int64_t>(pieces.size()) <= 2 * 12'000'000 / minimum);
            QCOMPARE(pieces.back().count, std::int64_t{1}); // the long one is not joined
        }
        const HostPiece joined = threads.pieces(row, {1'000'000, 2'000'000}, 100'000)[3];
        QCOMPARE(joined.count, std::int64_t{100});
        QCOMPARE(threads.word(joined.shares[0].channel), std::string("often"));
        QVERIFY(joined.shares[0].share > 80 && joined.shares[0].share < 105); // 3/8 of 255
        // Panning joins the same ones.
        const auto all = threads.pieces(row, {0, 12'000'000}, 5'000);
        const auto part = threads.pieces(row, {2'001'100, 4'000'000}, 5'000);
        const auto same = std::ranges::find_if(
            all, [&](const HostPiece& piece) { return piece.cycles == part[0].cycles; });
        QVERIFY(same != all.end());
        QCOMPARE(same->count, part[0].count);
    }

    void callsOfARangeAreATree() {
        HostRecord record = profile_.hostRecord;
        const HostThreads threads(record, 1e6);
        const std::vector<HostCalls> calls = hostCalls(threads, {500, 6000});
        QCOMPARE(calls.size(), std::size_t{2});
        QCOMPARE(calls[0].name, std::string("MainThread"));
        QCOMPARE(calls[0].cycles, std::int64_t{5500});
        const HostCalls& epoch = calls[0].within.at(0);
        QCOMPARE(epoch.name, std::string("epoch"));
        QCOMPARE(epoch.cycles, std::int64_t{5500});
        QCOMPARE(epoch.ownCycles, std::int64_t{5000}); // without half of the call
        QCOMPARE(epoch.longest, std::int64_t{10'000});
        QCOMPARE(epoch.within.size(), std::size_t{2});
        QCOMPARE(epoch.within[0].name, std::string("modelExecution"));
        QCOMPARE(epoch.within[0].cycles, std::int64_t{500});
        QCOMPARE(epoch.within[1].name, std::string("best so far"));
        QCOMPARE(epoch.within[1].count, std::int64_t{1});
        QCOMPARE(calls[1].within.at(0).cycles, std::int64_t{2000});
        QVERIFY(hostCalls(threads, {20'000, 30'000}).empty());
    }

    void callsBeyondTheTraceRepeatItsRun() {
        const TraceIndex trace{profile_.trace, 1, profile_.info.target.tilesPerIpu};
        const double clock = profile_.info.target.clockHz;
        const auto of = [&](const HostRecord& record) {
            return repeatedRuns(record, trace, profile_.info.cycles, clock);
        };
        QCOMPARE(of(profile_.hostRecord).calls, std::int64_t{1});
        QVERIFY(of(profile_.hostRecord).empty());
        HostRecord record = profile_.hostRecord;
        for (const double start :
             {1.0, 1.0, 2.0}) // the second does not begin before the first ends
            record.events.push_back({"MainThread", "poptorch.trainingModel",
                                     "poptorch.trainingModel.modelExecution", start, 0.001});
        record.events.push_back(
            {"MainThread", "poptorch.inferenceModel", "modelExecution", 3.0, 0.001});
        const RepeatedRuns repeated = of(record);
        QCOMPARE(repeated.calls, std::int64_t{4});
        QCOMPARE(repeated.run.cycles, profile_.info.cycles);
        const std::int64_t first = std::llround(clock);
        QCOMPARE(repeated.starts,
                 (std::vector<std::int64_t>{first, first + repeated.run.cycles, 2 * first}));
        QCOMPARE(repeated.firstFrom(first), std::size_t{0});
        QCOMPARE(repeated.firstFrom(2 * first), std::size_t{2});
    }

    void rowsHaveAnEnd() {
        HostRecord deep;
        for (int i = 0; i < 3 * deepestHostRow; ++i)
            deep.events.push_back({"MainThread", "app", "again", 0.001 * i, 1 - 0.001 * i});
        QCOMPARE(HostThreads(deep, 1e6).threads()[0].rows.size(),
                 static_cast<std::size_t>(deepestHostRow));
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
        host.addThreads(std::make_shared<const HostThreads>(profile_.hostRecord, host.clockHz()));
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
