#include "views/execution/tiles_pane.h"

#include <cmath>

#include "views/execution/trace_selection.h"
#include "views/query/shared_work.h"
#include "views/session/time_texts.h"
#include "views/theme/text.h"
#include "views/widgets/parts.h"

namespace tilescope::views {
namespace {

/// The part of a lane to be drawn: the tiles in sight, in so many rows of pixels.
struct LanePart {
    std::size_t lane = 0;
    std::int32_t firstTile = 0;
    std::int32_t tiles = 0;
    std::int32_t rows = 0;
    double top = 0; ///< of the first tile on the vertical axis
};

std::vector<LanePart> partsInSight(TilePlot& plot) {
    std::vector<LanePart> parts;
    const double perTile = plot.axisRect()->height() / std::max(1.0, plot.rows().span());
    for (std::size_t i = 0; i < plot.lanes().size(); ++i) {
        const double first = plot.laneTop(i);
        const std::int32_t tiles = plot.lanes()[i].tiles;
        const auto from =
            std::clamp(static_cast<std::int32_t>(std::floor(plot.rows().from() - first)), 0, tiles);
        const auto to =
            std::clamp(static_cast<std::int32_t>(std::ceil(plot.rows().to() - first)), from, tiles);
        if (to > from)
            parts.push_back({i, from, to - from,
                             std::max(1, static_cast<std::int32_t>((to - from) * perTile)),
                             first + from});
    }
    return parts;
}

} // namespace

TilesPane::TilesPane(ViewContext& context, TraceSelection& selection)
    : context_(context)
    , selection_(selection)
    , plot_(new TilePlot(context))
    , partsQuery_(context.workers)
    , rasterQuery_(context.workers)
    , momentQuery_(context.workers)
    , clickQuery_(context.workers) {
    plot_->setAccessibleName(tr("Tiles over time"));
    inColumn(this, {plot_});
    plot_->setReadOut([this](double x, double y) { return readOut(x, y); });
    connect(plot_, &PlotWidget::clicked, this, [this](double x, double y) { clicked(x, y); });
    connect(&context.timeZoom, &ZoomRange::changed, this, &TilesPane::refresh);
    connect(&plot_->rows(), &ZoomRange::changed, this, &TilesPane::refresh);
}

void TilesPane::clear() {
    partsQuery_.cancel();
    rasterQuery_.cancel();
    forgetMoment();
    lanes_.reset();
    plot_->tiles().setRasters({});
}

void TilesPane::load(const TraceQuestion& question) {
    plot_->setClock(executedOf(question.profiles)->machine().clockHz);
    partsQuery_.start([this, question](const std::stop_token& stop) {
        auto lanes = std::make_shared<const std::vector<TileLane>>(readTileLanes(question, stop));
        return [this, lanes] {
            forgetMoment();
            lanes_ = lanes;
            std::vector<TilePlot::Lane> shown;
            for (const TileLane& lane : *lanes)
                shown.push_back({shownName(lane.asked.name), lane.parts.tilesPerIpu});
            plot_->setLanes(std::move(shown));
            plot_->tiles().setRasters({});
            refresh();
        };
    });
}

void TilesPane::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
}

void TilesPane::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    refresh();
}

void TilesPane::refresh() {
    if (!lanes_ || !isVisible())
        return;
    const ZoomRange& zoom = context_.timeZoom;
    // A quarter of a screen more on each side, so that panning finds it drawn.
    const double margin = zoom.span() / 4;
    const CycleRange range{
        static_cast<std::int64_t>(std::floor(std::max(zoom.first(), zoom.from() - margin))),
        static_cast<std::int64_t>(std::ceil(std::min(zoom.last(), zoom.to() + margin)))};
    const double perPixel = zoom.span() / std::max(1, plot_->axisRect()->width());
    const auto columns = std::max(
        1, static_cast<int>(static_cast<double>(range.cycles()) / std::max(1.0, perPixel)));
    rasterQuery_.startNext([this, lanes = lanes_, parts = partsInSight(*plot_), range,
                            columns](const std::stop_token& stop) {
        std::vector<PlacedRaster> rasters(parts.size());
        shareWork(parts.size(), Cores::All, [&](std::size_t at) {
            const LanePart& part = parts[at];
            const TileLane& lane = (*lanes)[part.lane];
            rasters[at] = {
                tileRaster(*lane.parts.trace, lane.parts.sources(),
                           {lane.asked.ipu, range, columns, part.firstTile, part.tiles, part.rows},
                           stop),
                static_cast<double>(range.begin), static_cast<double>(range.end), part.top,
                part.top + part.tiles};
        });
        return [this, rasters = std::move(rasters)]() mutable {
            plot_->tiles().setRasters(std::move(rasters));
            plot_->replotSoon();
        };
    });
}

void TilesPane::forgetMoment() {
    momentQuery_.cancel();
    clickQuery_.cancel();
    hovered_ = {};
    momentText_.clear();
}

QString TilesPane::readOut(double x, double y) {
    const TilePlot::Place place = plot_->placeAt(y);
    if (!lanes_ || place.tile < 0 || place.lane >= lanes_->size() || x < 0)
        return {};
    const auto cycle = static_cast<std::int64_t>(x);
    if (place.lane != hovered_.place.lane || place.tile != hovered_.place.tile ||
        cycle != hovered_.cycle) {
        hovered_ = {place, cycle};
        readMoment();
    }
    return momentText_;
}

void TilesPane::readMoment() {
    momentQuery_.startNext([this, lanes = lanes_, at = hovered_](const std::stop_token&) {
        const TileMoment moment = tileMoment((*lanes)[at.place.lane], at.place.tile, at.cycle);
        return [this, lanes, at, moment] {
            momentText_ = textOf((*lanes)[at.place.lane], at.place.tile, moment);
            plot_->updateReadOut();
        };
    });
}

QString TilesPane::textOf(const TileLane& lane, std::int32_t tile, const TileMoment& moment) const {
    QString title =
        tr("Tile %1 of %2").arg(tile).arg(shownName(lane.asked.name).replace('\n', ' '));
    if (moment.step < 0)
        return tr("%1\nnothing runs").arg(title);
    QString step = views::textOf(toString(moment.kind));
    if (moment.program.valid())
        step += QStringLiteral("  ") + shownName((*lane.parts.programs)[moment.program].name);
    return tr("%1\n%2\nworks %3\nthe step takes %4")
        .arg(title, step, context_.preferences.cycles(moment.worked, lane.parts.clockHz),
             context_.preferences.cycles(moment.on.cycles, lane.parts.clockHz));
}

void TilesPane::clicked(double x, double y) {
    const TilePlot::Place place = plot_->placeAt(y);
    if (!lanes_ || place.tile < 0 || x < 0)
        return;
    const AskedIpu& asked = (*lanes_)[place.lane].asked;
    if (!selection_.isOf(asked.profile, asked.target))
        return;
    context_.selection.update([&](Selected& s) {
        if (!asked.target)
            s.tiles = {
                TileId(asked.ipu.value() * (*lanes_)[place.lane].parts.tilesPerIpu + place.tile)};
    });
    clickQuery_.start([this, lanes = lanes_, lane = place.lane,
                       cycle = static_cast<std::int64_t>(x)](const std::stop_token&) {
        const TileLane& on = (*lanes)[lane];
        const std::int64_t step = on.parts.trace->stepAtCycle(on.asked.ipu, cycle);
        return [this, step, target = on.asked.target] {
            if (step >= 0)
                selection_.showStep(step, target);
        };
    });
}

} // namespace tilescope::views
