// Captures as profiles: what is read, what is missing, and what is refused.
#include <QTemporaryDir>
#include <QTest>
#include <fstream>

#include "core/base/atomic_file.h"
#include "core/import/import.h"
#include "core/import/import_cache.h"
#include "core/report/report.h"
#include "core/store/profile_reader.h"
#include "core/store/profile_writer.h"
#include "core/view/profile_view.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_capture.h"
#include "tests/support/test_main.h"

namespace import_capture_test {
using namespace tilescope;
using namespace tilescope::test;
namespace fs = std::filesystem;

class ImportCaptureTest : public QObject {
    Q_OBJECT

    [[nodiscard]] fs::path file(const char* name) const {
        return fs::path(directory_.path().toStdString()) / name;
    }
    /// A capture with some changes.
    [[nodiscard]] fs::path capture(const std::string& change = {}) const {
        const fs::path path = file("my_model.capture");
        writeSampleCapture(path, change);
        return path;
    }
    [[nodiscard]] Imported imported(const std::string& change = {}) const {
        return importFile(capture(change), {});
    }
    QTemporaryDir directory_;

private slots:
    void isReadAndFolded() {
        const Imported result = imported();
        const Profile& p = result.profile;
        QCOMPARE(text(p.info.target.name), "mk2");
        QCOMPARE(p.info.target.tilesPerIpu, 2);
        QCOMPARE(text(p.info.model), "my_model");
        QCOMPARE(text(p.info.creator), "Poplar 3.3.0");
        QVERIFY(p.info.origin.kind == OriginKind::Measured);
        QCOMPARE(text(p.info.origin.digest), "abc");
        QCOMPARE(p.tileMemory.size(), std::size_t{2});
        QCOMPARE(p.tileMemory[TileId(0)].interleaved, 10);
        QCOMPARE(p.operations.size(), std::size_t{1});
        QCOMPARE(text(p.operations[OperationId(0)].type), "Conv");
        QCOMPARE(p.computeSets[ComputeSetId(0)].operation, OperationId(0));
        QCOMPARE(p.computeSets[ComputeSetId(0)].vertices.front().stateBytes.sum(), 2 * 5 * 16);
        QCOMPARE(result.executedSteps, 5);
        QCOMPARE(result.flatSteps, 0);
        QCOMPARE(text(p.trace.runs.front().name), "Engine::run #0");
        // A sync and a first execution that follow each other, and two more.
        QCOMPARE(p.programs[ProgramId(1)].count, 3);
        QCOMPARE(p.programs[ProgramId(2)].target, ProgramId(5));
        QCOMPARE(p.controlPrograms, std::vector{ProgramId(0)});
        QCOMPARE(p.functions, std::vector{ProgramId(5)});
        QVERIFY(p.programs[ProgramId(3)].kind == ProgramKind::Unknown);
        QCOMPARE(text(p.programs[ProgramId(3)].kindText()), "OnEveryTileSwitch");
        QVERIFY(!p.info.has(ProfilePart::Edges) && !p.info.has(ProfilePart::Run));
        QVERIFY(text(p.info.coverage.why(ProfilePart::Edges)).contains("numEdges"));
        QCOMPARE(result.missing, std::vector<std::string>{"pva's Graph.numEdges"});
    }

    void isAProfileWhenItIsWritten() {
        writeProfile(imported().profile, file("it.pop"));
        const Profile read = ProfileReader(file("it.pop")).loadChecked();
        QCOMPARE(read.trace.bodies.size(), imported().profile.trace.bodies.size());
    }

    void theOriginIsSaid() {
        const auto kind = [&](const std::string& change) {
            return imported(change).profile.info.origin.kind;
        };
        QVERIFY(kind("UPDATE info SET value='IpuModel' WHERE key='target.type'") ==
                OriginKind::PoplarModel);
        QVERIFY(kind("UPDATE sections SET state='failed' WHERE name='execution'; "
                     "DELETE FROM runs; DELETE FROM step_chunks") == OriginKind::Estimated);
        QVERIFY(kind("UPDATE info SET value='TileScope 1' WHERE key='poplar'") ==
                OriginKind::Simulated);
    }

    void theMachineIsTheNearest() {
        const auto target = [&](const char* architecture, const char* clock) {
            return text(imported(std::string("UPDATE info SET value='") + architecture +
                                 "' WHERE key='target.architecture'; UPDATE info SET value=" +
                                 clock + " WHERE key='target.clockFrequency'")
                            .profile.info.target.name);
        };
        QCOMPARE(target("Ipu21", "1850000000.0"), "bow");
        QCOMPARE(target("Ipu21", "1500000000"), "c600");
        QCOMPARE(target("Ipu2", "1330000000"), "mk2");
        QCOMPARE(target("Ipu1", "1600000000"), "mk1");
        QCOMPARE(text(importFile(capture(), {.target = "pod16"}).profile.info.target.name),
                 "pod16");
    }

    void whatIsDamagedIsRefused_data() {
        QTest::addColumn<QString>("change");
        QTest::addColumn<QString>("words");
        const auto row = [](const char* change, const char* words) {
            QTest::addRow("%s", change) << QString(change) << QString(words);
        };
        row("UPDATE tiles SET including_gaps=-4 WHERE tile=1",
            "table tiles, row 1: including_gaps");
        row("UPDATE tiles SET including_gaps='many'", "not a whole number");
        row("UPDATE tiles SET tile=9 WHERE tile=1", "table tiles, row 9");
        row("UPDATE series SET data=X'0100' WHERE id=1", "table series, row 1: data");
        row("UPDATE series SET data=X'0100030a' WHERE id=0", "not of this machine");
        row("UPDATE compute_sets SET estimated_series=99", "there is no series 99");
        row("UPDATE programs SET compute_set=4 WHERE id=21", "compute_set: it cannot be 4");
        row("UPDATE programs SET target=11 WHERE id=12", "target: it is no function");
        row("INSERT INTO program_children VALUES(12,0,10)", "own parent");
        row("UPDATE programs SET target=10 WHERE id=12", "a function calls itself");
        row("UPDATE program_children SET child=99 WHERE program=20", "there is no such program");
        row("UPDATE program_variables SET variables=X'05'", "there is no variable 5");
        row("UPDATE program_variables SET variables=X'ff'", "ends too early");
        row("UPDATE classes SET intervals=X'0009'", "impossible steps");
        row("UPDATE vertex_instances SET vertex_type=3", "vertex_type: it cannot be 3");
        row("UPDATE step_kinds SET ipu=5", "ipu: it cannot be 5");
        row("UPDATE step_kinds SET cycles=-1", "cycles: it cannot be -1");
        row("UPDATE step_kinds SET balance='x'", "balance: it is not a number");
        row("UPDATE step_chunks SET data=X'0f00'", "there is no kind 7");
        row("UPDATE step_chunks SET data=X'0105'", "impossible cycle");
        row("UPDATE step_chunks SET data=X'01ff'", "ends too early");
        row("INSERT INTO roots VALUES('control',0,11)", "not the root");
        row("UPDATE info SET value=3 WHERE key='target.tiles'", "3 tiles are no IPUs of 2");
        row("UPDATE info SET value='x' WHERE key='target.tiles'", "not a number");
        row("INSERT INTO info VALUES('engineOptions','[')", "not a JSON object");
        row("DROP TABLE measured", "it has no table measured");
        row("DROP TABLE measured; CREATE VIEW measured AS SELECT 1 AS program, 2 AS cycles_series",
            "it has no table measured");
        row("PRAGMA user_version=2", "newer TileScope");
        row("PRAGMA user_version=0", "without a format");
    }
    void whatIsDamagedIsRefused() {
        QFETCH(QString, change);
        QFETCH(QString, words);
        const QString error = userError([&] { (void)imported(change.toStdString()); });
        QVERIFY2(error.contains(words), qPrintable(error));
        QVERIFY2(error.contains("my_model.capture"), qPrintable(error));
        QVERIFY2(error.contains("Capture the profile again") || error.contains("newer TileScope"),
                 qPrintable(error));
    }

    void aCutFileIsRefused() {
        const fs::path path = capture();
        for (const std::uintmax_t bytes : {0, 50, 4096, 20'000}) {
            fs::resize_file(path, bytes);
            QVERIFY2(userError([&] { (void)importFile(path, {}); }) != "no error",
                     qPrintable(QString::number(bytes)));
            (void)capture();
        }
    }

    void otherFilesSayWhatToDo() {
        const auto error = [&](const std::string& bytes) {
            std::ofstream(file("some"), std::ios::binary) << bytes;
            return userError([&] { (void)importFile(file("some"), {}); });
        };
        QVERIFY(error("{\"graph\": 1}").contains("SDK up to 2.1"));
        QVERIFY(error("hello").contains("neither a profile nor a capture"));
        QVERIFY(error("SQLite format 3" + std::string(100, '\0')).contains("capture-script"));
        QVERIFY(userError([&] { (void)importFile(file("none"), {}); }).contains("no such file"));
        writeProfile(imported().profile, file("it.pop"));
        QVERIFY(userError([&] { (void)importFile(file("it.pop"), {}); }).contains("already"));
    }

    void isImportedOnceWhenItIsOpened() {
        const fs::path cache = file("cache");
        const fs::path profile = profileToOpen(capture(), cache);
        QCOMPARE(text(ProfileReader(profile).info().model), "my_model");
        const FileStamp stamp = stampOf(profile);
        QVERIFY(stampOf(profileToOpen(capture(), cache)) == stamp);
        QVERIFY(profileToOpen(capture("UPDATE tiles SET always_live=1"), cache) != profile);
        QCOMPARE(profileToOpen(profile, cache), profile);
        QCOMPARE(profileToOpen(file("none"), cache), file("none"));
    }

    // The name of a folder has no more bytes than that of a file.
    void aLongNameIsOpened() {
        std::string name;
        for (int i = 0; i < 120; ++i)
            name += "\u00e9";
        const fs::path longest = file((name + ".capture").c_str());
        fs::copy_file(capture(), longest);
        const fs::path profile = profileToOpen(longest, file("cache"));
        QCOMPARE(ProfileReader(profile).info().model, name);
    }

    // Counters of a machine count since it was started, and the host has a clock of its own.
    void timesCountFromTheFirstStep() {
        const Profile p =
            imported("UPDATE step_chunks SET data=X'05808080800f0314010001000100'").profile;
        QCOMPARE(p.trace.runs.front().start, 0);
        QCOMPARE(p.trace.runs.front().cycles, imported().profile.trace.runs.front().cycles);
        const Profile host =
            imported("UPDATE runs SET start_us=5e15, end_us=5e15+2000; "
                     "INSERT INTO runs SELECT 1, 'again', 5, 5e15+4000, 5e15+9000; "
                     "INSERT INTO runs VALUES(2, 'short', 5, 5e15+9000, 5e15+9000)")
                .profile;
        QCOMPARE(host.hostRecord.events.size(), std::size_t{2});
        QCOMPARE(host.hostRecord.events[1].start, 0.004);
        QCOMPARE(*host.hostRecord.events[1].seconds, 0.005);
        QCOMPARE(text(host.hostRecord.events[1].name), "again");
        const Profile other =
            imported("UPDATE info SET value='IpuModel' WHERE key='target.type'").profile;
        QVERIFY(other.hostRecord.empty()); // nobody waited for a machine
    }

    // Its class has no interval, and is in no table of the file.
    void aVariableThatIsNeverLiveIsReported() {
        const Profile p = imported("DELETE FROM classes").profile;
        QVERIFY(!p.variables[VariableId(0)].alwaysLive);
        writeProfile(p, file("never.pop"));
        const ProfileView view(file("never.pop"));
        QCOMPARE(view.livenessClasses()->size(), std::size_t{1});
        for (const Report& report : allReports())
            (void)makeReport(report, view, {});
    }

    // Poplar has more kinds of syncs.
    void aSyncWithAnAnswerIsASync() {
        const Profile p =
            imported("UPDATE programs SET kind='SyncAns' WHERE id=14; "
                     "UPDATE step_kinds SET type='SyncAns' WHERE program=14 OR type='Sync'")
                .profile;
        QCOMPARE(text(p.programs[ProgramId(4)].kindText()), "SyncAns");
        std::int64_t syncs = 0;
        for (const TraceBody& body : p.trace.bodies)
            for (const TraceStep& step : body.steps)
                syncs += step.kind == ProgramKind::Sync ? step.ipus.front().cycles : 0;
        QCOMPARE(syncs, 3 + 4);
        writeProfile(p, file("syncs.pop"));
        QVERIFY(ProfileReader(file("syncs.pop")).loadChecked().programs[ProgramId(4)].kind ==
                ProgramKind::Sync);
    }

    void aFileThatIsWrittenMeanwhileIsRefused() {
        bool written = false;
        const QString error = userError([&] {
            (void)importFile(capture(), {}, [&](double, std::string_view) {
                if (!std::exchange(written, true))
                    (void)capture("UPDATE tiles SET always_live=1");
            });
        });
        QVERIFY2(error.contains("was written while it was read"), qPrintable(error));
    }

    void stopsOnRequest() {
        std::stop_source stop;
        QVERIFY_EXCEPTION_THROWN((void)importFile(
                                     capture(), {},
                                     [&](double, std::string_view) { stop.request_stop(); },
                                     stop.get_token()),
                                 Cancelled);
    }
};

TILESCOPE_TEST(ImportCaptureTest)

} // namespace import_capture_test

#include "capture_test.moc"
