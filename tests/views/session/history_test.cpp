// Undo and redo of selections and zooms.
#include <QSignalSpy>
#include <QWheelEvent>
#include <QtTest>

#include "tests/support/test_main.h"
#include "tests/views/trace_window.h"
#include "views/execution/range_field.h"
#include "views/memory/memory_view.h"
#include "views/operations/operations_view.h"
#include "views/session/history.h"

namespace history_test {
using namespace tilescope;
using namespace tilescope::views;

namespace {
void select(Selection& selection, int operation) {
    selection.update([&](Selected& s) { s.operation = OperationId(operation); });
}
} // namespace

class HistoryTest : public test::TraceWindow {
    Q_OBJECT

    // The user touches the window: only then do changes become steps.
    static void touch() {
        QWidget widget;
        QTest::mousePress(&widget, Qt::LeftButton);
        QTest::mouseRelease(&widget, Qt::LeftButton);
    }
    static void pressKey() {
        QWidget widget;
        QTest::keyClick(&widget, Qt::Key_Period);
    }
    static void turnWheel(QWidget& plot, int notches) {
        const QPointF middle = QRectF(plot.rect()).center();
        QWheelEvent event(middle, plot.mapToGlobal(middle), {}, QPoint(0, 120 * notches), {}, {},
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&plot, &event);
    }
    void menuKey(Qt::Key key, Qt::KeyboardModifiers modifiers) {
        QTest::keyClick(window_.get(), key, modifiers);
        settle();
    }
    History& history() { return window_->context().history; }

private slots:
    void initTestCase() { prepare(); }
    void init() { window_.reset(); }

    void selectionsAndZoomsAreOneHistory() {
        Selection selection;
        ZoomRange zoom;
        zoom.setLimits(0, 1000, 1);
        History history(selection, zoom);
        select(selection, 1); // no user was active
        QVERIFY(!history.canUndo());
        touch();
        select(selection, 2);
        touch();
        zoom.setRange(100, 200);
        touch();
        select(selection, 3);
        history.undo();
        QCOMPARE(selection.current().operation, OperationId(2));
        QCOMPARE(zoom.from(), 100.0);
        history.undo();
        QCOMPARE(zoom.from(), 0.0);
        QCOMPARE(selection.current().operation, OperationId(2));
        history.undo();
        QCOMPARE(selection.current().operation, OperationId(1));
        QVERIFY(!history.canUndo());
        for (int i = 0; i < 5; ++i) // more than there are
            history.redo();
        QCOMPARE(selection.current().operation, OperationId(3));
        QCOMPARE(zoom.to(), 200.0);
        QVERIFY(!history.canRedo());
    }

    void backGoesOverZooms() {
        Selection selection;
        ZoomRange zoom;
        zoom.setLimits(0, 1000, 1);
        History history(selection, zoom);
        touch();
        select(selection, 1);
        for (const double from : {100, 200, 300}) {
            touch();
            zoom.setRange(from, 400);
        }
        QVERIFY(history.canGoBack());
        history.back();
        QCOMPARE(selection.current(), Selected());
        QCOMPARE(zoom.from(), 0.0);
        QVERIFY(!history.canGoBack());
        QVERIFY(history.canGoForward());
        history.forward();
        QCOMPARE(selection.current().operation, OperationId(1));
        QCOMPARE(zoom.from(), 0.0);
        history.redo();
        QCOMPARE(zoom.from(), 100.0);
    }

    void aRowOfChangesIsOneStep() {
        Selection selection;
        ZoomRange zoom;
        zoom.setLimits(0, 1000, 1);
        History history(selection, zoom);
        touch();
        for (int i = 0; i < 10; ++i)
            zoom.zoomAt(500, 0.9);
        history.endStep(); // the pause
        zoom.panBy(0.1);
        history.undo();
        QVERIFY(zoom.span() < 400);
        history.undo();
        QVERIFY(zoom.showsAll());
        QVERIFY(!history.canUndo());
    }

    void aPauseEndsAStepByItself() {
        Selection selection;
        ZoomRange zoom;
        zoom.setLimits(0, 1000, 1);
        History history(selection, zoom);
        history.setQuietTime(0);
        touch();
        zoom.setRange(0, 500);
        QCoreApplication::processEvents();
        QTest::qWait(1);
        zoom.setRange(0, 100);
        history.undo();
        QCOMPARE(zoom.to(), 500.0);
    }

    void keysThatSelectAreStepsOfTheirOwnThoseThatZoomAreNot() {
        Selection selection;
        ZoomRange zoom;
        zoom.setLimits(0, 1000, 1);
        History history(selection, zoom);
        for (int i = 1; i <= 3; ++i) {
            pressKey();
            select(selection, i);
            zoom.setRange(i, 500); // the plot follows
        }
        history.undo();
        QCOMPARE(selection.current().operation, OperationId(2));
        QCOMPARE(zoom.from(), 2.0);
        history.reset();
        for (int i = 1; i <= 3; ++i) {
            pressKey();
            zoom.setRange(10 * i, 500);
        }
        history.undo();
        QCOMPARE(zoom.from(), 2.0);
        QVERIFY(!history.canUndo());
    }

    void whatFollowsFromAStepBackIsNone() {
        Selection selection;
        ZoomRange zoom;
        zoom.setLimits(0, 1000, 1);
        History history(selection, zoom);
        touch();
        select(selection, 1);
        touch();
        select(selection, 2);
        connect(&selection, &Selection::changed, this, [&] { zoom.setRange(7, 70); });
        history.undo();
        zoom.setRange(8, 80); // and later
        QVERIFY(history.canRedo());
        history.redo();
        QCOMPARE(selection.current().operation, OperationId(2));
        disconnect(&selection, nullptr, this, nullptr);
    }

    void otherLimitsBeginAnew() {
        Selection selection;
        ZoomRange zoom;
        zoom.setLimits(0, 1000, 1);
        History history(selection, zoom);
        touch();
        zoom.setRange(0, 10);
        touch();
        zoom.setLimits(0, 50, 1);
        zoom.setRange(5, 45); // what the view begins with
        QVERIFY(!history.canUndo());
        QCoreApplication::processEvents();
        zoom.setRange(10, 20);
        history.undo();
        QCOMPARE(zoom.from(), 5.0);
    }

    void thePlotsThatAreGoneAreForgotten() {
        Selection selection;
        ZoomRange time;
        History history(selection, time);
        {
            ZoomRange zoom;
            zoom.setLimits(0, 10, 1);
            history.follow(zoom);
            history.follow(zoom);
            touch();
            zoom.setRange(0, 5);
            QVERIFY(history.canUndo());
        }
        QVERIFY(!history.canUndo());
        history.undo();
    }

    void itIsLongButNotEndless() {
        Selection selection;
        ZoomRange time;
        History history(selection, time);
        touch();
        for (int i = 1; i <= 600; ++i) {
            select(selection, i);
            history.endStep();
        }
        int steps = 0;
        for (; history.canUndo(); ++steps)
            history.undo();
        QCOMPARE(steps, static_cast<int>(History::longest));
        QCOMPARE(selection.current().operation, OperationId(100));
    }

    void theTraceGoesBackToRangeStepAndZoom() {
        newWindow();
        open({files_.write("a.pop")});
        history().setQuietTime(100'000); // no clock ends a step here
        QVERIFY(!history().canUndo());
        const double all = zoom().span();
        turnWheel(trace_->plot(), 1);
        turnWheel(trace_->plot(), 1);
        const double zoomed = zoom().span();
        QVERIFY(zoomed < all);
        key(Qt::Key_Period);
        const std::int64_t step = trace_->selection().step();
        QVERIFY(step >= 0);
        key(Qt::Key_Period);
        QVERIFY(trace_->selection().step() > step);
        key(Qt::Key_R);
        QVERIFY(trace_->selection().range());
        menuKey(Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(!trace_->selection().range());
        QVERIFY(trace_->selection().step() > step);
        menuKey(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(trace_->selection().step(), step);
        menuKey(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(zoom().span(), zoomed);
        menuKey(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(zoom().span(), all);
        QVERIFY(!history().canUndo());
        for (int i = 0; i < 4; ++i)
            menuKey(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(trace_->selection().range());
        QVERIFY(trace_->selection().step() > step);
    }

    void aStepLeadsBackToTheReportOfItsZoom() {
        newWindow();
        open({files_.write("a.pop")});
        auto& memory =
            test::openView<MemoryView>(*window_, {files_.write("a.pop")}, gui::Report::Memory);
        const double all = memory.plot().zoom().span();
        turnWheel(memory.plot().plot(), 1);
        QVERIFY(memory.plot().zoom().span() < all);
        window_->showReport(gui::Report::Operations);
        settle();
        menuKey(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(window_->currentReport(), gui::Report::Memory);
        QCOMPARE(memory.plot().zoom().span(), all);
        menuKey(Qt::Key_Y, Qt::ControlModifier);
        QVERIFY(memory.plot().zoom().span() < all);
    }

    void theGraphIsWhereItWas() {
        newWindow();
        auto& operations = test::openView<OperationsView>(*window_, {files_.write("a.pop")},
                                                          gui::Report::Operations);
        operations.showSection(QStringLiteral("Graph"));
        settle();
        GraphCanvas& canvas = operations.graph().canvas();
        const double scale = canvas.scale();
        turnWheel(canvas, 2);
        turnWheel(canvas, 1);
        QVERIFY(canvas.scale() > scale);
        menuKey(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(canvas.scale(), scale);
        QVERIFY(!history().canUndo());
        menuKey(Qt::Key_Y, Qt::ControlModifier);
        QVERIFY(canvas.scale() > scale);
    }

    void otherProfilesBeginAnew() {
        newWindow();
        open({files_.write("a.pop")});
        turnWheel(trace_->plot(), 1);
        QVERIFY(history().canUndo());
        test::openProfiles(*window_, {files_.write("b.pop", {.changed = true})});
        QVERIFY(!history().canUndo());
        settle();
        QVERIFY(!history().canUndo());
    }

    void aTextFieldKeepsItsOwn() {
        newWindow();
        open({files_.write("a.pop")});
        window_->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(window_.get()));
        turnWheel(trace_->plot(), 1);
        const double zoomed = zoom().span();
        trace_->focusSearch();
        QLineEdit& field = trace_->search().field();
        QTest::keyClicks(&field, "conv");
        settle();
        QTest::keyClick(&field, Qt::Key_Z, Qt::ControlModifier);
        settle();
        QVERIFY(field.text().isEmpty());
        QCOMPARE(zoom().span(), zoomed);
        QVERIFY(history().canUndo());
    }
};

TILESCOPE_TEST(HistoryTest, QApplication)

} // namespace history_test

#include "history_test.moc"
