// The execution trace through its real widgets: tiles, search, marks, keys, statistics.
#include <QAbstractItemModelTester>
#include <QLineEdit>
#include <QMenu>
#include <QTabWidget>
#include <QTreeView>
#include <QtTest>

#include "app/gui/window/main_window.h"
#include "core/trace/tile_raster.h"
#include "tests/views/sample_files.h"
#include "views/execution/range_field.h"
#include "views/execution/statistics_panel.h"
#include "views/execution/trace_view.h"
#include "views/programs/programs_view.h"
#include "views/theme/style.h"

using namespace tilescope;
using namespace tilescope::gui;
using views::TraceLook;

namespace {
constexpr auto fatal = QAbstractItemModelTester::FailureReportingMode::Fatal;
}

class ExecutionTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    std::unique_ptr<MainWindow> window_;
    views::TraceView* trace_ = nullptr;

    void waitUntilIdle() {
        for (int i = 0; i < 3; ++i) { // an answer may ask the next question
            QCoreApplication::processEvents();
            QTRY_VERIFY(window_->context().workers.idle());
        }
        QCoreApplication::processEvents();
    }
    void open(const QStringList& files) {
        QSignalSpy changed(&window_->context().reports, &views::ReportPair::changed);
        window_->openProfiles(files);
        QTRY_COMPARE(changed.count(), 1);
        window_->showReport(Report::Trace);
        waitUntilIdle();
        trace_ = static_cast<views::TraceView*>(&window_->view(Report::Trace));
    }
    void key(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
        QWidget* plot = trace_->tiles().isVisible() ? static_cast<QWidget*>(&trace_->tiles().plot())
                                                    : &trace_->plot();
        QTest::keyClick(plot, key, modifiers);
        waitUntilIdle();
    }
    views::ZoomRange& zoom() { return window_->context().timeZoom; }

    const std::vector<views::TraceLane>& lanes() const {
        return *trace_->plot().trace().overview();
    }
    /// The middle of a box of the first lane, which is the host's, as far as it is in sight.
    QPoint placeOf(std::size_t row, const views::TraceBox& box) const {
        views::TracePlot& plot = trace_->plot();
        const double from = std::max(plot.xAxis->range().lower, static_cast<double>(box.begin));
        const double to = std::min(plot.xAxis->range().upper, static_cast<double>(box.end));
        const double y = plot.trace().laneTop(0) + static_cast<double>(row) + 0.5;
        return {qRound(plot.xAxis->coordToPixel((from + to) / 2)),
                qRound(plot.yAxis->coordToPixel(y))};
    }
    const views::TraceBox* hostBox(std::size_t row, const QString& begin) const {
        for (const views::TraceBox& box : lanes()[0].rows.at(row).boxes)
            if (QString::fromStdString(box.name).startsWith(begin))
                return &box;
        return nullptr;
    }
    QString readOutAt(const QPoint& place) {
        QSignalSpy hovered(&trace_->plot(), &views::PlotWidget::hovered);
        // The cursor itself may be held by the window of a test before.
        QMouseEvent move(QEvent::MouseMove, place, trace_->plot().mapToGlobal(QPointF(place)),
                         Qt::NoButton, Qt::NoButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&trace_->plot(), &move);
        return hovered.isEmpty() ? QString() : hovered.last()[0].toString();
    }

private slots:
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        QApplication::setStyle(new views::WindowStyle);
    }
    void init() {
        window_ = std::make_unique<MainWindow>(Memory::None);
        window_->show();
    }
    void cleanup() { window_.reset(); }

    void tilesHaveARasterOfEachIpu() {
        open({files_.write("two.pop", {.ipus = 2})});
        trace_->setLook(TraceLook::Tiles);
        waitUntilIdle();
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
        waitUntilIdle();
        const StepOnIpu on = window_->context()
                                 .reports.source()
                                 ->trace({})
                                 ->stepAt(trace_->selectedStep())
                                 .ipus.front();
        zoom().setRange(static_cast<double>(on.start - on.cycles),
                        static_cast<double>(on.start + 2 * on.cycles));
        waitUntilIdle();
        QVERIFY(has(TileState::Exchange));
    }

    void ctrlWheelZoomsInTiles() {
        open({files_.write("a.pop")});
        trace_->setLook(TraceLook::Tiles);
        waitUntilIdle();
        views::TilePlot& plot = trace_->tiles().plot();
        QVERIFY(plot.rows().showsAll());
        const double cycles = zoom().span();
        const QPointF where(plot.width() / 2.0, plot.height() / 2.0);
        const double under = plot.yAxis->pixelToCoord(where.y());
        QWheelEvent wheel(where, plot.mapToGlobal(where), {}, {0, 480}, Qt::NoButton,
                          Qt::ControlModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&plot, &wheel);
        waitUntilIdle();
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
        waitUntilIdle();
        views::TilePlot& plot = trace_->tiles().plot();
        const QPoint where(plot.width() / 2, plot.height() / 2);
        QTest::mouseClick(&plot, Qt::LeftButton, {}, where);
        waitUntilIdle();
        QVERIFY(trace_->selectedStep() >= 0);
        QVERIFY(trace_->details().rowCount() > 4);
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
            waitUntilIdle();
        };
        trace_->search().setText("LAYER1/conv/Convolve");
        waitUntilIdle();
        QCOMPARE(trace_->search().countText(), "matches: " + total);
        press();
        QCOMPARE(trace_->search().countText(), "1 of " + total);
        QCOMPARE(trace_->selectedStep(), matches[0]);
        press();
        QCOMPARE(trace_->search().countText(), "2 of " + total);
        QCOMPARE(trace_->selectedStep(), matches[1]);
        press(Qt::ShiftModifier);
        press(Qt::ShiftModifier); // goes round
        QCOMPARE(trace_->search().countText(), total + " of " + total);
        QCOMPARE(trace_->selectedStep(), matches.back());
        trace_->search().setText("nothing like it");
        waitUntilIdle();
        QCOMPARE(trace_->search().countText(), QStringLiteral("no match"));
        QTest::keyClick(&trace_->search().field(), Qt::Key_Escape);
        QCOMPARE(trace_->search().countText(), QString());
    }

    void commaAndPeriodWalkOverTheSteps() {
        open({files_.write("a.pop")});
        key(Qt::Key_Period);
        const std::int64_t first = trace_->selectedStep();
        QVERIFY(first >= 0);
        key(Qt::Key_Period);
        QCOMPARE(trace_->selectedStep(), first + 1);
        key(Qt::Key_Comma);
        key(Qt::Key_Comma);
        QCOMPARE(trace_->selectedStep(), first - 1);
    }

    void rSelectsTheRangeOfTheStep() {
        open({files_.write("a.pop")});
        key(Qt::Key_R);
        QVERIFY(trace_->selectedRange().has_value());
        key(Qt::Key_R);
        QVERIFY(!trace_->selectedRange().has_value());
        key(Qt::Key_Period);
        key(Qt::Key_R);
        const ExecutedStep step =
            window_->context().reports.source()->trace({})->stepAt(trace_->selectedStep());
        QCOMPARE(trace_->selectedRange()->begin, step.ipus.front().start);
        QCOMPARE(trace_->selectedRange()->cycles(), step.ipus.front().cycles);
        QCOMPARE(trace_->statistics().lanes()[0].statistics.cycles, step.ipus.front().cycles);
        key(Qt::Key_Escape);
        QVERIFY(!trace_->selectedRange().has_value());
    }

    void marksAreKeptBesideTheProfile() {
        const QString file = files_.write("marked.pop");
        open({file});
        const QAbstractItemModelTester tester(&trace_->marks(), fatal);
        key(Qt::Key_Period);
        key(Qt::Key_M);
        QCOMPARE(trace_->marks().rowCount(), 1);
        key(Qt::Key_M); // the same place
        QCOMPARE(trace_->marks().rowCount(), 1);
        const double cycle = trace_->marks().marks()[0].cycle;
        trace_->marks().setData(trace_->marks().index(0, views::MarksModel::Text), "slow here",
                                Qt::EditRole);
        trace_->marks().add(7, "early");
        window_ = std::make_unique<MainWindow>(Memory::None);
        window_->show();
        open({file});
        QCOMPARE(trace_->marks().rowCount(), 2);
        QCOMPARE(trace_->marks().marks()[1].cycle, cycle);
        QCOMPARE(trace_->marks().marks()[1].text, QStringLiteral("slow here"));
        trace_->marks().remove(0);
        views::MarksModel again;
        QCOMPARE(again.open(file.toStdString(), 1e9, 1e18), QString());
        QCOMPARE(again.rowCount(), 1);
        QCOMPARE(again.open(file.toStdString(), 1e9, cycle - 1), QString());
        QCOMPARE(again.rowCount(), 0); // behind the end of this execution
    }

    void bracketsGoFromMarkToMark() {
        open({files_.write("brackets.pop")});
        const double length = zoom().last();
        for (const double share : {0.3, 0.5, 0.7})
            trace_->marks().add(std::floor(length * share), {});
        zoom().setRange(length * 0.39, length * 0.41);
        const auto middle = [&] { return (zoom().from() + zoom().to()) / 2; };
        key(Qt::Key_BracketRight);
        QVERIFY(std::abs(middle() - length * 0.5) < 2);
        key(Qt::Key_BracketRight);
        QVERIFY(std::abs(middle() - length * 0.7) < 2);
        key(Qt::Key_BracketLeft);
        key(Qt::Key_BracketLeft);
        QVERIFY(std::abs(middle() - length * 0.3) < 2);
    }

    void damagedMarksAreExplained() {
        const QString file = files_.path("bad.pop");
        files_.writeBytes("bad.pop.marks.json", "{ no json");
        views::MarksModel marks;
        QVERIFY(marks.open(file.toStdString(), 1e9, 100).contains("bad.pop.marks.json"));
        QSignalSpy saved(&marks, &views::MarksModel::saved);
        marks.open("/nowhere/profile.pop", 1e9, 100);
        marks.add(5, "x");
        QVERIFY(saved[0][0].toString().contains("/nowhere/profile.pop.marks.json"));
    }

    void optionsChangeTheRows() {
        const QString file = files_.write("a.pop");
        const ProfilePair pair{test::openSample(file), nullptr};
        const std::int64_t length = views::traceLength(pair, {});
        const auto lane = [&](bool runs, bool syncs) {
            return views::traceLanes({pair, TraceLook::Flat, IpuId(), runs, syncs}, {0, length}, 1,
                                     {})[0];
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
        views::OverviewStrip& strip = trace_->strip();
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
            waitUntilIdle();
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
        auto& field = trace_->range();
        QVERIFY(field.text().startsWith("0 \u2013 "));
        const auto type = [&](const QString& text) {
            field.setFocus();
            field.selectAll();
            QTest::keyClicks(&field, text);
            QTest::keyClick(&field, Qt::Key_Return);
            waitUntilIdle();
        };
        type("12,000-34000");
        QCOMPARE(zoom().from(), 12000.0);
        QCOMPARE(zoom().to(), 34000.0);
        QCOMPARE(field.text(), QString("12,000 \u2013 34,000 cycles"));
        const double clock = window_->context().reports.clockHz();
        type("10-20 us");
        QCOMPARE(zoom().from(), std::round(10e-6 * clock));
        QCOMPARE(zoom().to(), std::round(20e-6 * clock));
        // What is no range changes nothing, and is told.
        QSignalSpy status(trace_, &views::ReportView::status);
        const double before = zoom().from();
        type("twelve");
        QCOMPARE(zoom().from(), before);
        QVERIFY(status.last()[0].toString().contains("'twelve' is no range"));
        QTest::keyClick(&field, Qt::Key_Escape);
        QVERIFY(field.text().endsWith("cycles"));
        window_->context().preferences.setClockUnits(views::ClockUnits::Time);
        QVERIFY(field.text().endsWith("s") && !field.text().endsWith("cycles"));
        window_->context().preferences.setClockUnits(views::ClockUnits::CyclesAndTime);
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

    void theHostStandsAboveTheIpus() {
        open({files_.write("two.pop", {.ipus = 2})});
        QCOMPARE(lanes().size(), std::size_t(3));
        QVERIFY(views::isHost(lanes()[0]));
        QCOMPARE(lanes()[1].ipu, 0);
        QCOMPARE(lanes()[0].rowNames, (std::vector<std::string>{"Engine", "Callbacks"}));
        QVERIFY(hostBox(0, "Engine::run #1"));
        const auto& runs = window_->context().reports.source()->trace({})->runs();
        QCOMPARE(hostBox(0, "Engine::run #1")->begin, runs[1].start);
        // The axis is as it was: nothing before the first run.
        QCOMPARE(zoom().first(), 0.0);
        QCOMPARE(zoom().from(), static_cast<double>(runs[1].start));
        zoom().setRange(0, static_cast<double>(runs[1].start));
        waitUntilIdle();
        const views::TraceBox* wait = hostBox(1, "IPU waits for host: ");
        QVERIFY(wait);
        const QString text = readOutAt(placeOf(1, *wait));
        QVERIFY2(text.contains("IPU waits for host") && text.contains("5,000"), qPrintable(text));
        // The host's callback and the step of the IPU are one.
        const views::TraceBox* callback = hostBox(1, "h2d_weights");
        QVERIFY(callback);
        QTest::mouseClick(&trace_->plot(), Qt::LeftButton, {}, placeOf(1, *callback));
        waitUntilIdle();
        const ExecutedStep step =
            window_->context().reports.source()->trace({})->stepAt(trace_->selectedStep());
        QVERIFY(step.kind == ProgramKind::StreamCopyMid);
        QCOMPARE(step.ipus.front().start, callback->begin);
        for (QAction* action : trace_->findChildren<QAction*>())
            if (action->text() == "Host")
                action->trigger();
        waitUntilIdle();
        QCOMPARE(lanes().size(), std::size_t(2));
        QCOMPARE(zoom().to(), static_cast<double>(runs[1].start)); // the zoom stays
    }

    void theHostWaitsBetweenItsCopies() {
        open({files_.write("a.pop")});
        const auto index = window_->context().reports.source()->trace({});
        const TraceRun& run = index->runs()[1];
        std::int64_t covered = 0;
        for (const views::TraceBox& box : lanes()[0].rows[1].boxes)
            covered += box.cycles();
        QCOMPARE(covered, index->totalCycles());
        const TraceSums sums =
            index->statistics(IpuId(0), {run.start, run.start + run.cycles}).sums;
        std::int64_t waits = 0;
        for (const views::TraceBox& box : lanes()[0].rows[1].boxes)
            if (box.name == "Host waits for IPU" && box.begin >= run.start)
                waits += box.cycles();
        const std::int64_t expected = run.cycles - sums.host();
        // Syncs between a transfer and its end belong to the callback.
        QVERIFY(waits <= expected && waits > expected - sums.sync());
    }

    void theCompilationCanBeShown() {
        const QString file = files_.write("a.pop");
        open({file});
        const Profile profile = test::sampleProfile();
        const HostSpan& last = profile.hostSpans.back();
        const double before = (last.start + last.seconds) * profile.info.target.clockHz;
        QVERIFY(trace_->compilation().isVisible());
        QTest::mouseClick(&trace_->compilation(), Qt::LeftButton);
        waitUntilIdle();
        QCOMPARE(zoom().first(), std::round(-before));
        QVERIFY(zoom().showsAll());
        QCOMPARE(lanes()[0].rowNames,
                 (std::vector<std::string>{"Compilation", "Engine", "Callbacks"}));
        QVERIFY(trace_->range().text().startsWith("-"));
        const views::TraceBox* plan = hostBox(0, "plan");
        QVERIFY(plan && plan->end < 0);
        const QString text = readOutAt(placeOf(0, *plan));
        QVERIFY2(text.startsWith("plan") && text.contains("2.50 ms") &&
                     text.contains("from cycle -"),
                 qPrintable(text));
        QTest::mouseClick(&trace_->plot(), Qt::LeftButton, {}, placeOf(0, *plan));
        waitUntilIdle();
        QCOMPARE(trace_->selectedRange()->begin, plan->begin);
        QTest::mouseDClick(&trace_->plot(), Qt::LeftButton, {}, placeOf(0, *plan));
        waitUntilIdle();
        QVERIFY(zoom().from() < static_cast<double>(plan->begin));
        QVERIFY(zoom().to() < 0 && zoom().to() > static_cast<double>(plan->end));
        // A range before the first run can be typed, too.
        trace_->range().setFocus();
        trace_->range().selectAll();
        QTest::keyClicks(&trace_->range(), "-3000 - -1000");
        QTest::keyClick(&trace_->range(), Qt::Key_Return);
        waitUntilIdle();
        QCOMPARE(zoom().from(), -3000.0);
        QCOMPARE(zoom().to(), -1000.0);
        key(Qt::Key_F);
        QVERIFY(zoom().showsAll());
        QTest::mouseClick(&trace_->compilation(), Qt::LeftButton);
        waitUntilIdle();
        QCOMPARE(zoom().first(), 0.0);
        QCOMPARE(zoom().from(), static_cast<double>(profile.trace.runs[1].start));
    }

    void whatWasNotRecordedIsNotOffered() {
        Profile profile = test::sampleProfile();
        profile.hostSpans.clear();
        open({files_.writeProfile("spanless.pop", profile)});
        QVERIFY(!trace_->compilation().isVisible());
        QCOMPARE(lanes()[0].rowNames, (std::vector<std::string>{"Engine", "Callbacks"}));
    }

    void twoHostsStandAboveTheirIpus() {
        open({files_.write("a.pop"), files_.write("b.pop", {.changed = true})});
        QCOMPARE(lanes().size(), std::size_t(4));
        QVERIFY(views::isHost(lanes()[0]) && !lanes()[0].target);
        QVERIFY(views::isHost(lanes()[2]) && lanes()[2].target);
        QCOMPARE(lanes()[2].name, std::string("Target host"));
        QCOMPARE(lanes()[3].ipu, 0);
    }

    void twoExecutionsStandBelowEachOther() {
        open({files_.write("a.pop"), files_.write("b.pop", {.changed = true})});
        trace_->setLook(TraceLook::Tiles);
        waitUntilIdle();
        QCOMPARE(trace_->tiles().plot().lanes().size(), std::size_t(2));
        QVERIFY(trace_->tiles().plot().lanes()[1].name.startsWith("Target"));
        QCOMPARE(trace_->statistics().lanes().size(), std::size_t(2));
    }

    void theTreeAndTheTraceLeadToEachOther() {
        open({files_.write("a.pop")});
        trace_->search().setText("conv1/Convolve");
        QTest::keyClick(&trace_->search().field(), Qt::Key_Return);
        waitUntilIdle();
        key(Qt::Key_P);
        QCOMPARE(window_->currentReport(), Report::Programs);
        auto& programs = static_cast<views::ProgramsView&>(window_->view(Report::Programs));
        QCOMPARE(programs.model().programAt(programs.tree().currentIndex()),
                 window_->context().selection.current().program);
        QTest::keyClick(&programs.tree(), Qt::Key_T);
        waitUntilIdle();
        QCOMPARE(window_->currentReport(), Report::Trace);
    }

    // Another report's program is no use as a line among thousands; a click here moves nothing.
    void aLinkZoomsToANarrowStep() {
        open({files_.write("narrow.pop")});
        const auto index = window_->context().reports.source()->trace({});
        zoom().fit();
        waitUntilIdle();
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
        waitUntilIdle();
        QVERIFY(trace_->selectedStep() >= 0);
        const ExecutedStep shown = index->stepAt(trace_->selectedStep());
        QCOMPARE(shown.program, before.program);
        QVERIFY(pixels(shown) > 20);
        QVERIFY(zoom().from() <= static_cast<double>(shown.ipus.front().start) &&
                zoom().to() > static_cast<double>(shown.ipus.front().start));
    }

    void everyFrameOfManyRepetitionsIsCounted() {
        open({files_.write("frames.pop", {.ipus = 2, .repeats = 1'000'000})});
        trace_->setLook(TraceLook::Tiles);
        waitUntilIdle();
        views::FrameTimes& times = window_->context().frameTimes;
        times.reset();
        for (int i = 0; i < 20; ++i) {
            zoom().zoomAt(zoom().last() * 0.4, i < 10 ? 0.5 : 2);
            trace_->tiles().plot().replot(QCustomPlot::rpImmediateRefresh);
            waitUntilIdle();
        }
        QVERIFY(times.frames() >= 20);
    }
};

QTEST_MAIN(ExecutionTest)
#include "execution_test.moc"
