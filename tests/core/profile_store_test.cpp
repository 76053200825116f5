#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <sqlite3.h>

#include "core/base/atomic_file.h"
#include "core/database/database.h"
#include "core/database/sql_query.h"
#include "core/store/placement_codec.h"
#include "core/store/profile_reader.h"
#include "core/store/profile_writer.h"
#include "core/view/profile_view.h"
#include "tests/support/compare_profile.h"
#include "tests/support/profile_sql.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace profile_store_test {
namespace fs = std::filesystem;
using namespace tilescope;
using namespace tilescope::test;

namespace {

/// Rows of a query by plain SQLite, cells joined with '|', without TileScope's functions.
QStringList plainRows(const std::filesystem::path& file, const char* sql) {
    QStringList rows;
    sqlite3* db = nullptr;
    sqlite3_open_v2(file.c_str(), &db, SQLITE_OPEN_READONLY, nullptr);
    const auto addRow = [](void* out, int columns, char** values, char**) {
        QStringList cells;
        for (int i = 0; i < columns; ++i)
            cells << QString(values[i] == nullptr ? "NULL" : values[i]);
        static_cast<QStringList*>(out)->append(cells.join('|'));
        return 0;
    };
    char* error = nullptr;
    if (sqlite3_exec(db, sql, addRow, &rows, &error) != SQLITE_OK)
        rows << QString(error);
    sqlite3_free(error);
    sqlite3_close(db);
    return rows;
}

std::int64_t integerOf(const ProfileReader& reader, const std::string& sql) {
    return std::get<std::int64_t>(reader.query(sql).rows.at(0).at(0));
}

} // namespace

class ProfileStoreTest : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;
    std::filesystem::path file(const char* name) const {
        return std::filesystem::path(directory_.path().toStdString()) / name;
    }

private slots:
    void initTestCase() {
        writeProfile(sampleProfile(), file("one.pop"));
        writeProfile(sampleProfile({.ipus = 2}), file("two.pop"));
    }

    // Each part is read when it is asked for: parts of two profiles belong to none.
    void aProfileWrittenAnewIsNotMixed() {
        writeProfile(sampleProfile(), file("anew.pop"));
        const ProfileView view(file("anew.pop"));
        const std::size_t programs = view.programs()->size();
        writeProfile(sampleProfile({.ipus = 2, .changed = true}), file("anew.pop"));
        const QString said = userError([&] { (void)view.variables(); });
        QVERIFY2(said.contains("anew.pop' was rewritten while it was being read"),
                 qPrintable(said));
        QCOMPARE(view.programs()->size(), programs); // what was read stays
        QVERIFY(!ProfileView(file("anew.pop")).variables()->empty());
    }

    // By a program that writes into the file, such as cp: there is no damage once it is done.
    void aProfileBeingWrittenOverIsNotCalledDamaged() {
        const std::filesystem::path path = file("over.pop");
        writeProfile(sampleProfile(), path);
        const std::string good = readFile(path.string());
        const ProfileReader reader(path);
        const ProfileView view(reader);
        {
            std::ofstream over(path, std::ios::binary | std::ios::in);
            over.seekp(4096);
            over << std::string(good.size() - 4096, 'x');
        }
        const QString said = userError([&] { (void)reader.load(); });
        QVERIFY2(said.contains("over.pop' was rewritten while it was being read"),
                 qPrintable(said));
        QVERIFY(userError([&] { (void)view.wholeTrace(); }).contains("was rewritten"));
        // Of one that does not change any more, damage is said.
        QVERIFY(userError([&] { (void)ProfileReader(path).load(); }).contains("damaged"));
    }

    void readsWhatWasWritten_data() {
        QTest::addColumn<int>("ipus");
        QTest::addColumn<bool>("changed");
        QTest::addColumn<bool>("tooLarge");
        QTest::addColumn<bool>("withCopy");
        QTest::newRow("one IPU") << 1 << false << false << false;
        QTest::newRow("two IPUs") << 2 << false << false << true;
        QTest::newRow("changed") << 1 << true << false << true;
        QTest::newRow("too large") << 1 << false << true << false;
    }
    void readsWhatWasWritten() {
        QFETCH(int, ipus);
        QFETCH(bool, changed);
        QFETCH(bool, tooLarge);
        QFETCH(bool, withCopy);
        const Profile profile = sampleProfile(
            {.ipus = ipus, .changed = changed, .tooLarge = tooLarge, .withCopy = withCopy});
        writeProfile(profile, file("round.pop"));
        const ProfileReader reader(file("round.pop"));
        QCOMPARE(text(firstDifference(reader.load(), profile)), "");
        QCOMPARE(reader.info().fits, !tooLarge);
    }

    void placementsOfTilesAreTheWrittenOnes() {
        const Profile profile = sampleProfile();
        const auto placements = unpackedPlacements(profile.placements);
        const ProfileReader reader(file("one.pop"));
        for (const std::int32_t tile : {0, 15, 16, 63, 64, 735, 736, 1471}) {
            const PlacementId id(
                static_cast<std::int32_t>(profile.placementOfTile.at(TileId(tile)) - 1));
            QCOMPARE(reader.placement(TileId(tile)).variables, placements[id].variables);
        }
        QVERIFY(reader.placement(TileId(5000)).variables.empty());
    }

    void placementsOfAProfileArePacked() {
        std::vector<Placement> placements(placementsPerChunk + 1);
        for (std::size_t i = 0; i < placements.size(); ++i)
            placements[i].variables = {{VariableId(1), 0},
                                       {VariableId(0), static_cast<std::int64_t>(8 * i + 8)}};
        const auto chunks = packedPlacements(placements);
        QCOMPARE(chunks.size(), std::size_t(2));
        QCOMPARE(placementsIn(chunks), placements.size());
        const auto unpacked = unpackedPlacements(chunks);
        QCOMPARE(unpacked.size(), placements.size());
        for (std::size_t i = 0; i < placements.size(); ++i)
            QCOMPARE(unpacked[PlacementId(i)].variables, placements[i].variables);
    }

    void livenessCurveIsTheSumOfLiveVariables() {
        const Profile profile = sampleProfile({.ipus = 2});
        const ProfileReader reader(file("two.pop"));
        const LivenessCurve curve = reader.livenessCurve();
        QCOMPARE(curve.notAlwaysLive.size(), profile.steps.size());
        for (std::size_t step = 0; step < profile.steps.size(); ++step) {
            std::int64_t expected = 0;
            for (const Variable& v : profile.variables)
                if (!v.alwaysLive && profile.livenessClasses[v.liveness].contains(StepId(step)))
                    expected += v.bytes.sum();
            QCOMPARE(curve.notAlwaysLive[step], expected);
            QCOMPARE(curve.byIpu[0][step] + curve.byIpu[1][step], expected);
        }
    }

    void publicTablesAndViewsWorkWithPlainSqlite() {
        const auto one = file("one.pop");
        const Profile profile = sampleProfile();
        QCOMPARE(plainRows(one, "SELECT count(*) FROM vars_info WHERE name = 'conv1/weights'"),
                 QStringList{"64"});
        QCOMPARE(plainRows(one, "SELECT sum(size_bytes) FROM vars_info JOIN var_categories c ON "
                                "c.id = category WHERE c.name = 'stack'"),
                 QStringList{QString::number(1472 * sample::stackBytes)});
        QCOMPARE(plainRows(one, "SELECT count(*), min(id), max(id) FROM steps"),
                 QStringList{"275|0|274"});
        QCOMPARE(plainRows(one, "SELECT sum(cycles) FROM steps_by_ipu JOIN steps ON id = step_id "
                                "WHERE type = 'OnTileExecute'"),
                 QStringList{"240000"});
        QCOMPARE(plainRows(one, "SELECT max(cycles_base + active_cycles_to_max) FROM steps_by_ipu"),
                 QStringList{QString::number(profile.trace.runs.back().start +
                                             profile.trace.runs.back().cycles)});
        QCOMPARE(plainRows(one, "SELECT c.name FROM steps s JOIN compute_sets c ON c.compute_set = "
                                "s.compute_set ORDER BY s.id LIMIT 3"),
                 (QStringList{"conv1/Convolve", "relu1/Op/NonLinearity", "layer1/conv/Convolve"}));
        QCOMPARE(plainRows(one, "SELECT total FROM memory_by_tile WHERE tile = 3"),
                 QStringList{QString::number(profile.tileMemory[TileId(3)].includingGaps)});
    }

    void distinctSeriesAreThereOnce() {
        const auto one = file("one.pop");
        QCOMPARE(plainRows(one, "SELECT count(DISTINCT data) - count(*) FROM exchange_series"),
                 QStringList{"0"});
        QCOMPARE(plainRows(one, "SELECT count(DISTINCT data) - count(*) FROM compute_set_series"),
                 QStringList{"0"});
        // Lists of tiles and bytes that are equal would be the same text.
        QCOMPARE(plainRows(one, "SELECT count(DISTINCT list) - count(*) FROM (SELECT "
                                "group_concat(first_tile || ':' || tiles || ':' || bytes) AS list "
                                "FROM variable_series GROUP BY series)"),
                 QStringList{"0"});
        QCOMPARE(plainRows(one, "SELECT count(*) FROM (SELECT DISTINCT series FROM variables "
                                "WHERE series IS NOT NULL EXCEPT SELECT series FROM "
                                "variable_series)"),
                 QStringList{"0"});
    }

    void bytesOfAVariableAreAView() {
        const Profile profile = sampleProfile();
        QStringList expected;
        for (std::size_t v = 0; v < profile.variables.size(); ++v)
            for (const TileRun& run : profile.variables[VariableId(v)].bytes.runs())
                expected
                    << QString("%1|%2|%3|%4").arg(v).arg(run.first).arg(run.tiles()).arg(run.value);
        QCOMPARE(plainRows(file("one.pop"), "SELECT variable, first_tile, tiles, bytes FROM "
                                            "variable_tiles ORDER BY 1, 2"),
                 expected);
    }

    void rowsOfVarsInfoAreCountedWhenWritten() {
        const fs::path counted = file("counted.pop");
        writeProfile(sampleProfile(), counted);
        const std::int64_t rows =
            integerOf(ProfileReader(counted), "SELECT count(*) FROM vars_info");
        QVERIFY(rows > 0);
        QCOMPARE(ProfileReader(counted).variablesOnTiles(), rows);
        // Older files do not say it.
        QCOMPARE(text(changeProfile(counted, "DELETE FROM info WHERE key = 'variables.tiles'")),
                 "");
        QCOMPARE(ProfileReader(counted).variablesOnTiles(), rows);
        // What is said is not counted again.
        QCOMPARE(
            text(changeProfile(counted, "INSERT INTO info VALUES('variables.tiles', 1234567)")),
            "");
        QCOMPARE(ProfileReader(counted).variablesOnTiles(), std::int64_t{1234567});
    }

    void edgesOfTheModelsGraphAreAView() {
        QCOMPARE(plainRows(file("one.pop"), "SELECT producer, consumer, shape FROM graph_edges "
                                            "ORDER BY producer, consumer"),
                 (QStringList{"conv1|relu1|[1,64,112,112]", "layer1/again/conv|prob|[1,64,56,56]",
                              "layer1/conv|layer1/again/conv|[1,64,56,56]",
                              "relu1|layer1/again/conv|[1,64,112,112]",
                              "relu1|layer1/conv|[1,64,112,112]"}));
    }

    void stepsOfAnIpuTileItsTime() {
        for (const char* name : {"one.pop", "two.pop"})
            QCOMPARE(
                plainRows(file(name),
                          "SELECT count(*) FROM (SELECT cycles_base + active_cycles_from_min "
                          "AS s, lag(cycles_base + active_cycles_to_max) OVER (PARTITION BY "
                          "ipu ORDER BY step_id) AS before FROM steps_by_ipu) WHERE s < before"),
                QStringList{"0"});
    }

    void functionsExpandBlobs() {
        const ProfileReader reader(file("one.pop"));
        const std::string conv = " FROM compute_sets WHERE name = 'conv1/Convolve'";
        QCOMPARE(integerOf(reader, "SELECT tile_max(cycles_by_tile)" + conv), sample::convCycles);
        QCOMPARE(integerOf(reader, "SELECT tile_at(cycles_by_tile, 1471)" + conv),
                 sample::convCycles / 4);
        QCOMPARE(integerOf(reader, "SELECT tile_sum(cycles_by_tile)" + conv),
                 736 * (sample::convCycles + sample::convCycles / 4));
        QCOMPARE(integerOf(reader, "SELECT count(*) FROM compute_sets, "
                                   "tile_runs(cycles_by_tile) WHERE name = 'conv1/Convolve'"),
                 2);
        QCOMPARE(integerOf(reader, "SELECT sum(value) FROM compute_sets, "
                                   "tile_values(cycles_by_tile) WHERE name = 'conv1/Convolve'"),
                 736 * (sample::convCycles + sample::convCycles / 4));
        QCOMPARE(integerOf(reader, "SELECT max(offset + bytes) FROM tile_map(0)"),
                 integerOf(reader, "SELECT total FROM memory_by_tile WHERE tile = 0"));
    }

    void queriesReportTheirMistakes() {
        const ProfileReader reader(file("one.pop"));
        const QString name = text(file("one.pop").string());
        QCOMPARE(userError([&] { (void)reader.query("SELECT nonsense"); }),
                 QString("'%1': no such column: nonsense").arg(name));
        QCOMPARE(reader.query("SELECT step FROM liveness_steps", 5).rows.size(), std::size_t(5));
        QVERIFY(reader.query("SELECT step FROM liveness_steps", 5).truncated);
        QCOMPARE(userError([&] { (void)reader.query("SELECT 1; SELECT 2"); }),
                 "one statement can be run at a time");
        QCOMPARE(userError([&] { (void)reader.query("-- only a comment"); }),
                 "there is no statement to run");
        QCOMPARE(integerOf(reader, "SELECT 3; -- and a comment"), 3);
        try {
            (void)reader.query("SELECT name, absent FROM operations");
            QFAIL("there is no such column");
        } catch (const SqlError& error) {
            QCOMPARE(error.offset(), std::optional<std::size_t>(13));
            QCOMPARE(text(error.reason()), "no such column: absent");
        }
    }

    void endlessResultsEnd() {
        const Database db(DatabaseOrigin{.file = ":memory:"}, Database::Mode::Create);
        QVERIFY(userError([&] {
                    (void)runQuery(db,
                                   "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM "
                                   "n) SELECT x, 'text' FROM n",
                                   static_cast<std::size_t>(-1), 100'000);
                }).contains("more than 97.7 KiB"));
    }

    void queriesOnlyRead_data() {
        QTest::addColumn<QString>("sql");
        for (const char* sql : {"DELETE FROM messages", "CREATE TEMP TABLE t(x)",
                                "ATTACH 'elsewhere.db' AS other", "VACUUM INTO 'copy.db'",
                                "PRAGMA user_version = 7", "BEGIN", "PRAGMA journal_mode=WAL"})
            QTest::newRow(sql) << sql;
    }

    void queriesOnlyRead() {
        QFETCH(QString, sql);
        const QString before = QDir::currentPath();
        QVERIFY(QDir::setCurrent(directory_.path()));
        const ProfileReader reader(file("one.pop"));
        const QStringList files = QDir(directory_.path()).entryList(QDir::Files);
        QVERIFY2(userError([&] {
                     (void)reader.query(sql.toStdString());
                 }).contains("a query can only read"),
                 qPrintable(sql));
        QCOMPARE(QDir(directory_.path()).entryList(QDir::Files), files);
        QVERIFY(QDir::setCurrent(before));
        QCOMPARE(integerOf(reader, "SELECT count(*) FROM pragma_table_info('messages')"), 4);
    }

    void stopsWhenAskedTo() {
        ProfileReader reader(file("one.pop"));
        std::stop_source stop;
        reader.stopWith(stop.get_token());
        QCOMPARE(reader.messages().size(), std::size_t(2));
        stop.request_stop();
        QVERIFY_EXCEPTION_THROWN(
            (void)reader.query("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                               "SELECT count(*) FROM n"),
            Cancelled);
    }
};

TILESCOPE_TEST(ProfileStoreTest)

} // namespace profile_store_test

#include "profile_store_test.moc"
