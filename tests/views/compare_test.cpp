// The comparison's page: what it says, where its rows lead, and that it follows the selection.
#include <QAbstractItemModelTester>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>
#include <QtTest>

#include "tests/support/test_main.h"
#include "tests/views/sample_files.h"
#include "tests/views/shown_window.h"
#include "views/compare/compare_view.h"
#include "views/liveness/liveness_view.h"
#include "views/widgets/loading_panel.h"

namespace compare_test {
using namespace tilescope;
using namespace tilescope::gui;
using namespace tilescope::views;

class CompareViewTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    std::unique_ptr<MainWindow> window_;

    void open(const QStringList& files) {
        test::openProfiles(*window_, files);
        window_->showReport(gui::Report::Compare);
        test::waitUntilIdle(*window_);
    }
    CompareView& view() { return static_cast<CompareView&>(window_->view(gui::Report::Compare)); }
    // The page of a title, in front and loaded.
    TablePanel& tab(const QString& title) {
        if (!view().showSection(title))
            qFatal("no such tab");
        test::waitUntilIdle(*window_);
        return *view().table(view().page());
    }
    const VerdictFigure& figure(std::size_t card) {
        return view().overview().verdict().figures().at(card);
    }
    static int rowNamed(const TableModel& model, const QString& name) {
        for (int row = 0; row < model.rowCount(); ++row)
            if (model.data(model.index(row, 0), Qt::DisplayRole).toString() == name)
                return row;
        return -1;
    }
    static QString text(const TableModel& model, int row, int column) {
        return model.data(model.index(row, column), Qt::DisplayRole).toString();
    }
    QString changed() { return files_.write("b.pop", {.changed = true}); }

private slots:
    void initTestCase() { test::prepareWindows(); }
    void init() { window_ = test::shownWindow({1280, 720}); }
    void cleanup() { window_.reset(); }

    void theVerdictIsThreeFigures() {
        open({files_.write("a.pop"), changed()});
        QCOMPARE(figure(0).title, "Fullest tile");
        QCOMPARE(figure(0).source, "210 KiB");
        QCOMPARE(figure(0).detail, "Both fit in the 624 KiB of a tile.");
        QCOMPARE(figure(1).title, "Time of a sample, with the host's call");
        QVERIFY2(figure(1).detail.contains("a run takes 0.6 % more time"),
                 qPrintable(figure(1).detail));
        QCOMPARE(figure(2).title, "Memory of all tiles");
        QVERIFY(figure(2).level == VerdictFigure::Level::Bad);
        QVERIFY2(figure(2).change.startsWith("+"), qPrintable(figure(2).change));
        QVERIFY(figure(2).detail.startsWith("Always live "));
        // A screen reader hears all of it.
        const QString heard = view().overview().verdict().accessibleDescription();
        for (std::size_t card = 0; card < VerdictCards::cards; ++card)
            QVERIFY(heard.contains(figure(card).title) && heard.contains(figure(card).detail));
        window_->context().preferences.setByteUnits(ByteUnits::Si);
        QVERIFY(figure(0).detail.contains("639 kB"));
    }

    void equalProfilesSaySo() {
        const QString file = files_.write("a.pop");
        open({file, file});
        for (std::size_t card = 0; card < VerdictCards::cards; ++card) {
            QVERIFY(figure(card).level == VerdictFigure::Level::Plain);
            QVERIFY(figure(card).change.isEmpty());
            QCOMPARE(figure(card).source, figure(card).target);
        }
        QCOMPARE(view().overview().memory().model().rowCount(), 0);
        QCOMPARE(view().overview().cycles().model().rowCount(), 0);
    }

    void whatDoesNotRunHasNoTime() {
        open({files_.write("large.pop", {.tooLarge = true}), files_.write("a.pop")});
        const QAbstractItemModel& figures =
            *test::child<views::ValueTreeView>(view().overview()).model();
        int dashes = 0;
        for (int row = 0; row < figures.rowCount(); ++row) {
            const auto cell = [&](int column) {
                return figures.index(row, column).data().toString();
            };
            const bool timed = cell(0).endsWith("of a run") || cell(0) == "Samples a second";
            QCOMPARE(cell(1) == "\u2013", timed);
            QCOMPARE(cell(3) == "\u2013", timed);
            QVERIFY(cell(2) != "\u2013");
            dashes += timed ? 1 : 0;
        }
        QCOMPARE(dashes, 3);
        QVERIFY2(figure(0).detail.contains("Source does not fit: 736 tiles are over, target fits"),
                 qPrintable(figure(0).detail));
        QVERIFY(figure(0).level == VerdictFigure::Level::Good);
        QVERIFY(figure(0).sourceIsBad && !figure(0).targetIsBad);
        QCOMPARE(figure(1).detail, "The source was not executed.");
        QCOMPARE(figure(1).source, "\u2013");
        QVERIFY(figure(1).change.isEmpty());
    }

    // Counts are neutral, except that of tiles over the limit.
    void fewerTilesOverTheLimitAreBetter() {
        const QString large = files_.write("large.pop", {.tooLarge = true});
        const QString small = files_.write("a.pop");
        const auto colour = [&] {
            const QAbstractItemModel& figures =
                *test::child<views::ValueTreeView>(view().overview()).model();
            for (int row = 0; row < figures.rowCount(); ++row)
                if (figures.index(row, 0).data().toString() == "Tiles over the limit")
                    return figures.index(row, 3).data(Qt::ForegroundRole).value<QColor>();
            return QColor();
        };
        open({large, small});
        QCOMPARE(colour(), window_->context().theme.current().good);
        open({small, large});
        QCOMPARE(colour(), window_->context().theme.current().bad);
        open({small, files_.write("same.pop")});
        QCOMPARE(colour(), window_->context().theme.current().mutedText);
    }

    // At 1280 x 720 nothing of the first page has to be scrolled.
    void theFirstPageStandsWithoutScrolling() {
        open({files_.write("a.pop"), changed()});
        OverviewPage& page = view().overview();
        for (const QTableView* table : {&page.memory().view(), &page.cycles().view()}) {
            const int rows = static_cast<int>(OverviewPage::mostCauses);
            QVERIFY(table->viewport()->height() >=
                    rows * table->verticalHeader()->defaultSectionSize());
        }
        const QTreeView& figures = test::child<views::ValueTreeView>(page);
        const QModelIndex last = figures.model()->index(figures.model()->rowCount() - 1, 0);
        QVERIFY(figures.viewport()->rect().contains(figures.visualRect(last).center()));
        QVERIFY(test::child<views::LinkFlow>(page).parentWidget()->height() >=
                test::child<views::LinkFlow>(page).heightForWidth(
                    test::child<views::LinkFlow>(page).width()));
    }

    void causesLeadToTheirPlace() {
        open({files_.write("a.pop"), changed()});
        QTableView& causes = view().overview().memory().view();
        const TableModel& model = view().overview().memory().model();
        QCOMPARE(text(model, 0, 0), "conv1");
        QCOMPARE(text(model, 0, 2), "+5.75 MiB (+88.9 %)");
        QCOMPARE(model.headerData(3, Qt::Horizontal, Qt::DisplayRole).toString(), "Of all changes");
        QVERIFY(model.headerData(3, Qt::Horizontal, Qt::ToolTipRole)
                    .toString()
                    .contains("negative: against the overall change"));
        const QPoint first = causes.visualRect(model.index(0, 0)).center();
        QTest::mouseClick(causes.viewport(), Qt::LeftButton, {}, first);
        QCOMPARE(window_->context().selection.current().operation, OperationId(0));
        QTest::keyClick(&causes, Qt::Key_Return);
        test::waitUntilIdle(*window_);
        QVERIFY(window_->view(gui::Report::Liveness).isVisible());
        const Selected& now = window_->context().selection.current();
        const auto curve = window_->context().reports.source()->livenessCurve({});
        QCOMPARE(curve->notAlwaysLive.at(now.step.index()),
                 *std::max_element(curve->notAlwaysLive.begin(), curve->notAlwaysLive.end()));
    }

    void tablesHaveSourceTargetDifferenceAndPercent() {
        open({files_.write("a.pop"), changed()});
        TablePanel& variables = tab("Variables");
        const TableModel& model = variables.model();
        const QStringList titles{"Variables", "State",      "Bytes: source",
                                 "target",    "difference", "percent"};
        for (int column = 0; column < titles.size(); ++column)
            QCOMPARE(model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString(),
                     titles[column]);
        // The largest change is on top.
        QCOMPARE(text(model, 0, 0), "conv1/out");
        QCOMPARE(text(model, 0, 1), "changed");
        QCOMPARE(text(model, 0, 4), "+5.75 MiB");
        QCOMPARE(text(model, 0, 5), "+88.9 %");
        for (int row = 0; row < model.rowCount(); ++row)
            if (text(model, row, 1) == "removed")
                QCOMPARE(text(model, row, 5), "\u2013");
    }

    void theWaterfallLeadsFromSourceToTarget() {
        open({files_.write("a.pop"), changed()});
        QVERIFY(tab("Cycles").isVisible() && view().waterfall().isVisible());
        const auto& bars = view().waterfall().bars();
        QVERIFY(bars.size() >= 3);
        QCOMPARE(bars[1].from, bars.front().to);
        for (std::size_t i = 2; i + 1 < bars.size(); ++i)
            QCOMPARE(bars[i].from, bars[i - 1].to);
        QCOMPARE(bars[bars.size() - 2].to, bars.back().to);
        for (std::size_t i = 1; i + 1 < bars.size(); ++i)
            QVERIFY((bars[i].to > bars[i].from) ==
                    (bars[i].kind == WaterfallChart::Bar::Kind::Cost));
    }

    void aBarLeadsToItsCause() {
        open({files_.write("a.pop"), changed()});
        view().showPage(CompareView::Page::CycleCauses);
        test::waitUntilIdle(*window_);
        WaterfallChart& chart = view().waterfall();
        std::size_t step = 0;
        while (!chart.bars()[step].loss)
            ++step;
        QSignalSpy chosen(&chart, &WaterfallChart::stepChosen);
        QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.rowOf(0).center());
        QCOMPARE(chosen.count(), 0); // the source is not a step
        QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.rowOf(step).center());
        QCOMPARE(chosen.count(), 1);
        QVERIFY(view().page() != CompareView::Page::CycleCauses);
        test::waitUntilIdle(*window_);
        QVERIFY(view().table(view().page())->model().rowCount() > 0);
        // By keyboard.
        view().showPage(CompareView::Page::CycleCauses);
        chart.setFocus();
        QTest::keyClick(&chart, Qt::Key_Down);
        QTest::keyClick(&chart, Qt::Key_Return);
        QCOMPARE(chosen.count(), 2);
        QCOMPARE(chosen[0], chosen[1]);
    }

    void aProfileWithItselfHasNoSteps() {
        open({files_.write("a.pop"), files_.write("same.pop")});
        QCOMPARE(view().waterfall().bars().size(), std::size_t(2));
        QCOMPARE(view().waterfall().bars().front().to, view().waterfall().bars().back().to);
    }

    void perSampleDividesByTheBatch() {
        open({files_.write("a.pop"), changed()});
        TablePanel& panel = tab("Variables");
        const auto cells = [&] {
            const int row = rowNamed(panel.model(), "conv1/out");
            return QStringList{text(panel.model(), row, 2), text(panel.model(), row, 3)};
        };
        QCOMPARE(cells(), QStringList({"6.47 MiB", "12.2 MiB"}));
        // The target has two samples in a batch.
        QTest::mouseClick(&test::button(view(), "Per sample"), Qt::LeftButton);
        test::waitUntilIdle(*window_);
        QCOMPARE(cells(), QStringList({"6.47 MiB", "6.11 MiB"}));
    }

    // Twice the samples in 1.5 times the time is better, whatever a run takes.
    void runsOfOtherSizesAreJudgedBySamplesASecond() {
        const Profile a = test::sampleProfile();
        Profile b = a;
        b.info.batchSize = 2 * a.info.batchSize;
        b.info.cycles = a.info.cycles * 3 / 2;
        b.info.throughput = a.info.throughput * 4 / 3;
        open({files_.writeProfile("one.pop", a), files_.writeProfile("two.pop", b)});
        QVERIFY2(figure(1).detail.contains("a run takes 50.0 % more time, for 2 times"),
                 qPrintable(figure(1).detail));
        QVERIFY(figure(1).level == VerdictFigure::Level::Good);
        QCOMPARE(figure(1).change, QString("\u221225.0\u00a0%"));
        // The trace is the same, but a sample is a smaller part of it.
        const auto ends = [&] {
            const auto& bars = view().waterfall().bars();
            return std::pair(bars.front().to, bars.back().to);
        };
        QCOMPARE(ends().first, ends().second);
        QCOMPARE(view().waterfall().bars().back().name, "Target");
        const QString memory = figure(0).target;
        QTest::mouseClick(&test::button(view(), "Per sample"), Qt::LeftButton);
        test::waitUntilIdle(*window_);
        QVERIFY(ends().second < ends().first);
        QCOMPARE(view().waterfall().bars().back().name, "Target, a sample");
        QCOMPARE(figure(2).title, "Memory of all tiles, a sample");
        QCOMPARE(figure(2).change, QString("\u221250.0\u00a0%"));
        QCOMPARE(figure(0).target, memory); // memory of a tile is not per sample
        const QAbstractItemModel& figures =
            *test::child<views::ValueTreeView>(view().overview()).model();
        const auto difference = [&](const QString& title) {
            for (int row = 0; row < figures.rowCount(); ++row)
                if (figures.index(row, 0).data().toString() == title)
                    return figures.index(row, 3);
            return QModelIndex();
        };
        QCOMPARE(difference("Fullest tile").data().toString(), QString("0 B"));
        QVERIFY(difference("Cycles of a sample").isValid() &&
                difference("Always live, a sample").isValid());
        // Including the host's call it is another figure with another name.
        QVERIFY(difference("Time of a sample, on the machine").isValid());
        for (int row = 0; row < figures.rowCount(); ++row)
            QVERIFY(figures.index(row, 0).data().toString() != figure(1).title);
        QCOMPARE(difference("Samples a second").data(Qt::ForegroundRole).value<QColor>(),
                 window_->context().theme.current().good);
    }

    void rowsFollowTheSelectionOfOtherReports() {
        open({files_.write("a.pop"), changed()});
        TablePanel& operations = tab("Operations");
        window_->context().selection.update([](Selected& s) { s.operation = OperationId(2); });
        QCOMPARE(operations.model().idAt(operations.view().currentIndex().row()), 2);
        // What only the target has cannot be selected in the source's reports.
        const int added = rowNamed(operations.model(), "layer2/conv");
        QVERIFY(added >= 0);
        operations.view().setCurrentIndex(operations.model().index(added, 0));
        QCOMPARE(window_->context().selection.current().operation, OperationId(2));
    }

    void plansAreLinks() {
        Profile a = test::sampleProfile();
        a.operations[OperationId(2)].plan = R"({"method":"AMP","estimate":{"tempBytes":100}})";
        Profile b = a;
        b.operations[OperationId(2)].plan = R"({"method":"SLIC","estimate":{"tempBytes":50}})";
        writeProfile(a, files_.path("plan-a.pop").toStdString());
        writeProfile(b, files_.path("plan-b.pop").toStdString());
        open({files_.path("plan-a.pop"), files_.path("plan-b.pop")});
        LinkFlow& plans = test::child<views::LinkFlow>(view().overview());
        QVERIFY2(plans.text().remove(QChar(0x2060)).contains("layer1/conv"),
                 qPrintable(plans.text()));
        emit plans.linkHovered("0");
        QCOMPARE(plans.toolTip(), "method AMP -> SLIC");
        emit plans.linkActivated("0");
        test::waitUntilIdle(*window_);
        QVERIFY(window_->view(gui::Report::Operations).isVisible());
        QCOMPARE(window_->context().selection.current().operation, OperationId(2));
        window_->showReport(gui::Report::Compare);
        QCOMPARE(text(tab("Plans").model(), 0, 3), QStringLiteral("\u221250 B"));
    }

    void everyTabLoadsAndItsModelIsSound() {
        open({files_.write("a.pop"), files_.write("c.pop", {.ipus = 2, .changed = true})});
        using Page = CompareView::Page;
        for (std::size_t i = 1; i < CompareView::pages; ++i) {
            const auto page = static_cast<Page>(i);
            TablePanel& table = *view().table(page);
            QAbstractItemModelTester tester(&table.model(),
                                            QAbstractItemModelTester::FailureReportingMode::QtTest);
            view().showPage(page);
            QVERIFY(view().page() == page);
            test::waitUntilIdle(*window_);
            QVERIFY2(table.isVisible() && (table.model().rowCount() > 0 || page == Page::Plans),
                     qPrintable(table.view().accessibleName()));
            table.model().setFilter("conv");
            table.model().setFilter({});
            QVERIFY(!table.view().accessibleName().isEmpty());
        }
        QAbstractItemModelTester figures(
            test::child<views::ValueTreeView>(view().overview()).model(),
            QAbstractItemModelTester::FailureReportingMode::QtTest);
    }

    void searchGoesToATable() {
        open({files_.write("a.pop"), changed()});
        view().focusSearch();
        QVERIFY(view().page() == CompareView::Page::Operations);
    }

    // Pictures, links and sessions know pages by their names, also by those from before there were
    // groups.
    void everyPageIsFoundByItsName() {
        open({files_.write("a.pop"), changed()});
        using Page = CompareView::Page;
        const std::vector<std::pair<QString, Page>> names{
            {"variables", Page::Variables},   {"memory", Page::MemoryCauses},
            {"cycles", Page::CycleCauses},    {"compute-sets", Page::ComputeSets},
            {"exchanges", Page::Exchanges},   {"plans", Page::Plans},
            {"aligned", Page::Aligned},       {"options", Page::Options},
            {"operations", Page::Operations}, {"vertices", Page::Vertices},
            {"programs", Page::Programs},     {"overview", Page::Overview}};
        for (const auto& [name, page] : names) {
            QVERIFY(view().showSection(name));
            QVERIFY2(view().page() == page, qPrintable(name));
        }
        QVERIFY(view().showSection("time"));
        QCOMPARE(view().groups().currentIndex(), 2);
    }

    void rowsOfProfilesThatWereLeftLeadNowhere() {
        open({files_.write("a.pop"), changed()});
        TablePanel& causes = tab("Causes");
        QVERIFY(causes.model().rowCount() > 0);
        causes.view().setCurrentIndex(causes.model().index(0, 0));
        ReportPair& reports = window_->context().reports;
        connect(&reports, &ReportPair::changed, &causes,
                [&] { emit causes.view().activated(causes.model().index(0, 0)); });
        reports.swap();
        QCOMPARE(window_->currentReport(), gui::Report::Compare);
        test::waitUntilIdle(*window_);
        // Its rows lead on once they belong to the open profiles.
        emit causes.view().activated(causes.model().index(0, 0));
        QCOMPARE(window_->currentReport(), gui::Report::Liveness);
    }

    void stoppingToCompareSaysHowToGoOn() {
        open({files_.write("a.pop"), changed()});
        window_->context().reports.closeTarget();
        test::waitUntilIdle(*window_);
        auto* panel = view().findChild<LoadingPanel*>();
        QVERIFY(panel->showsMessage());
        QVERIFY(test::messageText(*panel).contains("Only one profile is open"));
    }
};

TILESCOPE_TEST(CompareViewTest, QApplication)

} // namespace compare_test

#include "compare_test.moc"
