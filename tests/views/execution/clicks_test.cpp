// What a click in the execution trace selects: the tile, box and step that are drawn at its pixel.
#include <QtTest>

#include "tests/support/test_main.h"
#include "tests/views/trace_window.h"

namespace clicks_test {
using namespace tilescope;
using views::TraceLook;

namespace {
constexpr std::int32_t tilesPerIpu = 64;
constexpr double places[] = {0.03, 0.21, 0.4, 0.55, 0.72, 0.97}; // of the width of a plot
} // namespace

class ClicksTest : public test::TraceWindow {
    Q_OBJECT

    [[nodiscard]] std::int64_t stepAt(const QCustomPlot& plot, int x, std::int32_t ipu) const {
        return window_->context().reports.source()->trace({})->stepAtCycle(
            IpuId(ipu), static_cast<std::int64_t>(plot.xAxis->pixelToCoord(x)));
    }
    static int pixelOf(const QCustomPlot& plot, double place) {
        const QRect area = plot.axisRect()->rect();
        return area.left() + static_cast<int>(place * area.width());
    }
    void click(QWidget& plot, int x, int y) {
        QTest::mouseClick(&plot, Qt::LeftButton, {}, {x, y});
        settle();
    }
    void openTwoIpus() {
        open({files_.write("two.pop", {.ipus = 2, .tilesPerIpu = tilesPerIpu})});
        window_->resize(1280, 800);
        settle();
    }

private slots:
    void initTestCase() { prepare(); }
    void init() { newWindow(); }
    void cleanup() { window_.reset(); }

    void inTheTilesItIsTheTileAndItsStep() {
        openTwoIpus();
        trace_->setLook(TraceLook::Tiles);
        settle();
        views::TilePlot& plot = trace_->tiles().plot();
        QCOMPARE(plot.tiles().rasters().size(), std::size_t(2));
        int steps = 0;
        for (std::int32_t ipu = 0; ipu < 2; ++ipu)
            for (const std::int32_t tile : {0, 1, 31, 62, 63})
                for (const double place : places) {
                    window_->context().selection.clear();
                    // Where the picture of the IPU has the middle of the tile's row.
                    const auto& drawn = plot.tiles().rasters()[static_cast<std::size_t>(ipu)];
                    const double row =
                        drawn.top + (tile + 0.5) * (drawn.bottom - drawn.top) / tilesPerIpu;
                    const int x = pixelOf(plot, place);
                    click(plot, x, static_cast<int>(plot.yAxis->coordToPixel(row)));
                    const auto& chosen = window_->context().selection.current().tiles;
                    QCOMPARE(chosen, std::vector<TileId>{TileId(ipu * tilesPerIpu + tile)});
                    if (const std::int64_t step = stepAt(plot, x, ipu); step >= 0) {
                        ++steps;
                        QCOMPARE(trace_->selection().step(), step);
                    }
                }
        QVERIFY(steps > 20);
    }

    void betweenTheIpusItIsNoTile() {
        openTwoIpus();
        trace_->setLook(TraceLook::Tiles);
        settle();
        views::TilePlot& plot = trace_->tiles().plot();
        const double gap = (plot.tiles().rasters()[0].bottom + plot.tiles().rasters()[1].top) / 2;
        click(plot, pixelOf(plot, 0.5), static_cast<int>(plot.yAxis->coordToPixel(gap)));
        QVERIFY(window_->context().selection.current().tiles.empty());
        QVERIFY(trace_->selection().step() < 0);
    }

    void inTheTracksItIsTheStepOfTheFirstIpu() {
        openTwoIpus();
        int steps = 0;
        for (auto* track : trace_->findChildren<views::TrackPlot*>()) {
            if (!track->isVisible())
                continue;
            for (const double place : places) {
                const int x = pixelOf(*track, place);
                const std::int64_t step = stepAt(*track, x, 0);
                if (step < 0)
                    continue;
                ++steps;
                click(*track, x, track->axisRect()->center().y());
                QCOMPARE(trace_->selection().step(), step);
                // The same pixel of the lanes is the same cycle.
                QCOMPARE(stepAt(trace_->plot(), x, 0), step);
            }
        }
        QVERIFY(steps > 6);
    }

    void inTheLanesItIsTheBoxOfTheRow() {
        openTwoIpus();
        trace_->setLook(TraceLook::Flat);
        settle();
        views::TracePlot& plot = trace_->plot();
        const auto trace = window_->context().reports.source()->trace({});
        int steps = 0;
        for (const views::LanePlace& place : plot.trace().layout().places) {
            const views::TraceLane& lane = (*plot.trace().overview())[place.lane];
            if (lane.key.find(" ipu ") == std::string::npos)
                continue;
            const std::int32_t ipu = lane.key.back() - '0';
            const int y =
                plot.axisRect()->top() + static_cast<int>(place.bottom() - place.rowHeight / 2);
            for (const double at : places) {
                const int x = pixelOf(plot, at);
                const std::int64_t step = stepAt(plot, x, ipu);
                // Narrower ones are drawn together with their neighbours.
                if (step < 0 || stepAt(plot, x - 2, ipu) != step ||
                    stepAt(plot, x + 2, ipu) != step)
                    continue;
                ++steps;
                click(plot, x, y);
                QCOMPARE(trace_->selection().step(), step);
            }
        }
        QVERIFY2(steps > 4, qPrintable(QString::number(steps)));
    }
};

TILESCOPE_TEST(ClicksTest, QApplication)

} // namespace clicks_test

#include "clicks_test.moc"
