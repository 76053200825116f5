// The operations report, as a user handles it: layers, columns, tabs, two profiles.
#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QMenu>
#include <QTabBar>
#include <QTableView>
#include <QTreeView>
#include <QtTest>
#include <algorithm>
#include <cmath>

#include "tests/support/test_main.h"
#include "tests/views/sample_files.h"
#include "tests/views/shown_window.h"
#include "views/operations/group_tabs.h"
#include "views/operations/operations_view.h"
#include "views/programs/programs_view.h"

namespace operations_test {
using namespace tilescope;
using namespace tilescope::gui;
using views::OperationsView;

class OperationsTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    std::unique_ptr<MainWindow> window_;

    OperationsView& openView(const QStringList& files) {
        return test::openView<OperationsView>(*window_, files, Report::Operations);
    }
    static QStringList names(OperationsView& view) {
        QStringList texts;
        for (int row = 0; row < view.table().model().rowCount(); ++row)
            texts << view.table().model().index(row, 0).data().toString();
        return texts;
    }
    static QStringList titles(OperationsView& view) {
        QStringList texts;
        for (int column = 0; column < view.table().model().columnCount(); ++column)
            texts << view.table()
                         .model()
                         .headerData(column, Qt::Horizontal, Qt::DisplayRole)
                         .toString();
        return texts;
    }
    void chooseLayer(OperationsView& view, const QString& text) {
        const int place = test::choiceOf(view, "Rows").findText(text);
        QVERIFY2(place >= 0, qPrintable(text));
        test::choiceOf(view, "Rows").setCurrentIndex(place);
        emit test::choiceOf(view, "Rows").activated(place);
        test::waitUntilIdle(*window_);
    }
    void clickRow(OperationsView& view, const QString& name) {
        QTableView& table = view.table().view();
        const int row = static_cast<int>(names(view).indexOf(name));
        QVERIFY2(row >= 0, qPrintable(name));
        table.scrollTo(table.model()->index(row, 0));
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {},
                          table.visualRect(table.model()->index(row, 0)).center());
        test::waitUntilIdle(*window_);
    }

private slots:
    void initTestCase() { test::prepareWindows(); }
    void init() { window_ = test::shownWindow({1200, 800}); }
    void cleanup() { window_.reset(); }

    void everyLayerHasItsRows() {
        OperationsView& view = openView({files_.write("a.pop")});
        const QAbstractItemModelTester tester(&view.table().model());
        const auto places = {"conv1", "relu1", "layer1/conv", "layer1/again/conv", "prob"};
        const auto shown = names(view).size();
        view.showRows(views::ShownRows::All);
        const QStringList rows = names(view);
        QVERIFY(rows.size() > shown); // those without cost
        for (const char* place : places)
            QCOMPARE(rows.count(place), 1);
        QVERIFY(rows.contains("(sync)") && rows.contains("(host)"));
        // The most expensive first.
        const auto cycles = [&view](int row) {
            const views::TableModel& model = view.table().model();
            for (int column = 0; column < model.columnCount(); ++column)
                if (model.headerData(column, Qt::Horizontal, Qt::DisplayRole) == "Measured cycles")
                    return model.data(model.index(row, column), Qt::DisplayRole)
                        .toString()
                        .remove(',')
                        .toLongLong();
            return -1LL;
        };
        QVERIFY(cycles(0) > 0);
        for (int row = 1; row < rows.size(); ++row)
            QVERIFY(cycles(row - 1) >= cycles(row));
        chooseLayer(view, "Scopes, level 1");
        QVERIFY(names(view).contains("layer1"));
        chooseLayer(view, "Operation types");
        QVERIFY(names(view).contains("Conv"));
        QCOMPARE(titles(view).count("Operation type"), 1); // the rows' own names
        chooseLayer(view, "PopLibs calls");
        QVERIFY(names(view).contains("prob"));
        chooseLayer(view, "Program steps");
        QVERIFY(names(view).contains("conv1/Convolve"));
        QCOMPARE(test::choiceOf(view, "Rows").currentText(), "Program steps");
        chooseLayer(view, "Operations of the model");
        QVERIFY(names(view).contains("conv1"));
    }

    void columnsCanBeChosen() {
        OperationsView& view = openView({files_.write("a.pop")});
        QVERIFY(titles(view).contains("FLOPs") && titles(view).contains("Measured cycles"));
        QVERIFY(!titles(view).contains("Vertex code"));
        for (QAction* action : test::button(view, "Columns").menu()->actions())
            if (action->text() == "Vertex code" || action->text() == "FLOPs")
                action->trigger();
        QVERIFY(titles(view).contains("Vertex code") && !titles(view).contains("FLOPs"));
    }

    // Waits would make the bars of all operations slivers.
    void barsAreThoseOfOperations() {
        OperationsView& view = openView({files_.write("a.pop")});
        const views::TableModel& model = view.table().model();
        int column = 0;
        while (model.headerData(column, Qt::Horizontal, Qt::DisplayRole) != "Measured cycles")
            ++column;
        const auto bar = [&](const char* name) {
            const auto row = static_cast<int>(names(view).indexOf(QLatin1String(name)));
            return model.data(model.index(row, column), views::barRole);
        };
        QVERIFY(!bar("(sync)").isValid() && !bar("(host)").isValid());
        double longest = 0;
        for (int row = 0; row < model.rowCount(); ++row)
            longest =
                std::max(longest, model.data(model.index(row, column), views::barRole).toDouble());
        QCOMPARE(longest, 1.0);
    }

    void withoutATraceNothingIsMeasured() {
        OperationsView& view = openView({files_.write("large.pop", {.tooLarge = true})});
        QVERIFY(!titles(view).join('|').contains("easured"));
        QVERIFY(titles(view).contains("Estimated, once"));
    }

    void aSelectedRowFillsTheTabs() {
        OperationsView& view = openView({files_.write("a.pop")});
        clickRow(view, "layer1/conv");
        QCOMPARE(window_->context().selection.current().operation.value(), 2);
        QVERIFY(view.tabs().isVisible());
        const QAbstractItemModelTester steps(&view.tabs().steps().model());
        const QAbstractItemModelTester summary(&test::child<views::ValueTreeView>(view).values());
        QCOMPARE(view.tabs().steps().model().rowCount(), 4);
        QStringList columns;
        for (int column = 0; column < view.tabs().steps().model().columnCount(); ++column)
            columns << view.tabs()
                           .steps()
                           .model()
                           .headerData(column, Qt::Horizontal, Qt::DisplayRole)
                           .toString();
        QVERIFY2(columns.contains("Received"), qPrintable(columns.join(", ")));
        QCOMPARE(view.tabs().cycles().bars().front().name, "layer1/conv/Convolve");
        QCOMPARE(view.tabs().cycles().bars().front().value, 4000 * 20);
        QCOMPARE(view.tabs().code().bars()[1].value, 1472 * (160 + 160));
        QStringList facts;
        for (int row = 0; row < test::child<views::ValueTreeView>(view).values().rowCount(); ++row)
            facts << test::child<views::ValueTreeView>(view)
                         .values()
                         .index(row, 0, {})
                         .data()
                         .toString();
        QVERIFY(facts.contains("FLOP utilisation") && facts.contains("Vertex code"));
    }

    void aStepLeadsToTheProgramTree() {
        OperationsView& view = openView({files_.write("a.pop")});
        clickRow(view, "conv1");
        emit view.tabs().steps().activated(view.tabs().steps().model().idAt(1));
        test::waitUntilIdle(*window_);
        QVERIFY(window_->currentReport() == Report::Programs);
        QCOMPARE(window_->context().selection.current().program.value(),
                 view.tabs().steps().model().idAt(1));
    }

    void theSelectionOfOtherReportsIsFollowed() {
        OperationsView& view = openView({files_.write("a.pop")});
        window_->context().selection.update(
            [](views::Selected& s) { s.operation = OperationId(1); });
        test::waitUntilIdle(*window_);
        QCOMPARE(view.table().view().currentIndex().data().toString(), "relu1");
        QCOMPARE(view.tabs().steps().model().rowCount(), 1);
    }

    void theRooflineLeadsToOperations() {
        OperationsView& view = openView({files_.write("a.pop")});
        test::button(view, "Roofline").click();
        test::waitUntilIdle(*window_);
        views::RooflinePlot& plot = view.roofline().plot();
        QVERIFY(plot.isVisible() && !view.table().isVisible());
        const auto& marks = plot.content().marks();
        QVERIFY(marks.size() >= 3);
        for (const views::RooflineMark& mark : marks)
            QCOMPARE(plot.content().placeOf(
                         *plot.markAt(plot.xAxis->pixelToCoord(plot.content().placeOf(mark).x()),
                                      std::log10(mark.flopsPerCycle))),
                     plot.content().placeOf(mark));
        const views::RooflineMark& largest = marks.front();
        QVERIFY2(view.roofline().textOf(largest).contains("FLOPs a cycle"),
                 qPrintable(view.roofline().textOf(largest)));
        const QPointF place = plot.content().placeOf(largest);
        QTest::mouseClick(&plot, Qt::LeftButton, {}, place.toPoint());
        test::waitUntilIdle(*window_);
        const OperationId chosen = window_->context().selection.current().operation;
        QVERIFY(chosen.valid());
        QCOMPARE(view.table().view().currentIndex().data().toString(),
                 view.roofline().textOf(largest).section(QStringLiteral(" \u00b7"), 0, 0));
        QVERIFY(view.tabs().isVisible());
    }

    void detailsHaveNoEmptyTexts() {
        OperationsView& view = openView({files_.write("a.pop")});
        window_->context().selection.update(
            [](views::Selected& s) { s.operation = OperationId(0); });
        test::waitUntilIdle(*window_);
        const QAbstractItemModel& model = *test::child<QTreeView>(view.tabs()).model();
        QStringList names;
        for (int row = 0; row < model.rowCount(); ++row)
            names << model.index(row, 0).data().toString();
        QVERIFY2(names.contains("Type") && !names.contains("Kind"), qPrintable(names.join('|')));
    }

    // Beside the plot the values of the details have most of the room.
    void detailsBesideTheRooflineShowTheirValues() {
        window_->resize(1280, 720);
        OperationsView& view = openView({files_.write("a.pop")});
        test::button(view, "Roofline").click();
        window_->context().selection.update(
            [](views::Selected& s) { s.operation = OperationId(0); });
        test::waitUntilIdle(*window_);
        QVERIFY2(view.tabs().width() >= view.width() / 3,
                 qPrintable(QString::number(view.tabs().width())));
        auto& tree = test::child<QTreeView>(view.tabs());
        QVERIFY(tree.columnWidth(0) <= tree.viewport()->width() / 2);
    }

    void titlesOfTabsAreWholeBesideTheRoofline() {
        window_->resize(1280, 720);
        OperationsView& view =
            openView({files_.write("a.pop"), files_.write("b.pop", {.changed = true})});
        clickRow(view, "conv1");
        test::button(view, "Roofline").click();
        test::waitUntilIdle(*window_);
        const auto& tabs = test::child<views::GroupTabs>(view);
        QVERIFY(tabs.isVisible());
        for (int tab = 0; tab < tabs.count(); ++tab) {
            const int needed = tabs.fontMetrics().horizontalAdvance(tabs.tabText(tab));
            QVERIFY2(tabs.tabBar()->tabRect(tab).width() >= needed, qPrintable(tabs.tabText(tab)));
            QVERIFY(tabs.tabToolTip(tab).startsWith(tab == 3 ? "Measured" : tabs.tabText(tab)));
        }
    }

    void theRooflineFollowsTheSelection() {
        OperationsView& view = openView({files_.write("a.pop")});
        test::button(view, "Roofline").click();
        test::waitUntilIdle(*window_);
        const QImage before = view.roofline().plot().grab().toImage();
        window_->context().selection.update(
            [](views::Selected& s) { s.operation = OperationId(0); });
        test::waitUntilIdle(*window_);
        QVERIFY(view.roofline().plot().grab().toImage() != before);
    }

    void stepsHaveNoRoofline() {
        OperationsView& view = openView({files_.write("a.pop")});
        test::button(view, "Roofline").click();
        QVERIFY(!view.roofline().panel().showsMessage());
        chooseLayer(view, "Program steps");
        QVERIFY(view.roofline().panel().showsMessage());
        chooseLayer(view, "Operation types");
        QVERIFY(!view.roofline().panel().showsMessage());
    }

    void twoProfilesHaveOneRoofline() {
        OperationsView& view =
            openView({files_.write("a.pop"), files_.write("b.pop", {.changed = true})});
        test::button(view, "Roofline").click();
        test::waitUntilIdle(*window_);
        const auto& marks = view.roofline().plot().content().marks();
        const auto targets =
            std::count_if(marks.begin(), marks.end(), [](const auto& mark) { return mark.target; });
        QVERIFY(targets > 0 && static_cast<std::size_t>(targets) < marks.size());
        QStringList names;
        for (const views::LegendBar::Entry& entry : view.roofline().legend().entries())
            names << entry.name;
        QVERIFY(names.contains("Conv") && names.contains("target: outline"));
        QCOMPARE(view.roofline().plot().content().lines().size(), std::size_t(1));
        QVERIFY(!test::choiceOf(view, "Compare").isVisible());
        test::button(view, "Table").click();
        QVERIFY(test::choiceOf(view, "Compare").isVisible());
    }

    void twoProfilesAreComparedByOneMetric() {
        OperationsView& view =
            openView({files_.write("a.pop"), files_.write("b.pop", {.changed = true})});
        QVERIFY(test::choiceOf(view, "Compare").isVisible());
        QCOMPARE(view.table().model().columnCount(), 4);
        QVERIFY(titles(view)[0].contains("estimated, once")); // the runs have other samples
        QVERIFY(names(view).contains("layer2/conv"));
        const int code = test::choiceOf(view, "Compare").findText("Exchange code");
        test::choiceOf(view, "Compare").setCurrentIndex(code);
        emit test::choiceOf(view, "Compare").activated(code);
        QVERIFY2(titles(view)[0].contains("exchange code"), qPrintable(titles(view)[0]));
        clickRow(view, "conv1");
        QCOMPARE(test::child<views::ValueTreeView>(view).values().columnCount(), 3);
        QVERIFY(view.tabs().tabText(1).contains("source"));
    }

    // Each IPU has rows of its own for what belongs to no operation.
    void rowsOfEqualNamesSayTheirIpu() {
        OperationsView& view =
            openView({files_.write("a.pop", {.ipus = 2}), files_.write("b.pop", {.ipus = 2})});
        QVERIFY(titles(view)[0].contains("measured cycles")); // as one profile is sorted
        QStringList rows = names(view);
        QVERIFY(rows.contains("(sync), IPU 0") && rows.contains("(sync), IPU 1"));
        QCOMPARE(rows.removeDuplicates(), 0);
    }
};

TILESCOPE_TEST(OperationsTest, QApplication)

} // namespace operations_test

#include "operations_test.moc"
