// How long it takes to flip to the next candidate, without a display:
//   candidates_bench VIEW SOURCE RUN RUN...
// opens the source in a report ("trace", "compare", ...), lists the runs, and presses the arrow
// keys as a user does, each time when the next run has been read ahead. Prints the milliseconds
// until the report has read the run, and those of processor that it took, for each flip, and the
// longest.
#include <QApplication>
#include <QElapsedTimer>
#include <QKeyEvent>
#include <QTableView>
#include <QTimer>
#include <algorithm>
#include <cstdio>
#include <ctime>

#include "app/gui/candidates/candidates_panel.h"
#include "app/gui/window/main_window.h"
#include "app/gui/window/reports.h"
#include "core/base/error.h"
#include "views/theme/style.h"

using namespace tilescope;

namespace {

/// Presses a key, waits until all has been read, pauses, and presses the next.
class Flips : public QObject {
public:
    Flips(gui::MainWindow& window, int wanted)
        : window_(window)
        , left_(wanted) {
        // What is read ahead begins after that.
        connect(&window.context().workers, &views::Workers::becameIdle, this, [this] {
            if (clock_.isValid())
                measured();
        });
        connect(&timer_, &QTimer::timeout, this, &Flips::look);
        timer_.start(1);
    }

private:
    void look() {
        if (!window_.context().reports.source() || !window_.context().workers.idle())
            return idle_.invalidate();
        if (clock_.isValid()) {
            std::fprintf(stderr, "candidates_bench: error: a key has chosen no other run\n");
            return QApplication::exit(2);
        }
        if (!idle_.isValid())
            return idle_.start();
        constexpr int pauseMs = 150; // a user looks at least so long
        if (idle_.elapsed() < pauseMs)
            return;
        idle_.invalidate();
        if (!window_.candidates().isVisible())
            return window_.candidates().show();
        if (left_-- == 0) {
            std::printf("longest: %.0f ms, %.0f of processor\n", longest_, mostWork_);
            return QApplication::quit();
        }
        press();
    }
    void press() {
        QTableView& list = window_.candidates().table().view();
        list.setFocus();
        const int last = window_.candidates().table().model().rowCount() - 1;
        if (list.currentIndex().row() >= last)
            down_ = false;
        if (list.currentIndex().row() <= 0)
            down_ = true;
        processor_ = std::clock();
        clock_.start();
        QKeyEvent key(QEvent::KeyPress, down_ ? Qt::Key_Down : Qt::Key_Up, Qt::NoModifier);
        QApplication::sendEvent(&list, &key);
    }
    void measured() {
        const double ms = static_cast<double>(clock_.nsecsElapsed()) / 1e6;
        clock_.invalidate();
        const double processor =
            1000.0 * static_cast<double>(std::clock() - processor_) / CLOCKS_PER_SEC;
        longest_ = std::max(longest_, ms);
        mostWork_ = std::max(mostWork_, processor);
        std::printf("%.0f ms, %.0f of processor\n", ms, processor);
    }

    gui::MainWindow& window_;
    QTimer timer_;
    QElapsedTimer clock_; ///< since the key
    QElapsedTimer idle_;  ///< since all was read
    int left_;
    bool down_ = true;
    double longest_ = 0;
    double mostWork_ = 0;
    std::clock_t processor_ = 0;
};

} // namespace

int main(int argc, char** argv) {
    if (argc < 4) {
        std::fprintf(stderr, "usage: candidates_bench VIEW SOURCE RUN RUN...\n");
        return 2;
    }
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    QApplication::setStyle(new views::WindowStyle);
    gui::MainWindow window(gui::Memory::None);
    try {
        window.showReport(gui::reportFrom(QString::fromLocal8Bit(argv[1])));
    } catch (const UserError& error) {
        std::fprintf(stderr, "candidates_bench: error: %s\n", error.what());
        return 2;
    }
    QStringList runs;
    for (int i = 2; i < argc; ++i)
        runs << QString::fromLocal8Bit(argv[i]);
    QObject::connect(&window.context().reports, &views::ReportPair::failed, &app,
                     [](const QString&, const QString& text) {
                         std::fprintf(stderr, "candidates_bench: error: %s\n", qPrintable(text));
                         QApplication::exit(2);
                     });
    window.show();
    window.openProfiles({runs.front()});
    window.candidates().add(runs);
    Flips flips(window, 2 * static_cast<int>(runs.size()));
    return QApplication::exec();
}
