#include "views/execution/trace_panes.h"

#include <QStackedWidget>

#include "views/execution/item_kinds.h"
#include "views/session/time_texts.h"
#include "views/theme/text.h"
#include "views/widgets/parts.h"

namespace tilescope::views {
namespace {

/// The kinds of steps, and what the host (if `host`) or tiles wait for.
std::vector<LegendBar::Entry> traceLegend(const Theme& theme, TraceLook look, bool host) {
    std::vector<LegendBar::Entry> entries;
    for (const ProgramKind kind :
         {ProgramKind::OnTileExecute, ProgramKind::DoExchange, ProgramKind::GlobalExchange,
          ProgramKind::Sync, ProgramKind::StreamCopyBegin, ProgramKind::StreamCopyMid,
          ProgramKind::StreamCopyEnd})
        entries.push_back({textOf(toString(kind)), theme.kind(kind)});
    if (look == TraceLook::Tiles)
        entries.push_back(
            {TracePanes::tr("Waits for other tiles"), tileStateColour(theme, TileState::Wait)});
    else if (host)
        entries.push_back(
            {TracePanes::tr("Host waits for IPU"), groupColour(theme, hostWaitsKind)});
    return entries;
}

} // namespace

TracePanes::TracePanes(ViewContext& context, TraceSelection& selection)
    : context_(context)
    , notice_(wrappedLabel({}, "muted"))
    , aboutHost_(wrappedLabel({}, "muted"))
    , strip_(new TraceStrip(context))
    , tracks_(new TracksPane(context, selection))
    , lanes_(new LanesPane(context, selection))
    , tiles_(new TilesPane(context, selection))
    , lanesOrTiles_(new QStackedWidget)
    , legend_(new LegendBar(context)) {
    lanesOrTiles_->addWidget(lanes_);
    lanesOrTiles_->addWidget(tiles_);
    notice_->setContentsMargins(14, 6, 14, 6);
    aboutHost_->setContentsMargins(14, 2, 14, 4);
    aboutHost_->hide();
    inColumn(this, {notice_, aboutHost_, strip_, tracks_, lanesOrTiles_, legend_}, lanesOrTiles_);
    connect(lanes_, &LanesPane::overviewRead, strip_, &TraceStrip::setRows);
    // The lanes come first.
    connect(lanes_, &LanesPane::overviewRead, this,
            [this] { tracks_->load(question_, static_cast<std::int64_t>(cycles_)); });
    connect(lanes_, &LanesPane::legendChanged, this, &TracePanes::updateLegend);
    connect(&context.theme, &ThemeSource::changed, this, &TracePanes::updateLegend);
    connectPlots(selection);
    updateLegend();
}

void TracePanes::connectPlots(TraceSelection& selection) {
    plots_ = {&lanes_->plot(), &tiles_->plot()};
    for (PlotWidget* plot : plots_)
        tracks_->crosshair().add(*plot);
    plots_.insert(plots_.end(), tracks_->plots().begin(), tracks_->plots().end());
    const auto connectPlot = [this, &selection](PlotWidget* plot) {
        connect(plot, &PlotWidget::hovered, this, &TracePanes::status);
        connect(plot, &PlotWidget::rangeSelected, &selection,
                [&selection, &axis = context_.timeZoom](double from, double to) {
                    selection.selectRange(CycleRange{wholeCycles(axis, from, to).begin,
                                                     wholeCycles(axis, from, to + 1).end});
                });
    };
    for (PlotWidget* plot : plots_)
        connectPlot(plot);
    connect(tracks_, &TracksPane::plotAdded, this, [this, connectPlot](TrackPlot* plot) {
        plots_.push_back(plot);
        connectPlot(plot);
    });
    connect(tracks_, &TracksPane::plotRemoved, this,
            [this](TrackPlot* plot) { std::erase(plots_, plot); });
    connect(tracks_, &TracksPane::status, this, &TracePanes::status);
    connect(&selection, &TraceSelection::marksChanged, this,
            [this](const std::vector<PlotWidget::Marker>& markers, const SelectedSteps& steps) {
                for (PlotWidget* plot : plots_)
                    plot->setMarkers(markers);
                lanes_->plot().setSelected(steps);
            });
    connect(&selection, &TraceSelection::flowsChanged, &lanes_->plot(), &TracePlot::setFlows);
}

PlotWidget& TracePanes::shownPlot() {
    return look_ == TraceLook::Tiles ? static_cast<PlotWidget&>(tiles_->plot()) : lanes_->plot();
}

void TracePanes::setLook(TraceLook look, bool host) {
    look_ = look;
    host_ = host;
    lanesOrTiles_->setCurrentIndex(look == TraceLook::Tiles ? 1 : 0);
    updateLegend();
}

void TracePanes::updateLegend() {
    std::vector<LegendBar::Entry> entries = lanes_->legend();
    if (look_ == TraceLook::Tiles || entries.empty())
        entries = traceLegend(context_.theme.current(), look_, host_);
    if (look_ != TraceLook::Tiles)
        for (LegendBar::Entry& channel : lanes_->channels())
            entries.push_back(std::move(channel));
    legend_->setEntries(std::move(entries));
}

void TracePanes::load(const TraceQuestion& question, ColourBy colours, double cycles) {
    question_ = question;
    cycles_ = cycles;
    if (look_ == TraceLook::Tiles)
        tiles_->load(question);
    lanes_->load(question, static_cast<std::int64_t>(context_.timeZoom.last()), colours);
}

void TracePanes::clear() {
    lanes_->cancel();
    tiles_->clear();
    tracks_->clear();
}

void TracePanes::setNotice(const QString& text) {
    notice_->setVisible(!text.isEmpty());
    notice_->setText(text);
}

// The IPUs' run is timed only once, as every call takes the same cycles.
void TracePanes::showHosts(const Hosts& hosts) {
    QStringList texts;
    const auto& first = hosts.source ? hosts.source : hosts.target;
    if (first && !first->repeated().empty())
        texts << tr("The host called the model %1 times. The trace has the IPUs' work of one call, "
                    "as all take the same cycles: it is repeated, paler, at the times of %2 later "
                    "calls, which Compilation brings into view.")
                     .arg(countText(first->repeated().calls),
                          countText(static_cast<std::int64_t>(first->repeated().starts.size())));
    std::size_t left = 0;
    for (const auto& host : {hosts.source, hosts.target})
        if (host && host->threads().threads().size() > mostThreadLanes)
            left += host->threads().threads().size() - mostThreadLanes;
    if (left > 0)
        texts << tr("%1 threads of the program with the shortest calls have no lane; Calls has all "
                    "of them.")
                     .arg(countText(static_cast<std::int64_t>(left)));
    aboutHost_->setVisible(!texts.isEmpty());
    aboutHost_->setText(texts.join(QLatin1Char(' ')));
}

} // namespace tilescope::views
