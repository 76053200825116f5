// The comparison's page: what it says, where its rows lead, and that it follows the selection.
#include <QAbstractItemModelTester>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>
#include <QtTest>

#include "app/gui/window/main_window.h"
#include "tests/support/test_main.h"
#include "tests/support/window_steps.h"
#include "tests/views/sample_files.h"
#include "views/compare/compare_view.h"
#include "views/liveness/liveness_view.h"
#include "views/theme/style.h"
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
    // The tab of a title, in front and loaded.
    TablePanel& tab(const QString& title) {
        QTabWidget& tabs = view().tabs();
        for (int i = 0; i < tabs.count(); ++i)
            if (tabs.tabText(i) == title) {
                tabs.setCurrentIndex(i);
                test::waitUntilIdle(*window_);
                return *view().table(i);
            }
        qFatal("no such tab");
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
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        QApplication::setStyle(new WindowStyle);
    }
    void init() {
        window_ = std::make_unique<MainWindow>(Memory::None);
        window_->resize(1280, 720);
        window_->show();
    }
    void cleanup() { window_.reset(); }

    void theVerdictSaysWhatCameOfTheChange() {
        open({files_.write("a.pop"), changed()});
        const QString verdict = test::labelText(view(), "verdict");
        QVERIFY2(verdict.contains("Source fits: the fullest tile (0) uses 210 KiB of 624 KiB."),
                 qPrintable(verdict));
        QVERIFY2(verdict.contains("The peak of what is not always live rose by 5.75 MiB (19.5 %)"),
                 qPrintable(verdict));
        QVERIFY2(verdict.contains("A run takes 0.6 % more time"), qPrintable(verdict));
        QVERIFY2(verdict.contains("Changed: model sample \u2192 sample-changed."),
                 qPrintable(verdict));
        window_->context().preferences.setByteUnits(ByteUnits::Si);
        QVERIFY(test::labelText(view(), "verdict").contains(" of 639 kB."));
    }

    void equalProfilesSaySo() {
        const QString file = files_.write("a.pop");
        open({file, file});
        const QString verdict = test::labelText(view(), "verdict");
        QVERIFY(verdict.contains("stayed at"));
        QVERIFY(verdict.contains("All options are the same."));
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
        QVERIFY(
            test::labelText(view(), "verdict")
                .contains(
                    "Source does not fit: 736 tiles are over the limit, the fullest (0) needs"));
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
        const auto good = [&](const QString& sentence) {
            const QStringList lines = test::labelText(view(), "verdict").split("<br>");
            return std::any_of(lines.begin(), lines.end(), [&](const QString& line) {
                return line.contains(sentence) && line.contains(QChar(0x2714));
            });
        };
        QVERIFY2(good("A run takes 50.0 % more time") && good("33.3 % more samples a second"),
                 qPrintable(test::labelText(view(), "verdict")));
        QTest::mouseClick(&test::button(view(), "Per sample"), Qt::LeftButton);
        test::waitUntilIdle(*window_);
        QVERIFY2(good("A sample takes 25.0 % less time"),
                 qPrintable(test::labelText(view(), "verdict")));
        const QAbstractItemModel& figures =
            *test::child<views::ValueTreeView>(view().overview()).model();
        const auto difference = [&](const QString& title) {
            for (int row = 0; row < figures.rowCount(); ++row)
                if (figures.index(row, 0).data().toString() == title)
                    return figures.index(row, 3);
            return QModelIndex();
        };
        QCOMPARE(difference("Fullest tile").data().toString(), QString("0 B"));
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
        QCOMPARE(text(tab("Plans").model(), 0, 3), "-50 B");
    }

    void everyTabLoadsAndItsModelIsSound() {
        open({files_.write("a.pop"), files_.write("c.pop", {.ipus = 2, .changed = true})});
        for (int i = 1; i < view().tabs().count(); ++i) {
            QAbstractItemModelTester tester(&view().table(i)->model(),
                                            QAbstractItemModelTester::FailureReportingMode::QtTest);
            view().tabs().setCurrentIndex(i);
            test::waitUntilIdle(*window_);
            QVERIFY2(view().table(i)->model().rowCount() > 0 || view().tabs().tabText(i) == "Plans",
                     qPrintable(view().tabs().tabText(i)));
            view().table(i)->model().setFilter("conv");
            view().table(i)->model().setFilter({});
            QVERIFY(!view().table(i)->view().accessibleName().isEmpty());
        }
        QAbstractItemModelTester figures(
            test::child<views::ValueTreeView>(view().overview()).model(),
            QAbstractItemModelTester::FailureReportingMode::QtTest);
    }

    void searchGoesToATable() {
        open({files_.write("a.pop"), changed()});
        view().focusSearch();
        QCOMPARE(view().tabs().tabText(view().tabs().currentIndex()), "Operations");
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
