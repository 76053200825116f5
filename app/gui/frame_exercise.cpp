#include "app/gui/frame_exercise.h"

#include <QApplication>
#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>
#include <array>

#include "views/execution/trace_view.h"
#include "views/liveness/liveness_view.h"
#include "views/memory/memory_view.h"

namespace tilescope::gui {
namespace {

/// A part of a report: what is changed in the trace, which stays for those after it; a film of
/// memory.
enum class Part { Whole, Executions, Host, Aligned, Tiles, FilmOfMemory, FilmOfActivity };
struct Exercised {
    Report report;
    Part part = Part::Whole;
    [[nodiscard]] bool film() const {
        return part == Part::FilmOfMemory || part == Part::FilmOfActivity;
    }
    [[nodiscard]] QString name() const {
        constexpr auto parts = std::to_array<const char*>(
            {"", " (executions of a step)", " (with the host's own time)",
             " (aligned by operation)", " (tiles)", " (film)", " (film of activity)"});
        return reportName(report) + QLatin1String(parts[static_cast<int>(part)]);
    }
};
constexpr std::array exercised{Exercised{Report::Memory},
                               Exercised{Report::Liveness},
                               Exercised{Report::Trace},
                               Exercised{Report::Trace, Part::Executions},
                               Exercised{Report::Trace, Part::Host},
                               Exercised{Report::Trace, Part::Aligned},
                               Exercised{Report::Trace, Part::Tiles},
                               Exercised{Report::Memory, Part::FilmOfMemory},
                               Exercised{Report::Memory, Part::FilmOfActivity}};
constexpr int frameMs = 16;
constexpr int notch = 120;
// Ten notches in, twenty pans, ten notches out, a few times at different places.
constexpr int stepsOfRound = 40;
constexpr int rounds = 6;

/// The first one there that is of a program, not a sync.
std::int64_t stepInTheMiddle(const ProfileView& profile) {
    const auto trace = profile.trace({});
    std::int64_t step = trace->stepCount() / 2;
    while (step > 0 && !trace->stepAt(step).program.valid())
        --step;
    return step;
}

} // namespace

FrameExercise::FrameExercise(MainWindow& window, QObject* parent)
    : QObject(parent)
    , window_(window) {
    timer_.setInterval(frameMs);
    timer_.setTimerType(Qt::PreciseTimer);
    connect(&timer_, &QTimer::timeout, this, &FrameExercise::next);
    views::FrameTimes& times = window_.context().frameTimes;
    connect(&times, &views::FrameTimes::recorded, this,
            [this, &times] { times_.push_back(times.last()); });
}

void FrameExercise::next() {
    if (!window_.context().reports.source() || (step_ < 0 && !window_.context().workers.idle()))
        return;
    if (step_ < 0)
        showNext();
    else if (step_ < rounds * stepsOfRound)
        step();
    else {
        emit measured(
            QStringLiteral("%1: %2, %3")
                .arg(exercised.at(view_).name(), window_.context().frameTimes.summary(), within()));
        step_ = -1;
        if (++view_ < exercised.size())
            return;
        timer_.stop();
        emit finished();
    }
}

// The view is shown at one tick and exercised from a later one, when its data have arrived.
void FrameExercise::showNext() {
    const auto [report, part] = exercised.at(view_);
    const bool shown = window_.currentReport() == report && window_.view(report).isVisible();
    if (!shown) {
        window_.showReport(report);
        if (report == Report::Memory) // the breakdown with most layers
            window_.view(report).showSection(QStringLiteral("by category"));
        return;
    }
    if (!isPossible()) {
        ++view_; // the last ones always are
        return;
    }
    if (report == Report::Trace ? prepareTrace() : prepareFilm())
        return;
    window_.context().frameTimes.reset();
    times_.clear();
    step_ = 0;
}

bool FrameExercise::isPossible() {
    const auto [report, part] = exercised.at(view_);
    if (report != Report::Trace)
        return true;
    auto& trace = static_cast<views::TraceView&>(window_.view(report));
    if (part == Part::Host)
        return trace.controls().compilation().isVisible();
    return part != Part::Aligned || window_.context().reports.profiles().comparing();
}

// Returns whether it has changed something, which then loads.
bool FrameExercise::prepareTrace() {
    auto& trace = static_cast<views::TraceView&>(window_.view(Report::Trace));
    switch (exercised.at(view_).part) {
    case Part::Executions:
        if (trace.selection().step() >= 0)
            return false;
        trace.tabs().setCurrentWidget(&trace.tabs().executions());
        trace.selection().showStep(stepInTheMiddle(*window_.context().reports.source()), false);
        return true;
    case Part::Host:
        if (trace.controls().compilation().isChecked())
            return false;
        trace.controls().compilation().click();
        return true;
    case Part::Aligned:
        if (trace.controls().aligned())
            return false;
        trace.controls().setAligned(true);
        return true;
    case Part::Tiles:
        if (trace.look() == views::TraceLook::Tiles)
            return false;
        trace.setLook(views::TraceLook::Tiles);
        return true;
    default:
        return false;
    }
}

// Likewise.
bool FrameExercise::prepareFilm() {
    if (!exercised.at(view_).film())
        return false;
    auto& memory = static_cast<views::MemoryView&>(window_.view(Report::Memory));
    const bool ofMemory = exercised.at(view_).part == Part::FilmOfMemory;
    const auto kind = ofMemory ? FilmKind::LiveMemory : FilmKind::Activity;
    if (memory.film().isVisible() && memory.film().kind() == kind)
        return false;
    memory.showSection(QStringLiteral("film"));
    memory.showSection(ofMemory ? QStringLiteral("live memory") : QStringLiteral("activity"));
    return true;
}

QString FrameExercise::within() {
    if (times_.empty())
        return QStringLiteral("no frames");
    const auto nearlyAll = times_.begin() + static_cast<std::ptrdiff_t>(times_.size() * 99 / 100);
    std::nth_element(times_.begin(), nearlyAll, times_.end());
    return QStringLiteral("99 of 100 within %1 ms").arg(*nearlyAll, 0, 'f', 2);
}

// Faster than real playback: one film frame per display frame.
void FrameExercise::playFilm() {
    auto& memory = static_cast<views::MemoryView&>(window_.view(Report::Memory));
    views::FilmPlayer& player = memory.film().player();
    if (step_++ == 0)
        player.setSpeed(views::FilmPlayer::shownInSecond);
    player.play();
    player.advance(1000.0 / views::FilmPlayer::shownInSecond);
    if (step_ == rounds * stepsOfRound)
        player.pause();
}

void FrameExercise::step() {
    if (exercised.at(view_).film())
        return playFilm();
    constexpr int in = 10;
    constexpr int out = 30;
    const int at = step_++ % stepsOfRound;
    if (at < in)
        wheel(notch);
    else if (at < out)
        drag();
    else
        wheel(-notch);
}

void FrameExercise::wheel(int delta) {
    views::PlotWidget& on = plot();
    // Each round zooms elsewhere.
    const int round = step_ / stepsOfRound;
    const QPointF where(on.width() * (round + 1.0) / (rounds + 1.0), on.height() / 2.0);
    QWheelEvent event(where, on.mapToGlobal(where), {}, {0, delta}, Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(&on, &event);
}

void FrameExercise::drag() {
    views::PlotWidget& on = plot();
    const QPointF from(on.width() / 2.0, on.height() / 2.0);
    const QPointF to = from + QPointF(step_ % 4 < 2 ? 60 : -45, 0);
    const auto send = [&on](QEvent::Type type, const QPointF& at, Qt::MouseButton button,
                            Qt::MouseButtons buttons) {
        QMouseEvent event(type, at, on.mapToGlobal(at), button, buttons, Qt::NoModifier);
        QApplication::sendEvent(&on, &event);
    };
    send(QEvent::MouseButtonPress, from, Qt::LeftButton, Qt::LeftButton);
    send(QEvent::MouseMove, to, Qt::NoButton, Qt::LeftButton);
    send(QEvent::MouseButtonRelease, to, Qt::LeftButton, Qt::NoButton);
}

views::PlotWidget& FrameExercise::plot() {
    const auto [report, part] = exercised.at(view_);
    views::ReportView& view = window_.view(report);
    if (report == Report::Memory)
        return static_cast<views::MemoryView&>(view).plot().plot();
    if (report == Report::Liveness)
        return static_cast<views::LivenessView&>(view).plot().plot();
    auto& trace = static_cast<views::TraceView&>(view);
    return part == Part::Tiles ? static_cast<views::PlotWidget&>(trace.tiles().plot())
                               : trace.plot();
}

} // namespace tilescope::gui
