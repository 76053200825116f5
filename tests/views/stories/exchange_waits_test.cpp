// A pipeline that waits for the links between its IPUs: seen in a counter track, named by the table
// of a range, fixed by halving the bytes.
#include <QTabBar>
#include <QTabWidget>

#include "tests/support/test_main.h"
#include "tests/views/stories/story.h"
#include "views/compare/compare_view.h"
#include "views/execution/range_panel.h"
#include "views/execution/trace_view.h"
#include "views/tables/table_panel.h"

namespace exchange_waits_test {
using namespace tilescope;
using namespace tilescope::views;
using gui::Report;
using test::Story;

class ExchangeWaitsStory : public QObject {
    Q_OBJECT

    static TrackPlot& track(TraceView& trace, const QString& name) {
        for (TrackPlot* plot : trace.tracks().plots())
            if (plot->track().name() == name)
                return *plot;
        qFatal("there is no track '%s'", qPrintable(name));
    }
    // As a user ticks it in a menu below a button.
    static void tick(TraceView& trace, const QString& name) {
        for (QAction* action : trace.findChildren<QAction*>())
            if (action->text() == name && !action->isChecked())
                action->trigger();
    }
    static void openTab(TraceView& trace, const QString& name) {
        auto& bar = *trace.findChild<QTabWidget*>()->tabBar();
        for (int tab = 0; tab < bar.count(); ++tab)
            if (bar.tabText(tab) == name)
                QTest::mouseClick(&bar, Qt::LeftButton, {}, bar.tabRect(tab).center());
    }
    /// Pixels of the widest block of values in sight.
    static std::pair<int, int> widestBlock(TrackPlot& plot) {
        const QRect area = plot.axisRect()->rect();
        const ZoomRange& zoom = plot.zoom();
        constexpr double hardlySeen = 0.05; // of the largest
        const double least = hardlySeen * plot.curve().largest(zoom.from(), zoom.to());
        const auto valueAt = [&](int x) {
            return plot.curve().largest(plot.xAxis->pixelToCoord(x),
                                        plot.xAxis->pixelToCoord(x + 1));
        };
        std::pair<int, int> widest{0, 0};
        for (int x = area.left(); x < area.right();) {
            int end = x;
            while (end < area.right() && valueAt(end) > least)
                ++end;
            if (end - x > widest.second - widest.first)
                widest = {x, end};
            x = end + 1;
        }
        return widest;
    }
    static void dragWithShift(QWidget& on, QPoint from, QPoint to) {
        QTest::mousePress(&on, Qt::LeftButton, Qt::ShiftModifier, from);
        for (const QPoint& at : {(from + to) / 2, to}) {
            QMouseEvent move(QEvent::MouseMove, at, on.mapToGlobal(QPointF(at)), Qt::NoButton,
                             Qt::LeftButton, Qt::ShiftModifier);
            QCoreApplication::sendEvent(&on, &move);
        }
        QTest::mouseRelease(&on, Qt::LeftButton, Qt::ShiftModifier, to);
    }
    static double bytesOf(const TrackSide& side) {
        const TrackCurve& curve = *side.overview;
        double bytes = 0;
        for (std::size_t i = 0; i < curve.columns.count(); ++i)
            bytes += curve.top(i) * static_cast<double>(curve.columns.at(i).cycles());
        return bytes;
    }

private slots:
    void halfAsManyBytesGoBetweenTheIpus() {
        Story story;
        gui::MainWindow& window = story.window();
        Story::press(*Story::find<QPushButton>(window, "Run a model\u2026"));
        Story::type(*Story::named<QLineEdit>(story.dialog(), "Model"),
                    Story::job("tutorial_pipelined.json"));
        story.run("single");

        // The trace: a step of the pipeline, live memory and exchange above it. The links have a
        // track of their own.
        story.openReport(Report::Trace);
        auto& trace = story.view<TraceView>(Report::Trace);
        QVERIFY(track(trace, "Exchange").isVisible());
        tick(trace, "IPU links");
        story.waitUntilIdle();
        TrackPlot& links = track(trace, "IPU links");
        QVERIFY(links.isVisible());
        // Nearer: the end of a slot.
        const int y = links.axisRect()->rect().center().y();
        const auto [left, right] = widestBlock(links);
        for (int notch = 0; notch < 10; ++notch)
            Story::wheel(links, QPointF((left + right) / 2.0, y), 120);
        story.waitUntilIdle();
        const auto [from, to] = widestBlock(links);
        QVERIFY2(to - from > 40, qPrintable(QString::number(to - from)));
        // Nothing moves on the chip meanwhile.
        const ZoomRange& zoom = window.context().timeZoom;
        TrackPlot& exchange = track(trace, "Exchange");
        const double begin = links.xAxis->pixelToCoord(from + 2);
        const double end = links.xAxis->pixelToCoord(to - 2);
        QVERIFY(exchange.curve().largest(begin, end) <
                0.1 * exchange.curve().largest(zoom.from(), zoom.to()));

        // The range has a table with the operations of these steps.
        dragWithShift(links, {from, y}, {to, y});
        QVERIFY(trace.selection().range());
        openTab(trace, "Range");
        story.waitUntilIdle();
        QTableView& steps = trace.tabs().inRange().findChild<TablePanel*>()->view();
        QVERIFY(steps.isVisible());
        const int copies = Story::rowWith(steps, "ipuCopy");
        QVERIFY(copies >= 0 && copies <= 1); // below the totals at most
        // The rest is waiting.
        const auto shareOf = [&](const QString& name) {
            constexpr int column = 7;
            const int row = Story::rowWith(steps, name);
            return row < 0 ? 0.0 : Story::cell(steps, row, column).section(' ', 0, 0).toDouble();
        };
        QVERIFY2(shareOf("ipuCopy") > 50, qPrintable(QString::number(shareOf("ipuCopy"))));
        QVERIFY2(shareOf("ipuCopy") + shareOf("Sync") > 95,
                 qPrintable(QString::number(shareOf("Sync"))));
        story.picture("exchange-track");

        // Insights call it the largest loss.
        story.openReport(Report::Insights);
        Story::verifyReads(window.view(Report::Insights), "Exchange between IPUs");

        // Half as many bytes.
        for (QAction* action : window.findChildren<QAction*>())
            if (action->text().startsWith("Run again with &other"))
                action->trigger();
        QTRY_VERIFY(window.findChild<gui::RunDialog*>()->isVisible());
        Story::type(*Story::named<QLineEdit>(story.dialog(), "Search options"), "precision");
        gui::OptionEditor& precision =
            *test::child<gui::OptionForm>(story.dialog()).editor("precision");
        precision.editor().setFocus();
        QTest::keyClick(&precision.editor(), Qt::Key_H);
        QCOMPARE(precision.value(), std::string("half"));
        story.run("half");

        auto& compare = story.view<CompareView>(Report::Compare);
        QVERIFY(compare.isVisible());
        const views::VerdictFigure& time = compare.overview().verdict().figures()[1];
        QVERIFY2(time.detail.contains(" less time"), qPrintable(time.detail));

        // Both curves in one track.
        story.openReport(Report::Trace);
        story.waitUntilIdle();
        QVERIFY(links.curve().comparing());
        const double share = bytesOf(links.curve().sides()[1]) / bytesOf(links.curve().sides()[0]);
        QVERIFY2(share > 0.4 && share < 0.6, qPrintable(QString::number(share)));
        for (int notch = 0; notch < 6; ++notch)
            Story::wheel(links, QPointF(links.axisRect()->rect().left() + 100, y), 120);
        QEvent leave(QEvent::Leave);
        QCoreApplication::sendEvent(&links, &leave);
        story.picture("exchange-track-pair");
    }
};

TILESCOPE_TEST(ExchangeWaitsStory, QApplication)

} // namespace exchange_waits_test

#include "exchange_waits_test.moc"
