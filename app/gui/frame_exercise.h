// Zooming and panning as fast as a hand can, and films, to measure how long frames take.
#pragma once

#include <QObject>
#include <QTimer>

#include "app/gui/window/main_window.h"

namespace tilescope::views {
class PlotWidget;
}

namespace tilescope::gui {

/// Sends wheel and drag events to the plots of Memory, Liveness and Execution Trace, one per frame
/// of a 60 Hz display, through the event loop like those of a user; plays Memory's films. In the
/// trace also with a step's executions, the host's own time, and two runs aligned by operation, as
/// far as the profiles have them.
class FrameExercise : public QObject {
    Q_OBJECT
public:
    explicit FrameExercise(MainWindow& window, QObject* parent = nullptr);
    /// Begins when a profile is open and loaded.
    void start() { timer_.start(); }

signals:
    /// "trace: frames 240, mean 2.1 ms, longest 6.0 ms, over 16 ms: 0, 99 of 100 within 5.0 ms".
    void measured(const QString& line);
    void finished();

private:
    void next();
    void showNext();
    [[nodiscard]] bool isPossible();
    bool prepareTrace();
    bool prepareFilm();
    void step();
    void wheel(int delta);
    void drag();
    void playFilm();
    [[nodiscard]] QString within();
    views::PlotWidget& plot();

    MainWindow& window_;
    QTimer timer_;
    std::size_t view_ = 0;
    int step_ = -1;             ///< -1 while the view loads
    std::vector<double> times_; ///< of the view's frames, milliseconds
};

} // namespace tilescope::gui
