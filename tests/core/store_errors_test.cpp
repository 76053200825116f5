#include <QTest>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/atomic_file.h"
#include "core/report/report_query.h"
#include "core/store/placement_codec.h"
#include "core/store/profile_reader.h"
#include "core/store/profile_writer.h"
#include "core/trace/trace_index.h"
#include "tests/core/sample_copies.h"
#include "tests/support/test_main.h"

namespace store_errors_test {
using namespace tilescope;
using namespace tilescope::test;
namespace fs = std::filesystem;

namespace {

QString openError(const fs::path& file) {
    return userError([&] { const ProfileReader reader(file); });
}

QString loadError(const fs::path& file) {
    return userError([&] { (void)ProfileReader(file).load(); });
}

} // namespace

class StoreErrorsTest : public QObject, SampleCopies {
    Q_OBJECT

    QString quoted(const char* name) const { return "'" + text(file(name).string()) + "'"; }

private slots:
    void missingFile() {
        QCOMPARE(openError(file("none.pop")),
                 "cannot open " + quoted("none.pop") + ": no such file");
    }

    void directoryInsteadOfAFile() {
        fs::create_directory(file("folder"));
        QCOMPARE(openError(file("folder")),
                 "cannot open " + quoted("folder") +
                     ": it is a directory without a profile.pop; name a profile that 'tilescope "
                     "run' has written");
        std::ofstream(file("folder") / "profile.pop") << "any";
        QCOMPARE(openError(file("folder")), "cannot open " + quoted("folder") +
                                                ": it is a directory; name the profile.pop in it");
    }

    void pipesAndDevicesAreNotOpened() {
        QCOMPARE(::mkfifo(file("pipe.pop").c_str(), 0600), 0);
        QCOMPARE(openError(file("pipe.pop")),
                 "cannot open " + quoted("pipe.pop") + ": it is not a regular file");
        QCOMPARE(openError("/dev/zero"), "cannot open '/dev/zero': it is not a regular file");
    }

    void emptyFile() {
        writeFileAtomically(file("empty.pop"), "");
        QCOMPARE(openError(file("empty.pop")),
                 quoted("empty.pop") + " is empty: the run that should have written it did not "
                                       "finish. Write the profile again.");
    }

    void textFile() {
        writeFileAtomically(file("text.pop"), std::string(5000, 'x'));
        QCOMPARE(openError(file("text.pop")),
                 quoted("text.pop") + " is not a profile: it is no SQLite file");
    }

    void databaseOfAnotherApplication() {
        execute(file("foreign.pop"), "CREATE TABLE t(x); PRAGMA application_id = 42");
        QCOMPARE(openError(file("foreign.pop")),
                 quoted("foreign.pop") +
                     " is not a TileScope profile: it is a SQLite file of another application "
                     "(application_id 0x2a). Profiles come from 'tilescope run'.");
    }

    void newerSchema() {
        const fs::path newer = copy("newer.pop");
        execute(newer, "PRAGMA user_version = 99");
        QCOMPARE(openError(newer), quoted("newer.pop") +
                                       " has schema version 99, this TileScope reads up to 17: "
                                       "open it with a newer TileScope.");
    }

    void damagedModelGraphs_data() {
        QTest::addColumn<QString>("sql");
        QTest::newRow("no such tensor") << "UPDATE operation_tensors SET tensor = 99";
        QTest::newRow("no such node") << "UPDATE operation_tensors SET graph_operation = -1";
        QTest::newRow("no such operation") << "UPDATE graph_operations SET operation = 99";
        QTest::newRow("a hole") << "DELETE FROM graph_tensors WHERE id = 1";
        QTest::newRow("a source") << "UPDATE graph_tensors SET source = 'moon'";
        QTest::newRow("a phase") << "UPDATE graph_operations SET phase = 'full'";
        QTest::newRow("a size") << "UPDATE graph_tensors SET bytes = -5";
    }
    void damagedModelGraphs() {
        QFETCH(QString, sql);
        const fs::path damaged = copy("graph.pop");
        execute(damaged, sql.toUtf8().constData());
        const ProfileReader reader(damaged);
        QVERIFY(userError([&] { (void)reader.modelGraph(); }).contains("damaged profile"));
    }

    void noSchemaVersion() {
        const fs::path old = copy("old.pop");
        execute(old, "PRAGMA user_version = 0");
        QCOMPARE(openError(old),
                 quoted("old.pop") + " has no schema version: write the profile again.");
    }

    void truncatedFile() {
        const fs::path cut = copy("cut.pop");
        fs::resize_file(cut, fs::file_size(cut) / 2);
        QCOMPARE(openError(cut), quoted("cut.pop") +
                                     " is damaged or truncated: database disk image is malformed. "
                                     "Write the profile again.");
    }

    void everyTruncationIsRefused() {
        const std::string whole = readFile(file("good.pop"));
        for (std::size_t length = 1; length < whole.size(); length += 1777) {
            writeFileAtomically(file("part.pop"), whole.substr(0, length));
            QVERIFY(loadError(file("part.pop")) != "no error");
        }
    }

    void missingInfoField() {
        const fs::path lacking = copy("lacking.pop");
        execute(lacking, "DELETE FROM info WHERE key = 'fits'");
        QCOMPARE(openError(lacking),
                 quoted("lacking.pop") + " is damaged: 'fits' is missing from its info table");
    }

    void impossibleTarget() {
        const fs::path odd = copy("odd.pop");
        execute(odd, "UPDATE info SET value = 2000000 WHERE key = 'target.tilesPerIpu'");
        QCOMPARE(openError(odd),
                 quoted("odd.pop") + " is damaged: 1 IPUs of 2000000 tiles are impossible");
    }

    void damagedRows_data() {
        QTest::addColumn<QByteArray>("sql");
        QTest::addColumn<QString>("error");
        const QString refers = "damaged profile: a row refers to one that does not exist";
        QTest::newRow("cycles blob")
            << QByteArray("UPDATE compute_set_series SET data = x'05' WHERE id = 0")
            << "damaged profile: a per-tile blob names more runs than it holds";
        QTest::newRow("unknown kind")
            << QByteArray("UPDATE programs SET kind = 'Dance' WHERE id = 0")
            << "damaged profile: unknown name 'Dance'";
        QTest::newRow("kind that fills the screen")
            << QByteArray("UPDATE programs SET kind = replace(hex(zeroblob(500000)), '00', '/x')")
            << "damaged profile: unknown name '" + QString("/x").repeated(30) + "'";
        QTest::newRow("unknown region")
            << QByteArray("UPDATE memory_by_category SET region = 'nowhere' WHERE rowid = 1")
            << "damaged profile: unknown name 'nowhere'";
        QTest::newRow("vertex of no compute set")
            << QByteArray("UPDATE vertex_instances SET compute_set = 99") << refers;
        QTest::newRow("program without parent")
            << QByteArray("UPDATE programs SET parent = 999 WHERE id = 3") << refers;
        // In many places ids are used for look-ups without a further check.
        for (const char* sql : {"UPDATE variables SET operation = 9999",
                                "UPDATE compute_set_rows SET operation = 9999",
                                "UPDATE vertex_instances SET vertex_type = 9999",
                                "UPDATE exchange_rows SET operation = 9999",
                                "UPDATE programs SET target = 9999",
                                "UPDATE programs SET compute_set = 9999",
                                "UPDATE programs SET exchange = 9999",
                                "UPDATE programs SET stream = 9999",
                                "UPDATE programs SET operation = 9999",
                                "UPDATE programs SET variables_read = '[9999]'",
                                "UPDATE control_programs SET program = 9999",
                                "UPDATE functions SET program = 9999",
                                "UPDATE liveness_steps SET program = 9999",
                                "UPDATE trace_bodies SET program = 9999",
                                "UPDATE trace_steps SET program = 9999",
                                "UPDATE trace_calls SET program = 9999",
                                "UPDATE trace_calls SET callee = 9999",
                                "UPDATE runs SET body = 9999",
                                "UPDATE vertex_instances SET vertex_type = NULL",
                                "UPDATE control_programs SET program = NULL",
                                "UPDATE functions SET program = NULL",
                                "UPDATE liveness_steps SET program = NULL",
                                "UPDATE trace_calls SET callee = NULL",
                                "UPDATE runs SET body = NULL"})
            QTest::newRow(sql) << QByteArray(sql) << refers;
        QTest::newRow("copy of no compute set")
            << QByteArray("UPDATE copies SET compute_set = 99") << refers;
        QTest::newRow("copy of no variable")
            << QByteArray("UPDATE copies SET variable = NULL") << refers;
        QTest::newRow("copy after no exchange")
            << QByteArray("UPDATE copies SET exchange = 99") << refers;
        QTest::newRow("copy of no program") << QByteArray("UPDATE copies SET program = -1")
                                            << "damaged profile: a row has an impossible id";
        QTest::newRow("unknown cause") << QByteArray("UPDATE copies SET cause = 'whim'")
                                       << "damaged profile: unknown name 'whim'";
        QTest::newRow("lane of nobody") << QByteArray("UPDATE host_spans SET lane = 'Lunch'")
                                        << "damaged profile: the host has no lane 'Lunch'";
        const QString times = "damaged profile: a time of the host is impossible";
        QTest::newRow("host before its time")
            << QByteArray("UPDATE host_spans SET start = -1 WHERE id = 1") << times;
        QTest::newRow("host for ever")
            << QByteArray("UPDATE host_spans SET seconds = 9e99") << times;
        QTest::newRow("host without a time")
            << QByteArray("UPDATE host_spans SET seconds = NULL") << times;
        QTest::newRow("host with words for a time")
            << QByteArray("UPDATE host_spans SET start = 'soon'") << times;
        QTest::newRow("trace step of no body")
            << QByteArray("UPDATE trace_steps SET body = 77 WHERE body = 0") << refers;
        QTest::newRow("tiles of another machine")
            << QByteArray("UPDATE compute_set_series SET data = x'01b90b0a02'") // 1465 and 9 more
            << "damaged profile: a per-tile blob is not of this machine";
        const QString noSeries = "damaged profile: a row refers to a series that does not exist";
        for (const char* sql :
             {"UPDATE compute_set_rows SET series = 99",
              "UPDATE compute_set_rows SET series = NULL", "UPDATE exchange_rows SET sent = -1",
              "DELETE FROM exchange_series"})
            QTest::newRow(sql) << QByteArray(sql) << noSeries;
        QTest::newRow("variable of no series")
            << QByteArray("UPDATE variables SET series = 99") << refers;
        QTest::newRow("series that is gone")
            << QByteArray("DELETE FROM variable_runs WHERE id = 0")
            << "damaged profile: rows of variable_runs are missing";
        QTest::newRow("series with an odd number")
            << QByteArray("UPDATE variable_runs SET id = -4 WHERE id = 0")
            << "damaged profile: rows of variable_runs are missing";
        QTest::newRow("series on tiles that overlap")
            << QByteArray("UPDATE variable_runs SET runs = '[[0,8,4],[7,1,4]]'")
            << "damaged profile: a row names impossible tiles";
        QTest::newRow("series of negative bytes")
            << QByteArray("UPDATE variable_runs SET runs = '[[0,1,-8]]'")
            << "damaged profile: a row has an impossible size";
        for (const char* runs : {"NULL", "''", "'{}'", "'[[0,1,8]'", "'[[0,1,8],]'", "'[[0,1]]'",
                                 "'[[0,1,8]] '", "'[[0,1,99999999999999999999]]'"})
            QTest::addRow("runs %s", runs) << QByteArray("UPDATE variable_runs SET runs = ") + runs
                                           << "damaged profile: a list of numbers cannot be read";
        for (const char* list : {"''", "'7'", "'[1'", "'[1,]'", "'[null]'", "'[1] '"})
            QTest::addRow("variables %s", list)
                << QByteArray("UPDATE programs SET variables_written = ") + list
                << "damaged profile: a list of numbers cannot be read";
        QTest::newRow("variable of 33 bits")
            << QByteArray("UPDATE programs SET variables_read = '[4294967297]'")
            << "damaged profile: a row has an impossible id";
        for (const char* sql :
             {"UPDATE exchange_rows SET run_bytes = -5", "UPDATE copies SET run_elements = -5",
              "UPDATE copies SET run_bytes = 9223372036854775807",
              "UPDATE programs SET count = -2"})
            QTest::newRow(sql) << QByteArray(sql)
                               << "damaged profile: a row has an impossible size";
        QTest::newRow("negative cycles")
            << QByteArray("UPDATE compute_set_series SET data = x'01000103'")
            << "damaged profile: a per-tile blob is not of this machine";
        QTest::newRow("id of 33 bits") << QByteArray("UPDATE variables SET operation = 4294967297")
                                       << "damaged profile: a row has an impossible id";
        QTest::newRow("class that would take all memory")
            << QByteArray("UPDATE OR REPLACE liveness_intervals SET liveness_class = 2000000000")
            << refers;
        QTest::newRow("program that is its own parent")
            << QByteArray("UPDATE programs SET parent = id WHERE id = 3")
            << "damaged profile: program 3 is its own parent";
        QTest::newRow("row that is gone") << QByteArray("DELETE FROM operations WHERE id = 1")
                                          << "damaged profile: rows of operations are missing";
        QTest::newRow("trace body that is gone")
            << QByteArray("DELETE FROM trace_bodies WHERE id = 0")
            << "damaged profile: rows of trace_bodies are missing";
        QTest::newRow("category that is gone")
            << QByteArray("DELETE FROM var_categories")
            << "damaged profile: a variable has an unknown category";
        QTest::newRow("hole in a trace body")
            << QByteArray("DELETE FROM trace_steps WHERE body = 0 AND position = 0")
            << "damaged profile: positions of a trace body have a gap";
    }
    void damagedRows() {
        QFETCH(QByteArray, sql);
        QFETCH(QString, error);
        const fs::path damaged = copy("damaged.pop");
        execute(damaged, sql.constData());
        QCOMPARE(loadError(damaged), error);
    }

    void programsInACircle() {
        const fs::path damaged = copy("circle.pop");
        execute(damaged, "UPDATE programs SET parent = (SELECT max(id) FROM programs) WHERE id = "
                         "(SELECT parent FROM programs ORDER BY id DESC LIMIT 1)");
        const QString error = loadError(damaged);
        QVERIFY2(error.endsWith(" is its own parent"), qPrintable(error));
    }

    /// SQL takes an id without a type for a larger number than the reader does.
    void programsWithUntypedIds() {
        const fs::path damaged = copy("untyped.pop");
        execute(damaged, "PRAGMA legacy_alter_table = ON;"
                         "CREATE TABLE other AS SELECT *, +id AS untyped FROM programs;"
                         "ALTER TABLE other RENAME COLUMN id TO typed;"
                         "ALTER TABLE other RENAME COLUMN untyped TO id;"
                         "UPDATE other SET id = id || 'e4', parent = 5000 WHERE id = "
                         "(SELECT max(id) FROM programs);"
                         "DROP TABLE programs; ALTER TABLE other RENAME TO programs");
        QCOMPARE(loadError(damaged), QString("damaged profile: there is no program 5000"));
    }

    void impossibleFigures_data() {
        QTest::addColumn<QByteArray>("sql");
        QTest::addColumn<QString>("figure");
        QTest::newRow("negative") << QByteArray("UPDATE info SET value = -1 WHERE key = 'cycles'")
                                  << "'cycles' cannot be -1";
        QTest::newRow("too large for its type")
            << QByteArray("UPDATE info SET value = 4294967297 WHERE key = 'target.workers'")
            << "'target.workers' cannot be 4294967297";
    }
    void impossibleFigures() {
        QFETCH(QByteArray, sql);
        QFETCH(QString, figure);
        const fs::path damaged = copy("figure.pop");
        execute(damaged, sql.constData());
        QCOMPARE(openError(damaged),
                 quoted("figure.pop") + " is damaged: " + figure + " in its info table");
    }

    void damagedPlacementChunk() {
        const fs::path damaged = copy("chunk.pop");
        execute(damaged, "UPDATE placement_chunks SET data = x'0102030405060708'");
        const QString error = userError([&] { (void)ProfileReader(damaged).placement(TileId(0)); });
        QVERIFY2(error.startsWith("damaged profile: "), qPrintable(error));
    }

    void impossiblePlacements_data() {
        QTest::addColumn<std::vector<PlacedVariable>>("placed");
        QTest::addColumn<QString>("what");
        constexpr auto lastId = std::numeric_limits<std::int32_t>::max();
        constexpr auto farthest = std::numeric_limits<std::int64_t>::max();
        using Placed = std::vector<PlacedVariable>;
        // Encoded as they are: the writer does not check its input.
        QTest::newRow("no variable") << Placed{{VariableId(-2), 0}} << "variable";
        QTest::newRow("after the last")
            << Placed{{VariableId(lastId), 0}, {VariableId(lastId), 0}} << "variable";
        QTest::newRow("before the tile") << Placed{{VariableId(0), -1}} << "address";
        QTest::newRow("after all memory") << Placed{{VariableId(0), farthest}} << "address";
    }
    void impossiblePlacements() {
        QFETCH(std::vector<PlacedVariable>, placed);
        QFETCH(QString, what);
        Placement placement;
        placement.variables = placed;
        const auto chunk = encodePlacements(std::vector{placement});
        QCOMPARE(userError([&] { (void)decodePlacements(chunk); }),
                 "damaged profile: a chunk of tile addresses names an impossible " + what);
    }

    void flippedBytesNeverCrash() {
        const std::string whole = readFile(file("good.pop"));
        for (std::size_t at = 100; at < whole.size(); at += 2311) {
            std::string flipped = whole;
            flipped[at] = static_cast<char>(flipped[at] ^ 0x5A);
            writeFileAtomically(file("flipped.pop"), flipped);
            // Either the change is harmless or the error is the user's, never ours.
            (void)loadError(file("flipped.pop"));
        }
    }

    /// Each would be read for ever, or until the disk is full of temporary files.
    void tablesThatNeverEnd_data() {
        QTest::addColumn<QString>("change");
        QTest::addColumn<QString>("problem");
        QTest::newRow("a view for a table")
            << "DROP TABLE messages; CREATE VIEW messages AS WITH RECURSIVE n(x) AS (SELECT 1 "
               "UNION ALL SELECT x + 1 FROM n) SELECT x AS id, '' AS severity, '' AS operation, "
               "'' AS text FROM n"
            << "'messages' is not a table of the file";
        QTest::newRow("another view")
            << "DROP VIEW exchanges; CREATE VIEW exchanges AS WITH RECURSIVE n(x) AS (SELECT 1 "
               "UNION ALL SELECT x + 1 FROM n) SELECT x AS id FROM n"
            << "the view 'exchanges' is not a profile's";
        QTest::newRow("another view that always was one")
            << "DROP VIEW steps; CREATE VIEW steps AS SELECT 1 AS id"
            << "the view 'steps' is not a profile's";
        QTest::newRow("a view for what was a table")
            << "DROP VIEW exchanges; CREATE VIEW exchanges AS SELECT 1 AS id; "
               "PRAGMA user_version = 7"
            << "'exchanges' is not a table of the file";
    }
    void tablesThatNeverEnd() {
        QFETCH(QString, change);
        QFETCH(QString, problem);
        execute(copy("endless.pop"), qPrintable(change));
        QCOMPARE(openError(file("endless.pop")), "damaged profile: " + problem);
    }

    void viewsThatWouldFillTheDisk_data() {
        QTest::addColumn<QString>("change");
        QTest::addColumn<QString>("sql");
        QTest::newRow("tiles") << "UPDATE variable_runs SET runs = '[[0,1000000000000,8]]'"
                               << "SELECT count(*) FROM vars_info";
        QTest::newRow("repeats") << "UPDATE trace_calls SET count = 1000000000000"
                                 << "SELECT count(*) FROM steps_by_ipu";
    }
    void viewsThatWouldFillTheDisk() {
        QFETCH(QString, change);
        QFETCH(QString, sql);
        execute(copy("huge.pop"), qPrintable(change));
        const QString error = userError([&] {
            ProfileReader reader(file("huge.pop"));
            (void)queryReports(reader, sql.toStdString());
        });
        QVERIFY2(error.contains("damaged"), qPrintable(error));
    }

    void directoryThatCannotBe() {
        const fs::path below = file("good.pop") / "below" / "profile.pop";
        QCOMPARE(userError([&] { writeProfile(sampleProfile(), below); }),
                 "cannot create directory " + text("'" + below.parent_path().string() + "'") +
                     ": Not a directory");
    }

    void fullDiskLeavesNothingBehind() {
        const fs::path folder = file("full");
        fs::create_directory(folder);
        const pid_t child = ::fork();
        if (child == 0) {
            // The limit acts on this process only: writes beyond it fail like on a full disk.
            std::signal(SIGXFSZ, SIG_IGN);
            const rlimit limit{40000, 40000};
            ::setrlimit(RLIMIT_FSIZE, &limit);
            const QString error =
                userError([&] { writeProfile(sampleProfile(), folder / "profile.pop"); });
            const QString name = text("'" + (folder / "profile.pop").string() + "'");
            ::_exit(error.startsWith("cannot ") && error.contains("disk") && error.contains(name)
                        ? 0
                        : 1);
        }
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 0);
        QVERIFY(fs::is_empty(folder));
    }
};

TILESCOPE_TEST(StoreErrorsTest)

} // namespace store_errors_test

#include "store_errors_test.moc"
