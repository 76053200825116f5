// The execution trace through its real widgets: tiles, search, keys, statistics.
#include <QAbstractItemModelTester>
#include <QLineEdit>
#include <QMenu>
#include <QTabWidget>
#include <QTreeView>
#include <QtTest>

#include "core/trace/tile_raster.h"
#include "tests/support/test_main.h"
#include "tests/views/trace_lanes.h"
#include "tests/views/trace_window.h"
#include "views/execution/range_field.h"
#include "views/execution/range_panel.h"
#include "views/execution/statistics_panel.h"
#include "views/execution/step_panel.h"
#include "views/programs/programs_view.h"
#include "views/tables/table_panel.h"

namespace execution_test {
using namespace tilescope;
using namespace tilescope::gui;
using views::TraceLook;

namespace {
constexpr auto fatal = QAbstractItemModelTester::FailureReportingMode::Fatal;
}

class ExecutionTest : public test::TraceWindow {
    Q_OBJECT
private slots:
    void initTestCase() { prepare(); }
    void init() { newWindow(); }
    void cleanup() { window_.reset(); }

    void tilesHaveARasterOfEachIpu() {
        open({files_.write("two.pop", {.ipus = 2})});
        trace_->setLook(TraceLook::Tiles);
        settle();
        views::TilePlot& plot = trace_->tiles().plot();
        QCOMPARE(plot.lanes().size(), std::size_t(2));
        QCOMPARE(plot.tiles().rasters().size(), std::size_t(2));
        const auto raster = [&]() -> const TileRaster& { return plot.tiles().rasters()[0].raster; };
        QVERIFY(raster().columns > 100 && raster().rows > 20);
        const auto has = [&](TileState state) {
            return std::any_of(raster().cells.begin(), raster().cells.end(),
                               [&](const TileRaster::Cell& cell) { return cell.state == state; });
        };
        QVERIFY(has(TileState::Compute));
        QVERIFY(has(TileState::Wait));
        // An exchange is short: it has a column of its own when it fills the window.
        trace_->search().setText("ExchangePre");
        QTest::keyClick(&trace_->search().field(), Qt::Key_Return);
        settle();
        const StepOnIpu on = window_->context()
                                 .reports.source()
                                 ->trace({})
                                 ->stepAt(trace_->selection().step())
                                 .ipus.front();
        zoom().setRange(static_cast<double>(on.start - on.cycles),
                        static_cast<double>(on.start + 2 * on.cycles));
        settle();
        QVERIFY(has(TileState::Exchange));
    }

    void ctrlWheelZoomsInTiles() {
        open({files_.write("a.pop")});
        trace_->setLook(TraceLook::Tiles);
        settle();
        views::TilePlot& plot = trace_->tiles().plot();
        QVERIFY(plot.rows().showsAll());
        const double cycles = zoom().span();
        const QPointF where(plot.width() / 2.0, plot.height() / 2.0);
        const double under = plot.yAxis->pixelToCoord(where.y());
        QWheelEvent wheel(where, plot.mapToGlobal(where), {}, {0, 480}, Qt::NoButton,
                          Qt::ControlModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&plot, &wheel);
        settle();
        QVERIFY(!plot.rows().showsAll());
        QCOMPARE(zoom().span(), cycles);
        QVERIFY(std::abs(plot.yAxis->pixelToCoord(where.y()) - under) < 0.5);
        QVERIFY(plot.tiles().rasters()[0].bottom - plot.tiles().rasters()[0].top < 1472);
        key(Qt::Key_F);
        QVERIFY(plot.rows().showsAll());
    }

    void aClickOnATileShowsItsStep() {
        open({files_.write("a.pop")});
        trace_->setLook(TraceLook::Tiles);
        settle();
        views::TilePlot& plot = trace_->tiles().plot();
        const QPoint where(plot.width() / 2, plot.height() / 2);
        QTest::mouseClick(&plot, Qt::LeftButton, {}, where);
        settle();
        QVERIFY(trace_->selection().step() >= 0);
        QVERIFY(test::child<views::ValueTreeView>(test::child<views::StepPanel>(*trace_))
                    .values()
                    .rowCount() > 4);
        QCOMPARE(window_->context().selection.current().tiles.size(), std::size_t(1));
    }

    void searchCountsAndGoesBothWays() {
        open({files_.write("a.pop")});
        std::vector<std::int64_t> matches;
        const auto index = window_->context().reports.source()->trace({});
        const auto programs = window_->context().reports.source()->programs({});
        for (std::int64_t step = 0; step < index->stepCount(); ++step) {
            const ProgramId program = index->stepAt(step).program;
            if (program.valid() &&
                (*programs)[program].name.find("layer1/conv/Convolve") != std::string::npos)
                matches.push_back(step);
        }
        const QString total = QString::number(matches.size());
        const auto press = [&](Qt::KeyboardModifiers modifiers = {}) {
            QTest::keyClick(&trace_->search().field(), Qt::Key_Return, modifiers);
            settle();
        };
        zoom().fit();
        trace_->search().setText("LAYER1/conv/Convolve");
        settle();
        QCOMPARE(trace_->search().findChild<QLabel*>()->text(), "matches: " + total);
        press();
        QCOMPARE(trace_->search().findChild<QLabel*>()->text(), "1 of " + total);
        QCOMPARE(trace_->selection().step(), matches[0]);
        press();
        QCOMPARE(trace_->search().findChild<QLabel*>()->text(), "2 of " + total);
        QCOMPARE(trace_->selection().step(), matches[1]);
        press(Qt::ShiftModifier);
        press(Qt::ShiftModifier); // wraps around
        QCOMPARE(trace_->search().findChild<QLabel*>()->text(), total + " of " + total);
        QCOMPARE(trace_->selection().step(), matches.back());
        trace_->search().setText("nothing like it");
        settle();
        QCOMPARE(trace_->search().findChild<QLabel*>()->text(), QStringLiteral("no match"));
        QTest::keyClick(&trace_->search().field(), Qt::Key_Escape);
        QCOMPARE(trace_->search().findChild<QLabel*>()->text(), QString());
    }

    void commaAndPeriodWalkOverTheSteps() {
        open({files_.write("a.pop")});
        key(Qt::Key_Period);
        const std::int64_t first = trace_->selection().step();
        QVERIFY(first >= 0);
        key(Qt::Key_Period);
        QCOMPARE(trace_->selection().step(), first + 1);
        key(Qt::Key_Comma);
        key(Qt::Key_Comma);
        QCOMPARE(trace_->selection().step(), first - 1);
    }

    void rSelectsTheRangeOfTheStep() {
        open({files_.write("a.pop")});
        key(Qt::Key_R);
        QVERIFY(trace_->selection().range().has_value());
        key(Qt::Key_R);
        QVERIFY(!trace_->selection().range().has_value());
        key(Qt::Key_Period);
        key(Qt::Key_R);
        const ExecutedStep step =
            window_->context().reports.source()->trace({})->stepAt(trace_->selection().step());
        QCOMPARE(trace_->selection().range()->begin, step.ipus.front().start);
        QCOMPARE(trace_->selection().range()->cycles(), step.ipus.front().cycles);
        QCOMPARE(test::child<views::StatisticsPanel>(*trace_).lanes()[0].statistics.cycles,
                 step.ipus.front().cycles);
        key(Qt::Key_Escape);
        QVERIFY(!trace_->selection().range().has_value());
    }

    // What runs in the range, by step or operation; a row selects its step in all reports.
    void theTableHasTheStepsOfTheRange() {
        open({files_.write("a.pop")});
        auto& tabs = test::child<QTabWidget>(*trace_);
        views::RangePanel& panel = trace_->tabs().inRange();
        tabs.setCurrentWidget(&panel);
        test::waitUntilIdle(*window_);
        views::TableModel& model = panel.table().model();
        const QAbstractItemModelTester tester(&model, fatal);
        const int all = model.rowCount();
        QVERIFY(all > 3);
        panel.group().setCurrentIndex(static_cast<int>(RangeGroup::Kind));
        emit panel.group().activated(static_cast<int>(RangeGroup::Kind));
        test::waitUntilIdle(*window_);
        QVERIFY(model.rowCount() < all);
        panel.group().setCurrentIndex(static_cast<int>(RangeGroup::Step));
        emit panel.group().activated(static_cast<int>(RangeGroup::Step));
        key(Qt::Key_Period);
        key(Qt::Key_R);
        tabs.setCurrentWidget(&panel);
        test::waitUntilIdle(*window_);
        QCOMPARE(model.rowCount(), 2); // the totals, and the one step
        // A row marks all its boxes and leaves the picture where it is.
        key(Qt::Key_Escape);
        test::waitUntilIdle(*window_);
        const auto count = static_cast<int>(model.table().columnOf("count"));
        const auto timesOf = [&](int row) { return model.index(row, count).data().toInt(); };
        int often = -1;
        for (int row = 1; row < model.rowCount(); ++row) // without the totals
            if (model.index(row, 0).data() != QVariant("Sync") &&
                (often < 0 || timesOf(row) > timesOf(often)))
                often = row;
        const int times = timesOf(often);
        QVERIFY(times > 1);
        const double from = zoom().from();
        const double to = zoom().to();
        panel.table().view().setCurrentIndex(model.index(often, 0));
        test::waitUntilIdle(*window_);
        QCOMPARE(trace_->plot().markers().size(), static_cast<std::size_t>(times));
        QVERIFY(window_->context().selection.current().program.valid());
        QCOMPARE(zoom().from(), from);
        QCOMPARE(zoom().to(), to);
    }

    void optionsChangeTheRows() {
        const QString file = files_.write("a.pop");
        const ProfilePair pair{test::openSample(file), nullptr};
        const std::int64_t length = views::traceLength(pair, {});
        const auto lane = [&](bool runs, bool syncs) {
            return test::traceLanes({pair, TraceLook::Flat, IpuId(), runs, syncs}, {0, length},
                                    1)[0];
        };
        const auto syncs = [](const views::TraceLane& in) {
            std::size_t count = 0;
            for (const views::TraceRow& row : in.rows)
                count += static_cast<std::size_t>(
                    std::count_if(row.boxes.begin(), row.boxes.end(),
                                  [](const auto& box) { return box.kind == ProgramKind::Sync; }));
            return count;
        };
        QVERIFY(syncs(lane(true, true)) > 10);
        QCOMPARE(syncs(lane(true, false)), std::size_t(0));
        QCOMPARE(lane(true, true).rows.size(), lane(false, true).rows.size() + 1);
    }

    void overlappingStreamsHaveARowOfTheirOwn() {
        const auto span = [](std::int64_t begin, std::int64_t end, ProgramKind kind) {
            return TraceSpan{begin, end, kind, {}, begin, 1, 0, {}, {}};
        };
        using enum ProgramKind;
        std::vector<TraceSpan> spans{span(0, 10, StreamCopyMid),  span(10, 40, OnTileExecute),
                                     span(12, 30, StreamCopyMid), span(40, 80, StreamCopyMid),
                                     span(50, 60, OnTileExecute), span(60, 70, DoExchange)};
        const auto taken = takeOverlappingStreams(spans);
        QCOMPARE(taken.size(), std::size_t(2));
        QCOMPARE(taken[0].begin, std::int64_t(12));
        QCOMPARE(taken[1].begin, std::int64_t(40));
        QCOMPARE(spans.size(), std::size_t(4));
        for (std::size_t i = 1; i < spans.size(); ++i)
            QVERIFY(spans[i].begin >= spans[i - 1].end);
    }

    void theStripIsDragged() {
        open({files_.write("a.pop")});
        views::OverviewStrip& strip = test::child<views::OverviewStrip>(*trace_);
        zoom().fit();
        const double all = zoom().last() - zoom().first();
        zoom().setRange(zoom().first() + all * 0.25, zoom().first() + all * 0.5);
        const int left = views::PlotWidget::leftMargin;
        const int width = strip.width() - left - views::PlotWidget::rightMargin;
        const auto at = [&](double share) {
            return QPoint(left + static_cast<int>(share * width), strip.height() / 2);
        };
        const double pixel = all / width;
        const auto drag = [&](const QPoint& from, const QPoint& to) {
            QTest::mousePress(&strip, Qt::LeftButton, {}, from);
            QTest::mouseMove(&strip, (from + to) / 2);
            QTest::mouseMove(&strip, to);
            QTest::mouseRelease(&strip, Qt::LeftButton, {}, to);
            settle();
        };
        const auto near = [&](double cycle, double share) {
            return std::abs(cycle - zoom().first() - share * all) <= 2 * pixel;
        };
        // Between the handles the range moves and keeps its length.
        const double span = zoom().span();
        drag(at(0.35), at(0.6));
        QVERIFY(near(zoom().from(), 0.5) && near(zoom().to(), 0.75));
        QCOMPARE(zoom().span(), span);
        // A handle moves its end only.
        drag(at(0.5), at(0.1));
        QVERIFY(near(zoom().from(), 0.1) && near(zoom().to(), 0.75));
        drag(at(0.75), at(0.9));
        QVERIFY(near(zoom().from(), 0.1) && near(zoom().to(), 0.9));
        // A press beside it centres the range there.
        zoom().setRange(zoom().first() + all * 0.1, zoom().first() + all * 0.2);
        QTest::mouseClick(&strip, Qt::LeftButton, {}, at(0.7));
        QVERIFY(near(zoom().from(), 0.65) && near(zoom().to(), 0.75));
        QTest::mouseDClick(&strip, Qt::LeftButton, {}, at(0.7));
        QVERIFY(zoom().showsAll());
    }

    void aRangeCanBeTyped() {
        open({files_.write("a.pop")});
        zoom().fit();
        auto& field = trace_->tabs().range();
        QVERIFY(field.text().startsWith("0 \u2013 "));
        const auto type = [&](const QString& text) {
            field.setFocus();
            field.selectAll();
            QTest::keyClicks(&field, text);
            QTest::keyClick(&field, Qt::Key_Return);
            settle();
        };
        type("12,000-34000");
        QCOMPARE(zoom().from(), 12000.0);
        QCOMPARE(zoom().to(), 34000.0);
        QCOMPARE(field.text(), QString("12,000 \u2013 34,000 cycles"));
        const double clock = window_->context().reports.clockHz();
        type("10-20 us");
        QCOMPARE(zoom().from(), std::round(10e-6 * clock));
        QCOMPARE(zoom().to(), std::round(20e-6 * clock));
        // Text that is not a range changes nothing, and the user is told so.
        QSignalSpy status(trace_, &views::ReportView::status);
        const double before = zoom().from();
        type("twelve");
        QCOMPARE(zoom().from(), before);
        QVERIFY(status.last()[0].toString().contains("'twelve' is not a range"));
        QTest::keyClick(&field, Qt::Key_Escape);
        QVERIFY(field.text().endsWith("cycles"));
        window_->context().preferences.setClockUnits(ClockUnits::Time);
        QVERIFY(field.text().endsWith("s") && !field.text().endsWith("cycles"));
        window_->context().preferences.setClockUnits(ClockUnits::CyclesAndTime);
    }

    // Two lanes of many rows on a small screen: names have room, and a scroll bar what is below.
    void rowsHaveRoomForNames() {
        window_->resize(1280, 720);
        open({files_.write("four.pop", {.ipus = 4})});
        views::TracePlot& plot = trace_->plot();
        QTRY_VERIFY(plot.rowHeight() >= views::TracePlot::readableRow);
        QTRY_VERIFY(plot.scrollBar().isVisible());
        for (QAction* action : trace_->findChildren<QAction*>())
            if (action->text() == "All rows in sight")
                action->trigger();
        QTRY_VERIFY(plot.rowHeight() < views::TracePlot::readableRow);
        QTRY_VERIFY(!plot.scrollBar().isVisible());
    }

    void twoExecutionsStandBelowEachOther() {
        open({files_.write("a.pop"), files_.write("b.pop", {.changed = true})});
        trace_->setLook(TraceLook::Tiles);
        settle();
        QCOMPARE(trace_->tiles().plot().lanes().size(), std::size_t(2));
        QVERIFY(trace_->tiles().plot().lanes()[1].name.startsWith("Target"));
        QCOMPARE(test::child<views::StatisticsPanel>(*trace_).lanes().size(), std::size_t(2));
    }

    void theTreeAndTheTraceLeadToEachOther() {
        open({files_.write("a.pop")});
        trace_->search().setText("conv1/Convolve");
        QTest::keyClick(&trace_->search().field(), Qt::Key_Return);
        settle();
        key(Qt::Key_P);
        QCOMPARE(window_->currentReport(), Report::Programs);
        auto& programs = static_cast<views::ProgramsView&>(window_->view(Report::Programs));
        QCOMPARE(programs.model().programAt(programs.tree().currentIndex()),
                 window_->context().selection.current().program);
        QTest::keyClick(&programs.tree(), Qt::Key_T);
        settle();
        QCOMPARE(window_->currentReport(), Report::Trace);
    }

    // Another report's program would be lost among thousands of lines; a click here moves nothing.
    void aLinkZoomsToANarrowStep() {
        open({files_.write("narrow.pop")});
        const auto index = window_->context().reports.source()->trace({});
        zoom().fit();
        settle();
        const auto pixels = [&](const ExecutedStep& step) {
            return static_cast<double>(step.ipus.front().cycles) *
                   trace_->plot().axisRect()->width() / zoom().span();
        };
        std::int64_t narrow = -1;
        for (std::int64_t step = 0; step < index->stepCount() && narrow < 0; ++step)
            if (const ExecutedStep at = index->stepAt(step);
                at.program.valid() && at.ipus.front().cycles > 8 && pixels(at) < 2)
                narrow = step;
        QVERIFY(narrow >= 0);
        const ExecutedStep before = index->stepAt(narrow);
        window_->context().selection.update(
            [&](views::Selected& s) { s.program = before.program; });
        settle();
        QVERIFY(trace_->selection().step() >= 0);
        const ExecutedStep shown = index->stepAt(trace_->selection().step());
        QCOMPARE(shown.program, before.program);
        QVERIFY(pixels(shown) > 20);
        QVERIFY(zoom().from() <= static_cast<double>(shown.ipus.front().start) &&
                zoom().to() > static_cast<double>(shown.ipus.front().start));
    }

    void everyFrameOfManyRepetitionsIsCounted() {
        open({files_.write("frames.pop", {.ipus = 2, .repeats = 1'000'000})});
        trace_->setLook(TraceLook::Tiles);
        settle();
        views::FrameTimes& times = window_->context().frameTimes;
        times.reset();
        for (int i = 0; i < 20; ++i) {
            zoom().zoomAt(zoom().last() * 0.4, i < 10 ? 0.5 : 2);
            trace_->tiles().plot().replot(QCustomPlot::rpImmediateRefresh);
            settle();
        }
        QVERIFY(times.frames() >= 20);
    }
};

TILESCOPE_TEST(ExecutionTest, QApplication)

} // namespace execution_test

#include "execution_test.moc"
