#include "views/execution/tracks_pane.h"

#include <QAction>
#include <QEvent>
#include <algorithm>
#include <cmath>
#include <functional>

#include "views/execution/item_kinds.h"
#include "views/execution/trace_items.h"
#include "views/execution/trace_selection.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

constexpr int overviewColumns = 1500; // or as many as the screen has
constexpr double closeShare = 0.7;    // of the execution: wider ranges use the overview's columns

/// Points over time, as an item of the trace.
class ValueItem : public TraceItem {
public:
    ValueItem(const TraceQuestion& question, std::shared_ptr<const ValueTrack> track)
        : TraceItem(question, "value " + track->name().toStdString(), track->name().toStdString(),
                    false)
        , track_(std::move(track)) {}

    [[nodiscard]] TraceLane read(const ItemDetail& detail, const std::stop_token&) const override {
        TraceLane lane = empty();
        lane.curve = std::make_shared<const TrackCurve>(
            track_->curve(CycleColumns(detail.range, detail.columns)));
        return lane;
    }
    [[nodiscard]] QString readOut(const ItemPlace& place,
                                  const ViewContext& context) const override {
        const auto column =
            place.curve != nullptr ? place.curve->columnAt(place.cycle) : std::nullopt;
        return column ? columnText(*track_, *place.curve, *column, context.theme.current(),
                                   {context.preferences, clockHz()})
                      : QString();
    }
    void click(const ItemPlace&, TraceSelection&) const override {}
    [[nodiscard]] const CounterTrack* counter() const override { return track_.get(); }

private:
    std::shared_ptr<const ValueTrack> track_;
};

} // namespace

TracksPane::TracksPane(ViewContext& context, TraceSelection& selection)
    : context_(context)
    , crosshair_(context.theme)
    , selection_(selection)
    , query_(context.workers) {
    for (const auto& track : counterTracks())
        addPlot(*track, track->shownAtFirst());
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    connect(&context.timeZoom, &ZoomRange::changed, this, [this] {
        if (isVisible())
            refresh();
    });
}

void TracksPane::addPlot(const CounterTrack& track, bool wanted) {
    auto* plot = new TrackPlot(context_, track, this);
    plot->hide();
    plot->setReadOut([this, plot](double x, double) { return readOut(*plot, x); });
    connect(plot, &PlotWidget::clicked, this, [this, plot](double x, double) {
        for (const Track& each : tracks_)
            if (plots_[each.plot] == plot && each.side == 0 && x >= 0 &&
                selection_.isOf(question_.profiles))
                each.item->click({x}, selection_);
    });
    crosshair_.add(*plot);
    plots_.push_back(plot);
    wanted_.push_back(wanted);
    shown_.push_back(false);
}

void TracksPane::removeValuePlots() {
    query_.cancel();
    while (plots_.size() > counterTracks().size()) {
        TrackPlot* plot = plots_.back();
        emit plotRemoved(plot);
        crosshair_.remove(*plot);
        plots_.pop_back();
        wanted_.pop_back();
        shown_.pop_back();
        delete plot; // before its track
    }
}

void TracksPane::setValueTracks(const ValueTracks& graphs, const ValueTracks& queries) {
    ValueTracks all = graphs;
    all.insert(all.end(), queries.begin(), queries.end());
    if (all == values_)
        return;
    tracks_.clear();
    removeValuePlots();
    values_ = std::move(all);
    for (std::size_t i = 0; i < values_.size(); ++i) {
        const auto chosen = chosen_.find(values_[i]->name());
        addPlot(*values_[i], chosen != chosen_.end() ? chosen->second : i >= graphs.size());
        emit plotAdded(plots_.back());
    }
    makeTracks();
    arrange();
    updateGeometry();
    place();
    refresh();
}

void TracksPane::setShown(const QString& name, bool shown) {
    for (std::size_t i = 0; i < plots_.size(); ++i)
        if (plots_[i]->track().name() == name)
            setWanted(i, shown);
}

void TracksPane::addChoice(QMenu& menu, std::size_t track) {
    QAction* action = menu.addAction(menuText(plots_[track]->track().name()));
    action->setToolTip(plots_[track]->track().toolTip());
    action->setCheckable(true);
    action->setChecked(wanted_[track]);
    connect(action, &QAction::toggled, this, [this, track](bool on) { setWanted(track, on); });
}

void TracksPane::addChoices(QMenu& menu) {
    menu.setToolTipsVisible(true);
    for (std::size_t i = 0; i < plots_.size(); ++i)
        addChoice(menu, i);
    menu.addSeparator();
    QMenu* values = menu.addMenu(tr("Graphs and queries"));
    values->setToolTipsVisible(true);
    connect(values, &QMenu::aboutToShow, this, [this, values] {
        values->clear();
        for (std::size_t i = counterTracks().size(); i < plots_.size(); ++i)
            addChoice(*values, i);
        values->addSeparator();
        values->addAction(tr("Add a track from a query…"), this, &TracksPane::queryWanted);
        for (const QString& name : queryNames_)
            values->addAction(tr("Remove '%1'").arg(menuText(shownText(name, mostOfOne))), this,
                              [this, name] { emit queryUnwanted(name); });
    });
}

void TracksPane::setWanted(std::size_t track, bool wanted) {
    if (track >= plots_.size())
        return;
    wanted_[track] = wanted;
    if (track >= counterTracks().size())
        chosen_[plots_[track]->track().name()] = wanted;
    arrange();
    if (wanted && isVisible() && !shown_[track])
        emit status(tr("There is no room for this counter: make the window higher, or turn off "
                       "another one in Options, Counters"));
}

void TracksPane::load(const TraceQuestion& question, std::int64_t length) {
    const ProfilePair& profiles = question.profiles;
    if (profiles.source == question_.profiles.source &&
        profiles.target == question_.profiles.target && question.ipus == question_.ipus &&
        length == length_ && question.axis.aligned() == question_.axis.aligned())
        return; // how lanes are drawn does not matter to the tracks
    query_.cancel();
    question_ = {};
    question_.profiles = profiles;
    question_.ipus = question.ipus;
    question_.axis = question.axis;
    length_ = length;
    makeTracks();
    refresh();
}

void TracksPane::makeTracks() {
    const ProfilePair& profiles = question_.profiles;
    tracks_.clear();
    TraceItems items = profiles.source ? traceItems(question_) : TraceItems();
    TraceItems values;
    for (std::size_t i = 0; profiles.source && i < values_.size(); ++i)
        values.push_back(std::make_shared<ValueItem>(question_, values_[i]));
    alignItems(values, question_);
    items.insert(items.end(), values.begin(), values.end());
    for (auto& item : items)
        for (std::size_t i = 0; i < plots_.size(); ++i)
            if (&plots_[i]->track() == item->counter())
                tracks_.push_back(
                    {item, i, item->target() && !onlyTargetRan(profiles) ? std::size_t(1) : 0});
    for (TrackPlot* plot : plots_) {
        plot->setClock(profiles.source ? executedOf(profiles)->machine().clockHz : 0);
        plot->curve().setSides({});
        plot->updateCurves();
    }
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

QString TracksPane::readOut(TrackPlot& plot, double cycle) const {
    std::array<QString, 2> texts;
    for (const Track& track : tracks_)
        if (plots_[track.plot] == &plot)
            texts.at(track.side) =
                track.item->readOut({cycle, sideOf(track).reaching(cycle, cycle)}, context_);
    if (!plot.curve().comparing())
        return texts[0].isEmpty() ? QString()
                                  : QStringLiteral("%1: %2").arg(plot.track().name(), texts[0]);
    return tr("Source: %1   Target: %2")
        .arg(texts[0].isEmpty() ? tr("nothing") : texts[0],
             texts[1].isEmpty() ? tr("nothing") : texts[1]);
}

} // namespace tilescope::views
