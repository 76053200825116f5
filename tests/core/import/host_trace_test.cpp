// Traces of programs on the host: what becomes an event, where it is in time, and what is refused.
#include <QTemporaryDir>
#include <QTest>
#include <array>
#include <cmath>
#include <fstream>
#include <zlib.h>

#include "core/base/error.h"
#include "core/import/add_host_traces.h"
#include "core/import/import_cache.h"
#include "core/import/trace_events.h"
#include "core/store/profile_reader.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace import_host_trace_test {
using namespace tilescope;
using namespace tilescope::test;
namespace fs = std::filesystem;

namespace {

// Two processes; "read" is within "load"; "train" has no end; an end without a beginning, a flow.
constexpr std::string_view content = R"json({"displayTimeUnit": "ms", "traceEvents": [
 {"ph":"M","name":"process_name","pid":7,"tid":0,"args":{"name":"python"}},
 {"ph":"M","name":"thread_name","pid":7,"tid":1,"args":{"labels":{"name":"no"},"name":"Main"}},
 {"ph":"M","name":"thread_name","pid":7,"tid":2,"args":{"name":"Main"}},
 {"ph":"X","name":"read","cat":"data","pid":7,"tid":1,"ts":1000100,"dur":50.5,"args":{"deep":[{"ts":1}]}},
 {"ph":"B","name":"load","cat":"data","pid":7,"tid":1,"ts":1000000},
 {"ph":"E","pid":7,"tid":1,"ts":1000400},
 {"ph":"E","pid":7,"tid":1,"ts":1000450},
 {"ph":"B","name":"train","pid":7,"tid":2,"ts":1000500},
 {"ph":"i","name":"epoch","pid":7,"tid":2,"ts":1000600,"s":"t"},
 {"ph":"s","name":"flow","pid":7,"tid":2,"ts":1000600,"id":1},
 {"ph":"b","name":"request","cat":"net","pid":"server","id":"0x1","ts":1000700},
 {"ph":"e","name":"request","cat":"net","pid":"server","id":"0x1","ts":1000900},
 {"ph":"C","name":"queue","cat":"things","pid":7,"ts":1000300,"args":{"waiting":3,"text":"x"}},
 {"ph":"C","name":"queue","cat":"things","pid":7,"ts":1000200,"args":{"waiting":2}},
 {"ph":"X","name":"no time","pid":7,"tid":1}
], "otherData": {"producer":"libpvti of TileScope"}})json";

struct Host {
    HostRecord record;
    AddedHostTraces added;
};

} // namespace

class HostTraceTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    [[nodiscard]] fs::path file(std::string_view content) const {
        const fs::path path = fs::path(folder_.path().toStdString()) / "trace.json";
        std::ofstream(path, std::ios::binary) << content;
        return path;
    }
    [[nodiscard]] Host hostOf(std::string_view trace, const HostTraceClock& clock = {}) const {
        Profile profile;
        const std::array files{file(trace)};
        Host host;
        host.added = addHostTraces(profile, files, clock);
        host.record = std::move(profile.hostRecord);
        return host;
    }
    [[nodiscard]] QString refusalOf(std::string_view trace,
                                    const HostTraceClock& clock = {}) const {
        return userError([&] { (void)hostOf(trace, clock); });
    }

private slots:
    void eventsAreInTheirThreadsAndNested() {
        const auto [record, added] = hostOf(content);
        QCOMPARE(record.events.size(), std::size_t{5});
        QCOMPARE(added.events, std::int64_t{5});
        const HostEvent& load = record.events[0];
        QCOMPARE(text(load.thread), QString("python / Main"));
        QCOMPARE(text(load.channel), QString("data"));
        QCOMPARE(load.start, 0.0);
        QVERIFY(std::fabs(*load.seconds - 400e-6) < 1e-9);
        QCOMPARE(text(record.events[1].name), QString("read"));
        QVERIFY(std::fabs(record.events[1].start - 100e-6) < 1e-9);
        QVERIFY(std::fabs(*record.events[1].seconds - 50.5e-6) < 1e-9);
        // Threads of one name are numbered; what has no end lasts until the trace's last event.
        QCOMPARE(text(record.events[2].thread), QString("python / Main #2"));
        QVERIFY(std::fabs(*record.events[2].seconds - 400e-6) < 1e-9);
        QVERIFY(!record.events[3].seconds);
        QCOMPARE(text(record.events[4].thread), QString("server / asynchronous: net"));
        QCOMPARE(added.openSpans, std::int64_t{1});
        QCOMPARE(added.leftOut, std::int64_t{3}); // an end, a flow, no time
    }

    void countersAreLinesInOrderOfTime() {
        const auto [record, added] = hostOf(content);
        QCOMPARE(record.series.size(), std::size_t{1});
        QCOMPARE(text(record.series[0].graph), QString("python / queue"));
        QCOMPARE(text(record.series[0].label), QString("waiting"));
        QCOMPARE(text(record.series[0].unit), QString()); // who wrote it is said after the events
        QCOMPARE(record.series[0].points.size(), std::size_t{2});
        QCOMPARE(record.series[0].points[0].value, 2.0);
        QCOMPARE(added.points, std::int64_t{2});
    }

    void theClockIsSetByAnOffsetOrAnEvent() {
        QVERIFY(std::fabs(hostOf(content, {.offset = -2, .zero = {}}).record.events[0].start + 2) <
                1e-9);
        const auto [record, added] = hostOf(content, {.offset = {}, .zero = "train"});
        QVERIFY(std::fabs(record.events[0].start + 500e-6) < 1e-9);
        QCOMPARE(record.events[2].start, 0.0);
        QVERIFY(refusalOf(content, {.offset = {}, .zero = "nothing"}).contains("'nothing'"));
    }

    void aListThatIsCutIsReadToItsEnd() {
        const auto [record, added] = hostOf(
            R"([{"ph":"X","name":"a","ts":1,"dur":1},{"ph":"X","name":"b","ts":2,"dur":1},)");
        QCOMPARE(record.events.size(), std::size_t{2});
        QVERIFY(added.isCut);
    }

    void aMarkOfUtf8IsNoText() {
        QCOMPARE(formOf(file("\xEF\xBB\xBF" + std::string(content))), FileForm::HostTrace);
        QCOMPARE(hostOf("\xEF\xBB\xBF" + std::string(content)).record, hostOf(content).record);
        QVERIFY(refusalOf("\xEF\xBB\xBF").contains("no list of trace events"));
    }

    void aGzippedTraceIsTheSame() {
        const fs::path packed = fs::path(folder_.path().toStdString()) / "trace.json.gz";
        gzFile out = gzopen(packed.c_str(), "wb");
        QVERIFY(out != nullptr);
        gzwrite(out, content.data(), static_cast<unsigned>(content.size()));
        gzclose(out);
        QCOMPARE(formOf(packed), FileForm::HostTrace);
        Profile profile;
        const std::array files{packed};
        addHostTraces(profile, files, {});
        QCOMPARE(profile.hostRecord, hostOf(content).record);
        // Which trace, and what of it is not shown.
        QCOMPARE(profile.messages.size(), std::size_t{3});
        QVERIFY(text(profile.messages[2].text).contains("3 are of kinds that no view shows"));
    }

    /// What libpvti writes, a file of each process.
    void filesOfSeveralProcessesAreOneProfile() {
        const fs::path folder(folder_.path().toStdString());
        std::vector<fs::path> files;
        for (const std::string process : {"11", "12"}) {
            files.push_back(folder / (process + ".pvti"));
            std::ofstream(files.back(), std::ios::binary)
                << R"({"otherData":{"producer":"libpvti of TileScope"},"traceEvents":[)"
                << R"({"ph":"M","name":"thread_name","pid":)" + process +
                       R"(,"tid":1,"args":{"name":"MainThread"}},)"
                << R"({"ph":"B","name":"step","cat":"app","pid":)" + process + R"(,"tid":1,"ts":)" +
                       process + R"(000000},)"
                << R"({"ph":"C","name":"loss","cat":"nats","pid":)" + process +
                       R"(,"tid":1,"ts":12100000,"args":{"training":1}},)"
                << R"({"ph":"E","pid":)" + process + R"(,"tid":1,"ts":12500000}]})";
        }
        const Imported read = importHostTraces(files, {});
        const Profile& together = read.profile;
        QCOMPARE(text(read.host.front()), "2 events and 2 points of counters of the host");
        QCOMPARE(together.hostRecord.events.size(), std::size_t{2});
        QCOMPARE(text(together.hostRecord.events[0].thread), QString("process 11 / MainThread"));
        QCOMPARE(text(together.hostRecord.events[1].thread), QString("process 12 / MainThread"));
        QCOMPARE(together.hostRecord.events[0].start, 0.0);
        QVERIFY(std::fabs(together.hostRecord.events[1].start - 1) < 1e-9);
        QCOMPARE(text(together.hostRecord.series[1].graph), QString("process 12 / loss"));
        QCOMPARE(text(together.hostRecord.series[1].unit), QString("nats"));
        QVERIFY(!together.info.coverage.has(ProfilePart::Operations));
        // One of them opens as it is.
        const fs::path profile = profileToOpen(files[0], folder / "cache");
        QVERIFY(profile != files[0]);
        int told = 0;
        QVERIFY(profileToOpen(files[0], folder / "cache",
                              [&](double, std::string_view) { ++told; }) == profile);
        QCOMPARE(told, 0); // it is not read again
        const ProfileReader reader(profile);
        QCOMPARE(text(reader.hostRecord().events.at(0).thread), QString("MainThread"));
    }

    void otherFilesAreRefusedWithTheirPlace() {
        QVERIFY(refusalOf("{}").contains("no list of trace events"));
        QVERIFY(refusalOf("[1, x]").contains("byte 4"));
        QVERIFY(refusalOf(R"([{"ph":"s","ts":1}])").contains("nothing to add"));
        QVERIFY(refusalOf(R"([{"ph":"X","name":"a","ts":0},{"ph":"X","name":"b","ts":1e18}])")
                    .contains("years"));
        QVERIFY(refusalOf(std::string(100000, '[')).contains("byte"));
        QCOMPARE(formOf(file(content)), FileForm::HostTrace);
        QCOMPARE(formOf(file(R"({"graphProfile":{}})")), FileForm::OldReport);
        QCOMPARE(formOf(file("")), FileForm::Other);
    }

    /// Cut anywhere, or with any byte changed, a trace is read or refused.
    void damageDoesNoHarm() {
        const auto tryIt = [&](const std::string& trace) {
            try {
                (void)hostOf(trace);
            } catch (const UserError&) {
            }
        };
        for (std::size_t bytes = 0; bytes < content.size(); bytes += 7)
            tryIt(std::string(content.substr(0, bytes)));
        for (std::size_t at = 0; at < content.size(); at += 7) {
            std::string trace(content);
            trace[at] = static_cast<char>(trace[at] ^ (1 << (at % 7)));
            tryIt(trace);
        }
    }
};

TILESCOPE_TEST(HostTraceTest)

} // namespace import_host_trace_test

#include "host_trace_test.moc"
