#include "views/programs/programs_view.h"

#include <QHeaderView>
#include <QTreeView>
#include <algorithm>

#include "core/base/units.h"
#include "views/programs/program_details.h"
#include "views/widgets/parts.h"

namespace tilescope::views {
namespace {
// Trees up to this size open as a whole, as users of the original expect; larger ones open their
// roots only.
constexpr std::size_t openAllUpTo = 5000;
constexpr int listWidth = 190;
constexpr int operationWidth = 220;
} // namespace

ProgramsView::ProgramsView(ViewContext& context, QWidget* parent)
    : ReportView(context, parent)
    , detailsPanel_(new LoadingPanel(context.workers))
    , details_(new ValueTreeView(context, tr("Details of the selected program"))) {
    detailsPanel_->setContent(details_);
    QWidget* trees = makeTrees();
    inColumn(this, {makeTools(), splitOf(Qt::Vertical, trees, detailsPanel_, 2, 1)});
}

ToolRow* ProgramsView::makeTools() {
    auto* tools = new ToolRow;
    auto* expand = tools->addButton(tr("Expand all"), tr("Open all branches"));
    auto* collapse = tools->addButton(tr("Collapse all"), tr("Close all branches"));
    function_ = tools->addButton(tr("Go to function"),
                                 tr("Show the function that the selected Call runs (Enter)"));
    trace_ =
        tools->addButton(tr("Trace"), tr("Show the selected program in the Execution Trace (T)"));
    differences_ = {
        tools->addButton(tr("Previous difference"),
                         tr("The program before that differs (Ctrl+Up)")),
        tools->addButton(tr("Next difference"), tr("The next program that differs (Ctrl+Down)"))};
    tools->addStretch();
    search_ = new SearchBox(tr("Search programs"),
                            tr("Enter goes to the next match, Shift+Enter to the one before"));
    search_->offerOptions();
    tools->add(search_);
    tools->setPriority(search_, ToolRow::Priority::Always);
    connect(expand, &QToolButton::clicked, this, [this] {
        for (const Side& side : sides_)
            side.view->expandAll();
    });
    connect(collapse, &QToolButton::clicked, this, [this] {
        for (const Side& side : sides_)
            side.view->collapseAll();
    });
    connect(function_, &QToolButton::clicked, this,
            [this] { goToFunction(active_, sides_.at(active_).view->currentIndex()); });
    connect(trace_, &QToolButton::clicked, this, &ProgramsView::showInTrace);
    connect(differences_[0], &QToolButton::clicked, this, [this] { findDifference(false); });
    connect(differences_[1], &QToolButton::clicked, this, [this] { findDifference(true); });
    connect(search_, &SearchBox::textChanged, this, [this] {
        for (const Side& side : sides_)
            side.model->setMarked(context().selection.current().operation, search_->matcher());
        updateMatches();
    });
    connect(search_, &SearchBox::stepWanted, this, &ProgramsView::findNext);
    return tools;
}

QWidget* ProgramsView::makeTrees() {
    treePanel_ = new LoadingPanel(context().workers);
    list_ = new ProgramList;
    auto* splitter = new QSplitter(Qt::Horizontal);
    splitter->addWidget(list_);
    splitter->addWidget(makeSide(sourceSide));
    splitter->addWidget(makeSide(targetSide));
    splitter->setStretchFactor(1, 1);
    splitter->setStretchFactor(2, 1);
    splitter->setSizes({listWidth, 1000, 1000}); // only the ratio of the others counts
    splitter->setChildrenCollapsible(false);
    list_->setMaximumWidth(2 * listWidth);
    treePanel_->setContent(splitter);
    connect(list_, &ProgramList::rootChosen, this,
            [this](ProgramId root) { show(sourceSide, root); });
    return treePanel_;
}

QWidget* ProgramsView::makeSide(std::size_t at) {
    Side& side = sides_.at(at);
    side.model = new ProgramModel(context(), this);
    side.view = new QTreeView;
    side.title = textLabel({}, "muted");
    side.title->setMargin(6);
    side.page = new QWidget;
    side.view->setModel(side.model);
    side.view->setAccessibleName(at == sourceSide ? tr("Program tree")
                                                  : tr("Program tree of the target"));
    side.view->setFrameShape(QFrame::NoFrame);
    side.view->setUniformRowHeights(true);
    side.view->setIconSize(QSize(6, 14));
    side.view->setIndentation(16);
    side.view->setExpandsOnDoubleClick(false);
    side.view->viewport()->installEventFilter(this); // to fit columns to the new size
    QHeaderView* header = side.view->header();
    header->setStretchLastSection(false);
    header->setSectionResizeMode(ProgramModel::Label, QHeaderView::Stretch);
    header->resizeSection(ProgramModel::OperationColumn, operationWidth);
    header->resizeSection(ProgramModel::Executions, 96);
    header->resizeSection(ProgramModel::Share, 72);
    inColumn(side.page, {side.title, side.view});
    connect(side.view->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this, at](const QModelIndex& index) {
                chosen(at, sides_.at(at).model->programAt(index));
            });
    connect(side.view, &QTreeView::activated, this,
            [this, at](const QModelIndex& index) { goToFunction(at, index); });
    connect(side.view, &QTreeView::expanded, this,
            [this, at](const QModelIndex& index) { expandOther(at, index, true); });
    connect(side.view, &QTreeView::collapsed, this,
            [this, at](const QModelIndex& index) { expandOther(at, index, false); });
    side.view->installEventFilter(this);
    setPointAt(*side.view, [this, at](const std::optional<QPoint>& position, const ShowMenu& show) {
        const Side& its = sides_.at(at);
        show(pointed(at,
                     position ? its.model->programAt(its.view->indexAt(*position)) : current(at)));
    });
    connect(side.model, &ProgramModel::coloursChanged, side.view->viewport(),
            qOverload<>(&QWidget::update));
    return side.page;
}

void ProgramsView::reload() {
    active_ = sourceSide;
    for (const Side& side : sides_)
        side.model->setTree({});
    list_->setTree({});
    function_->setEnabled(false);
    trace_->setEnabled(false);
    for (QToolButton* button : differences_)
        button->setVisible(comparing());
    for (const Side& side : sides_) {
        side.title->setVisible(comparing());
        side.view->setColumnHidden(ProgramModel::Difference, !comparing());
        // With two trees there is no room for columns that the details have too.
        side.view->setColumnHidden(ProgramModel::Executions, comparing());
        side.view->setColumnHidden(ProgramModel::Share, comparing());
        showOperations(side);
    }
    showList();
    sides_[targetSide].page->setVisible(comparing());
    sides_[sourceSide].title->setText(
        tr("Source: %1").arg(profileTitle(profiles(), *profiles().source)));
    if (comparing())
        sides_[targetSide].title->setText(
            tr("Target: %1").arg(profileTitle(profiles(), *profiles().target)));
    detailsPanel_->setMaximumHeight(5 * fontMetrics().height()); // a hint needs no more
    detailsPanel_->showMessage(tr("No program is selected"),
                               tr("Select a line of the tree to see what it does."));
    readTrees();
}

void ProgramsView::readTrees() {
    treePanel_->load([this, pair = profiles()](const std::stop_token& stop) {
        ComparedTrees trees = pair.comparing()
                                  ? readComparedTrees(*pair.source, *pair.target, stop)
                                  : ComparedTrees{readProgramTree(*pair.source, stop), {}};
        return [this, trees = std::move(trees)]() mutable {
            sides_[sourceSide].model->setTree(std::move(trees.source));
            sides_[targetSide].model->setTree(std::move(trees.target));
            treesRead();
        };
    });
}

void ProgramsView::treesRead() {
    const ProgramTreeData& tree = model().tree();
    list_->setTree(tree);
    if (tree.roots.empty())
        return treePanel_->showMessage(tr("This profile has no programs"), {});
    fitNumbers();
    expandFirstLevels();
    updateMatches();
    followSelection();
}

// Cycles of long runs have ten digits; beside another tree columns must be no wider than needed.
void ProgramsView::fitNumbers() {
    constexpr int margins = 20; // pixels
    std::int64_t most = 0;
    for (const Side& side : sides_)
        for (const ProgramCost& cost : side.model->tree().costs)
            most = std::max(most, cost.cycles);
    const QString longest = QLatin1Char('+') + QString::fromStdString(withThousands(most));
    for (const Side& side : sides_)
        for (const int column : {ProgramModel::Cycles, ProgramModel::Difference}) {
            QHeaderView* header = side.view->header();
            const QString title =
                side.model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
            header->resizeSection(
                column, margins + std::max(side.view->fontMetrics().horizontalAdvance(longest),
                                           header->fontMetrics().horizontalAdvance(title)));
        }
    for (const Side& side : sides_)
        showOperations(side);
}

// Both trees have the same programs at their top.
void ProgramsView::showList() {
    constexpr int leastBesideTwo = 1000; // pixels
    list_->setVisible(!comparing() || width() >= leastBesideTwo);
}

// Only if it leaves room for the programs' names: the details have the operation, too.
void ProgramsView::showOperations(const Side& side) {
    constexpr int leastName = 220; // pixels, with the branches before it
    const QHeaderView& header = *side.view->header();
    int room = side.view->viewport()->width() - leastName - operationWidth;
    for (const int column : {ProgramModel::Cycles, ProgramModel::Executions, ProgramModel::Share})
        room -= header.isSectionHidden(column) ? 0 : header.sectionSize(column);
    side.view->setColumnHidden(ProgramModel::OperationColumn, comparing() || room < 0);
}

void ProgramsView::expandFirstLevels() {
    for (const Side& side : sides_)
        if (side.model->tree().labels.size() <= openAllUpTo)
            side.view->expandAll();
        else
            side.view->expandToDepth(0);
}

} // namespace tilescope::views
