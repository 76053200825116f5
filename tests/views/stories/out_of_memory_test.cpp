// A ResNeXt-50 that does not fit: diagnosed, one option changed, run again, compared.
#include "tests/support/test_main.h"
#include "tests/views/stories/story.h"
#include "views/compare/compare_view.h"
#include "views/liveness/liveness_view.h"
#include "views/operations/operations_view.h"

namespace out_of_memory_test {
using namespace tilescope;
using namespace tilescope::views;
using gui::Report;
using test::Story;

class OutOfMemoryStory : public QObject {
    Q_OBJECT
    static constexpr int demoMs = 120000;

    // The read-out at a place of the plot.
    static QString readAt(PlotWidget& plot, double x) {
        const QSignalSpy read(&plot, &PlotWidget::hovered);
        QTest::mouseMove(&plot, QPoint(1, 1));
        QTest::mouseMove(&plot, QPoint(qRound(plot.xAxis->coordToPixel(x)), plot.height() / 2));
        QCoreApplication::processEvents();
        return read.isEmpty() ? QString() : read.last()[0].toString();
    }

private slots:
    void aResNeXtIsMadeToFit() {
        Story story;
        gui::MainWindow& window = story.window();

        // The demo does not fit, and the window says so.
        Story::press(*Story::find<QPushButton>(window, "Open demo"));
        QTRY_VERIFY_WITH_TIMEOUT(window.context().reports.source(), demoMs);
        story.waitUntilIdle();
        QVERIFY(window.windowTitle().contains("resnext50_32x4d on mk2"));
        Story::verifyReads(window, "tiles over the limit");

        // Insights: by how much, and what is largest when most is live.
        story.openReport(Report::Insights);
        QWidget& insights = window.view(Report::Insights);
        QWidget& verdict = Story::cardWith(insights, "Does not fit: tile ");
        Story::verifyReads(verdict, "tiles over the limit");
        Story::verifyReads(verdict, "A lower --available-memory-proportion (0.4 instead of 0.8)");
        story.picture("fit-insights");
        QWidget& peak = Story::cardWith(insights, "At the peak, step ");
        Story::verifyReads(peak, "actsRearranged' is the largest variable");

        // Its place in Liveness: the peak is marked, the variable is the selected row.
        Story::press(*Story::find<QPushButton>(peak, "Show in Liveness"));
        story.waitUntilIdle();
        auto& liveness = story.view<LivenessView>(Report::Liveness);
        QVERIFY(liveness.isVisible());
        PlotWidget& plot = liveness.plot().plot();
        QTRY_COMPARE(plot.markers().size(), std::size_t(1));
        const double marked = plot.markers().front().from;
        QCOMPARE(liveness.tabs().currentIndex(), int(LivenessTabs::NotAlwaysLive));
        QTableView& live = liveness.tabs().table(LivenessTabs::NotAlwaysLive).view();
        QVERIFY2(Story::cell(live, live.currentIndex().row(), 0).contains("actsRearranged"),
                 qPrintable(Story::cell(live, live.currentIndex().row(), 0)));
        const QString read = readAt(plot, marked + 0.5);
        QVERIFY2(read.contains("Convolve"), qPrintable(read));
        // The wheel zooms in, the marked step stays under the pointer.
        const QPointF at(plot.xAxis->coordToPixel(marked + 0.5), plot.height() / 2.0);
        for (int notch = 0; notch < 10; ++notch)
            Story::wheel(plot, at, 120);
        story.waitUntilIdle();
        QVERIFY(plot.zoom().from() < marked && marked < plot.zoom().to());
        QVERIFY(!plot.zoom().showsAll());

        // One option changed, from the card that says what to do.
        story.openReport(Report::Insights);
        Story::press(*Story::find<QPushButton>(Story::cardWith(insights, "Does not fit: tile "),
                                               "--available-memory-proportion 0.4"));
        gui::RunDialog& dialog = story.dialog();
        QVERIFY2(dialog.commandLine().contains("tilescope run resnext50_32x4d") &&
                     dialog.commandLine().contains("--batch-size 32") &&
                     dialog.commandLine().contains("--available-memory-proportion 0.4"),
                 qPrintable(dialog.commandLine()));
        QCOMPARE(Story::named<QComboBox>(dialog, "When it is done")->currentText(),
                 "Compare the result with the open profile");
        story.run("after");

        // It fits; the first page says what that cost.
        auto& compare = story.view<CompareView>(Report::Compare);
        QVERIFY(compare.isVisible());
        const auto& figures = compare.overview().verdict().figures();
        QVERIFY2(figures[0].detail.startsWith("Source does not fit: ") &&
                     figures[0].detail.contains("target fits"),
                 qPrintable(figures[0].detail));
        QVERIFY(figures[0].level == views::VerdictFigure::Level::Good);
        QVERIFY2(figures[2].change.startsWith(QChar(0x2212)), qPrintable(figures[2].change));
        QCOMPARE(Story::differences(story.window()), "availableMemoryProportion 0.8 \u2192 0.4");
        story.picture("fit-compare");
        Story::verifyReads(compare, "plans changed, most temporary memory first");

        // The largest cause at the peak has its place in both.
        QTableView& causes = compare.overview().memory().view();
        Story::clickRow(causes, 0);
        const QString cause = Story::cell(causes, 0, 0);
        Story::press(*Story::find<QToolButton>(compare, "Target's peak"));
        story.waitUntilIdle();
        QVERIFY(liveness.isVisible());
        QTRY_COMPARE(plot.markers().size(), std::size_t(1));
        Story::press(*Story::find<QToolButton>(liveness, "Separate"));
        story.waitUntilIdle();
        QVERIFY(liveness.plots().second().plot().isVisible());
        QTRY_COMPARE(liveness.plots().second().plot().markers().size(), std::size_t(1));
        story.openReport(Report::Operations);
        QTableView& operations = story.view<OperationsView>(Report::Operations).table().view();
        QTRY_COMPARE(Story::cell(operations, operations.currentIndex().row(), 0), cause);
    }
};

TILESCOPE_TEST(OutOfMemoryStory, QApplication)

} // namespace out_of_memory_test

#include "out_of_memory_test.moc"
