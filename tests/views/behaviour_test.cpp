// How the window behaves when actions follow each other: profiles, tables, ranges, messages.
#include <QHeaderView>
#include <QLabel>
#include <QSettings>
#include <QStatusBar>
#include <QStyleOptionFrame>
#include <QTableView>
#include <QtTest>

#include "app/gui/window/session_state.h"
#include "app/gui/window/window_list.h"
#include "tests/support/test_main.h"
#include "tests/views/sample_files.h"
#include "tests/views/shown_window.h"
#include "views/execution/range_field.h"
#include "views/execution/trace_view.h"
#include "views/liveness/liveness_view.h"
#include "views/memory/address_history.h"
#include "views/memory/memory_view.h"
#include "views/sql/sql_view.h"
#include "views/tables/item_export.h"
#include "views/tables/table_panel.h"
#include "views/tables/value_tree.h"

namespace behaviour_test {
using namespace tilescope;
using namespace tilescope::gui;

namespace {

Table tableOf(const char* number) {
    Table table;
    table.columns = {{"name", "Name"}, {"number", number, Unit::Count}};
    table.rows = {{{std::string("a"), std::int64_t{2}}, 0},
                  {{std::string("b"), std::int64_t{9}}, 1},
                  {{std::string("c"), std::int64_t{5}}, 2}};
    return table;
}

QString textAt(QTableView& view, int row, int column) {
    return view.model()->index(row, column).data().toString();
}

void clickHeader(QTableView& view, int column) {
    const QHeaderView& header = *view.horizontalHeader();
    QTest::mouseClick(header.viewport(), Qt::LeftButton, {},
                      {header.sectionViewportPosition(column) + header.sectionSize(column) / 2,
                       header.height() / 2});
}

} // namespace

class BehaviourTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    QTemporaryDir settings_;
    std::unique_ptr<MainWindow> window_;

    template <class View> View& open(const QStringList& files, Report report) {
        return test::openView<View>(*window_, files, report);
    }
    static QTableView& tableIn(const QWidget& view) {
        for (views::TablePanel* panel : view.findChildren<views::TablePanel*>())
            if (panel->isVisible() && panel->model().rowCount() > 1)
                return panel->view();
        qFatal("there is no table with rows");
    }
    // What the status bar says.
    bool saysBelow(const QString& text) {
        for (const QLabel* label : window_->findChildren<QLabel*>())
            if (label->text().contains(text) &&
                qobject_cast<QStatusBar*>(label->parentWidget()) != nullptr)
                return true;
        return false;
    }

private slots:
    void initTestCase() {
        test::prepareWindows();
        QCoreApplication::setOrganizationName(QStringLiteral("TileScopeTest"));
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, settings_.path());
    }
    void init() {
        QSettings().clear();
        window_ = test::shownWindow({1280, 800});
    }
    void cleanup() { window_.reset(); }

    void theNextProfileBeginsWithItsSummary() {
        auto& view = open<views::ReportView>({files_.write("a.pop")}, Report::Operations);
        QTableView& table = tableIn(view);
        table.selectRow(1);
        QVERIFY(table.selectionModel()->hasSelection());
        window_->context().reports.close();
        test::openProfiles(*window_, {files_.write("b.pop", {.changed = true})});
        QCOMPARE(window_->currentReport(), Report::Summary);
        QVERIFY(window_->context().selection.current() == views::Selected{});
        window_->showReport(Report::Operations);
        test::waitUntilIdle(*window_);
        QVERIFY(table.model()->rowCount() > 1);
        QVERIFY(!table.selectionModel()->hasSelection());
    }

    void largestNumbersComeFirst() {
        views::TablePanel panel(window_->context(), QStringLiteral("Filter"));
        panel.resize(600, 300);
        panel.setTable(tableOf("Cycles"));
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        QTableView& view = panel.view();
        clickHeader(view, 1);
        QCOMPARE(textAt(view, 0, 1), "9");
        clickHeader(view, 1);
        QCOMPARE(textAt(view, 0, 1), "2");
        clickHeader(view, 0);
        QCOMPARE(textAt(view, 0, 0), "a");
    }

    // The arrow shows how the rows are sorted, even after a change of columns.
    void theArrowDoesNotLie() {
        views::TablePanel panel(window_->context(), QStringLiteral("Filter"));
        panel.resize(600, 300);
        panel.setTable(tableOf("Cycles"));
        panel.show();
        QTableView& view = panel.view();
        view.horizontalHeader()->setSortIndicator(1, Qt::DescendingOrder);
        panel.setTable(tableOf("Cycles"));
        QCOMPARE(view.horizontalHeader()->sortIndicatorSection(), 1);
        QCOMPARE(textAt(view, 0, 1), "9");
        panel.setTable(tableOf("Bytes"));
        QVERIFY(view.horizontalHeader()->sortIndicatorSection() != 1);
        QCOMPARE(textAt(view, 0, 1), "2");
    }

    void tablesCountWithSeparators() {
        views::TablePanel panel(window_->context(), QStringLiteral("Filter"));
        Table table = tableOf("Cycles");
        while (table.rows.size() < 6262)
            table.rows.push_back(table.rows.front());
        panel.setTable(std::move(table));
        bool said = false;
        for (const QLabel* label : panel.findChildren<QLabel*>())
            said = said || label->text().contains("6,262 rows");
        QVERIFY(said);
    }

    void theTipFollowsAZoom() {
        auto& view = open<views::LivenessView>({files_.write("a.pop")}, Report::Liveness);
        auto& plot = test::child<views::PlotWidget>(view);
        plot.setReadOut([](double x, double) { return QString::number(x, 'f', 3); });
        QSignalSpy tips(&plot, &views::PlotWidget::hovered);
        const QPointF at = plot.axisRect()->center();
        QMouseEvent move(QEvent::MouseMove, at, plot.mapToGlobal(at), Qt::NoButton, Qt::NoButton,
                         {});
        QCoreApplication::sendEvent(&plot, &move);
        QVERIFY(!tips.isEmpty());
        const QString before = tips.last()[0].toString();
        const auto shown = tips.size();
        plot.zoom().setRange(plot.zoom().first(), plot.zoom().last() / 3);
        QVERIFY(tips.size() > shown);
        QVERIFY(tips.last()[0].toString() != before);
    }

    // As the command line's --csv, for programs to read.
    void treesAreCopiedAsPlainNumbers() {
        auto& view = open<views::MemoryView>({files_.write("a.pop")}, Report::Memory);
        const auto& tree = test::child<views::ValueTreeView>(view);
        const QString text = views::csvText(tree);
        QVERIFY(text.count('\n') > 3);
        QVERIFY2(!text.contains("KiB") && !text.contains("MiB"), qPrintable(text));
        const QString shown = tree.model()->index(0, 1).data().toString();
        QVERIFY2(shown.contains("iB"), qPrintable(shown));
    }

    void separatePanelsAreEquallyHigh() {
        auto& view = open<views::LivenessView>(
            {files_.write("a.pop"), files_.write("b.pop", {.changed = true})}, Report::Liveness);
        test::button(view, "Separate").click();
        test::waitUntilIdle(*window_);
        std::vector<views::PlotWidget*> plots;
        for (views::PlotWidget* plot : view.findChildren<views::PlotWidget*>())
            if (plot->isVisible())
                plots.push_back(plot);
        QCOMPARE(plots.size(), std::size_t(2));
        for (const QSize size : {QSize(1280, 800), QSize(1500, 1000)}) {
            window_->resize(size);
            QTRY_VERIFY(std::abs(plots[0]->axisRect()->height() - plots[1]->axisRect()->height()) <=
                        2);
        }
    }

    void addressesOfBothSidesAreEquallyHigh() {
        auto& view = open<views::MemoryView>(
            {files_.write("a.pop"), files_.write("b.pop", {.changed = true})}, Report::Memory);
        QVERIFY(views::chooseByText(view, "addresses over time"));
        test::waitUntilIdle(*window_);
        const auto plots = view.findChildren<views::AddressHistory*>();
        QVERIFY(plots.size() == 2);
        QVERIFY(plots[0]->isVisible() && plots[1]->isVisible());
        QTRY_VERIFY(std::abs(plots[0]->axisRect()->height() - plots[1]->axisRect()->height()) <= 2);
    }

    void aComparisonShowsTheRunsOfBoth() {
        const QString source = files_.write("a.pop", {.repeats = 2});
        const QString target = files_.write("b.pop", {.repeats = 30});
        open<views::TraceView>({target}, Report::Trace);
        const double wanted = window_->context().timeZoom.to();
        test::openProfiles(*window_, {source});
        QVERIFY(window_->context().timeZoom.to() < wanted);
        test::openProfiles(*window_, {source, target});
        QVERIFY(window_->context().timeZoom.to() >= wanted);
    }

    void theVisibleRangeIsReadWhole() {
        auto& view = open<views::TraceView>({files_.write("a.pop")}, Report::Trace);
        auto& field = test::child<views::RangeField>(view);
        QStyleOptionFrame option;
        option.initFrom(&field);
        option.lineWidth =
            field.style()->pixelMetric(QStyle::PM_DefaultFrameWidth, &option, &field);
        const QRect inside =
            field.style()->subElementRect(QStyle::SE_LineEditContents, &option, &field);
        QVERIFY2(inside.height() >= field.fontMetrics().height(),
                 qPrintable(QString::number(inside.height())));
        QVERIFY(inside.width() >= field.fontMetrics().horizontalAdvance(field.text()));
        QVERIFY(inside.width() >=
                field.fontMetrics().horizontalAdvance("10,528,689 \u2013 10,590,177 cycles"));
    }

    void aListOfTilesSaysWhatItShows() {
        auto& view = open<views::MemoryView>({files_.write("a.pop")}, Report::Memory);
        QLineEdit* field = nullptr;
        for (QLineEdit* each : view.findChildren<QLineEdit*>())
            if (each->accessibleName() == "Selected tiles")
                field = each;
        QVERIFY(field != nullptr);
        field->setFocus();
        field->setText("0-9999");
        QTest::keyClick(field, Qt::Key_Return);
        QVERIFY(saysBelow("is not a list of tiles"));
        field->setText("0-700");
        QTest::keyClick(field, Qt::Key_Return);
        QVERIFY(saysBelow("the first 16 of 701 tiles"));
        QVERIFY(!saysBelow("is not a list of tiles"));
        QCOMPARE(field->text(), QStringLiteral("0-15"));
        QCOMPARE(window_->context().selection.current().tiles.size(), std::size_t(16));
        field->setText("5");
        QTest::keyClick(field, Qt::Key_Return);
        QVERIFY(!saysBelow("the first 16"));
    }

    void rowsOfTheQueryBeforeGo() {
        auto& view = open<views::SqlView>({files_.write("a.pop")}, Report::Query);
        const auto run = [&](const QString& sql) {
            view.editor().setPlainText(sql);
            view.editor().setFocus();
            QTest::keyClick(&view.editor(), Qt::Key_Return, Qt::ControlModifier);
            test::waitUntilIdle(*window_);
        };
        run("SELECT 1 AS one");
        QCOMPARE(view.model().rowCount(), 1);
        run("SELECT nothing FROM nowhere");
        QCOMPARE(view.model().rowCount(), 0);
        QVERIFY(!test::button(view, "Copy").isEnabled());
        run("SELECT 2 AS two");
        QCOMPARE(view.model().rowCount(), 1);
    }

    // However the program ends: nothing is closed here.
    void theSessionIsKeptWhileTheProgramRuns() {
        const QString a = files_.write("a.pop");
        const QString b = files_.write("b.pop", {.changed = true});
        WindowList windows(Memory::Persistent);
        MainWindow& window = windows.add();
        window.show();
        test::openProfiles(window, {a});
        QTRY_COMPARE(storedSession().size(), std::size_t(1));
        QCOMPARE(storedSession().front().files, QStringList{a});
        test::openProfiles(window, {b});
        QTRY_COMPARE(storedSession().front().files, QStringList{b});
    }
};

TILESCOPE_TEST(BehaviourTest, QApplication)

} // namespace behaviour_test

#include "behaviour_test.moc"
