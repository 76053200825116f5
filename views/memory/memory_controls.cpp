// The controls above the graph of the memory report.
#include <QSignalBlocker>
#include <algorithm>

#include "views/memory/memory_view.h"
#include "views/memory/tile_list.h"
#include "views/plot/save_plot.h"
#include "views/session/time_texts.h"
#include "views/widgets/control_states.h"
#include "views/widgets/save_picture.h"

namespace tilescope::views {

ToolRow* MemoryView::makeTools() {
    tools_ = new ToolRow;
    graph_ = tools_->addChoice(tr("Graph"),
                               {tr("Total memory"), tr("Variables"), tr("Tile map"), tr("Film")});
    addPlotControls(*tools_);
    addMapControls(*tools_);
    tools_->addStretch();
    ipu_ = tools_->addChoice(tr("IPU"), {tr("All")});
    tiles_ = tools_->addField(
        tr("Tiles, e.g. 0-3,7"),
        tr("Tiles for the tables below, such as 1,5 or 0-3; a click on the graph selects one, "
           "shift-click adds one"),
        170);
    tiles_->setAccessibleName(tr("Selected tiles"));
    leaveOutOfState(*ipu_);
    leaveOutOfState(*tiles_);
    auto* save = tools_->addButton(tr("Save"), tr("Save the graph as a picture"));
    connect(save, &QToolButton::clicked, this, &MemoryView::save);
    connect(graph_, &QComboBox::currentIndexChanged, this, [this] {
        showControls();
        loadGraph();
    });
    connect(tiles_, &QLineEdit::editingFinished, this, &MemoryView::tilesTyped);
    connect(ipu_, &QComboBox::activated, this, &MemoryView::ipuChosen);
    return tools_;
}

void MemoryView::addPlotControls(ToolRow& tools) {
    breakdown_ = tools.addChoice(
        tr("Breakdown"), {tr("None"), tr("By region"), tr("By category"), tr("By liveness")});
    order_ = tools.addChoice(tr("Order"), {tr("Software"), tr("Physical")});
    gaps_ = tools.addToggle(tr("Gaps"), tr("Count bytes lost to alignment and memory banks"), true);
    limit_ = tools.addToggle(tr("Max memory"), tr("Show the memory of a tile as a line"), true);
    const auto setKeyLabel = [this] {
        plots_->setKeyLabel(options().order == TileOrder::Software ? tr("Tile (software order)")
                                                                   : tr("Tile (physical order)"));
    };
    connect(order_, &QComboBox::currentIndexChanged, this, setKeyLabel);
    setKeyLabel();
    plots_->setValueTitle(tr("Memory of a tile"));
    for (QComboBox* box : {breakdown_, order_})
        connect(box, &QComboBox::currentIndexChanged, this, &MemoryView::loadGraph);
    for (QToolButton* toggle : {gaps_, limit_})
        connect(toggle, &QToolButton::toggled, this, &MemoryView::loadGraph);
}

void MemoryView::addMapControls(ToolRow& tools) {
    quantity_ = tools.addChoice(tr("Colour by"), {}, true);
    for (int kind = 0; kind < TileQuantity::Category; ++kind)
        quantity_->addItem(TileQuantity{static_cast<TileQuantity::Kind>(kind), {}, {}, {}}.name());
    range_ = tools.addChoice(
        tr("Scale"), {tr("0 to tile memory"), tr("0 to largest"), tr("Smallest to largest")}, true);
    scale_ = tools.addChoice(tr("Colours"), {tr("Viridis"), tr("Cividis"), tr("Greys")});
    connect(quantity_, &QComboBox::currentIndexChanged, this, &MemoryView::loadGraph);
    connect(range_, &QComboBox::currentIndexChanged, this, [this](int index) {
        for (TileMap* map : {map_, &film_->map()})
            map->setRange(static_cast<TileMap::Range>(index));
    });
    connect(scale_, &QComboBox::currentIndexChanged, this, [this](int index) {
        for (TileMap* map : {map_, &film_->map()})
            map->setScale(colourScales.at(static_cast<std::size_t>(index)));
    });
}

void MemoryView::showControls() {
    const bool map = graph() == Map;
    const bool tiles = map || graph() == Film;
    tools_->setShown(breakdown_, graph() == TotalMemory);
    tools_->setShown(order_, !tiles);
    tools_->setShown(gaps_, graph() == TotalMemory);
    tools_->setShown(limit_, graph() == TotalMemory);
    tools_->setShown(quantity_, map);
    // Films of anything but memory always have a scale up to their largest value.
    tools_->setShown(range_, map || (graph() == Film && film_->kind() == FilmKind::LiveMemory));
    tools_->setShown(scale_, tiles);
}

void MemoryView::fillIpus() {
    const QSignalBlocker blocker(ipu_);
    ipu_->clear();
    ipu_->addItem(tr("All"));
    for (int i = 0; i < profiles().source->machine().ipus; ++i)
        ipu_->addItem(QString::number(i));
}

// The fixed quantities, then all categories; a category stays chosen in another profile.
void MemoryView::fillQuantities() {
    if (quantity_->count() > TileQuantity::Category)
        return;
    quantity_->insertSeparator(quantity_->count());
    for (const MemoryCategory category : memoryCategories)
        quantity_->addItem(TileQuantity{TileQuantity::Category, category, {}, {}}.name(),
                           static_cast<int>(category));
}

TileQuantity MemoryView::quantity() const {
    TileQuantity quantity;
    const QVariant category = quantity_->currentData();
    if (category.isValid()) {
        quantity.kind = TileQuantity::Category;
        quantity.category = static_cast<MemoryCategory>(category.toInt());
    } else {
        quantity.kind = static_cast<TileQuantity::Kind>(std::max(0, quantity_->currentIndex()));
    }
    quantity.variables = tabs_->variables();
    quantity.step = context().selection.current().step;
    return quantity;
}

void MemoryView::ipuChosen(int index) {
    const Target& machine = profiles().source->machine();
    const IpuId ipu(index - 1);
    context().selection.update([ipu](Selected& s) {
        s.ipu = ipu;
        s.tiles.clear();
    });
    ZoomRange& zoom = plots_->first().zoom();
    if (ipu.valid())
        zoom.setRange(ipu.value() * machine.tilesPerIpu, (ipu.value() + 1) * machine.tilesPerIpu);
    else
        zoom.fit();
}

void MemoryView::tilesTyped() {
    if (!profiles().source)
        return;
    const std::int32_t all = profiles().source->machine().totalTiles();
    auto tiles = parseTileList(tiles_->text(), all, static_cast<std::size_t>(all));
    if (!tiles) {
        emit status(tr("'%1' is not a list of tiles: write numbers below %2, such as 1,5 or 0-3.")
                        .arg(tiles_->text())
                        .arg(countText(all)));
        return;
    }
    const std::size_t wanted = tiles->size();
    tiles->resize(std::min(wanted, mostTilesListed));
    emit status(wanted > tiles->size()
                    ? tr("The tables show the first %1 of %2 tiles, one column each.")
                          .arg(countText(static_cast<std::int64_t>(tiles->size())),
                               countText(static_cast<std::int64_t>(wanted)))
                    : QString());
    context().selection.update([&](Selected& s) { s.tiles = *tiles; });
    tiles_->setText(tileListText(*tiles)); // even if the selection was the same before
}

void MemoryView::save() {
    const bool tiles = graph() == Map || graph() == Film;
    if (!tiles && !plots_->showsTwo())
        return savePlot(plots_->first().plot(), QStringLiteral("memory"));
    askAndSave(window(), tr("Save graph"),
               tiles ? QStringLiteral("tile-map.png") : QStringLiteral("memory.png"),
               pictureFilter(),
               [this](const QString& file) { return savePicture(*graphs_, file); });
}

} // namespace tilescope::views
