#include "views/execution/lanes_pane.h"

#include <QMouseEvent>
#include <algorithm>

#include "views/execution/trace_selection.h"
#include "views/theme/text.h"
#include "views/widgets/parts.h"

namespace tilescope::views {
namespace {

constexpr int overviewPixels = 1000; // lanes in sight are read anew for the width that they have

Pointed pointedStep(const ProfileView& profile, std::int64_t step, bool target,
                    const std::stop_token& stop) {
    Pointed pointed;
    const ExecutedStep executed = profile.trace(stop)->stepAt(step);
    if (!executed.program.valid())
        return pointed;
    const auto programs = profile.programs(stop);
    const Program& program = (*programs)[executed.program];
    pointed.name = QString::fromStdString(program.name);
    if (target) // the selection has things of the source
        return pointed;
    pointed.thing.program = executed.program;
    pointed.thing.operation = program.operation;
    pointed.thing.computeSet = program.computeSet;
    pointed.thing.exchange = program.exchange;
    return pointed;
}

} // namespace

LanesPane::LanesPane(ViewContext& context, TraceSelection& selection)
    : context_(context)
    , selection_(selection)
    , plot_(new TracePlot(context))
    , query_(context.workers)
    , menuQuery_(context.workers) {
    inColumn(this, {plot_});
    plot_->setAccessibleName(tr("Steps over time"));
    plot_->setReadOut([this](double x, double y) {
        const std::optional<Found> found = at(x, y);
        return found ? items_[found->lane]->readOut(found->place, context_) : QString();
    });
    setPointAt(*plot_, [this](const std::optional<QPoint>& position, const ShowMenu& show) {
        pointAt(position, show);
    });
    plot_->installEventFilter(this);
    connect(&plot_->scrollBar(), &QScrollBar::valueChanged, this, &LanesPane::refresh);
    connect(plot_, &TracePlot::arranged, this, &LanesPane::refresh);
    connect(plot_, &TracePlot::onlyWanted, this, [this](const QString& key) {
        for (const auto& item : items_)
            if (item->key() == key.toStdString() && item->ipu().valid())
                emit ipuWanted(item->ipu().value());
    });
    connect(plot_, &PlotWidget::clicked, this, [this](double x, double y) { clicked(x, y); });
    connect(&context.timeZoom, &ZoomRange::changed, this, [this] {
        if (isVisible())
            refresh();
    });
}

// An arrangement is reset for a machine with another number of IPUs.
void LanesPane::arrangeFor(const TraceQuestion& question) {
    const std::int32_t ipus = executedOf(question.profiles)->machine().ipus;
    if (std::exchange(ipus_, ipus) != ipus)
        plot_->setArrangement({});
}

void LanesPane::load(TraceQuestion question, std::int64_t length, ColourBy colours) {
    arrangeFor(question);
    if (colours == ColourBy::Kind)
        question.tints = {};
    else if (!question_.tints || question_.tints->by() != colours ||
             question_.profiles.source != question.profiles.source ||
             question_.profiles.target != question.profiles.target)
        question.tints = std::make_shared<const BoxTints>(question.profiles, colours);
    else
        question.tints = question_.tints; // keeps what was read
    question_ = question;
    const TraceItems items = lanesOf(question);
    query_.start(
        [this, tints = question.tints, items, length, colours](const std::stop_token& stop) {
            auto lanes = std::make_shared<const std::vector<TraceLane>>(
                readLanes(items, {{0, length}, length / overviewPixels}, {}, stop));
            SharedRows strip;
            for (std::size_t at = 0; at < lanes->size(); ++at)
                if (const TraceRow* row = items[at]->strip((*lanes)[at]))
                    strip.emplace_back(lanes, row);
            auto legend = tints ? tints->legend(stop) : nullptr;
            return [this, lanes, items, colours, legend, strip = std::move(strip)] {
                items_ = items;
                shown_ = question_.profiles;
                legend_ = legend;
                plot_->trace().setColourBy(colours);
                plot_->trace().setOverview(lanes);
                plot_->updateRows();
                emit overviewRead(strip);
                emit legendChanged();
                refresh();
            };
        });
}

// With many IPUs most are out of sight, and a folded lane needs one row only.
std::vector<LaneWish> LanesPane::wishes() const {
    const LaneLayout& layout = plot_->trace().layout();
    std::vector<LaneWish> wishes(items_.size(), LaneWish::Nothing);
    for (const LanePlace& place : layout.places)
        if (place.lane < wishes.size() && layout.inSight(place, plot_->axisRect()->height()))
            wishes[place.lane] = place.folded ? LaneWish::Folded : LaneWish::Rows;
    return wishes;
}

void LanesPane::follow(MicroBatchId microBatch) {
    if (std::exchange(followed_, microBatch) == microBatch)
        return;
    if (!microBatch.valid())
        plot_->setFollowed({});
    refresh();
}

void LanesPane::refresh() {
    if (question_.look == TraceLook::Tiles || !loaded())
        return; // the view of tiles reads for itself
    const ZoomRange& zoom = context_.timeZoom;
    // Half a screen more on each side, so that panning finds it drawn.
    const double from = zoom.from() - zoom.span() / 2;
    const double to = zoom.to() + zoom.span() / 2;
    const double perPixel = zoom.span() / std::max(1, plot_->axisRect()->width());
    const ItemDetail detail{wholeCycles(zoom, from, to), static_cast<std::int64_t>(perPixel),
                            Cores::AllButOne};
    query_.startNext([this, items = items_, from, to, detail, wishes = wishes(),
                      profiles = question_.profiles, axis = question_.axis,
                      followed = followed_](const std::stop_token& stop) {
        auto lanes =
            std::make_shared<const std::vector<TraceLane>>(readLanes(items, detail, wishes, stop));
        auto ways = followed.valid()
                        ? microBatchWays(profiles, followed.value(), detail.range, stop, axis)
                        : std::vector<LaneWay>();
        return [this, lanes, from, to, followed, ways = std::move(ways)]() mutable {
            if (followed == followed_)
                plot_->setFollowed(std::move(ways));
            context_.workers.free(plot_->trace().setDetail(lanes, from, to));
            plot_->updateRows();
        };
    });
}

std::optional<LanesPane::Found> LanesPane::at(double x, double y) const {
    if (!selection_.isOf(shown_))
        return {};
    const TracePlottable::Hit hit = plot_->trace().hit(x, y);
    if (hit.box == nullptr || hit.lane >= items_.size())
        return {};
    return Found{hit.lane, {x, nullptr, &(*plot_->trace().overview())[hit.lane], hit.box, hit.row}};
}

void LanesPane::clicked(double x, double y) {
    const std::optional<Found> found = at(x, y);
    if (!found)
        return selection_.dropRange();
    plot_->setCurrentLane(found->lane);
    items_[found->lane]->click(found->place, selection_);
}

bool LanesPane::eventFilter(QObject* watched, QEvent* event) {
    if (watched != plot_ || event->type() != QEvent::MouseButtonDblClick)
        return QWidget::eventFilter(watched, event);
    const QPointF position = static_cast<QMouseEvent*>(event)->position();
    if (const auto found = at(plot_->xAxis->pixelToCoord(position.x()),
                              plot_->yAxis->pixelToCoord(position.y()))) {
        const TraceBox& box = *found->place.box;
        const auto margin = static_cast<double>(box.cycles()) * 0.02;
        context_.timeZoom.setRange(static_cast<double>(box.begin) - margin,
                                   static_cast<double>(box.end) + margin);
    }
    return true;
}

// A step is read first: the boxes know its number only. A box of many steps cannot be selected as a
// thing, but has a name.
void LanesPane::pointAt(const std::optional<QPoint>& position, const ShowMenu& show) {
    std::int64_t step = selection_.step();
    bool target = selection_.inTarget();
    Pointed pointed;
    if (position) {
        const std::optional<Found> found = at(plot_->xAxis->pixelToCoord(position->x()),
                                              plot_->yAxis->pixelToCoord(position->y()));
        step = found ? items_[found->lane]->step(*found->place.box) : -1;
        target = found && items_[found->lane]->target();
        if (found)
            pointed.name = QString::fromStdString(found->place.box->name);
    }
    const auto showIt = [this, show](Pointed what) {
        if (!what.name.isEmpty())
            what.filter = [this, name = what.name] { emit searchWanted(name); };
        show(what);
    };
    const ProfileViewPtr& profile = profileOf(question_.profiles, target);
    if (step < 0 || !profile)
        return showIt(std::move(pointed));
    menuQuery_.start([showIt, profile, step, target](const std::stop_token& stop) {
        return [showIt, read = pointedStep(*profile, step, target, stop)] { showIt(read); };
    });
}

std::vector<LegendBar::Entry> LanesPane::channels() const {
    std::vector<LegendBar::Entry> entries;
    if (!plot_->trace().overview())
        return entries;
    constexpr std::size_t most = 8; // further ones are named by the read-out
    // Those of all hosts are in each lane of them.
    for (const TraceLane& lane : *plot_->trace().overview())
        for (std::size_t i = 0; entries.size() < std::min(most, lane.channels.size()); ++i)
            entries.push_back({shownName(lane.channels[i], mostOfOne),
                               channelColour(context_.theme.current(), static_cast<int>(i))});
    return entries;
}

std::vector<LegendBar::Entry> LanesPane::legend() const {
    return legend_ ? legend_->entries(context_.theme.current(), context_.preferences)
                   : std::vector<LegendBar::Entry>();
}

QJsonObject LanesPane::keptState() const {
    QJsonObject state = plot_->arrangement().toJson();
    state.insert(QStringLiteral("ipus"), ipus_);
    return state;
}

void LanesPane::setKeptState(const QJsonObject& state) {
    if (state.value(QStringLiteral("ipus")).toInt() == ipus_)
        plot_->setArrangement(LaneArrangement::fromJson(state));
}

} // namespace tilescope::views
