// Finding anything: what a few letters match, and where the hits lead.
#include <QComboBox>
#include <QLineEdit>
#include <QListWidget>
#include <QTextBrowser>
#include <QtTest>

#include "app/gui/find/all_finders.h"
#include "app/gui/find/name_matches.h"
#include "app/gui/window/command_palette.h"
#include "app/gui/window/help_window.h"
#include "core/base/error.h"
#include "tests/support/sample_pipeline.h"
#include "tests/support/test_main.h"
#include "tests/views/sample_files.h"
#include "tests/views/shown_window.h"
#include "views/execution/trace_view.h"
#include "views/memory/memory_view.h"
#include "views/summary/summary_view.h"
#include "views/tables/table_panel.h"

namespace find_test {
using namespace tilescope;
using namespace tilescope::gui;

class FindTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    std::unique_ptr<MainWindow> window_;

    void settle() { test::waitUntilIdle(*window_); }
    CommandPalette& palette() {
        auto* open = window_->findChild<CommandPalette*>();
        if (open == nullptr) {
            open = new CommandPalette(*window_);
            open->open();
        }
        return *open;
    }
    QStringList found(const QString& typed) {
        palette().field().setText(typed);
        settle();
        QStringList texts;
        for (int row = 0; row < palette().list().count(); ++row)
            texts << palette().list().item(row)->text();
        return texts;
    }
    // The first hit, or the first one that begins with this.
    void go(const QString& typed, const QString& hit = {}) {
        const QStringList texts = found(typed);
        QListWidget& list = palette().list();
        for (int row = 0; row < list.count() && !hit.isEmpty(); ++row)
            if (list.item(row)->text().startsWith(hit) &&
                list.item(row)->flags().testFlag(Qt::ItemIsSelectable)) {
                list.setCurrentRow(row);
                break;
            }
        QVERIFY2(hit.isEmpty() ||
                     (list.currentItem() != nullptr && list.currentItem()->text().startsWith(hit)),
                 qPrintable(hit + " is not in " + texts.join(", ")));
        QTest::keyClick(&palette().field(), Qt::Key_Return);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        settle();
    }
    const views::Selected& selected() { return window_->context().selection.current(); }
    std::string nameOf(OperationId operation) {
        return (*window_->context().reports.source()->operations())[operation].name;
    }

private slots:
    void initTestCase() { test::prepareWindows(); }
    void init() {
        window_ = test::shownWindow();
        test::openProfiles(*window_, {files_.write("a.pop", {.ipus = 2})});
    }
    void cleanup() { window_.reset(); }

    void theBestNamesComeFirst() {
        const QStringList names{"a/conv10/weights", "conv1", "xconv1x", "c o n v 1", "relu"};
        const auto name = [&](std::size_t i) { return names[static_cast<qsizetype>(i)]; };
        const auto best = [&](const QString& typed, std::size_t most) {
            return bestNames(typed, 5, name, most, {});
        };
        QCOMPARE(best("conv1", 10), (std::vector<std::size_t>{1, 0, 2}));
        QCOMPARE(best("conv1", 1), std::vector<std::size_t>{1});
        QCOMPARE(best("CONV10", 10), std::vector<std::size_t>{0});
        QCOMPARE(best("cnv1", 10), (std::vector<std::size_t>{3, 1, 0})); // its letters, in order
        QVERIFY(best("aoei", 10).empty()); // they lie about in a/conv10/weights
        QVERIFY(best("zzz", 10).empty());
        QVERIFY(best("  ", 10).empty());
        QVERIFY(best("conv", 0).empty());
        std::stop_source stopped;
        stopped.request_stop();
        QVERIFY_THROWS_EXCEPTION(Cancelled, (void)bestNames("a", 5, name, 5, stopped.get_token()));
    }

    void everyKindIsFoundUnderItsHeading() {
        const QStringList conv = found("conv");
        for (const char* heading : {"Operations", "Variables", "Program steps"})
            QVERIFY2(conv.contains(QString::fromLatin1(heading)), heading);
        QVERIFY(found("tile 5").contains("Tile 5   (IPU 0)"));
        QVERIFY(found("5").contains("Tile 5   (IPU 0)"));
        QVERIFY(found("tile 99999999").filter("Tile 99999999").isEmpty());
        QVERIFY(found("ipu 1").contains("IPU 1"));
        QCOMPARE(found("ipu").filter(QRegularExpression("^IPU \\d$")).size(), 2);
        QVERIFY(!found("batchSize").filter("batchSize").isEmpty());
        QVERIFY(!found("keyboard and mouse").filter("Keyboard and mouse").isEmpty());
        QVERIFY(found("qqqqqq").isEmpty());
    }

    void microBatchesOfAPipelineAreFoundByNumber() {
        QVERIFY(found("batch 3").filter("Micro-batch").isEmpty()); // this profile has none
        palette().close();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        test::openProfiles(*window_,
                           {files_.writeProfile("pipeline.pop", test::samplePipelineRun())});
        QVERIFY(found("batch 3").contains("Micro-batch 3   (of 4 in a step of the pipeline)"));
        QCOMPARE(found("micro-batch").filter(QRegularExpression("^Micro-batch \\d")).size(), 4);
        QVERIFY(found("batch 5").filter("Micro-batch").isEmpty());
        go("batch 3", "Micro-batch 3");
        QCOMPARE(selected().microBatch, MicroBatchId(3));
        QVERIFY(window_->currentReport() == Report::Pipeline);
    }

    void neverMoreThanSomeOfAKind() {
        const QStringList all = found("e");
        QVERIFY(all.size() <= static_cast<qsizetype>(9 * (CommandPalette::mostOfKind + 1)));
    }

    void anOperationIsShownWhereOneLooks() {
        go("layer1/conv", "layer1/conv");
        QCOMPARE(window_->currentReport(), Report::Operations);
        QVERIFY(selected().operation.valid());
        QVERIFY(nameOf(selected().operation).starts_with("layer1/conv"));
        window_->showReport(Report::Programs);
        settle();
        go("layer1/conv", "layer1/conv");
        QCOMPARE(window_->currentReport(), Report::Programs);
        auto& trace = static_cast<views::TraceView&>(window_->view(Report::Trace));
        window_->showReport(Report::Trace);
        settle();
        go("layer1/conv", "layer1/conv");
        QCOMPARE(window_->currentReport(), Report::Trace);
        QVERIFY(trace.selection().step() >= 0);
        QCOMPARE(window_->focusWidget(), static_cast<QWidget*>(&trace.plot())); // keys go on there
    }

    void thingsLeadToTheirReports() {
        go("tile 7");
        QCOMPARE(window_->currentReport(), Report::Memory);
        QCOMPARE(selected().tiles, std::vector<TileId>{TileId(7)});
        const auto variables = window_->context().reports.source()->variables();
        const QString variable = QString::fromStdString((*variables)[VariableId(0)].name);
        window_->showReport(Report::Summary);
        go(variable, variable);
        QCOMPARE(window_->currentReport(), Report::Memory);
        QVERIFY(selected().variable.valid());
        auto& memory = static_cast<views::MemoryView&>(window_->view(Report::Memory));
        QCOMPARE(memory.tabs().currentIndex(), static_cast<int>(views::MemoryTabs::Variables));
        go("ipu 1");
        QCOMPARE(selected().ipu, IpuId(1));
        window_->showReport(Report::Summary);
        go("layer1/conv/Convolve", "layer1/conv/Convolve");
        QCOMPARE(window_->currentReport(), Report::Trace);
        QVERIFY(selected().program.valid());
    }

    void optionsLeadToTheirValues() {
        const auto& options = window_->context().reports.source()->info().options;
        QVERIFY(!options.empty());
        const QString key = QString::fromStdString(options.begin()->first);
        window_->showReport(Report::Trace);
        settle();
        go(key, key);
        QCOMPARE(window_->currentReport(), Report::Summary);
        auto& summary = static_cast<views::SummaryView&>(window_->view(Report::Summary));
        QCOMPARE(summary.options().filter().text(), key);
    }

    void controlsOfTheReportAreUsed() {
        window_->showReport(Report::Trace);
        settle();
        auto& trace = static_cast<views::TraceView&>(window_->view(Report::Trace));
        go("view flat", "View: Flat");
        QCOMPARE(trace.look(), views::TraceLook::Flat);
        QVERIFY(!found("all rows in sight").filter("Options: All rows in sight").isEmpty());
        QVERIFY(!found("tab: marks").filter("Tab: Marks").isEmpty());
        go("all rows in sight", "Options: All rows in sight");
        QVERIFY(trace.plot().rowHeight() <= views::TracePlot::highestRow);
        QVERIFY(!found("name contains").isEmpty()); // of a tool tip
    }

    // Space and letters go to what was found, not to the menu at the side.
    void theKeyboardGoesAlong() {
        window_->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(window_.get()));
        auto& memory = static_cast<views::MemoryView&>(window_->view(Report::Memory));
        window_->showReport(Report::Memory);
        settle();
        go("film", "Graph: Film");
        QTRY_COMPARE(window_->focusWidget(), static_cast<QWidget*>(&memory.film().map()));
        window_->activateWindow(); // as the desktop does when a dialog is closed
        QTRY_COMPARE(QApplication::focusWidget(), window_->focusWidget());
        QTest::keyClick(window_->focusWidget(), Qt::Key_Space);
        QVERIFY(memory.film().player().playing());
        QCOMPARE(window_->currentReport(), Report::Memory);
        memory.film().player().pause();
        go("tab: vertices", "Tab: Vertices");
        QTRY_VERIFY(memory.tabs().currentWidget()->isAncestorOf(window_->focusWidget()));
        std::size_t withContent = 0; // some are empty for this profile
        for (const Report report : reports) {
            go("view " + reportTitle(report), "View: " + reportTitle(report));
            QCOMPARE(window_->currentReport(), report);
            const QWidget* focused = window_->focusWidget();
            if (focused == nullptr)
                continue;
            QVERIFY2(window_->view(report).isAncestorOf(focused), qPrintable(reportTitle(report)));
            QVERIFY(!focused->inherits("QToolButton"));
            ++withContent;
        }
        QVERIFY(withContent >= reports.size() - 3);
        // Going to a field puts the cursor into it.
        window_->showReport(Report::Memory);
        settle();
        go("tiles e.g.", "Tiles, e.g.");
        QVERIFY(qobject_cast<QLineEdit*>(window_->focusWidget()) != nullptr);
    }

    void helpOpensAtItsHeading() {
        go("light or dark", "Ctrl+Shift+T");
        QVERIFY(!found("bulk-synchronous").filter("BSP").isEmpty());
        go("Keyboard and mouse", "Keyboard and mouse");
        auto* help = window_->findChild<HelpWindow*>();
        QVERIFY(help && help->isVisible());
        QTextBrowser& page = *help->findChild<QTextBrowser*>();
        QVERIFY(page.toPlainText().startsWith("Keyboard and mouse"));
        // A heading of the manual, and a row of one of its tables.
        go("whole machines", "Whole machines");
        QVERIFY(page.toPlainText().startsWith("Replicas and streaming memory"));
        QCOMPARE(page.textCursor().selectedText(), "Whole machines");
        QVERIFY(!found("streamCallbacks.multiThreadMode").filter("connect streams").isEmpty());
    }

    void arrowKeysPassHeadingsOver() {
        found("conv");
        QListWidget& list = palette().list();
        QVERIFY(!list.item(0)->flags().testFlag(Qt::ItemIsSelectable));
        QCOMPARE(list.currentRow(), 1);
        for (int i = 0; i < list.count() + 5; ++i) {
            QVERIFY(list.currentItem()->flags().testFlag(Qt::ItemIsSelectable));
            QTest::keyClick(&palette().field(), Qt::Key_Down);
        }
        QCOMPARE(list.currentRow(), list.count() - 1);
        QTest::keyClick(&palette().field(), Qt::Key_PageUp);
        QVERIFY(list.currentRow() < list.count() - 1);
    }

    void aPaletteThatIsClosedStopsItsSearch() {
        for (int i = 0; i < 20; ++i) {
            palette().field().setText("conv");
            palette().close();
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        }
        settle();
    }

    void withoutAProfileThereAreCommandsAndHelp() {
        window_->context().reports.close();
        settle();
        QVERIFY(!found("").filter("File: Open").isEmpty());
        QVERIFY(!found("terms").filter("Terms").isEmpty());
    }
};

TILESCOPE_TEST(FindTest, QApplication)

} // namespace find_test

#include "find_test.moc"
