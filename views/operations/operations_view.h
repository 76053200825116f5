// The operations report: what each operation of the model costs.
#pragma once

#include "views/tables/table_panel.h"
#include "views/tables/value_tree.h"
#include "views/widgets/report_view.h"

class QTreeView;

namespace tilescope::views {

/// The table of operations above, the selected one's plan and options below.
class OperationsView : public ReportView {
    Q_OBJECT
public:
    explicit OperationsView(ViewContext& context, QWidget* parent = nullptr);
    void focusSearch() override { table_->focusFilter(); }

protected:
    void reload() override;
    void shown() override { followSelection(); }

private:
    void loadDetails(OperationId operation);
    void followSelection();

    TablePanel* table_;
    LoadingPanel* detailsPanel_;
    ValueTreeModel* details_;
    QTreeView* detailsView_;
    OperationId shown_;
};

} // namespace tilescope::views
