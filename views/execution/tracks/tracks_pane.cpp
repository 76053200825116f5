#include "views/execution/tracks/tracks_pane.h"

#include <QAction>
#include <QEvent>
#include <algorithm>
#include <cmath>
#include <functional>

#include "views/query/shared_work.h"

namespace tilescope::views {
namespace {

constexpr int overviewColumns = 1500; // or as many as the screen has
constexpr double closeShare = 0.7;    // of the execution: wider ranges use the overview's columns

} // namespace

/// What is to be read; indices of tracks.
struct TracksPane::Question {
    ProfilePair profiles;
    IpuSet ipus;
    std::int64_t length = 0;
    std::vector<std::size_t> coarsely; ///< over all of the execution
    std::vector<std::size_t> closely;
    CycleColumns inSight;
    int pixels = 0; ///< columns over all of the execution
};

struct TracksPane::Answer {
    std::size_t track = 0;
    bool overview = false;
    bool target = false;
    std::shared_ptr<const TrackCurve> curve;
};

TracksPane::TracksPane(ViewContext& context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , crosshair_(context.theme)
    , query_(context.workers)
    , clickQuery_(context.workers) {
    for (const auto& track : counterTracks()) {
        auto* plot = new TrackPlot(context, *track, this);
        plot->hide();
        connect(plot, &PlotWidget::hovered, this, &TracksPane::status);
        connect(plot, &PlotWidget::clicked, this, [this](double x, double) { clicked(x); });
        crosshair_.add(*plot);
        plots_.push_back(plot);
        wanted_.push_back(track->shownAtFirst());
        shown_.push_back(false);
    }
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    connect(&context.timeZoom, &ZoomRange::changed, this, [this] {
        if (isVisible())
            refresh();
    });
}

void TracksPane::addChoices(QMenu& menu) {
    menu.setToolTipsVisible(true);
    for (std::size_t i = 0; i < plots_.size(); ++i) {
        QAction* action = menu.addAction(plots_[i]->track().name());
        action->setToolTip(plots_[i]->track().toolTip());
        action->setCheckable(true);
        action->setChecked(wanted_[i]);
        connect(action, &QAction::toggled, this, [this, i](bool on) { setWanted(i, on); });
    }
}

void TracksPane::setWanted(std::size_t track, bool wanted) {
    wanted_[track] = wanted;
    arrange();
    if (wanted && isVisible() && !shown_[track])
        emit status(tr("There is no room for this counter: make the window higher, or turn off "
                       "another one in Options, Counters"));
}

void TracksPane::load(const ProfilePair& profiles, const IpuSet& ipus, std::int64_t length) {
    if (profiles.source == profiles_.source && profiles.target == profiles_.target &&
        ipus == ipus_ && length == length_)
        return; // how lanes are drawn does not matter to the tracks
    query_.cancel();
    clickQuery_.cancel();
    profiles_ = profiles;
    ipus_ = ipus;
    length_ = length;
    for (TrackPlot* plot : plots_) {
        plot->setClock(profiles.source ? profiles.source->machine().clockHz : 0);
        plot->curve().setSides({});
        plot->updateCurves();
    }
    refresh();
}

void TracksPane::clear() {
    load({}, {}, 0);
}

void TracksPane::setMarkers(const std::vector<PlotWidget::Marker>& markers) {
    for (TrackPlot* plot : plots_)
        plot->setMarkers(markers);
}

QSize TracksPane::sizeHint() const {
    const auto count = static_cast<int>(std::count(shown_.begin(), shown_.end(), true));
    return {0, count * TrackPlot::heightFor(font())};
}

void TracksPane::arrange() {
    const int height = TrackPlot::heightFor(font());
    int room = parentWidget() == nullptr ? 0 : parentWidget()->height() - lowestLanes;
    bool changed = false;
    for (std::size_t i = 0; i < plots_.size(); ++i) {
        const bool shown = wanted_[i] && room >= height;
        if (shown)
            room -= height;
        changed = changed || shown != shown_[i];
        shown_[i] = shown;
        plots_[i]->setVisible(shown);
    }
    if (!changed)
        return;
    updateGeometry();
    place();
    refresh();
}

void TracksPane::place() {
    const int each = TrackPlot::heightFor(font());
    int top = 0;
    for (std::size_t i = 0; i < plots_.size(); ++i)
        if (shown_[i]) {
            plots_[i]->setGeometry(0, top, width(), each);
            top += each;
        }
}

void TracksPane::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    place();
    if (event->oldSize().width() != event->size().width())
        refresh();
}

void TracksPane::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    parentWidget()->installEventFilter(this);
    arrange();
    refresh();
}

bool TracksPane::eventFilter(QObject* watched, QEvent* event) {
    if (watched == parentWidget() && event->type() == QEvent::Resize)
        arrange();
    return QWidget::eventFilter(watched, event);
}

TracksPane::Question TracksPane::question() const {
    Question question{profiles_, ipus_, length_, {}, {}, {}, std::max(overviewColumns, width())};
    const ZoomRange& zoom = context_.timeZoom;
    for (std::size_t i = 0; i < plots_.size(); ++i) {
        if (!shown_[i])
            continue;
        if (!plots_[i]->curve().sides()[0].overview)
            question.coarsely.push_back(i);
        if (zoom.span() < closeShare * static_cast<double>(length_))
            question.closely.push_back(i);
    }
    // Half a screen more on each side, so that panning finds it drawn.
    const CycleRange range{
        std::max<std::int64_t>(0, static_cast<std::int64_t>(zoom.from() - zoom.span() / 2)),
        std::min<std::int64_t>(length_, static_cast<std::int64_t>(zoom.to() + zoom.span() / 2))};
    const double perPixel = zoom.span() / std::max(1, width());
    question.inSight = {range, std::llround(static_cast<double>(range.cycles()) / perPixel)};
    return question;
}

void TracksPane::refresh() {
    if (!profiles_.source || length_ <= 0 || !isVisible())
        return;
    const Question asked = question();
    if (asked.coarsely.empty() && asked.closely.empty())
        return;
    query_.startNext([this, asked](const std::stop_token& stop) {
        return [this, answers = read(asked, stop)]() mutable { show(std::move(answers)); };
    });
}

std::vector<TracksPane::Answer> TracksPane::read(const Question& question,
                                                 const std::stop_token& stop) {
    std::vector<Answer> answers;
    const auto readAll = [&](const ProfileViewPtr& profile, bool overview) {
        const std::vector<std::size_t>& tracks = overview ? question.coarsely : question.closely;
        if (!profile || !profile->info().hasExecution || tracks.empty())
            return;
        const CycleColumns columns =
            overview ? CycleColumns({0, question.length}, question.pixels) : question.inSight;
        // All cores where nothing is shown yet.
        const auto each = [cores = overview ? Cores::All : Cores::AllButOne](
                              std::size_t count, const std::function<void(std::size_t)>& work) {
            shareWork(count, cores, work);
        };
        const CounterColumns counters(*profile, question.ipus.of(profile->machine().ipus), columns,
                                      stop, each);
        for (const std::size_t track : tracks)
            answers.push_back(
                {track, overview, profile == question.profiles.target,
                 std::make_shared<const TrackCurve>(counterTracks()[track]->read(counters))});
    };
    for (const bool overview : {true, false})
        for (const ProfileViewPtr& profile : {question.profiles.source, question.profiles.target})
            readAll(profile, overview);
    return answers;
}

void TracksPane::show(std::vector<Answer> answers) {
    for (Answer& answer : answers) {
        TrackPlottable& curve = plots_[answer.track]->curve();
        std::array<TrackSide, 2> sides = curve.sides();
        TrackSide& side = sides[answer.target ? 1 : 0];
        (answer.overview ? side.overview : side.detail) = std::move(answer.curve);
        curve.setSides(std::move(sides));
    }
    for (std::size_t i = 0; i < plots_.size(); ++i)
        if (shown_[i])
            plots_[i]->updateCurves();
}

// The first of several IPUs: steps that they run together are the same.
void TracksPane::clicked(double cycle) {
    if (!profiles_.source || cycle < 0)
        return;
    clickQuery_.start([this, profile = profiles_.source,
                       ipu = ipus_.all() ? IpuId(0) : ipus_.first(),
                       at = static_cast<std::int64_t>(cycle)](const std::stop_token& stop) {
        const std::int64_t step = profile->trace(stop)->stepAtCycle(ipu, at);
        return [this, step] {
            if (step >= 0)
                emit stepClicked(step);
        };
    });
}

} // namespace tilescope::views
