// Every item model under the model tester, and its contents.
#include <QAbstractItemModelTester>
#include <QTableView>
#include <QtTest>

#include "core/base/error.h"
#include "core/report/compared_tables.h"
#include "tests/support/test_main.h"
#include "tests/views/sample_files.h"
#include "views/memory/memory_content.h"
#include "views/programs/program_model.h"
#include "views/tables/cell_bars.h"
#include "views/tables/item_export.h"
#include "views/tables/profile_tables.h"
#include "views/tables/table_model.h"

namespace models_test {
using namespace tilescope;
using namespace tilescope::views;

namespace {

Table smallTable() {
    Table table;
    table.columns = {{"name", "Name"},
                     {"bytes", "Size", Unit::Bytes},
                     in(Shown::Window, {"change", "Change", Unit::Bytes})};
    table.idKey = "variable";
    table.rows = {{{std::string("weights"), std::int64_t{2048}, Change{2048, 1024}}, 7},
                  {{std::string("input[0]"), std::int64_t{512}, Change{0, 512}}, 3},
                  {{std::string("output"), {}, Change{4096, 4096}}, 9}};
    return table;
}

QString textAt(const QAbstractItemModel& model, int row, int column,
               const QModelIndex& parent = {}) {
    return model.index(row, column, parent).data().toString();
}

constexpr auto fatal = QAbstractItemModelTester::FailureReportingMode::Fatal;

} // namespace

class ModelsTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    std::unique_ptr<ViewContext> context_;

private slots:
    void amountsHaveBars() {
        ViewContext context;
        TableModel model(context);
        Table amounts = smallTable();
        amounts.columns.pop_back();
        for (Row& row : amounts.rows)
            row.cells.pop_back();
        model.setTable(amounts);
        const auto bar = [&](int row, int column) {
            return model.index(row, column).data(barRole);
        };
        QVERIFY(!bar(0, 0).isValid()); // a name
        QCOMPARE(bar(0, 1).toDouble(), 1.0);
        QCOMPARE(bar(1, 1).toDouble(), 0.25);
        QVERIFY(!bar(2, 1).isValid()); // no value
        // With two rows it is obvious which is larger.
        amounts.rows.pop_back();
        model.setTable(amounts);
        QVERIFY(!bar(0, 1).isValid());
        // Beside a change, the change is what matters.
        model.setTable(smallTable());
        QVERIFY(!bar(0, 1).isValid() && !bar(0, 2).isValid());
        // A bar ends where the digits do and stays within its cell.
        const QRect cell(100, 10, 80, 20);
        QCOMPARE(CellBars::barIn(cell, 1).width(), 72.0);
        QCOMPARE(CellBars::barIn(cell, 0.5).right(), CellBars::barIn(cell, 1).right());
        QVERIFY(QRectF(cell).contains(CellBars::barIn(cell, 5)));
        QVERIFY(CellBars::barIn(cell, 0).isEmpty());
        // In a row of the usual height the digits' background stays clear.
        const QFontMetrics metrics{QTableView().font()};
        QTableView table;
        setUpTable(table);
        const QRect row(0, 0, 80, table.verticalHeader()->defaultSectionSize());
        const int digitsEnd = row.center().y() + metrics.height() / 2;
        QVERIFY(CellBars::barIn(row, 1).top() > digitsEnd);
    }

    void init() { context_ = std::make_unique<ViewContext>(); }

    void tableShowsUnitsAndDashes() {
        TableModel model(*context_);
        const QAbstractItemModelTester tester(&model, fatal);
        model.setTable(smallTable());
        QCOMPARE(textAt(model, 0, 1), QStringLiteral("2.00 KiB"));
        QCOMPARE(textAt(model, 2, 1), QStringLiteral("\u2013"));
        QCOMPARE(textAt(model, 0, 2), QStringLiteral("\u22121.00 KiB (\u221250.0 %)"));
        QCOMPARE(textAt(model, 1, 2), QStringLiteral("+512 B"));
        context_->preferences.setByteUnits(ByteUnits::Plain);
        QCOMPARE(textAt(model, 0, 1), QStringLiteral("2,048 B"));
        const int alignment = model.index(0, 1).data(Qt::TextAlignmentRole).toInt();
        QVERIFY(alignment & Qt::AlignRight);
    }

    void tableSortsAndFilters() {
        TableModel model(*context_);
        const QAbstractItemModelTester tester(&model, fatal);
        model.setTable(smallTable());
        const QPersistentModelIndex weights = model.index(0, 0);
        model.sort(1, Qt::AscendingOrder);
        QCOMPARE(textAt(model, 0, 0), QStringLiteral("output"));
        QCOMPARE(textAt(model, 2, 0), QStringLiteral("weights"));
        QCOMPARE(weights.row(), 2);
        model.sort(2, Qt::DescendingOrder);
        QCOMPARE(textAt(model, 0, 0), QStringLiteral("weights"));
        model.setFilter("put$");
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(model.idAt(0), 9);
        model.setFilter("INPUT[");
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(model.rowOf(3), 0);
        QCOMPARE(model.rowOf(7), -1);
        model.setFilter({});
        QCOMPARE(model.rowCount(), 3);
        model.setTable({});
        QCOMPARE(model.rowCount(), 0);
        QCOMPARE(model.idAt(0), -1);
    }

    // As the command line's --csv has them: every key, plain numbers, ids, and no totals.
    void exportedRowsAreRaw() {
        Table table = smallTable();
        table.columns[1].summed = true;
        table.columns.push_back(in(Shown::Data, {"path", ""}));
        for (Row& row : table.rows)
            row.cells.emplace_back(std::string("a,b"));
        table.rows[0].cells[1] = std::int64_t{44'849};
        TableModel model(*context_);
        model.setTable(table);
        model.sort(0, Qt::AscendingOrder);
        QCOMPARE(model.columnCount(), 3);
        QTableView view;
        view.setModel(&model);
        QCOMPARE(csvText(view), "variable,name,bytes,path\n3,input[0],512,\"a,b\"\n"
                                "9,output,,\"a,b\"\n7,weights,44849,\"a,b\"\n");
        view.selectRow(3);
        QCOMPARE(tabbedText(view, true), "variable\tname\tbytes\tpath\n7\tweights\t44849\ta,b\n");
    }

    void totalsAreOfTheRowsThatAreShown() {
        Table table = smallTable();
        table.columns[1].summed = table.columns[2].summed = true;
        TableModel model(*context_);
        const QAbstractItemModelTester tester(&model, fatal);
        model.setTable(table);
        QCOMPARE(model.rowCount(), 4);
        QCOMPARE(model.shownRows(), 3);
        QCOMPARE(textAt(model, 0, 0), QStringLiteral("Total"));
        QCOMPARE(textAt(model, 0, 1), QStringLiteral("2.50 KiB"));
        QCOMPARE(textAt(model, 0, 2), QStringLiteral("\u2212512 B (\u22128.3 %)"));
        QCOMPARE(model.idAt(0), -1);
        QCOMPARE(model.rowOf(-1), -1);
        const QPersistentModelIndex total = model.index(0, 0);
        const QPersistentModelIndex weights = model.index(1, 0);
        model.sort(1, Qt::AscendingOrder);
        QCOMPARE(total.row(), 0);
        QCOMPARE(weights.row(), 3);
        QCOMPARE(model.rowOf(7), 3);
        model.setFilter("input");
        QCOMPARE(textAt(model, 0, 1), QStringLiteral("512 B"));
        model.setFilter("nothing of the kind");
        QCOMPARE(model.rowCount(), 0);
    }

    void columnsOfOneProfileMatchByIdAndDiffer() {
        const Table table =
            columnTable("Variable", Unit::Bytes, nullptr,
                        {{"Tile 0", {{"a", 10, 0}, {"copy", 4, 1}, {"copy", 6, 2}}, {}},
                         {"Tile 1", {{"copy", 5, 2}, {"b", 50, 3}}, {}}});
        QCOMPARE(table.columns.size(), std::size_t(4));
        QCOMPARE(table.rows.size(), std::size_t(4));
        QVERIFY(table.rows[0].cells[0] == Cell(std::string("b")));
        QVERIFY(std::holds_alternative<std::monostate>(table.rows[0].cells[1]));
        QVERIFY(table.rows[0].cells[3] == Cell(Change{0, 50}));
        const auto second = std::find_if(table.rows.begin(), table.rows.end(),
                                         [](const Row& row) { return row.id == 2; });
        QVERIFY(second->cells[3] == Cell(Change{6, 5}));
    }

    void columnsOfTwoProfilesHaveBothSides() {
        const Matching matching({{0, 7, false}, {-1, 8, false}});
        const Table table = columnTable("Variable", Unit::Bytes, &matching,
                                        {{"Step 3", {{"a", 10, 0}}, {{"a", 12, 7}, {"new", 1, 8}}},
                                         {"Step 5", {{"a", 1, 0}}, {}}});
        QCOMPARE(table.columns.size(), std::size_t(7));
        QCOMPARE(table.rows.size(), std::size_t(2));
        QCOMPARE(table.rows[0].id, 0);
        QVERIFY(table.rows[0].cells[3] == Cell(Change{10, 12}));
        QVERIFY(table.rows[0].cells[6] == Cell(Change{1, 0}));
        QCOMPARE(table.rows[1].id, -1);
        QVERIFY(std::holds_alternative<std::monostate>(table.rows[1].cells[6]));
        QCOMPARE(totalsOf(table, std::vector<std::uint32_t>{0, 1})[3], Cell(Change{10, 13}));
    }

    void comparedRowsMatchByName() {
        const Table table =
            comparedByName("Name", Unit::Bytes, {{"a", 10, 0}, {"b", 5, 1}, {"b", 5, 2}},
                           {{"b", 4, 0}, {"c", 100, 1}});
        QCOMPARE(table.rows.size(), std::size_t(4)); // equal names pair in their order
        QVERIFY(table.rows[0].cells[0] == Cell(std::string("c")));
        QVERIFY(std::holds_alternative<std::monostate>(table.rows[0].cells[1]));
        QCOMPARE(table.rows[0].id, -1);
        for (const Row& row : table.rows) {
            if (row.id == 1)
                QVERIFY(row.cells[3] == Cell(Change{5, 4}));
            if (row.id == 2)
                QVERIFY(row.cells[3] == Cell(Change{5, 0}));
        }
    }

    void detailsTree() {
        const ProfilePair pair{test::openSample(files_.write("a.pop")), nullptr};
        ValueTreeModel model(*context_);
        const QAbstractItemModelTester tester(&model, fatal);
        const std::vector<TileSelection> columns{TileSelection::all(),
                                                 TileSelection::ofTile(TileId(3))};
        model.setTree(views::detailsTree(pair, columns, {}));
        QCOMPARE(model.columnCount(), 3);
        QVERIFY(model.rowCount() >= 2);
        QCOMPARE(model.headerData(2, Qt::Horizontal, Qt::DisplayRole).toString(),
                 QStringLiteral("Tile 3"));
        QCOMPARE(textAt(model, 0, 0), QStringLiteral("Physical tile id"));
        QCOMPARE(textAt(model, 0, 2), QString::number(physicalTileId(pair.source->machine(), 3)));
        const QModelIndex excluding = model.index(2, 0, {});
        QVERIFY(model.rowCount(excluding) > 0);
        QCOMPARE(model.parent(model.index(0, 0, excluding)), excluding);
    }

    void detailsTreeOfTwo() {
        const ProfilePair pair{test::openSample(files_.write("a.pop")),
                               test::openSample(files_.write("b.pop", {.changed = true}))};
        ValueTreeModel model(*context_);
        const QAbstractItemModelTester tester(&model, fatal);
        const TileSelection all;
        model.setTree(views::detailsTree(pair, {&all, 1}, {}));
        QCOMPARE(model.columnCount(), 4);
        QVERIFY(textAt(model, 0, 3).startsWith('+'));
    }

    void programTree() {
        const ProfileViewPtr profile = test::openSample(files_.write("a.pop"));
        ProgramModel model(*context_);
        const QAbstractItemModelTester tester(&model, fatal);
        model.setTree(readProgramTree(*profile, {}));
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(textAt(model, 0, 0), QStringLiteral("Control program 0 (weightsFromHost)"));
        QCOMPARE(textAt(model, 2, 0), QStringLiteral("Function 0 (layer1)"));
        const ProgramId convolve = model.find("conv1/convolve", ProgramId(), true);
        QVERIFY(convolve.valid());
        const QModelIndex index = model.indexOf(convolve);
        QCOMPARE(model.programAt(index), convolve);
        QVERIFY(index.parent().isValid());
        QCOMPARE(index.siblingAtColumn(ProgramModel::Cycles).data().toString(),
                 QStringLiteral("12,000"));
        model.setMarked({}, "convolve");
        QVERIFY(index.data(Qt::BackgroundRole).isValid());
        QVERIFY(!model.find("nothing like it", ProgramId(), true).valid());
        model.setTree({});
        QCOMPARE(model.rowCount(), 0);
    }

    void searchGoesRound() {
        ProgramModel model(*context_);
        model.setTree(readProgramTree(*test::openSample(files_.write("a.pop")), {}));
        const ProgramId first = model.find("StreamCopy", ProgramId(), true);
        ProgramId at = first;
        int found = 0;
        do {
            at = model.find("StreamCopy", at, true);
            ++found;
        } while (at != first);
        QCOMPARE(found, 9);
        QCOMPARE(model.find("StreamCopy", model.find("StreamCopy", first, true), false), first);
    }
};

TILESCOPE_TEST(ModelsTest, QApplication)

} // namespace models_test

#include "models_test.moc"
