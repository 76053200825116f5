// Rows taken from the pages of a file: the same as SQLite's, or an error, whatever the file holds.
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>
#include <random>
#include <sqlite3.h>

#include "core/base/atomic_file.h"
#include "core/database/insert.h"
#include "core/database/table_scan.h"
#include "tests/support/damage.h"
#include "tests/support/profile_sql.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace table_scan_test {
using namespace tilescope;
using namespace tilescope::test;
namespace fs = std::filesystem;

namespace {

const std::vector<std::string>& columns() {
    static const std::vector<std::string> names{"id", "note", "size", "share", "data", "NULL"};
    return names;
}
RowsWanted wanted(std::string_view order = "id", std::string_view from = "things") {
    return {columns(), from, order};
}

/// One of every kind and length of value that a record has, and lengths around those that leave the
/// page.
void bindRandom(Statement& row, int at, std::mt19937_64& random) {
    constexpr std::array widths{1, 7, 8, 15, 16, 23, 24, 31, 32, 47, 48, 63};
    constexpr std::array lengths{0, 1, 5, 100, 400, 470, 500, 1000, 4050, 4100, 9000};
    const auto bits = static_cast<std::int64_t>(random());
    const std::size_t length = lengths[random() % (random() % 8 == 0 ? lengths.size() : 4)];
    const std::string letters(length, static_cast<char>('a' + random() % 26));
    switch (random() % 5) {
    case 0:
        row.bindNull(at);
        break;
    case 1:
        row.bind(at, bits >> (64 - widths[random() % widths.size()] - 1));
        break;
    case 2:
        row.bind(at, static_cast<double>(bits) / 1e6);
        break;
    case 3:
        row.bind(at, std::string_view(letters));
        break;
    default:
        row.bind(at, std::as_bytes(std::span(letters)));
    }
}

void writeThings(const fs::path& file, const std::string& setup, int rows, std::uint64_t seed) {
    fs::remove(file);
    const Database db(DatabaseOrigin{.file = file.string()}, Database::Mode::Create);
    db.execute("PRAGMA synchronous=OFF; " + setup +
               "; CREATE TABLE things(id INTEGER PRIMARY KEY, note TEXT, size INTEGER, "
               "share REAL, data BLOB); CREATE TABLE others(id INTEGER PRIMARY KEY)");
    db.execute("BEGIN");
    Statement insert = db.prepare("INSERT INTO things VALUES(?, ?, ?, ?, ?)");
    std::mt19937_64 random(seed);
    std::int64_t id = -3;
    for (int row = 0; row < rows; ++row) {
        id += row % 50 == 49 ? static_cast<std::int64_t>(random() % 100'000) : 1;
        insert.bind(0, id);
        for (int at = 1; at < 5; ++at)
            bindRandom(insert, at, random);
        insert.run();
    }
    db.execute("COMMIT");
}

Database opened(const fs::path& file) {
    return {DatabaseOrigin{.file = file.string()}, Database::Mode::ReadOnly};
}

std::vector<std::byte> copyOf(std::span<const std::byte> bytes) {
    return {bytes.begin(), bytes.end()};
}

/// Which columns differ from SQLite's; "" if none does.
QString differences(const StoredRow& row, const Statement& expected) {
    QString found;
    for (int at = 0; at < 6; ++at) {
        const bool isBytes = expected.type(at) == SQLITE_TEXT || expected.type(at) == SQLITE_BLOB;
        const bool equal =
            row.isNull(at) == expected.isNull(at) && row.isNumber(at) == expected.isNumber(at) &&
            (isBytes
                 ? row.text(at) == expected.text(at) &&
                       copyOf(row.blob(at)) == copyOf(expected.blob(at))
                 : row.integer(at) == expected.integer(at) && row.real(at) == expected.real(at));
        if (!equal)
            found += QString("column %1 of row %2; ").arg(at).arg(expected.integer(0));
    }
    return found;
}

/// Reads all rows, and counts them.
std::size_t readAll(const Database& db) {
    std::size_t rows = 0;
    StoredRows all(db, wanted());
    while (const StoredRow* row = all.next()) {
        ++rows;
        for (int at = 0; at < 6; ++at)
            (void)(row->text(at).size() + row->blob(at).size() + (row->integer(at) != 0) +
                   (row->real(at) != 0));
    }
    return rows;
}

} // namespace

class TableScanTest : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;
    fs::path file(const char* name) const {
        return fs::path(directory_.path().toStdString()) / name;
    }

private slots:
    void valuesAreThoseOfSqlite_data() {
        QTest::addColumn<QString>("setup");
        QTest::addColumn<int>("rows");
        for (const int size : {512, 4096, 65536})
            for (const int rows : {0, 1, 3000})
                QTest::addRow("pages of %d, %d rows", size, rows)
                    << QString("PRAGMA page_size=%1").arg(size) << rows;
    }
    void valuesAreThoseOfSqlite() {
        QFETCH(QString, setup);
        QFETCH(int, rows);
        writeThings(file("things.db"), setup.toStdString(), rows, 7);
        const Database db = opened(file("things.db"));
        std::optional<TableScan> scan = TableScan::of(db, wanted());
        QVERIFY(scan);
        Statement expected =
            db.prepare("SELECT id, note, size, share, data, NULL FROM things ORDER BY id");
        while (expected.step()) {
            QVERIFY(scan->step());
            QCOMPARE(differences(*scan, expected), "");
        }
        QVERIFY(!scan->step());
        QVERIFY(!scan->step());
    }

    // A list of instructions of SQLite's machine would run for each row.
    void sqliteDoesNotVisitTheRows() {
        writeThings(file("many.db"), "PRAGMA page_size=4096", 5000, 3);
        const Database db = opened(file("many.db"));
        int instructions = 0;
        const auto count = [](void* all) {
            ++*static_cast<int*>(all);
            return 0;
        };
        sqlite3_progress_handler(db.handle(), 1, count, &instructions);
        QCOMPARE(readAll(db), std::size_t{5000});
        QVERIFY2(instructions < 1000, qPrintable(QString::number(instructions)));
    }

    void columnsThatWereAddedAreEmpty() {
        writeThings(file("added.db"), "PRAGMA page_size=512", 20, 5);
        {
            const Database db(DatabaseOrigin{.file = file("added.db").string()},
                              Database::Mode::Create);
            db.execute("ALTER TABLE things ADD COLUMN later INTEGER;"
                       "ALTER TABLE others ADD COLUMN five INTEGER DEFAULT 5;"
                       "INSERT INTO others(id) VALUES(1)");
        }
        const Database db = opened(file("added.db"));
        const std::vector<std::string> later{"later", "id"};
        std::optional<TableScan> scan = TableScan::of(db, {later, "things", "rowid"});
        QVERIFY(scan && scan->step());
        QVERIFY(scan->isNull(0));
        QCOMPARE(scan->integer(1), std::int64_t{-2});
        const std::vector<std::string> five{"five"};
        QVERIFY(!TableScan::of(db, {five, "others", "id"}));
    }

    void theRestIsLeftToSqlite() {
        const std::vector<std::string> sum{"size + 1"};
        writeThings(file("plain.db"),
                    "PRAGMA page_size=512; CREATE TABLE pairs(a INTEGER, b INTEGER, PRIMARY "
                    "KEY(a, b)) WITHOUT ROWID; CREATE VIEW seen AS SELECT * FROM things",
                    10, 1);
        const Database db = opened(file("plain.db"));
        const std::vector<std::string> a{"a"};
        QVERIFY(TableScan::of(db, wanted("id")) && TableScan::of(db, wanted("rowid")));
        QVERIFY(!TableScan::of(db, wanted("size")) && !TableScan::of(db, wanted("id, size")));
        QVERIFY(!TableScan::of(db, {sum, "things", "id"}));
        QVERIFY(!TableScan::of(db, wanted("id", "seen")));
        QVERIFY(!TableScan::of(db, wanted("id", "nowhere")));
        QVERIFY(!TableScan::of(db, {a, "pairs", "rowid"}) && !TableScan::of(db, {a, "pairs", "a"}));
        const Database written(DatabaseOrigin{.file = file("plain.db").string()},
                               Database::Mode::Create);
        QVERIFY(!TableScan::of(written, wanted()));
        const Database memory(DatabaseOrigin{.file = ":memory:"}, Database::Mode::Create);
        memory.execute("CREATE TABLE things(id INTEGER PRIMARY KEY, note, size, share, data)");
        QVERIFY(!TableScan::of(memory, wanted()));
        writeThings(file("wide.db"), "PRAGMA encoding='UTF-16'", 10, 1);
        QVERIFY(!TableScan::of(opened(file("wide.db")), wanted()));
        QCOMPARE(readAll(opened(file("wide.db"))), std::size_t{10});
        writeThings(file("log.db"), "PRAGMA journal_mode=WAL", 10, 1);
        QVERIFY(!TableScan::of(opened(file("log.db")), wanted()));
    }

    void aStopEndsIt() {
        writeThings(file("stopped.db"), "PRAGMA page_size=512", 500, 2);
        Database db = opened(file("stopped.db"));
        std::optional<TableScan> scan = TableScan::of(db, wanted());
        QVERIFY(scan && scan->step());
        std::stop_source stop;
        db.stopWith(stop.get_token());
        QVERIFY(scan->step());
        stop.request_stop();
        QVERIFY_THROWS_EXCEPTION(Cancelled, while (scan->step()){});
    }

    void circlesEnd() {
        writeThings(file("circle.db"), "PRAGMA page_size=512", 2000, 4);
        std::uint32_t root = 0;
        {
            const Database db = opened(file("circle.db"));
            root = static_cast<std::uint32_t>(
                db.integer("SELECT rootpage FROM sqlite_master WHERE name = 'things'"));
        }
        std::string bytes = readFile(file("circle.db"));
        // All pages below the root are the root: its last child and those of its cells.
        const std::size_t page = std::size_t{root - 1} * 512;
        QCOMPARE(bytes[page], '\5');
        const auto point = [&](std::size_t at) {
            for (int byte = 0; byte < 4; ++byte)
                bytes[page + at + std::size_t(byte)] = static_cast<char>(root >> (24 - 8 * byte));
        };
        point(8);
        const auto byteAt = [&](std::size_t at) {
            return std::size_t{static_cast<unsigned char>(bytes[page + at])};
        };
        for (std::size_t cell = 0; cell < byteAt(3) * 256 + byteAt(4); ++cell)
            point(byteAt(12 + 2 * cell) * 256 + byteAt(13 + 2 * cell));
        writeFileAtomically(file("circle.db"), bytes);
        QCOMPARE(userError([&] { (void)readAll(opened(file("circle.db"))); }),
                 "damaged profile: the pages of a table contradict each other");
    }

    void recordsThatShareBytesAreRefused() {
        fs::remove(file("shared.db"));
        std::int64_t root = 0;
        {
            const Database db(DatabaseOrigin{.file = file("shared.db").string()},
                              Database::Mode::Create);
            db.execute("PRAGMA synchronous=OFF; PRAGMA page_size=512; CREATE TABLE things(id "
                       "INTEGER PRIMARY KEY, note "
                       "TEXT, size INTEGER, share REAL, data BLOB);"
                       "INSERT INTO things(note) VALUES(printf('%300s', 'long')), ('a'), ('b')");
            root = db.integer("SELECT rootpage FROM sqlite_master WHERE name = 'things'");
        }
        QCOMPARE(readAll(opened(file("shared.db"))), std::size_t{3});
        std::string bytes = readFile(file("shared.db"));
        const auto firstCell = static_cast<std::size_t>(root - 1) * 512 + 8;
        for (const std::size_t cell : {1, 2})
            bytes.replace(firstCell + 2 * cell, 2, bytes, firstCell, 2);
        writeFileAtomically(file("shared.db"), bytes);
        QCOMPARE(userError([&] { (void)readAll(opened(file("shared.db"))); }),
                 "damaged profile: the pages of a table contradict each other");
    }

    // Whatever bytes say: rows or an error, and no more rows than there is room for.
    void damageEndsInErrors() {
        writeThings(file("sound.db"), "PRAGMA page_size=512", 120, 6);
        const std::string sound = readFile(file("sound.db"));
        const Draw draw = seededDraw(11);
        int refused = 0;
        for (int copy = 0; copy < 500; ++copy) {
            std::string bytes = sound;
            for (std::uint64_t flips = 1 + draw(4); flips > 0; --flips)
                // Not the page that lists the tables, which SQLite reads.
                bytes[512 + draw(bytes.size() - 512)] = static_cast<char>(draw(256));
            { std::ofstream(file("damaged.db"), std::ios::binary) << bytes; }
            std::size_t rows = 0;
            const QString error = userError([&] { rows = readAll(opened(file("damaged.db"))); });
            refused += error != "no error";
            QVERIFY2(rows <= bytes.size(), qPrintable(QString::number(copy)));
        }
        QVERIFY2(refused > 20, qPrintable(QString::number(refused)));
    }
};

TILESCOPE_TEST(TableScanTest)

} // namespace table_scan_test

#include "table_scan_test.moc"
