// The results database of a sweep: round trip, rejected files, and its tables in sqlite3.
#include <QTemporaryDir>
#include <QTest>
#include <sqlite3.h>

#include "core/base/atomic_file.h"
#include "core/base/digest.h"
#include "core/sweep/sweep_file.h"
#include "core/sweep/sweep_store.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace sweep_store_test {
using namespace tilescope;
using namespace tilescope::test;
namespace fs = std::filesystem;

namespace {

SweepIdentity identity() {
    return {"mlp", "", "TileScope 1", {{"precision", "half"}}};
}

SweepGrid grid(const char* batches = "batchSize=1,2,3") {
    return SweepGrid({parseAxis(batches), parseAxis("availableMemoryProportion=0.3,0.6")});
}

PointResult fitting() {
    PointResult result;
    result.status = PointStatus::Fits;
    result.memory = PointMemory{100, 90, 1000, 900, 500, 400, 0};
    result.time = PointTime{123456789012, 0.25, 45.5};
    result.warnings = 2;
    result.profile = "0_a/profile.pop";
    result.hostSeconds = 0.125;
    return result;
}

PointResult tooLarge() {
    PointResult result = fitting();
    result.status = PointStatus::OutOfMemory;
    result.exitCode = 1;
    result.message = "Out of memory on tile 3";
    result.memory->tilesOverLimit = 7;
    result.time.reset();
    return result;
}

PointResult failed() {
    PointResult result;
    result.exitCode = 139;
    result.message = "the run was ended by signal 11 (Segmentation fault)";
    return result;
}

} // namespace

class SweepStoreTest : public QObject {
    Q_OBJECT

    QTemporaryDir temporary_;
    fs::path directory_; ///< a new one for each test
    int count_ = 0;

    SweepStore open(const SweepGrid& wanted = grid(), const SweepIdentity& who = identity(),
                    SweepStore::IfOther ifOther = SweepStore::IfOther::Refuse) const {
        return {directory_, who, wanted, ifOther};
    }
    fs::path file() const { return directory_ / "sweep.db"; }
    QString refusal(const QString& difference) const {
        return "'" + text(file().string()) + "' holds another sweep: " + difference +
               ". Use another directory, or --force to replace its results.";
    }
    void execute(const char* sql) const {
        sqlite3* db = nullptr;
        sqlite3_open(file().c_str(), &db);
        QCOMPARE(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK);
        sqlite3_close(db);
    }

private slots:
    void init() {
        directory_ = fs::path(temporary_.path().toStdString()) / std::to_string(count_++) / "new";
    }

    void pointsComeBack() {
        {
            SweepStore store = open();
            store.record(5, failed());
            store.record(0, fitting());
            store.record(3, tooLarge());
        }
        const SweepResults results = open().read();
        QCOMPARE(text(results.identity.model), "mlp");
        QCOMPARE(results.identity.options, identity().options);
        QCOMPARE(results.grid.axes(), grid().axes());
        QCOMPARE(results.points.size(), std::size_t{6});
        QVERIFY(results.points[0] == fitting());
        QVERIFY(results.points[3] == tooLarge());
        QVERIFY(results.points[5] == failed());
        for (const std::size_t open : {1, 2, 4})
            QVERIFY(!results.points[open]);
    }

    void aPointCanBeRecordedAgain() {
        SweepStore store = open();
        store.record(2, failed());
        store.record(2, fitting());
        QVERIFY(store.read().points[2] == fitting());
    }

    void plainSqliteReadsIt() {
        open().record(3, tooLarge());
        const Database db(file(), Database::Mode::ReadOnly);
        QCOMPARE(db.integer("PRAGMA application_id"), std::int64_t{sweepApplicationId});
        QCOMPARE(db.integer("PRAGMA user_version"), std::int64_t{sweepSchemaVersion});
        Statement row = db.prepare("SELECT batchSize, availableMemoryProportion, status, cycles, "
                                   "tiles_over_limit FROM results");
        QVERIFY(row.step());
        QCOMPARE(text(row.text(0)), "2");
        QCOMPARE(text(row.text(1)), "0.6");
        QCOMPARE(text(row.text(2)), "oom");
        QVERIFY(row.isNull(3));
        QCOMPARE(row.integer(4), 7);
        QVERIFY(!row.step());
    }

    void anotherSweepIsRefused() {
        open().record(0, fitting());
        QCOMPARE(userError([&] { open(grid("batchSize=1,2")); }),
                 refusal("batchSize has the values 1, 2, 3 there and 1, 2 now"));
        QCOMPARE(userError([&] { open(SweepGrid({parseAxis("batchSize=1,2,3")})); }),
                 refusal("it varies batchSize, availableMemoryProportion, not batchSize"));
        SweepIdentity other = identity();
        other.options["target"] = "bow";
        QCOMPARE(userError([&] { open(grid(), other); }),
                 refusal("option target is not set there and bow now"));
        other = identity();
        other.model = "resnet50";
        QCOMPARE(userError([&] { open(grid(), other); }),
                 refusal("its model is 'mlp', not 'resnet50'"));
        other = identity();
        other.modelDigest = "00";
        QCOMPARE(userError([&] { open(grid(), other); }),
                 refusal("the model 'mlp' has changed since"));
        other = identity();
        other.creator = "TileScope 2";
        QCOMPARE(userError([&] { open(grid(), other); }),
                 refusal("TileScope 1 simulated it, this is TileScope 2"));
        QVERIFY(open().read().points[0]);
    }

    void anotherSweepIsReplacedOnDemand() {
        open().record(0, fitting());
        const SweepStore store =
            open(grid("batchSize=4,5"), identity(), SweepStore::IfOther::Replace);
        QCOMPARE(store.read().points.size(), std::size_t{4});
        QVERIFY(!store.read().points[0]);
    }

    void replacingKeepsTheSameSweep() {
        open().record(0, fitting());
        QVERIFY(open(grid(), identity(), SweepStore::IfOther::Replace).read().points[0]);
    }

    void oneWriterAtATime() {
        const SweepStore store = open();
        QCOMPARE(userError([&] { open(); }), "another sweep is writing to directory '" +
                                                 text(directory_.string()) +
                                                 "': wait for its end, or use another directory");
    }

    void whatIsNoResultsDatabaseIsNeverTouched() {
        writeFileAtomically(file(), "notes");
        QCOMPARE(userError([&] { open(grid(), identity(), SweepStore::IfOther::Replace); }),
                 "'" + text(file().string()) +
                     "' is not a results database of a sweep: it is no SQLite file");
        QCOMPARE(text(readFile(file())), "notes");
        fs::remove(file());
        execute("CREATE TABLE mine(a)");
        QVERIFY(userError([&] {
                    open(grid(), identity(), SweepStore::IfOther::Replace);
                }).contains("it is a SQLite file of another application"));
    }

    void anEmptyFileIsAStart() {
        writeFileAtomically(file(), "");
        open().record(0, fitting());
        QVERIFY(readSweep(file()).points[0]);
    }

    void damagedAndNewerFilesAreRefused() {
        QCOMPARE(userError([&] { readSweep(file()); }),
                 "cannot open '" + text(file().string()) + "': no such file");
        open().record(0, fitting());
        const std::string good = readFile(file());
        execute("UPDATE points SET id = 99");
        QVERIFY(userError([&] { readSweep(file()); }).contains("it has an impossible point"));
        for (const char* number : {"-1", "7", "9223372036854775807"}) {
            writeFileAtomically(file(), good);
            execute(("UPDATE axes SET axis = " + std::string(number) + " WHERE axis = 0").c_str());
            const QString said = userError([&] { readSweep(file()); });
            QVERIFY2(said.contains("it has an impossible axis"), qPrintable(said));
        }
        writeFileAtomically(file(), good);
        execute("DELETE FROM axes");
        QVERIFY(userError([&] { open(); }).contains("its axes do not form a grid"));
        for (std::size_t size = 0; size < good.size(); size += 512) {
            writeFileAtomically(file(), good.substr(0, size));
            QVERIFY(userError([&] { readSweep(file()); }) != "no error");
        }
        writeFileAtomically(file(), good);
        execute("PRAGMA user_version = 2");
        QVERIFY(userError([&] {
                    open(grid(), identity(), SweepStore::IfOther::Replace);
                }).contains("has schema version 2, this TileScope reads up to 1"));
    }

    void digestsFollowTheBytes() {
        const fs::path model = directory_ / "model";
        writeFileAtomically(model, "");
        QCOMPARE(text(fileDigest(model)), "cbf29ce484222325");
        writeFileAtomically(model, "a");
        QCOMPARE(text(fileDigest(model)), "af63dc4c8601ec8c");
        QCOMPARE(userError([&] { fileDigest(directory_); }),
                 "cannot read '" + text(directory_.string()) + "': it is not a regular file");
        QCOMPARE(userError([&] { fileDigest("/dev/zero"); }),
                 "cannot read '/dev/zero': it is not a regular file");
    }
};

TILESCOPE_TEST(SweepStoreTest)

} // namespace sweep_store_test

#include "sweep_store_test.moc"
