// What changed between two profiles, in one place.
#pragma once

#include "views/tables/table_panel.h"
#include "views/tables/value_tree.h"
#include "views/widgets/report_view.h"

class QTabWidget;
class QTreeView;

namespace tilescope::views {

/// Headline figures and options above, the largest differences by kind below.
class CompareView : public ReportView {
    Q_OBJECT
public:
    explicit CompareView(ViewContext& context, QWidget* parent = nullptr);
    void focusSearch() override;

protected:
    void reload() override;

private:
    void loadTab();

    LoadingPanel* panel_;
    ValueTreeModel* figures_;
    QTreeView* figuresView_;
    TablePanel* options_;
    QTabWidget* tabs_;
    std::vector<TablePanel*> tables_;
};

} // namespace tilescope::views
