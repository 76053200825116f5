#include "views/memory/memory_view.h"

#include <QSignalBlocker>
#include <QStackedWidget>
#include <algorithm>
#include <cmath>

#include "views/memory/memory_content.h"
#include "views/memory/tile_list.h"
#include "views/widgets/parts.h"

namespace tilescope::views {

MemoryView::MemoryView(ViewContext& context, QWidget* parent)
    : ReportView(context, parent)
    , plots_(new StepPlotPair(context, {}))
    , map_(new TileMap(context))
    , film_(new FilmPage(context))
    , graphs_(new QStackedWidget)
    , graphPanel_(new LoadingPanel(context.workers))
    , tabs_(new MemoryTabs(context)) {
    graphs_->addWidget(plots_);
    graphs_->addWidget(map_);
    graphs_->addWidget(film_);
    graphPanel_->setContent(graphs_);
    auto* splitter = splitOf(Qt::Vertical, graphPanel_, tabs_, 5, 4);
    inColumn(this, {makeTools(), splitter});
    connectGraphs();
    connect(tabs_, &MemoryTabs::status, this, &ReportView::status);
    connect(tabs_, &MemoryTabs::variablesChanged, this, [this] {
        const bool showsVariables = graph() == SelectedVariables ||
                                    (graph() == Map && quantity().kind == TileQuantity::Variables);
        if (showsVariables)
            loadGraph();
    });
    showControls();
}

void MemoryView::connectGraphs() {
    for (StepPlot* plot : {&plots_->first(), &plots_->second()}) {
        plot->plot().setReadOut([this, plot](double x, double) { return readOut(*plot, x); });
        connect(&plot->plot(), &PlotWidget::hovered, this, &ReportView::status);
        connect(&plot->plot(), &PlotWidget::clicked, this,
                [this](double x, double, Qt::KeyboardModifiers m) { clicked(x, m); });
    }
    joinMenus();
    plots_->first().plot().setAccessibleName(tr("Memory by tile"));
    plots_->second().plot().setAccessibleName(tr("Memory by tile, target"));
    connect(map_, &TileMap::hovered, this, &ReportView::status);
    connect(film_, &FilmPage::status, this, &ReportView::status);
    connect(film_, &FilmPage::kindChanged, this, &MemoryView::showControls);
    for (TileMap* map : {map_, &film_->map()})
        connect(map, &TileMap::tileClicked, this, &MemoryView::chooseTile);
}

void MemoryView::joinMenus() {
    const auto pointedTile = [this](TileId tile) {
        Pointed pointed;
        if (!tile.valid() && !context().selection.current().tiles.empty())
            tile = context().selection.current().tiles.back();
        if (tile.valid()) {
            pointed.thing.tiles = {tile};
            pointed.name = tr("Tile %1").arg(tile.value());
        }
        return pointed;
    };
    setPointAt(*map_, [this, pointedTile](const std::optional<QPoint>& at, const ShowMenu& show) {
        show(pointedTile(at ? map_->tileAt(*at) : TileId()));
    });
    for (StepPlot* plot : {&plots_->first(), &plots_->second()})
        setPointAt(plot->plot(), [this, plot, pointedTile](const std::optional<QPoint>& at,
                                                           const ShowMenu& show) {
            const double x = at ? plot->plot().xAxis->pixelToCoord(at->x()) : -1;
            const Target& machine = profiles().source->machine();
            const bool inside = x >= 0 && x < machine.totalTiles();
            show(pointedTile(
                inside ? tileAtPlace(machine, options().order, static_cast<std::int32_t>(x))
                       : TileId()));
        });
}

void MemoryView::focusSearch() {
    if (!tabs_->focusFilter())
        tiles_->setFocus();
}

void MemoryView::reload() {
    fillIpus();
    plots_->first().plot().setSections(ipuSections(profiles().source->machine()));
    if (comparing())
        plots_->second().plot().setSections(ipuSections(profiles().target->machine()));
    fillQuantities();
    film_->forget();
    loadGraph();
    shown_ = {};
    tabs_->reload();
    followSelection();
}

MemoryPlotOptions MemoryView::options() const {
    return {static_cast<MemoryBreakdown>(breakdown_->currentIndex()), gaps_->isChecked(),
            static_cast<TileOrder>(order_->currentIndex())};
}

void MemoryView::loadGraph() {
    if (!profiles().source)
        return;
    graphs_->setCurrentIndex(graph() == Film ? 2 : graph() == Map ? 1 : 0);
    switch (graph()) {
    case TotalMemory:
        return loadPlots();
    case SelectedVariables:
        return loadVariables();
    case Map:
        return loadMap();
    case Film: // has its own progress, below its controls
        graphPanel_->showContent();
        film_->load();
        return film_->followSelection();
    }
}

void MemoryView::loadPlots() {
    // The worker gets copies: theme and preferences belong to this thread.
    graphPanel_->load([this, pair = profiles(), options = options(),
                       theme = context().theme.current(), units = context().preferences.byteUnits(),
                       showLimit = limit_->isChecked()](const std::stop_token& stop) {
        return [this, plots = memoryPlots(pair, options, showLimit, theme, units, stop)]() mutable {
            if (plots.second)
                plots_->setContents(std::move(plots.first), tr("Source"), std::move(*plots.second),
                                    tr("Target"));
            else
                plots_->setContent(std::move(plots.first));
            markSelection();
        };
    });
}

void MemoryView::loadVariables() {
    const std::vector<VariableId> variables = tabs_->variables();
    if (variables.empty()) {
        showNoVariable();
        return;
    }
    graphPanel_->load([this, pair = profiles(), variables, order = options().order,
                       theme = context().theme.current()](const std::stop_token& stop) {
        return [this, content = variableContent(pair, variables, order, theme, stop)]() mutable {
            plots_->setContent(std::move(content));
            markSelection();
        };
    });
}

void MemoryView::showNoVariable() {
    graphPanel_->showMessage(
        tr("No variable is selected"),
        tr("Select variables in the Variables tab below; Ctrl and Shift select several."));
}

void MemoryView::loadMap() {
    const TileQuantity quantity = this->quantity();
    const bool lacksVariable =
        quantity.kind == TileQuantity::Variables && quantity.variables.empty();
    if (lacksVariable || (quantity.kind == TileQuantity::LiveAtStep && !quantity.step.valid())) {
        return lacksVariable
                   ? showNoVariable()
                   : graphPanel_->showMessage(tr("No step is selected"),
                                              tr("Click a step in the Liveness report, or in "
                                                 "Addresses over time."));
    }
    graphPanel_->load([this, pair = profiles(), quantity](const std::stop_token& stop) {
        return [this, content = tileMapContent(pair, quantity, stop)]() mutable {
            map_->setContent(std::move(content));
            markSelection();
        };
    });
}

void MemoryView::followSelection() {
    const Selected selected = context().selection.current();
    const bool otherTiles = selected.tiles != shown_.tiles || selected.ipu != shown_.ipu;
    const bool otherVariable = selected.variable != shown_.variable;
    const bool otherStep = selected.step != shown_.step;
    shown_ = selected;
    const QSignalBlocker blocker(ipu_);
    ipu_->setCurrentIndex(selected.ipu.valid() ? selected.ipu.value() + 1 : 0);
    if (!tiles_->hasFocus() || tiles_->text().isEmpty() || otherTiles)
        tiles_->setText(tileListText(selected.tiles));
    tabs_->followSelection();
    markSelection();
    if (graph() == Film)
        film_->followSelection();
    const TileQuantity::Kind mapped = quantity().kind;
    if (otherVariable &&
        (graph() == SelectedVariables || (graph() == Map && mapped == TileQuantity::Variables)))
        loadGraph();
    else if (otherStep && graph() == Map && mapped == TileQuantity::LiveAtStep)
        loadGraph();
}

void MemoryView::markSelection() {
    const Selected& selected = context().selection.current();
    const Target& machine = profiles().source->machine();
    std::vector<PlotWidget::Marker> markers;
    for (const TileId tile : selected.tiles) {
        if (tile.value() >= machine.totalTiles())
            continue;
        const double place = placeOfTile(machine, options().order, tile);
        markers.push_back({place, place + 1});
    }
    plots_->setMarkers(markers, markers);
    map_->setSelected(selected.tiles);
    map_->setIpu(selected.ipu);
}

void MemoryView::clicked(double x, Qt::KeyboardModifiers modifiers) {
    const Target& machine = profiles().source->machine();
    const auto place = static_cast<std::int32_t>(std::floor(x));
    if (place >= 0 && place < machine.totalTiles())
        chooseTile(tileAtPlace(machine, options().order, place), modifiers);
}

void MemoryView::chooseTile(TileId tile, Qt::KeyboardModifiers modifiers) {
    context().selection.update([&](Selected& s) {
        if (!modifiers.testFlag(Qt::ShiftModifier))
            s.tiles.clear();
        if (std::find(s.tiles.begin(), s.tiles.end(), tile) == s.tiles.end())
            s.tiles.push_back(tile);
    });
}

QString MemoryView::readOut(StepPlot& plot, double x) const {
    const auto place = static_cast<std::int32_t>(std::floor(x));
    // The target may have tiles that the source lacks.
    const bool ofTarget = comparing() && (&plot == &plots_->second() ||
                                          place >= profiles().source->machine().totalTiles());
    const ProfileInfo& info = (ofTarget ? profiles().target : profiles().source)->info();
    const Target& machine = info.target;
    if (place < 0 || place >= machine.totalTiles())
        return {};
    const TileId tile = tileAtPlace(machine, options().order, place);
    const std::int32_t onIpu = tile.value() % machine.tilesPerIpu;
    if (!info.has(ProfilePart::PhysicalTiles))
        return tr("Tile %1 (IPU %2)\n%3")
            .arg(tile.value())
            .arg(tile.value() / machine.tilesPerIpu)
            .arg(plot.valuesAt(static_cast<std::size_t>(place)));
    return tr("Tile %1 (IPU %2, physical tile %3)\n%4")
        .arg(tile.value())
        .arg(tile.value() / machine.tilesPerIpu)
        .arg(physicalTileId(machine, onIpu))
        .arg(plot.valuesAt(static_cast<std::size_t>(place)));
}

} // namespace tilescope::views
