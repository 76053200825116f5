#include "views/compare/compare_view.h"

#include <QHeaderView>
#include <QSplitter>
#include <QTabWidget>
#include <QTreeView>
#include <QVBoxLayout>
#include <cmath>

#include "views/operations/operations_content.h"
#include "views/summary/summary_content.h"
#include "views/tables/profile_tables.h"

namespace tilescope::views {
namespace {

ValueNode line(const QString& name, std::int64_t source, std::int64_t target, CellKind kind) {
    return {name, {source, target, Change{source, target}}, {}, kind};
}

ValueTree headline(const ProfilePair& pair, const std::stop_token& stop) {
    const ProfileFigures a = readFigures(*pair.source, stop);
    const ProfileFigures b = readFigures(*pair.target, stop);
    const ProfileInfo& ia = pair.source->info();
    const ProfileInfo& ib = pair.target->info();
    const auto count = [](std::size_t n) { return static_cast<std::int64_t>(n); };
    ValueTree tree{
        CompareView::tr("Figure"),
        {CompareView::tr("Source"), CompareView::tr("Target"), CompareView::tr("Difference")},
        {}};
    tree.roots = {
        line(CompareView::tr("Fullest tile, including gaps"), a.memory.maxTile.includingGaps,
             b.memory.maxTile.includingGaps, CellKind::Bytes),
        line(CompareView::tr("Fullest tile, excluding gaps"), a.memory.maxTile.excludingGaps,
             b.memory.maxTile.excludingGaps, CellKind::Bytes),
        line(CompareView::tr("Total, including gaps"), a.memory.total.includingGaps,
             b.memory.total.includingGaps, CellKind::Bytes),
        line(CompareView::tr("Total, excluding gaps"), a.memory.total.excludingGaps,
             b.memory.total.excludingGaps, CellKind::Bytes),
        line(CompareView::tr("Always live"), a.memory.alwaysLive, b.memory.alwaysLive,
             CellKind::Bytes),
        line(CompareView::tr("Peak not always live"), a.memory.maxNotAlwaysLive,
             b.memory.maxNotAlwaysLive, CellKind::Bytes),
        line(CompareView::tr("Tiles over the limit"), a.memory.tilesOverLimit,
             b.memory.tilesOverLimit, CellKind::Count),
        line(CompareView::tr("Cycles"), ia.cycles, ib.cycles, CellKind::Cycles),
        line(CompareView::tr("Samples a second"), std::llround(ia.throughput),
             std::llround(ib.throughput), CellKind::Count),
        line(CompareView::tr("Variables"), count(a.variables), count(b.variables), CellKind::Count),
        line(CompareView::tr("Compute sets"), count(a.computeSets), count(b.computeSets),
             CellKind::Count),
        line(CompareView::tr("Program steps"), count(a.steps), count(b.steps), CellKind::Count),
        line(CompareView::tr("Vertices"), ia.vertices, ib.vertices, CellKind::Count),
        line(CompareView::tr("Edges"), ia.edges, ib.edges, CellKind::Count)};
    return tree;
}

} // namespace

CompareView::CompareView(ViewContext& context, QWidget* parent)
    : ReportView(context, parent)
    , panel_(new LoadingPanel(context.workers))
    , figures_(new ValueTreeModel(context, this))
    , figuresView_(new QTreeView)
    , options_(new TablePanel(context, tr("Filter options")))
    , tabs_(new QTabWidget) {
    figuresView_->setModel(figures_);
    figuresView_->setFrameShape(QFrame::NoFrame);
    figuresView_->setRootIsDecorated(false);
    figuresView_->setUniformRowHeights(true);
    tabs_->setDocumentMode(true);
    for (const QString& title :
         {tr("Variables"), tr("Operations"), tr("Compute sets"), tr("Exchanges"), tr("Vertices")}) {
        tables_.push_back(new TablePanel(context, tr("Filter %1").arg(title.toLower())));
        tabs_->addTab(tables_.back(), title);
    }
    auto* top = new QSplitter(Qt::Horizontal);
    top->addWidget(figuresView_);
    top->addWidget(options_);
    top->setStretchFactor(0, 3);
    top->setStretchFactor(1, 2);
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(top);
    splitter->addWidget(tabs_);
    splitter->setChildrenCollapsible(false);
    panel_->setContent(splitter);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(panel_);
    connect(tabs_, &QTabWidget::currentChanged, this, &CompareView::loadTab);
    connect(tables_[0], &TablePanel::chosen, this, [this](std::int32_t id) {
        this->context().selection.update([id](Selected& s) { s.variable = VariableId(id); });
    });
    connect(tables_[1], &TablePanel::chosen, this, [this](std::int32_t id) {
        this->context().selection.update([id](Selected& s) { s.operation = OperationId(id); });
    });
}

void CompareView::focusSearch() {
    tables_[static_cast<std::size_t>(tabs_->currentIndex())]->focusFilter();
}

void CompareView::reload() {
    if (!comparing()) {
        panel_->query().cancel();
        panel_->showMessage(
            tr("Only one profile is open"),
            tr("Open a second one with File > Compare with… (Ctrl+Shift+O), or drop two "
               "profiles on the window. Then every report shows both."));
        return;
    }
    panel_->load([this, pair = profiles()](const std::stop_token& stop) {
        return [this, tree = headline(pair, stop), options = optionsTable(pair)]() mutable {
            figures_->setTree(std::move(tree));
            QHeaderView* header = figuresView_->header();
            header->setStretchLastSection(false);
            header->setSectionResizeMode(0, QHeaderView::Stretch);
            for (int i = 1; i < 4; ++i)
                header->resizeSection(i, i == 3 ? 180 : 105);
            options_->setTable(std::move(options));
        };
    });
    loadTab();
}

void CompareView::loadTab() {
    if (!comparing())
        return;
    const int tab = tabs_->currentIndex();
    tables_[static_cast<std::size_t>(tab)]->load(
        [tab, pair = profiles()](const std::stop_token& stop) {
            const TileSelection all = TileSelection::all();
            switch (tab) {
            case 0:
                return variablesTable(pair, all, stop);
            case 1:
                return operationsTable(pair, stop);
            case 2:
                return computeSetsTable(pair, all, stop);
            case 3:
                return exchangesTable(pair, all, stop);
            default:
                return verticesTable(pair, all, stop);
            }
        });
}

} // namespace tilescope::views
