#include "views/memory/memory_tabs.h"

#include <algorithm>

#include "views/memory/memory_content.h"
#include "views/tables/profile_tables.h"

namespace tilescope::views {

MemoryTabs::MemoryTabs(ViewContext& context, QWidget* parent)
    : QTabWidget(parent)
    , context_(context)
    , detailsPanel_(new LoadingPanel(context.workers))
    , details_(new ValueTreeView(context, tr("Memory details")))
    , addresses_(new AddressMapPage(context))
    , history_(new AddressHistoryPage(context)) {
    setDocumentMode(true);
    detailsPanel_->setContent(details_);
    addTab(detailsPanel_, tr("Details"));
    makeTables();
    addTab(addresses_, tr("Address map"));
    addTab(history_, tr("Addresses over time"));
    connect(this, &QTabWidget::currentChanged, this, &MemoryTabs::loadTab);
    connect(addresses_, &AddressPage::hovered, this, &MemoryTabs::status);
    connect(history_, &AddressPage::hovered, this, &MemoryTabs::status);
    connect(addresses_, &AddressMapPage::variableClicked, this, [this](VariableId id) {
        context_.selection.update([id](Selected& s) { s.variable = id; });
    });
}

void MemoryTabs::makeTables() {
    const QStringList titles{tr("Variables"), tr("Vertices"), tr("Compute sets"), tr("Exchanges")};
    for (int i = 0; i < 4; ++i) {
        tables_[i] = new TablePanel(context_, tr("Filter %1").arg(titles[i].toLower()));
        tables_[i]->view().setAccessibleName(titles[i]);
        addTab(tables_[i], titles[i]);
    }
    TablePanel& variables = table(Variables);
    variables.allowSeveral();
    variables.follow(&Selected::variable);
    connect(&variables, &TablePanel::selectedIds, this, &MemoryTabs::variablesChanged);
    table(Vertices).follow(&Selected::vertexType);
    table(ComputeSets).follow(&Selected::computeSet);
    table(Exchanges).follow(&Selected::exchange);
}

bool MemoryTabs::focusFilter() {
    const int table = currentIndex() - Variables;
    if (table < 0 || table >= 4)
        return false;
    tables_[table]->focusFilter();
    return true;
}

std::vector<VariableId> MemoryTabs::variables() const {
    const VariableId selected = context_.selection.current().variable;
    std::vector<VariableId> ids;
    for (const std::int32_t id : tables_[0]->chosenIds())
        ids.emplace_back(id);
    if (std::find(ids.begin(), ids.end(), selected) != ids.end())
        return ids;
    return selected.valid() ? std::vector<VariableId>{selected} : std::vector<VariableId>{};
}

void MemoryTabs::reload() {
    shown_ = context_.selection.current();
    loadTab();
}

void MemoryTabs::followSelection() {
    const Selected selected = context_.selection.current();
    const bool otherTiles = selected.tiles != shown_.tiles || selected.ipu != shown_.ipu;
    shown_ = selected;
    addresses_->followSelection();
    history_->followSelection();
    if (otherTiles)
        loadTab();
}

std::vector<TileSelection> MemoryTabs::columns() const {
    const Selected& selected = context_.selection.current();
    std::vector<TileSelection> columns{selected.ipu.valid() ? TileSelection::ofIpu(selected.ipu)
                                                            : TileSelection::all()};
    for (const TileId tile : selected.tiles)
        columns.push_back(TileSelection::ofTile(tile));
    return columns;
}

void MemoryTabs::loadTab() {
    if (!context_.reports.source())
        return;
    const std::vector<TileId>& tiles = context_.selection.current().tiles;
    const TileId tile = tiles.empty() ? TileId() : tiles.back();
    switch (currentIndex()) {
    case Details:
        return loadDetails();
    case Addresses:
        return addresses_->loadTile(tile);
    case History:
        return history_->loadTile(tile);
    default:
        return loadTable(static_cast<Tab>(currentIndex()));
    }
}

void MemoryTabs::loadTable(Tab tab) {
    std::vector<TileSelection> columns = this->columns();
    // A column of all tiles would be in the way of comparing some.
    if (columns.size() > 1)
        columns.erase(columns.begin());
    table(tab).load([which = static_cast<MemoryTable>(tab - Variables), columns,
                     units = context_.preferences.byteUnits(),
                     pair = context_.reports.profiles()](const std::stop_token& stop) {
        return memoryTable(which, pair, columns, units, stop);
    });
}

void MemoryTabs::loadDetails() {
    detailsPanel_->load([this, pair = context_.reports.profiles(),
                         columns = columns()](const std::stop_token& stop) {
        return [this, tree = detailsTree(pair, columns, stop)]() mutable {
            details_->setTree(std::move(tree));
            details_->expandAll();
            details_->fitColumns();
        };
    });
}

} // namespace tilescope::views
