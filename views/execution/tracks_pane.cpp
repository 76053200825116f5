#include "views/execution/tracks_pane.h"

#include <QAction>
#include <QEvent>
#include <algorithm>
#include <cmath>
#include <functional>

#include "views/execution/trace_items.h"
#include "views/execution/trace_selection.h"

namespace tilescope::views {
namespace {

constexpr int overviewColumns = 1500; // or as many as the screen has
constexpr double closeShare = 0.7;    // of the execution: wider ranges use the overview's columns

} // namespace

TracksPane::TracksPane(ViewContext& context, TraceSelection& selection)
    : context_(context)
    , crosshair_(context.theme)
    , query_(context.workers) {
    for (const auto& track : counterTracks()) {
        auto* plot = new TrackPlot(context, *track, this);
        plot->hide();
        const std::size_t at = plots_.size();
        plot->setReadOut([this, at](double x, double) { return readOut(at, x); });
        connect(plot, &PlotWidget::clicked, this, [this, &selection, at](double x, double) {
            for (const Track& track : tracks_)
                if (track.plot == at && track.side == 0 && x >= 0)
                    track.item->click({x}, selection);
        });
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

void TracksPane::load(const TraceQuestion& question, std::int64_t length) {
    const ProfilePair& profiles = question.profiles;
    if (profiles.source == profiles_.source && profiles.target == profiles_.target &&
        question.ipus == ipus_ && length == length_ && question.axis.aligned() == aligned_)
        return; // how lanes are drawn does not matter to the tracks
    query_.cancel();
    profiles_ = profiles;
    ipus_ = question.ipus;
    aligned_ = question.axis.aligned();
    length_ = length;
    tracks_.clear();
    for (auto& item : traceItems(question))
        for (std::size_t i = 0; i < plots_.size(); ++i)
            if (&plots_[i]->track() == item->counter())
                tracks_.push_back(
                    {item, i, item->target() && !onlyTargetRan(profiles) ? std::size_t(1) : 0});
    for (TrackPlot* plot : plots_) {
        plot->setClock(profiles.source ? executedOf(profiles)->machine().clockHz : 0);
        plot->curve().setSides({});
        plot->updateCurves();
    }
    refresh();
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

void TracksPane::refresh() {
    if (tracks_.empty() || length_ <= 0 || !isVisible())
        return;
    const ZoomRange& zoom = context_.timeZoom;
    std::vector<Track> coarsely, closely;
    for (const Track& track : tracks_) {
        if (shown_[track.plot] && !sideOf(track).overview)
            coarsely.push_back(track);
        if (shown_[track.plot] && zoom.span() < closeShare * static_cast<double>(length_))
            closely.push_back(track);
    }
    if (coarsely.empty() && closely.empty())
        return;
    // All cores where nothing is shown yet.
    const ItemDetail all{{0, length_}, 1, Cores::All, std::max(overviewColumns, width())};
    // Half a screen more on each side, so that panning finds it drawn.
    const CycleRange range{
        std::max<std::int64_t>(0, static_cast<std::int64_t>(zoom.from() - zoom.span() / 2)),
        std::min<std::int64_t>(length_, static_cast<std::int64_t>(zoom.to() + zoom.span() / 2))};
    const double perPixel = zoom.span() / std::max(1, width());
    const ItemDetail inSight{range, 1, Cores::AllButOne,
                             std::llround(static_cast<double>(range.cycles()) / perPixel)};
    query_.startNext([this, coarsely, closely, all, inSight](const std::stop_token& stop) {
        const auto read = [&](const std::vector<Track>& tracks, ItemDetail detail) {
            CounterCache counters;
            detail.counters = &counters;
            std::vector<std::shared_ptr<const TrackCurve>> curves;
            for (const Track& track : tracks)
                curves.push_back(track.item->read(detail, stop).curve);
            return curves;
        };
        return [this, coarsely, closely, overviews = read(coarsely, all),
                details = read(closely, inSight)] {
            for (std::size_t i = 0; i < coarsely.size(); ++i)
                setCurve(coarsely[i], overviews[i], true);
            for (std::size_t i = 0; i < closely.size(); ++i)
                setCurve(closely[i], details[i], false);
            for (std::size_t i = 0; i < plots_.size(); ++i)
                if (shown_[i])
                    plots_[i]->updateCurves();
        };
    });
}

void TracksPane::setCurve(const Track& track, std::shared_ptr<const TrackCurve> curve,
                          bool overview) {
    TrackPlottable& plottable = plots_[track.plot]->curve();
    std::array<TrackSide, 2> sides = plottable.sides();
    TrackSide& side = sides.at(track.side);
    (overview ? side.overview : side.detail) = std::move(curve);
    plottable.setSides(std::move(sides));
}

QString TracksPane::readOut(std::size_t plot, double cycle) const {
    std::array<QString, 2> texts;
    for (const Track& track : tracks_)
        if (track.plot == plot)
            texts.at(track.side) =
                track.item->readOut({cycle, sideOf(track).reaching(cycle, cycle)}, context_);
    if (!plots_[plot]->curve().comparing())
        return texts[0].isEmpty()
                   ? QString()
                   : QStringLiteral("%1: %2").arg(plots_[plot]->track().name(), texts[0]);
    return tr("Source: %1   Target: %2")
        .arg(texts[0].isEmpty() ? tr("nothing") : texts[0],
             texts[1].isEmpty() ? tr("nothing") : texts[1]);
}

} // namespace tilescope::views
