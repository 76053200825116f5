// How long frames of a pipeline take, by the number of its micro-batches, without a display:
//   pipeline_bench
// prints a line for each number: slots scrolled one by one, and a trace in which a micro-batch is
// followed while it is panned and zoomed. Both cost what is in sight.
#include <QApplication>
#include <QElapsedTimer>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cstdio>
#include <vector>

#include "app/gui/window/main_window.h"
#include "core/store/profile_writer.h"
#include "tests/support/sample_pipeline.h"
#include "views/execution/trace_view.h"
#include "views/pipeline/pipeline_view.h"
#include "views/theme/style.h"

using namespace tilescope;

namespace {

constexpr int frames = 300;

/// Milliseconds that 99 of 100 calls take at most.
template <class Frame> double nearlyAll(const Frame& frame) {
    std::vector<double> times;
    for (int i = 0; i < frames; ++i) {
        QElapsedTimer timer;
        timer.start();
        frame(i);
        times.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
        QCoreApplication::processEvents();
    }
    const auto at = times.begin() + static_cast<std::ptrdiff_t>(times.size() * 99 / 100);
    std::nth_element(times.begin(), at, times.end());
    return *at;
}

bool waitUntilIdle(gui::MainWindow& window) {
    constexpr int longestMs = 60'000;
    return QTest::qWaitFor(
        [&] { return window.context().reports.source() && window.context().workers.idle(); },
        longestMs);
}

void measure(gui::MainWindow& window, std::int64_t microBatches) {
    window.showReport(gui::Report::Pipeline);
    waitUntilIdle(window);
    window.context().selection.update([&](views::Selected& s) {
        s.microBatch = MicroBatchId(static_cast<std::size_t>(microBatches / 2));
    });
    auto& pipeline = static_cast<views::PipelineView&>(window.view(gui::Report::Pipeline));
    views::SlotDiagram& diagram = pipeline.diagram();
    auto* scroll = diagram.findChild<QScrollBar*>();
    QImage image(diagram.size(), QImage::Format_ARGB32_Premultiplied);
    const double scrolling = nearlyAll([&](int) {
        scroll->setValue(scroll->value() + 1);
        diagram.render(&image);
    });
    window.showReport(gui::Report::Trace);
    waitUntilIdle(window);
    auto& trace = static_cast<views::TraceView&>(window.view(gui::Report::Trace));
    views::ZoomRange& zoom = window.context().timeZoom;
    constexpr int turn = 20; // frames in one direction
    const double panning = nearlyAll([&](int i) {
        const double by = zoom.span() / 50 * (i / turn % 2 == 0 ? 1 : -1);
        zoom.setRange(zoom.from() + by, zoom.to() + (i / turn % 4 < 2 ? by : 1.1 * by));
        trace.plot().replot(QCustomPlot::rpImmediateRefresh);
    });
    std::printf("%9lld micro-batches: slots %.2f ms, trace %.2f ms (99 of 100 frames)\n",
                static_cast<long long>(microBatches), scrolling, panning);
}

} // namespace

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    QApplication::setStyle(new views::WindowStyle);
    const QTemporaryDir folder;
    for (const std::int64_t repeats : {10, 1'000, 100'000, 1'000'000}) {
        const QString file = folder.filePath(QStringLiteral("%1.pop").arg(repeats));
        writeProfile(test::samplePipelineRun(repeats), file.toStdString());
        gui::MainWindow window(gui::Memory::None);
        window.resize(1920, 1080);
        window.show();
        window.openProfiles({file});
        if (!waitUntilIdle(window))
            return 2;
        measure(window, repeats + 2);
    }
    return 0;
}
