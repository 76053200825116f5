#include "views/operations/operations_view.h"

#include <QHeaderView>
#include <QSplitter>
#include <QTreeView>
#include <QVBoxLayout>

#include "views/operations/operations_content.h"

namespace tilescope::views {

OperationsView::OperationsView(ViewContext& context, QWidget* parent)
    : ReportView(context, parent)
    , table_(new TablePanel(context, tr("Filter operations")))
    , detailsPanel_(new LoadingPanel(context.workers))
    , details_(new ValueTreeModel(context, this))
    , detailsView_(new QTreeView) {
    detailsView_->setModel(details_);
    detailsView_->setFrameShape(QFrame::NoFrame);
    detailsView_->setUniformRowHeights(true);
    detailsPanel_->setContent(detailsView_);
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(table_);
    splitter->addWidget(detailsPanel_);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 1);
    splitter->setChildrenCollapsible(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(splitter);
    connect(table_, &TablePanel::chosen, this, [this](std::int32_t id) {
        if (id >= 0)
            this->context().selection.update([id](Selected& s) { s.operation = OperationId(id); });
    });
    connect(&context.selection, &Selection::changed, this, &OperationsView::followSelection);
}

void OperationsView::reload() {
    shown_ = {};
    detailsPanel_->query().cancel();
    detailsPanel_->showMessage(tr("No operation is selected"),
                               tr("Select a line of the table to see its plan and options."));
    table_->load(
        [pair = profiles()](const std::stop_token& stop) { return operationsTable(pair, stop); });
    followSelection();
}

void OperationsView::followSelection() {
    const OperationId operation = context().selection.current().operation;
    table_->selectId(operation.value());
    if (profiles().source && isVisible() && operation.valid() && operation != shown_)
        loadDetails(operation);
}

void OperationsView::loadDetails(OperationId operation) {
    shown_ = operation;
    detailsPanel_->load(
        [this, profile = profiles().source, operation](const std::stop_token& stop) {
            return [this, tree = operationDetails(*profile, operation, stop)]() mutable {
                details_->setTree(std::move(tree));
                detailsView_->expandAll();
                detailsView_->header()->setStretchLastSection(true);
                detailsView_->header()->resizeSection(0, 420);
            };
        });
}

} // namespace tilescope::views
