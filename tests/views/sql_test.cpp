// The query report, as a user handles it: editor, answers, errors at their place, history.
#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QComboBox>
#include <QHeaderView>
#include <QInputDialog>
#include <QLineEdit>
#include <QMenu>
#include <QSettings>
#include <QTableView>
#include <QToolButton>
#include <QTreeWidget>
#include <QtTest>

#include "core/base/error.h"
#include "tests/support/test_main.h"
#include "tests/views/sample_files.h"
#include "tests/views/shown_window.h"
#include "views/sql/sql_view.h"
#include "views/tables/item_export.h"
#include "views/theme/style.h"

namespace sql_test {
using namespace tilescope;
using namespace tilescope::gui;
using views::SqlView;

namespace {

QString errorText(const SqlView& view) {
    const auto* label = view.findChild<QLabel*>("error");
    return label->isHidden() ? QString() : label->text();
}

} // namespace

class SqlTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    std::unique_ptr<MainWindow> window_;

    SqlView& openView(const QStringList& files) {
        return test::openView<SqlView>(*window_, files, Report::Query);
    }
    void runText(SqlView& view, const QString& sql) {
        view.editor().setPlainText(sql);
        view.editor().setFocus();
        QTest::keyClick(&view.editor(), Qt::Key_Return, Qt::ControlModifier);
        test::waitUntilIdle(*window_);
    }
    static QString cell(SqlView& view, int row, int column) {
        return view.model().index(row, column).data().toString();
    }
    static QToolButton* button(QWidget& widget, const QString& text) {
        for (QToolButton* button : widget.findChildren<QToolButton*>())
            if (button->text().startsWith(text))
                return button;
        return nullptr;
    }
    // The menu as it is when it opens.
    static QMenu& menuOf(SqlView& view, const QString& text) {
        QMenu* menu = button(view, text)->menu();
        emit menu->aboutToShow();
        return *menu;
    }

private slots:
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName("tilescope-tests");
        QCoreApplication::setApplicationName("sql");
        QApplication::setStyle(new views::WindowStyle);
    }
    void init() {
        QSettings().clear();
        window_ = test::shownWindow({1100, 700});
    }
    void cleanup() { window_.reset(); }

    void beginsWithAnExampleAndItsRows() {
        SqlView& view = openView({files_.write("a.pop")});
        QCOMPARE(view.editor().toPlainText(), views::sqlExamples().front().sql);
        QVERIFY(view.model().rowCount() > 0);
        QVERIFY(view.statusText().contains("rows in"));
    }

    void rowsAreShownAsTheyAre() {
        SqlView& view = openView({files_.write("a.pop")});
        const QAbstractItemModelTester tester(
            &view.model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
        runText(view, "SELECT 1234567 AS a, 0.125 AS b, NULL AS c, 'x' AS d, x'0102' AS e");
        QCOMPARE(errorText(view), QString());
        QCOMPARE(view.model().rowCount(), 1);
        QCOMPARE(cell(view, 0, 0), "1234567");
        QCOMPARE(cell(view, 0, 1), "0.125");
        QCOMPARE(cell(view, 0, 2), "NULL");
        QCOMPARE(cell(view, 0, 4), "<blob of 2 bytes>");
        QCOMPARE(view.model().headerData(3, Qt::Horizontal, Qt::DisplayRole).toString(), "d");
        QVERIFY(view.statusText().startsWith("1 row in"));
    }

    void headingsSort() {
        SqlView& view = openView({files_.write("a.pop")});
        runText(view, "SELECT * FROM (VALUES (10, 'b'), (9, 'c'), (NULL, 'a'))");
        QHeaderView* header = view.table().horizontalHeader();
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                          {header->sectionViewportPosition(0) + 8, header->height() / 2});
        const QStringList once{cell(view, 0, 0), cell(view, 1, 0), cell(view, 2, 0)};
        QVERIFY(once == QStringList({"NULL", "9", "10"}) ||
                once == QStringList({"10", "9", "NULL"}));
        view.model().sort(1, Qt::DescendingOrder);
        QCOMPARE(cell(view, 0, 1), "c");
    }

    void errorsAreShownAtTheirPlace() {
        SqlView& view = openView({files_.write("a.pop")});
        runText(view, "SELECT tile\nFORM memory_by_tile");
        QVERIFY2(errorText(view).startsWith("Line 2, column"), qPrintable(errorText(view)));
        QVERIFY(!view.editor().extraSelections().isEmpty());
        runText(view, QString::fromUtf8("SELECT 'äöü', absent FROM memory_by_tile"));
        QVERIFY2(errorText(view).contains("Line 1, column 15: no such column: absent"),
                 qPrintable(errorText(view)));
        QTest::keyClick(&view.editor(), Qt::Key_Space);
        QVERIFY(view.editor().extraSelections().isEmpty());
        runText(view, "SELECT 1");
        QCOMPARE(errorText(view), QString());
    }

    void onlyOneStatementAndOnlyReading() {
        const QString file = files_.write("a.pop");
        SqlView& view = openView({file});
        runText(view, "SELECT 1;\nSELECT 2");
        QVERIFY2(errorText(view).startsWith("Line 2, column 1: one statement"),
                 qPrintable(errorText(view)));
        runText(view, "SELECT 1; -- done\n");
        QCOMPARE(errorText(view), QString());
        runText(view, "-- nothing");
        QVERIFY(errorText(view).contains("no statement"));
        QFile before(file);
        QVERIFY(before.open(QIODevice::ReadOnly));
        const QByteArray bytes = before.readAll();
        for (const char* sql : {"DELETE FROM memory_by_tile", "DROP TABLE variables",
                                "CREATE TABLE t(a)", "UPDATE info SET value = 1"}) {
            runText(view, sql);
            QVERIFY2(errorText(view).contains("can only read"), qPrintable(errorText(view)));
        }
        before.seek(0);
        QCOMPARE(before.readAll(), bytes);
    }

    void theSelectedPartRuns() {
        SqlView& view = openView({files_.write("a.pop")});
        view.editor().setPlainText("SELECT 1;\nSELECT 22 FROM nowhere");
        QTextCursor cursor(view.editor().document());
        cursor.setPosition(0);
        cursor.setPosition(8, QTextCursor::KeepAnchor);
        view.editor().setTextCursor(cursor);
        view.run();
        test::waitUntilIdle(*window_);
        QCOMPARE(errorText(view), QString());
        QCOMPARE(cell(view, 0, 0), "1");
        cursor.setPosition(10);
        cursor.setPosition(32, QTextCursor::KeepAnchor);
        view.editor().setTextCursor(cursor);
        view.run();
        test::waitUntilIdle(*window_);
        QVERIFY2(errorText(view).contains("nowhere"), qPrintable(errorText(view)));
    }

    void f5RunsAndDoesNotReload() {
        SqlView& view = openView({files_.write("a.pop")});
        view.editor().setPlainText("SELECT 7");
        view.table().setFocus();
        const auto before = window_->context().reports.source();
        QTest::keyClick(&view.table(), Qt::Key_F5);
        test::waitUntilIdle(*window_);
        QCOMPARE(cell(view, 0, 0), "7");
        QCOMPARE(window_->context().reports.source(), before);
    }

    void aLongQueryCanBeCancelled() {
        SqlView& view = openView({files_.write("a.pop")});
        view.editor().setPlainText("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
                                   " SELECT max(i) FROM n");
        view.run();
        QVERIFY(view.running());
        QToolButton* cancel = button(view, "Cancel");
        QTest::mouseClick(cancel, Qt::LeftButton);
        QVERIFY(!view.running());
        QCOMPARE(view.statusText(), "Cancelled");
        QVERIFY(!cancel->isEnabled() && button(view, "Run")->isEnabled());
        view.run();
        QTest::keyClick(&view.editor(), Qt::Key_Escape);
        QVERIFY(!view.running());
        test::waitUntilIdle(*window_);
    }

    void rowsAreLimitedWithAMessage() {
        SqlView& view = openView({files_.write("a.pop")});
        const QString many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
                             "LIMIT 5000) SELECT i FROM n";
        runText(view, many);
        QCOMPARE(view.model().rowCount(), 1000);
        QVERIFY2(view.statusText().contains("first 1,000 rows"), qPrintable(view.statusText()));
        test::choiceOf(view, "Rows, at most").setCurrentIndex(1);
        runText(view, many);
        QCOMPARE(view.model().rowCount(), 5000);
        QVERIFY(view.statusText().startsWith("5,000 rows"));
    }

    void copyAndCsv() {
        SqlView& view = openView({files_.write("a.pop")});
        runText(view, "SELECT * FROM (SELECT 1 AS n, 'a,\"b\"' AS t UNION ALL SELECT 2, 'c')");
        QTest::mouseClick(button(view, "Copy"), Qt::LeftButton);
        QCOMPARE(QGuiApplication::clipboard()->text(), "n\tt\n1\t\"a,\"\"b\"\"\"\n2\tc\n");
        view.table().selectRow(1);
        view.copyRows();
        QCOMPARE(QGuiApplication::clipboard()->text(), "n\tt\n2\tc\n");
        const QString name = files_.path("rows.csv");
        QCOMPARE(views::saveCsv(view.table(), name), QString());
        QFile file(name);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), "n,t\n1,\"a,\"\"b\"\"\"\n2,c\n");
        QVERIFY(views::saveCsv(view.table(), files_.path("no/such/folder.csv"))
                    .contains("Cannot write"));
    }

    void allExamplesRun() {
        SqlView& view =
            openView({files_.write("a.pop", {.withCopy = true}), files_.write("b.pop")});
        for (const views::SqlExample& example : views::sqlExamples()) {
            runText(view, example.sql);
            QVERIFY2(errorText(view).isEmpty(), qPrintable(example.title + ": " + errorText(view)));
            QVERIFY2(view.model().rowCount() > 0, qPrintable(example.title));
        }
    }

    void examplesOfTwoNeedTwo() {
        SqlView& view = openView({files_.write("a.pop")});
        const auto titles = [&] {
            QStringList texts;
            for (const QAction* action : menuOf(view, "Examples").actions())
                texts << action->text();
            return texts;
        };
        const QStringList one = titles();
        QVERIFY(one.contains("Fullest tiles"));
        QVERIFY(!test::choiceOf(view, "Profile").isVisible());
        openView({files_.write("a.pop"), files_.write("b.pop", {.changed = true})});
        QVERIFY(titles().size() > one.size());
        QVERIFY(test::choiceOf(view, "Profile").isVisible());
        runText(view, "SELECT count(*) FROM target.variables");
        QCOMPARE(errorText(view), QString());
        test::choiceOf(view, "Profile").setCurrentIndex(1);
        runText(view, "SELECT count(*) FROM target.variables");
        QVERIFY(!errorText(view).isEmpty());
    }

    void theSchemaListsTablesWithNotes() {
        SqlView& view = openView({files_.write("a.pop")});
        const auto found = test::child<views::SchemaTree>(view).tree().findItems(
            "compute_sets", Qt::MatchRecursive);
        QCOMPARE(found.size(), 1);
        QVERIFY(found[0]->toolTip(0).contains("slowest tile"));
        QVERIFY(found[0]->childCount() >= 4);
        QVERIFY(!test::child<views::SchemaTree>(view)
                     .tree()
                     .findItems("steps", Qt::MatchRecursive)
                     .isEmpty());
        QVERIFY(!test::child<views::SchemaTree>(view)
                     .tree()
                     .findItems("tile_sum(blob)", Qt::MatchRecursive)
                     .isEmpty());
        auto* filter = test::child<views::SchemaTree>(view).findChild<QLineEdit*>();
        QTest::keyClicks(filter, "run_bytes");
        QVERIFY(found[0]->isHidden());
        const auto exchanges =
            test::child<views::SchemaTree>(view).tree().findItems("exchanges", Qt::MatchRecursive);
        QVERIFY(!exchanges[0]->isHidden() && exchanges[0]->isExpanded());
        view.editor().setPlainText("SELECT * FROM");
        view.editor().moveCursor(QTextCursor::End);
        emit test::child<views::SchemaTree>(view).tree().itemActivated(exchanges[0], 0);
        QCOMPARE(view.editor().toPlainText(), "SELECT * FROM exchanges");
    }

    void historyAndSavedQueries() {
        SqlView& view = openView({files_.write("a.pop")});
        runText(view, "SELECT 1");
        runText(view, "SELECT 2");
        runText(view, "SELECT bad");
        runText(view, "SELECT 1");
        QCOMPARE(window_->context().queries.history(), QStringList({"SELECT 1", "SELECT 2"}));
        menuOf(view, "History").actions().at(1)->trigger();
        QCOMPARE(view.editor().toPlainText(), "SELECT 2");
        menuOf(view, "Saved").actions().at(0)->trigger();
        auto* dialog = view.findChild<QInputDialog*>();
        QVERIFY(dialog != nullptr);
        dialog->setTextValue("two");
        dialog->accept();
        view.editor().setPlainText("other");
        menuOf(view, "Saved").actions().at(2)->trigger();
        QCOMPARE(view.editor().toPlainText(), "SELECT 2");
        QVERIFY(QSettings().allKeys().isEmpty()); // this window leaves no traces
    }

    void queriesAreKept() {
        {
            views::QueryBook book;
            book.keep();
            book.addToHistory("SELECT 1");
            book.save("b", "SELECT 'b'");
            book.save("a", "SELECT 'a'");
            book.save("b", "SELECT 'B'");
        }
        views::QueryBook book;
        QVERIFY(book.history().isEmpty());
        book.keep();
        QCOMPARE(book.history(), QStringList("SELECT 1"));
        const std::vector<views::QueryBook::Saved> wanted{{"a", "SELECT 'a'"}, {"b", "SELECT 'B'"}};
        QVERIFY(book.saved() == wanted);
        for (int i = 0; i < 60; ++i)
            book.addToHistory(QString::number(i));
        QCOMPARE(book.history().size(), views::QueryBook::historySize);
        QCOMPARE(book.history().front(), "59");
        book.remove("a");
        QCOMPARE(book.saved().size(), std::size_t(1));
        book.clearHistory();
        views::QueryBook other;
        other.keep();
        QVERIFY(other.history().isEmpty() && other.saved().size() == 1);
    }
};

TILESCOPE_TEST(SqlTest, QApplication)

} // namespace sql_test

#include "sql_test.moc"
