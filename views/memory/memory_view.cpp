#include "views/memory/memory_view.h"

#include <QHeaderView>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTabWidget>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

#include "views/memory/memory_content.h"
#include "views/memory/tile_list.h"
#include "views/plot/save_plot.h"
#include "views/tables/profile_tables.h"

namespace tilescope::views {
namespace {
enum Graph { TotalMemory, SelectedVariable };
}

MemoryView::MemoryView(ViewContext& context, QWidget* parent)
    : ReportView(context, parent)
    , plot_(new StepPlot(context, {}))
    , plotPanel_(new LoadingPanel(context.workers)) {
    plotPanel_->setContent(plot_);
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(plotPanel_);
    splitter->addWidget(makeTabs());
    splitter->setStretchFactor(0, 5);
    splitter->setStretchFactor(1, 4);
    splitter->setChildrenCollapsible(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeTools());
    layout->addWidget(splitter, 1);

    plot_->plot().setReadOut([this](double x, double) { return readOut(x); });
    connect(&plot_->plot(), &PlotWidget::hovered, this, &ReportView::status);
    connect(&plot_->plot(), &PlotWidget::clicked, this,
            [this](double x, double, Qt::KeyboardModifiers m) { plotClicked(x, m); });
    connect(&context.selection, &Selection::changed, this, &MemoryView::followSelection);
}

ToolRow* MemoryView::makeTools() {
    auto* tools = new ToolRow;
    graph_ = tools->addChoice(tr("Graph"), {tr("Total memory"), tr("Selected variable")});
    breakdown_ = tools->addChoice(
        tr("Breakdown"), {tr("None"), tr("By region"), tr("By category"), tr("By liveness")});
    order_ = tools->addChoice(tr("Order"), {tr("Software"), tr("Physical")});
    gaps_ = tools->addToggle(tr("Gaps"), tr("Count the bytes that alignment and banks lose"), true);
    limit_ = tools->addToggle(tr("Max memory"), tr("Show the memory of a tile as a line"), true);
    tools->addStretch();
    ipu_ = tools->addChoice(tr("IPU"), {tr("All")});
    tiles_ = tools->addField(tr("Tiles, e.g. 1,5 or 0-3"),
                             tr("Tiles for the tables below; a click on the plot selects one, "
                                "shift-click adds one"),
                             170);
    auto* save = tools->addButton(tr("Save"), tr("Save the plot as a picture"));
    connect(save, &QToolButton::clicked, this,
            [this] { savePlot(plot_->plot(), QStringLiteral("memory")); });
    for (QComboBox* box : {graph_, breakdown_, order_})
        connect(box, &QComboBox::currentIndexChanged, this, &MemoryView::loadPlot);
    for (QToolButton* toggle : {gaps_, limit_})
        connect(toggle, &QToolButton::toggled, this, &MemoryView::loadPlot);
    connect(tiles_, &QLineEdit::editingFinished, this, &MemoryView::tilesTyped);
    connect(ipu_, &QComboBox::activated, this, [this](int index) {
        context().selection.update([&](Selected& s) {
            s.ipu = IpuId(index - 1);
            s.tiles.clear();
        });
    });
    return tools;
}

QWidget* MemoryView::makeTabs() {
    tabs_ = new QTabWidget;
    tabs_->setDocumentMode(true);
    details_ = new ValueTreeModel(context(), this);
    detailsView_ = new QTreeView;
    detailsView_->setModel(details_);
    detailsView_->setFrameShape(QFrame::NoFrame);
    detailsView_->setUniformRowHeights(true);
    detailsPanel_ = new LoadingPanel(context().workers);
    detailsPanel_->setContent(detailsView_);
    tabs_->addTab(detailsPanel_, tr("Details"));
    const QStringList titles{tr("Variables"), tr("Vertices"), tr("Compute sets"), tr("Exchanges")};
    for (int i = 0; i < 4; ++i) {
        tables_[i] = new TablePanel(context(), tr("Filter %1").arg(titles[i].toLower()));
        tabs_->addTab(tables_[i], titles[i]);
    }
    addresses_ = new AddressMap(context());
    auto* scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setWidget(addresses_);
    addressPanel_ = new LoadingPanel(context().workers);
    addressPanel_->setContent(scroll);
    tabs_->addTab(addressPanel_, tr("Address map"));
    connect(tabs_, &QTabWidget::currentChanged, this, &MemoryView::loadTab);
    connect(addresses_, &AddressMap::hovered, this, &ReportView::status);
    const auto chooseVariable = [this](std::int32_t id) {
        context().selection.update([id](Selected& s) { s.variable = VariableId(id); });
    };
    connect(tables_[0], &TablePanel::chosen, this, chooseVariable);
    connect(addresses_, &AddressMap::variableClicked, this,
            [chooseVariable](VariableId id) { chooseVariable(id.value()); });
    connect(tables_[2], &TablePanel::chosen, this, [this](std::int32_t id) {
        context().selection.update([id](Selected& s) { s.computeSet = ComputeSetId(id); });
    });
    connect(tables_[1], &TablePanel::chosen, this, [this](std::int32_t id) {
        context().selection.update([id](Selected& s) { s.vertexType = VertexTypeId(id); });
    });
    connect(tables_[3], &TablePanel::chosen, this, [this](std::int32_t id) {
        context().selection.update([id](Selected& s) { s.exchange = ExchangeId(id); });
    });
    return tabs_;
}

void MemoryView::focusSearch() {
    const int table = tabs_->currentIndex() - Variables;
    if (table >= 0 && table < 4)
        tables_[table]->focusFilter();
    else
        tiles_->setFocus();
}

void MemoryView::setBreakdown(MemoryBreakdown breakdown) {
    breakdown_->setCurrentIndex(static_cast<int>(breakdown));
}

void MemoryView::showSection(const QString& name) {
    for (int tab = 0; tab < tabs_->count(); ++tab)
        if (tabs_->tabText(tab).toLower() == name)
            tabs_->setCurrentIndex(tab);
}

void MemoryView::reload() {
    breakdown_->setEnabled(!comparing());
    breakdown_->setToolTip(comparing() ? tr("Two profiles are compared by their totals")
                                       : QString());
    fillIpus();
    plot_->plot().setSections(ipuSections(profiles().source->machine()));
    loadPlot();
    shown_ = {};
    followSelection();
    loadTab();
}

void MemoryView::fillIpus() {
    const QSignalBlocker blocker(ipu_);
    ipu_->clear();
    ipu_->addItem(tr("All"));
    for (int i = 0; i < profiles().source->machine().ipus; ++i)
        ipu_->addItem(QString::number(i));
}

MemoryPlotOptions MemoryView::options() const {
    return {comparing() ? MemoryBreakdown::None
                        : static_cast<MemoryBreakdown>(breakdown_->currentIndex()),
            gaps_->isChecked(), static_cast<TileOrder>(order_->currentIndex())};
}

void MemoryView::loadPlot() {
    if (!profiles().source)
        return;
    const MemoryPlotOptions options = this->options();
    const bool onlyVariable = graph_->currentIndex() == SelectedVariable;
    const VariableId variable = context().selection.current().variable;
    breakdown_->setEnabled(!comparing() && !onlyVariable);
    plot_->setKeyLabel(options.order == TileOrder::Software ? tr("Tile (software order)")
                                                            : tr("Tile (physical order)"));
    if (onlyVariable && !variable.valid()) {
        plotPanel_->query().cancel();
        plotPanel_->showMessage(tr("No variable is selected"),
                                tr("Select a variable in the Variables tab below."));
        return;
    }
    // The worker gets copies: theme and preferences belong to this thread.
    plotPanel_->load([=, this, pair = profiles(), theme = context().theme.current(),
                      units = context().preferences.byteUnits(),
                      showLimit = limit_->isChecked()](const std::stop_token& stop) {
        StepPlot::Content content =
            onlyVariable ? variableContent(pair, {&variable, 1}, options.order, theme, stop)
                         : memoryContent(pair, options, showLimit, theme, units, stop);
        return [this, content = std::move(content)]() mutable {
            plot_->setContent(std::move(content));
            markSelection();
        };
    });
}

TileSelection MemoryView::tileSelection() const {
    const Selected& selected = context().selection.current();
    if (!selected.tiles.empty())
        return TileSelection::ofTile(selected.tiles.back());
    return selected.ipu.valid() ? TileSelection::ofIpu(selected.ipu) : TileSelection::all();
}

std::vector<TileSelection> MemoryView::columns() const {
    const Selected& selected = context().selection.current();
    std::vector<TileSelection> columns{selected.ipu.valid() ? TileSelection::ofIpu(selected.ipu)
                                                            : TileSelection::all()};
    for (const TileId tile : selected.tiles)
        columns.push_back(TileSelection::ofTile(tile));
    return columns;
}

void MemoryView::loadTab() {
    if (!profiles().source)
        return;
    const int tab = tabs_->currentIndex();
    if (tab == Details)
        return loadDetails();
    if (tab == Addresses)
        return loadAddresses();
    using Make = DataTable (*)(const ProfilePair&, const TileSelection&, const std::stop_token&);
    static constexpr Make makers[] = {variablesTable, verticesTable, computeSetsTable,
                                      exchangesTable};
    const Make make = makers[tab - Variables];
    tables_[tab - Variables]->load(
        [make, pair = profiles(), tiles = tileSelection()](const std::stop_token& stop) {
            DataTable table = make(pair, tiles, stop);
            table.summary = QString::fromStdString(tiles.label());
            return table;
        });
}

void MemoryView::loadDetails() {
    detailsPanel_->load(
        [this, pair = profiles(), columns = columns()](const std::stop_token& stop) {
            return [this, tree = detailsTree(pair, columns, stop)]() mutable {
                details_->setTree(std::move(tree));
                detailsView_->expandAll();
                QHeaderView* header = detailsView_->header();
                header->setStretchLastSection(false);
                header->setSectionResizeMode(0, QHeaderView::Stretch);
                for (int i = 1; i < details_->columnCount(); ++i) {
                    header->setSectionResizeMode(i, QHeaderView::Fixed);
                    header->resizeSection(i, 150);
                }
            };
        });
}

void MemoryView::loadAddresses() {
    const std::vector<TileId>& tiles = context().selection.current().tiles;
    if (tiles.empty()) {
        addressPanel_->query().cancel();
        addressPanel_->showMessage(tr("No tile is selected"),
                                   tr("Click a tile in the plot, or type its number above, to see "
                                      "where its variables lie."));
        return;
    }
    addressPanel_->load(
        [this, pair = profiles(), tile = tiles.back()](const std::stop_token& stop) {
            const OpenProfile& profile = *pair.source;
            AddressMap::Content content;
            const Target& machine = profile.machine();
            content.limit = machine.bytesPerTile;
            content.base = machine.memoryBase;
            content.interleavedOffset = machine.interleavedOffset;
            if (machine.elementBytes > 0)
                content.rowBytes = 2 * machine.elementBytes;
            const auto variables = profile.variables(stop);
            for (const PlacedVariable& placed : profile.reader(stop).placement(tile).variables) {
                const Variable& variable = (*variables)[placed.variable];
                content.blocks.push_back({placed.offset, placed.offset + variable.bytes.at(tile),
                                          placed.variable, variable.category, variable.name,
                                          variable.alwaysLive});
            }
            return [this, tile, content = std::move(content)]() mutable {
                content.title = addressTitle(tile, content);
                addresses_->setContent(std::move(content));
                addresses_->setSelected(context().selection.current().variable);
            };
        });
}

QString MemoryView::addressTitle(TileId tile, const AddressMap::Content& content) const {
    std::int64_t highest = 0;
    for (const MapBlock& block : content.blocks)
        highest = std::max(highest, block.end);
    return tr("Tile %1: %2 of %3 up to the highest address in use; blue addresses are interleaved "
              "memory")
        .arg(tile.value())
        .arg(context().preferences.bytes(highest), context().preferences.bytes(content.limit));
}

void MemoryView::followSelection() {
    if (!profiles().source || !isVisible())
        return;
    const Selected selected = context().selection.current();
    const bool otherTiles = selected.tiles != shown_.tiles || selected.ipu != shown_.ipu;
    const bool otherVariable = selected.variable != shown_.variable;
    shown_ = selected;
    const QSignalBlocker blocker(ipu_);
    ipu_->setCurrentIndex(selected.ipu.valid() ? selected.ipu.value() + 1 : 0);
    if (!tiles_->hasFocus() || tiles_->text().isEmpty() || otherTiles)
        tiles_->setText(tileListText(selected.tiles));
    markSelection();
    tables_[0]->selectId(selected.variable.value());
    tables_[1]->selectId(selected.vertexType.value());
    tables_[2]->selectId(selected.computeSet.value());
    tables_[3]->selectId(selected.exchange.value());
    addresses_->setSelected(selected.variable);
    if (otherTiles)
        loadTab();
    if (otherVariable && graph_->currentIndex() == SelectedVariable)
        loadPlot();
}

void MemoryView::markSelection() {
    const Target& machine = profiles().source->machine();
    std::vector<PlotWidget::Marker> markers;
    for (const TileId tile : context().selection.current().tiles) {
        if (tile.value() >= machine.totalTiles())
            continue;
        const double place = placeOfTile(machine, options().order, tile);
        markers.push_back({place, place + 1});
    }
    plot_->plot().setMarkers(std::move(markers));
}

void MemoryView::plotClicked(double x, Qt::KeyboardModifiers modifiers) {
    const Target& machine = profiles().source->machine();
    const auto place = static_cast<std::int32_t>(std::floor(x));
    if (place < 0 || place >= machine.totalTiles())
        return;
    const TileId tile = tileAtPlace(machine, options().order, place);
    context().selection.update([&](Selected& s) {
        if (!modifiers.testFlag(Qt::ShiftModifier))
            s.tiles.clear();
        if (std::find(s.tiles.begin(), s.tiles.end(), tile) == s.tiles.end())
            s.tiles.push_back(tile);
    });
}

void MemoryView::tilesTyped() {
    if (!profiles().source)
        return;
    const auto tiles = parseTileList(tiles_->text(), profiles().source->machine().totalTiles());
    if (!tiles) {
        emit status(tr("'%1' is no list of tiles: write numbers below %2, such as 1,5 or 0-3.")
                        .arg(tiles_->text())
                        .arg(profiles().source->machine().totalTiles()));
        return;
    }
    context().selection.update([&](Selected& s) { s.tiles = *tiles; });
}

QString MemoryView::readOut(double x) const {
    const Target& machine = profiles().source->machine();
    const auto place = static_cast<std::int32_t>(std::floor(x));
    if (place < 0 || place >= machine.totalTiles())
        return {};
    const TileId tile = tileAtPlace(machine, options().order, place);
    const std::int32_t onIpu = tile.value() % machine.tilesPerIpu;
    return tr("Tile %1 (IPU %2, physical tile %3)\n%4")
        .arg(tile.value())
        .arg(tile.value() / machine.tilesPerIpu)
        .arg(physicalTileId(machine, onIpu))
        .arg(plot_->valuesAt(static_cast<std::size_t>(place)));
}

} // namespace tilescope::views
