// A table as data: its statements, its rows written and read, and what is refused.
#include <QTest>

#include "core/database/stored_table.h"
#include "core/profile/kinds.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace stored_table_test {
using ShelfId = tilescope::Id<struct ShelfTag>;
} // namespace stored_table_test

namespace tilescope {
template <> inline constexpr IdList idListOf<stored_table_test::ShelfId>{"shelves", "shelf"};
} // namespace tilescope

namespace stored_table_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

struct Book {
    std::string title;
    ShelfId shelf, before;
    Severity tone = Severity::Info;
    bool lent = false;
    std::int64_t pages = 0;
    std::optional<double> price;
    TileSeries copies;
    friend bool operator==(const Book&, const Book&) = default;
};

std::optional<double> priceAt(const Statement& row, int at) {
    return row.isNull(at) ? std::nullopt : std::optional(row.real(at));
}

constexpr auto bookTable = storedTable<Book>(
    {.name = "books",
     .since = 2,
     .check =
         [](const Book& book) {
             if (book.lent && book.pages == 0)
                 throw DamagedProfile("an empty book is lent");
         }},
    [](auto& to, auto& b) {
        to(rowNumber("id"), field("title", b.title), field("shelf", b.shelf, required),
           field("before", b.before, nullptr, 3), field("tone", b.tone), field("lent", b.lent),
           derived("letters", b.title.size()), field("pages", b.pages), givenBack("owner"),
           field("price", b.price, priceAt), field("copies", b.copies), given("weight"),
           derived("cover", [&] { return "the " + b.title; }));
    });

constexpr auto noteTable = storedTable<std::int64_t>(
    {.name = "notes", .key = "book, place", .from = "all_notes"}, [](auto& to, auto& note) {
        to(givenBack("book"), given("place"), readFrom("note + 1", note));
    });

const std::vector<Book>& books() {
    static const std::vector<Book> all{
        {"Emma", ShelfId(0), {}, Severity::Warning, true, 474, 9.5, TileSeries(TileId(2), 3, 7)},
        {"Ulysses", ShelfId(1), ShelfId(0), Severity::Info, false, 732, {}, {}},
    };
    return all;
}

/// A database with two shelves and the books, owned by nobody and by 5.
Database library() {
    Database db(DatabaseOrigin{.file = ":memory:"}, Database::Mode::Create);
    db.execute(tablesSql("CREATE TABLE shelves(shelf INTEGER PRIMARY KEY); CREATE TABLE books{};",
                         bookTable));
    db.execute("INSERT INTO shelves VALUES(0), (1)");
    RowWriter write(db, bookTable);
    write(books()[0], std::optional<int>(), 300);
    write(books()[1], 5, 900);
    return db;
}

QString readError(const char* change) {
    const Database db = library();
    db.execute(change);
    try {
        (void)readRows<std::vector<Book>>({db, 3, 5}, bookTable);
    } catch (const DamagedProfile& damage) {
        return text(damage.what());
    }
    return "no error";
}

} // namespace

class StoredTableTest : public QObject {
    Q_OBJECT

private slots:
    void columnsMakeTheTable() {
        QCOMPARE(text(tablesSql("CREATE TABLE books{};", bookTable)),
                 "CREATE TABLE books(id INTEGER PRIMARY KEY, title TEXT, shelf INTEGER, before "
                 "INTEGER, tone TEXT,\n    lent INTEGER, letters INTEGER, pages INTEGER, owner "
                 "INTEGER, price REAL, copies BLOB,\n    weight INTEGER, cover TEXT);");
        QCOMPARE(text(tablesSql("{}", noteTable)),
                 "(book INTEGER, place INTEGER, PRIMARY KEY(book, place)) WITHOUT ROWID");
    }

    void rowsAreReadAsTheyWereWritten() {
        const Database db = library();
        std::vector<Book> read;
        eachRow(RowSource{db, 3, 5}, bookTable, [&](Book& book, const Statement& given) {
            QCOMPARE(given.isNull(0), read.empty());
            QCOMPARE(given.integer(0), std::int64_t(read.empty() ? 0 : 5));
            read.push_back(std::move(book));
        });
        QVERIFY(read == books());
        QCOMPARE(db.integer("SELECT letters FROM books WHERE id = 1"), std::int64_t{7});
        QCOMPARE(db.integer("SELECT weight FROM books WHERE id = 1"), std::int64_t{900});
        QCOMPARE(db.integer("SELECT count(*) FROM books WHERE cover = 'the Emma'"),
                 std::int64_t{1});
    }

    void olderFilesLackColumnsAndTables() {
        const Database db = library();
        db.execute("ALTER TABLE books DROP COLUMN before");
        const auto read = readRows<std::vector<Book>>({db, 2, 5}, bookTable);
        QCOMPARE(read.size(), std::size_t{2});
        QVERIFY(!read[1].before.valid());
        db.execute("DROP TABLE books");
        QVERIFY(readRows<std::vector<Book>>({db, 1, 5}, bookTable).empty());
    }

    void aViewIsReadInPlaceOfTheTable() {
        const Database db(DatabaseOrigin{.file = ":memory:"}, Database::Mode::Create);
        db.execute("CREATE VIEW all_notes AS SELECT 4 AS book, 0 AS place, 41 AS note");
        eachRow(RowSource{db}, noteTable, [](std::int64_t note, const Statement& given) {
            QCOMPARE(note, std::int64_t{42});
            QCOMPARE(given.integer(0), std::int64_t{4});
        });
    }

    void damageIsRefused_data() {
        QTest::addColumn<QByteArray>("change");
        QTest::addColumn<QString>("error");
        const auto row = [](const char* change, const char* error) {
            QTest::newRow(change) << QByteArray(change) << QString("damaged profile: ") + error;
        };
        row("DELETE FROM books WHERE id = 0", "rows of books are missing");
        row("UPDATE books SET shelf = 2", "a row refers to one that does not exist");
        row("UPDATE books SET shelf = NULL", "a row refers to one that does not exist");
        row("UPDATE books SET before = 2", "a row refers to one that does not exist");
        row("UPDATE books SET before = -1", "a row has an impossible id");
        row("UPDATE books SET pages = -1", "a row has an impossible size");
        row("UPDATE books SET tone = 'shrill'", "unknown name 'shrill'");
        row("UPDATE books SET copies = x'01000602'", "a per-tile blob is not of this machine");
        row("UPDATE books SET copies = NULL", "a row refers to a series that does not exist");
        row("UPDATE books SET pages = 0", "an empty book is lent");
    }
    void damageIsRefused() {
        QFETCH(QByteArray, change);
        QFETCH(QString, error);
        QCOMPARE(readError(change.constData()), error);
    }
};

TILESCOPE_TEST(StoredTableTest)

} // namespace stored_table_test

#include "stored_table_test.moc"
