#include "views/programs/programs_view.h"

#include <QHeaderView>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTreeView>
#include <QVBoxLayout>

#include "views/programs/program_details.h"

namespace tilescope::views {
namespace {
// Trees up to this size open as a whole, as users of the original expect; larger ones open their
// roots only.
constexpr std::size_t openAllUpTo = 5000;
} // namespace

ProgramsView::ProgramsView(ViewContext& context, QWidget* parent)
    : ReportView(context, parent)
    , model_(new ProgramModel(context, this))
    , treeView_(new QTreeView)
    , treePanel_(new LoadingPanel(context.workers)) {
    treeView_->setModel(model_);
    treeView_->setFrameShape(QFrame::NoFrame);
    treeView_->setUniformRowHeights(true);
    treeView_->setIconSize(QSize(6, 14));
    treeView_->setIndentation(16);
    treeView_->header()->setStretchLastSection(false);
    treeView_->header()->setSectionResizeMode(ProgramModel::Label, QHeaderView::Stretch);
    treeView_->header()->resizeSection(ProgramModel::OperationColumn, 300);
    treeView_->header()->resizeSection(ProgramModel::Cycles, 120);
    treePanel_->setContent(treeView_);
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(treePanel_);
    splitter->addWidget(makeDetails());
    splitter->setStretchFactor(0, 2);
    splitter->setStretchFactor(1, 1);
    splitter->setChildrenCollapsible(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeTools());
    layout->addWidget(splitter, 1);
    connect(treeView_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& index) { choose(model_->programAt(index)); });
    connect(treeView_, &QTreeView::doubleClicked, this, [this](const QModelIndex& index) {
        const Program& program = (*model_->tree().programs)[model_->programAt(index)];
        if (program.target.valid())
            show(program.target);
    });
    connect(model_, &ProgramModel::coloursChanged, treeView_->viewport(),
            qOverload<>(&QWidget::update));
    connect(&context.selection, &Selection::changed, this, &ProgramsView::followSelection);
}

ToolRow* ProgramsView::makeTools() {
    auto* tools = new ToolRow;
    side_ = tools->addChoice(tr("Profile"), {tr("Source")});
    auto* expand = tools->addButton(tr("Expand all"), tr("Open all branches"));
    auto* collapse = tools->addButton(tr("Collapse all"), tr("Close all branches"));
    tools->addStretch();
    search_ =
        tools->addField(tr("Search programs"),
                        tr("Enter goes to the next match, Shift+Enter to the one before"), 260);
    connect(side_, &QComboBox::activated, this, [this] { reload(); });
    connect(expand, &QToolButton::clicked, treeView_, &QTreeView::expandAll);
    connect(collapse, &QToolButton::clicked, treeView_, &QTreeView::collapseAll);
    connect(search_, &QLineEdit::textChanged, this, [this](const QString& text) {
        model_->setMarked(context().selection.current().operation, text);
    });
    connect(search_, &QLineEdit::returnPressed, this,
            [this] { findNext(!QApplication::keyboardModifiers().testFlag(Qt::ShiftModifier)); });
    return tools;
}

QWidget* ProgramsView::makeDetails() {
    details_ = new ValueTreeModel(context(), this);
    detailsView_ = new QTreeView;
    detailsView_->setModel(details_);
    detailsView_->setFrameShape(QFrame::NoFrame);
    detailsView_->setUniformRowHeights(true);
    detailsPanel_ = new LoadingPanel(context().workers);
    detailsPanel_->setContent(detailsView_);
    detailsPanel_->showMessage(tr("No program is selected"),
                               tr("Select a line of the tree to see what it does."));
    return detailsPanel_;
}

void ProgramsView::focusSearch() {
    search_->setFocus();
    search_->selectAll();
}

bool ProgramsView::showsTarget() const {
    return comparing() && side_->currentIndex() == 1;
}

const OpenProfilePtr& ProgramsView::shownProfile() const {
    return showsTarget() ? profiles().target : profiles().source;
}

void ProgramsView::reload() {
    const int side = side_->currentIndex();
    {
        const QSignalBlocker blocker(side_);
        side_->clear();
        side_->addItem(tr("Source: %1").arg(profiles().source->title()));
        if (comparing())
            side_->addItem(tr("Target: %1").arg(profiles().target->title()));
        side_->setCurrentIndex(side_->count() > 1 ? std::max(0, side) : 0);
        side_->setEnabled(comparing());
    }
    detailsPanel_->showMessage(tr("No program is selected"),
                               tr("Select a line of the tree to see what it does."));
    treePanel_->load([this, profile = shownProfile()](const std::stop_token& stop) {
        return [this, tree = readProgramTree(*profile, stop)]() mutable {
            const bool empty = tree.roots.empty();
            model_->setTree(std::move(tree));
            if (empty)
                return treePanel_->showMessage(tr("This profile has no programs"), {});
            expandFirstLevels();
            followSelection();
        };
    });
}

void ProgramsView::expandFirstLevels() {
    if (model_->tree().labels.size() <= openAllUpTo)
        treeView_->expandAll();
    else
        treeView_->expandToDepth(0);
}

void ProgramsView::choose(ProgramId program) {
    if (!program.valid())
        return;
    loadDetails(program);
    if (showsTarget())
        return;
    const Program& chosen = (*model_->tree().programs)[program];
    context().selection.update([&](Selected& s) {
        s.program = program;
        s.operation = chosen.operation;
        s.computeSet = chosen.computeSet;
    });
}

void ProgramsView::loadDetails(ProgramId program) {
    detailsPanel_->load([this, profile = shownProfile(), program](const std::stop_token& stop) {
        return [this, tree = programDetails(*profile, program, stop)]() mutable {
            details_->setTree(std::move(tree));
            detailsView_->expandToDepth(1);
            detailsView_->header()->setStretchLastSection(true);
            detailsView_->header()->resizeSection(0, 420);
        };
    });
}

void ProgramsView::followSelection() {
    if (showsTarget() || !model_->tree().programs)
        return;
    const Selected& selected = context().selection.current();
    model_->setMarked(selected.operation, search_->text());
    show(selected.program);
}

void ProgramsView::show(ProgramId program) {
    const QModelIndex index = model_->indexOf(program);
    if (!index.isValid() || treeView_->currentIndex().siblingAtColumn(0) == index)
        return;
    treeView_->scrollTo(index, QAbstractItemView::PositionAtCenter);
    treeView_->setCurrentIndex(index);
}

void ProgramsView::findNext(bool forward) {
    if (search_->text().isEmpty())
        return;
    const ProgramId found =
        model_->find(search_->text(), model_->programAt(treeView_->currentIndex()), forward);
    if (found.valid())
        show(found);
    else
        emit status(tr("No program contains '%1'").arg(search_->text()));
}

} // namespace tilescope::views
