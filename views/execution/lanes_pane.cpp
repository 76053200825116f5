#include "views/execution/lanes_pane.h"

#include <QMouseEvent>
#include <algorithm>

#include "views/session/time_texts.h"
#include "views/theme/text.h"
#include "views/widgets/parts.h"

namespace tilescope::views {
namespace {

constexpr int overviewPixels = 1500;

QString titleOf(const TraceBox& box) {
    const QString name = shownName(box.name);
    if (name.isEmpty())
        return LanesPane::tr("Steps: %1").arg(box.steps);
    if (box.look == TraceBox::Look::Step && box.name != toString(box.kind))
        return name + QStringLiteral("  (%1)").arg(textOf(toString(box.kind)));
    return box.steps > 1 ? name + LanesPane::tr("  (steps: %1)").arg(box.steps) : name;
}

/// The kinds that make up most of a merged box, as its colour shows.
QString readOutOfShares(const TraceBox& box) {
    std::vector<std::pair<int, ProgramKind>> most;
    for (const ProgramKind kind : programKinds)
        if (const int share = box.shares[static_cast<std::size_t>(kind)]; share > 0)
            most.emplace_back(share, kind);
    std::sort(most.rbegin(), most.rend());
    constexpr std::size_t named = 3;
    constexpr double full = 255;
    QStringList parts;
    for (std::size_t i = 0; i < std::min(named, most.size()); ++i)
        parts << LanesPane::tr("%1 %2 %")
                     .arg(textOf(toString(most[i].second)))
                     .arg(100 * most[i].first / full, 0, 'f', 0);
    return parts.isEmpty() ? QString() : QLatin1Char('\n') + parts.join(QStringLiteral(", "));
}

} // namespace

LanesPane::LanesPane(ViewContext& context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , plot_(new TracePlot(context))
    , query_(context.workers) {
    inColumn(this, {plot_});
    plot_->setAccessibleName(tr("Steps over time"));
    plot_->setReadOut([this](double x, double y) { return readOut(x, y); });
    plot_->installEventFilter(this);
    connect(&plot_->scrollBar(), &QScrollBar::valueChanged, this, &LanesPane::refresh);
    connect(plot_, &TracePlot::arranged, this, &LanesPane::refresh);
    connect(plot_, &TracePlot::onlyWanted, this, [this](const QString& key) {
        for (const auto& source : sources_)
            if (source->key() == key.toStdString() && source->ipu().valid())
                emit ipuWanted(source->ipu().value());
    });
    connect(plot_, &PlotWidget::hovered, this, &LanesPane::status);
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
    const LaneSources sources = laneSources(question);
    query_.start([this, question, sources, length, colours](const std::stop_token& stop) {
        auto lanes = std::make_shared<const std::vector<TraceLane>>(
            readLanes(sources, {{0, length}, length / overviewPixels}, {}, stop));
        std::vector<TraceRow> strip;
        for (std::size_t at = 0; at < lanes->size(); ++at)
            if (auto row = sources[at]->strip((*lanes)[at]))
                strip.push_back(std::move(*row));
        auto legend = question.tints ? question.tints->legend(stop) : nullptr;
        return [this, lanes, sources, colours, legend, strip = std::move(strip)] {
            sources_ = sources;
            colours_ = colours;
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
    std::vector<LaneWish> wishes(sources_.size(), LaneWish::Nothing);
    for (const LanePlace& place : layout.places)
        if (place.lane < wishes.size() && layout.inSight(place, plot_->axisRect()->height()))
            wishes[place.lane] = place.folded ? LaneWish::Folded : LaneWish::Rows;
    return wishes;
}

void LanesPane::refresh() {
    if (question_.look == TraceLook::Tiles || !loaded())
        return; // the view of tiles reads for itself
    const ZoomRange& zoom = context_.timeZoom;
    // Half a screen more on each side, so that panning finds it drawn.
    const double from = zoom.from() - zoom.span() / 2;
    const double to = zoom.to() + zoom.span() / 2;
    const double perPixel = zoom.span() / std::max(1, plot_->axisRect()->width());
    const LaneDetail detail{wholeCycles(zoom, from, to), static_cast<std::int64_t>(perPixel),
                            Cores::AllButOne};
    query_.startNext([this, sources = sources_, from, to, detail,
                      wishes = wishes()](const std::stop_token& stop) {
        auto lanes = std::make_shared<const std::vector<TraceLane>>(
            readLanes(sources, detail, wishes, stop));
        return [this, lanes, from, to] {
            context_.workers.free(plot_->trace().setDetail(lanes, from, to));
            plot_->updateRows();
        };
    });
}

void LanesPane::clicked(double x, double y) {
    const TracePlottable::Hit hit = plot_->trace().hit(x, y);
    if (hit.box == nullptr || hit.lane >= sources_.size())
        return emit emptyClicked();
    plot_->setCurrentLane(hit.lane);
    const LaneSource& source = *sources_[hit.lane];
    const LaneClick click = source.click(*hit.box);
    switch (click.to) {
    case LaneClick::To::Step:
        return emit stepClicked(click.at, source.target());
    case LaneClick::To::Copy:
        return emit copyClicked(click.at, source.target());
    case LaneClick::To::Range:
        emit rangeClicked(click.range);
        if (!source.ipu().valid())
            emit hostClicked(hostDetails(hit));
        return;
    }
}

bool LanesPane::eventFilter(QObject* watched, QEvent* event) {
    if (watched != plot_ || event->type() != QEvent::MouseButtonDblClick)
        return QWidget::eventFilter(watched, event);
    zoomTo(*static_cast<QMouseEvent*>(event));
    return true;
}

void LanesPane::zoomTo(const QMouseEvent& event) {
    const TracePlottable::Hit hit =
        plot_->trace().hit(plot_->xAxis->pixelToCoord(event.position().x()),
                           plot_->yAxis->pixelToCoord(event.position().y()));
    if (hit.box == nullptr)
        return;
    const auto margin = static_cast<double>(hit.box->cycles()) * 0.02;
    context_.timeZoom.setRange(static_cast<double>(hit.box->begin) - margin,
                               static_cast<double>(hit.box->end) + margin);
}

QString LanesPane::readOut(double x, double y) const {
    const TracePlottable::Hit hit = plot_->trace().hit(x, y);
    if (hit.box == nullptr)
        return {};
    if (hit.box->wallTime)
        return wallTimeReadOut(hit);
    // A host's wait that goes on; a run has no steps of its own either, but is shown in full.
    const bool goesOn = hit.box->steps == 0 && hit.box->look != TraceBox::Look::Run;
    return tr("%1\n%2\nfrom cycle %3")
               .arg(titleOf(*hit.box),
                    goesOn
                        ? tr("longer than shown")
                        : context_.preferences.cycles(
                              hit.box->cycles(), executedOf(question_.profiles)->machine().clockHz),
                    countText(hit.box->begin)) +
           readOutOfShares(*hit.box) + readOutOfTint(hit.box->tint);
}

// The host's own time is not cycles of the machine: those only say where it is on the axis.
QString LanesPane::wallTimeReadOut(const TracePlottable::Hit& hit) const {
    const TraceBox& box = *hit.box;
    const double clock = std::max(1.0, question_.profiles.source->machine().clockHz);
    QStringList lines{titleOf(box)};
    if (const std::string channel = channelOf(hit); !channel.empty())
        lines << readOutLine(tr("Channel"), shownName(channel));
    if (!box.moment)
        lines << readOutLine(tr("Time of the host"),
                             durationText(static_cast<double>(box.cycles()) / clock));
    lines << readOutLine(tr("From start of first run"),
                         durationText(static_cast<double>(box.begin) / clock));
    return lines.join(QLatin1Char('\n'));
}

std::string LanesPane::channelOf(const TracePlottable::Hit& hit) const {
    const auto& lanes = *plot_->trace().overview();
    const std::vector<std::string>& channels = lanes[hit.lane].channels;
    const auto channel = static_cast<std::size_t>(hit.box->channel);
    return hit.box->channel >= 0 && channel < channels.size() ? channels[channel] : std::string();
}

// Details of a piece of host time, for the panel that shows a step's details.
ValueTree LanesPane::hostDetails(const TracePlottable::Hit& hit) const {
    const TraceBox& box = *hit.box;
    const TraceLane& lane = (*plot_->trace().overview())[hit.lane];
    ValueTree tree;
    tree.properties = true;
    tree.nameTitle = tr("Host");
    tree.valueTitles.append(QString());
    const auto add = [&](const QString& name, Cell value, Unit unit = Unit::None) {
        tree.roots.push_back(valueLine(name, std::move(value), unit));
    };
    add(tr("Name"), box.name);
    if (const std::string channel = channelOf(hit); !channel.empty())
        add(tr("Channel"), channel);
    // Rows below the first of a thread have no name of their own.
    for (std::size_t row = std::min(hit.row + 1, lane.rowNames.size()); row-- > 0;)
        if (!lane.rowNames[row].empty()) {
            add(tr("Row"), lane.rowNames[row]);
            break;
        }
    const double clock = question_.profiles.source->machine().clockHz;
    if (!box.wallTime) {
        add(tr("Start"), Duration{box.begin, clock}, Unit::Cycles);
        add(tr("Duration"), Duration{box.cycles(), clock}, Unit::Cycles);
        return tree;
    }
    add(tr("From start of first run"), static_cast<double>(box.begin) / std::max(1.0, clock),
        Unit::Seconds);
    if (box.moment)
        add(tr("Time of the host"), tr("none: a moment").toStdString());
    else
        add(tr("Time of the host"), static_cast<double>(box.cycles()) / std::max(1.0, clock),
            Unit::Seconds);
    return tree;
}

std::vector<LegendBar::Entry> LanesPane::channels() const {
    std::vector<LegendBar::Entry> entries;
    if (!plot_->trace().overview())
        return entries;
    constexpr std::size_t most = 8; // further ones are named by the read-out
    for (const TraceLane& lane : *plot_->trace().overview())
        for (std::size_t i = 0; entries.size() < most && i < lane.channels.size(); ++i)
            entries.push_back({shownName(lane.channels[i], mostOfOne),
                               channelColour(context_.theme.current(), static_cast<int>(i))});
    return entries;
}

QString LanesPane::readOutOfTint(const BoxTint& tint) const {
    if (!legend_)
        return {};
    if (colours_ == ColourBy::Balance && tint.amount >= 0)
        return tr("\ntile balance %1 %").arg(100.0 * static_cast<double>(tint.amount), 0, 'f', 1);
    if (colours_ == ColourBy::Bytes && tint.amount >= 0)
        return tr("\n%1 exchanged in a cycle")
            .arg(context_.preferences.bytes(
                std::llround(static_cast<double>(tint.amount) * legend_->largest)));
    const auto type = static_cast<std::size_t>(tint.parts[0].colour / tintShades);
    if (colours_ == ColourBy::Operation && tint.parts[0].colour >= 0 &&
        type < legend_->types.size())
        return tr("\noperation: %1").arg(shownName(legend_->types[type]));
    return {};
}

std::vector<LegendBar::Entry> LanesPane::legend() const {
    const Theme& theme = context_.theme.current();
    std::vector<LegendBar::Entry> entries;
    if (!legend_)
        return entries;
    constexpr std::size_t most = 20; // further types are named by the read-out
    const std::vector<std::string>& types = legend_->types;
    for (std::size_t i = 0; i < std::min(most, types.size()); ++i)
        entries.push_back(
            {shownName(types[i], mostOfOne), tintColour(theme, static_cast<int>(i) * tintShades)});
    if (types.size() > most)
        entries.push_back({tr("other types: %1").arg(types.size() - most), theme.mutedText});
    if (colours_ == ColourBy::Operation)
        return entries;
    LegendBar::Entry scale;
    scale.mark = LegendBar::Mark::Scale;
    constexpr int stops = 33;
    for (int i = 0; i < stops; ++i)
        scale.scale.push_back(amountColour(theme, static_cast<double>(i) / (stops - 1)));
    scale.name = colours_ == ColourBy::Balance ? tr("Tile balance: 0 %")
                                               : tr("Received by exchange in a cycle: 0");
    scale.end = colours_ == ColourBy::Balance
                    ? tr("100 %")
                    : context_.preferences.bytes(std::llround(legend_->largest));
    entries.push_back(std::move(scale));
    return entries;
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
