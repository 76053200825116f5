// How the execution trace shows the selection: its boxes keep their colours, all others are
// dimmed.
#include <QtTest>

#include "tests/support/test_main.h"
#include "tests/views/trace_window.h"

namespace selected_boxes_test {
using namespace tilescope;
using namespace tilescope::gui;

class SelectedBoxesTest : public test::TraceWindow {
    Q_OBJECT
    std::vector<QRectF> boxes() const { return trace_->plot().trace().selectedBoxes(); }
    QRectF laneArea(std::size_t lane) const {
        const views::TracePlot& plot = trace_->plot();
        const views::LanePlace* place = plot.trace().layout().of(lane);
        const QRectF area = plot.axisRect()->rect();
        return {area.left(), area.top() + place->top, area.width(),
                static_cast<double>(place->rows) * place->rowHeight};
    }
    /// A step of one IPU that is wide enough to click.
    struct Found {
        std::size_t lane = 0;
        std::size_t row = 0;
        views::TraceBox box;
    };
    std::optional<Found> stepOf(const std::string& key) const {
        const auto& lanes = *trace_->plot().trace().overview();
        for (std::size_t lane = 0; lane < lanes.size(); ++lane)
            for (std::size_t row = 0; lanes[lane].key == key && row < lanes[lane].rows.size();
                 ++row)
                for (const views::TraceBox& box : lanes[lane].rows[row].boxes)
                    if (box.look == views::TraceBox::Look::Step && box.steps == 1 &&
                        box.kind == ProgramKind::OnTileExecute)
                        return Found{lane, row, box};
        return {};
    }
    QPoint middleOf(const Found& found) const {
        views::TracePlot& plot = trace_->plot();
        const double middle = static_cast<double>(found.box.begin + found.box.end) / 2;
        return {qRound(plot.xAxis->coordToPixel(middle)),
                qRound(plot.axisRect()->top() + plot.trace().rowMiddle(found.lane, found.row))};
    }
    QColor colourAt(const QPoint& place) {
        return QColor(trace_->plot().grab().toImage().pixel(place));
    }

private slots:
    void initTestCase() { prepare(); }
    void init() { newWindow(); }
    void cleanup() { window_.reset(); }

    // The picture of two stays until the one has been read.
    void aClickOnProfilesThatWereLeftSelectsNothing() {
        open({files_.write("a.pop"), files_.write("b.pop", {.changed = true})});
        const auto found = stepOf("target ipu 0");
        QVERIFY(found);
        const auto length = static_cast<double>(found->box.cycles());
        zoom().setRange(static_cast<double>(found->box.begin) - 2 * length,
                        static_cast<double>(found->box.end) + 2 * length);
        settle();
        const QPoint place = middleOf(*found);
        window_->context().reports.closeTarget();
        QVERIFY(stepOf("target ipu 0"));
        QTest::mouseClick(&trace_->plot(), Qt::LeftButton, {}, place);
        QTest::mouseClick(&trace_->plot(), Qt::RightButton, {}, place);
        settle();
        QCOMPARE(trace_->selection().step(), std::int64_t{-1});
        QVERIFY(!stepOf("target ipu 0"));
    }

    void aStepIsOutlinedOnItsOwnIpu() {
        open({files_.write("two.pop", {.ipus = 2})});
        const auto found = stepOf("source ipu 1");
        QVERIFY(found);
        const auto length = static_cast<double>(found->box.cycles());
        zoom().setRange(static_cast<double>(found->box.begin) - 2 * length,
                        static_cast<double>(found->box.end) + 2 * length);
        settle();
        const QPoint inside = middleOf(*found) - QPoint(0, 6); // beside its name
        const QColor before = colourAt(inside);
        QVERIFY(boxes().empty());
        QTest::mouseClick(&trace_->plot(), Qt::LeftButton, {}, middleOf(*found));
        settle();
        QCOMPARE(trace_->selection().step(), found->box.firstStep);
        const ExecutedStep step =
            window_->context().reports.source()->trace({})->stepAt(trace_->selection().step());
        QCOMPARE(boxes().size(), step.ipus.size());
        for (const QRectF& box : boxes()) {
            bool ofItsLane = false;
            for (const StepOnIpu& on : step.ipus)
                ofItsLane |= laneArea(static_cast<std::size_t>(on.ipu.value()) + 1)
                                 .adjusted(-3, -1, 3, 1)
                                 .contains(box);
            QVERIFY(ofItsLane);
        }
        QVERIFY(boxes().back().contains(middleOf(*found)));
        // The selected box has its own colour, without a band over it.
        QCOMPARE(colourAt(inside), before);
    }

    void allElseStepsBack() {
        open({files_.write("two.pop", {.ipus = 2})});
        const auto found = stepOf("source ipu 1");
        QVERIFY(found);
        const auto length = static_cast<double>(found->box.cycles());
        zoom().setRange(static_cast<double>(found->box.begin) - 2 * length,
                        static_cast<double>(found->box.end) + 2 * length);
        settle();
        const QImage before = trace_->plot().grab().toImage();
        QTest::mouseClick(&trace_->plot(), Qt::LeftButton, {}, middleOf(*found));
        settle();
        const QImage after = trace_->plot().grab().toImage();
        // A lane without a part of it, the host's, is paler: nearer to the surface.
        const QColor surface = window_->context().theme.current().surface;
        const auto distance = [&](const QImage& image) {
            const QRect lane = laneArea(0).toRect();
            std::int64_t sum = 0;
            for (int y = lane.top(); y < lane.bottom(); ++y)
                for (int x = lane.left(); x < lane.right(); ++x) {
                    const QColor colour(image.pixel(x, y));
                    sum += std::abs(colour.red() - surface.red()) +
                           std::abs(colour.green() - surface.green()) +
                           std::abs(colour.blue() - surface.blue());
                }
            return static_cast<double>(sum);
        };
        QVERIFY2(distance(after) < 0.7 * distance(before),
                 qPrintable(QStringLiteral("%1 of %2").arg(distance(after)).arg(distance(before))));
        key(Qt::Key_Escape);
        QVERIFY(boxes().empty());
    }

    /// Everything beside a range is dimmed, the range itself does not change.
    void aRangeKeepsItsColours() {
        open({files_.write("a.pop")});
        key(Qt::Key_F);
        views::TracePlot& plot = trace_->plot();
        const QRect area = plot.axisRect()->rect();
        const QImage before = plot.grab().toImage();
        const QPoint from(area.left() + area.width() / 4, area.center().y());
        const QPoint to(area.left() + area.width() / 2, area.center().y());
        QTest::mousePress(&plot, Qt::LeftButton, Qt::ShiftModifier, from);
        QTest::mouseMove(&plot, to);
        QMouseEvent move(QEvent::MouseMove, QPointF(to), plot.mapToGlobal(QPointF(to)),
                         Qt::NoButton, Qt::LeftButton, Qt::ShiftModifier);
        QCoreApplication::sendEvent(&plot, &move);
        QTest::mouseRelease(&plot, Qt::LeftButton, Qt::ShiftModifier, to);
        settle();
        QVERIFY(trace_->selection().range());
        plot.clearFocus();
        QEvent leave(QEvent::Leave);
        QCoreApplication::sendEvent(&plot, &leave);
        const QImage after = plot.grab().toImage();
        const QRect lane = laneArea(1).toRect();
        const auto equal = [&](int left, int right) {
            int same = 0;
            int all = 0;
            for (int y = lane.top(); y < lane.bottom(); ++y)
                for (int x = left; x < right; ++x, ++all)
                    same += after.pixel(x, y) == before.pixel(x, y) ? 1 : 0;
            return static_cast<double>(same) / all;
        };
        QVERIFY(equal(from.x() + 3, to.x() - 3) > 0.99);
        QVERIFY(equal(to.x() + 3, area.right()) < 0.5);
    }
};

TILESCOPE_TEST(SelectedBoxesTest, QApplication)

} // namespace selected_boxes_test

#include "selected_boxes_test.moc"
