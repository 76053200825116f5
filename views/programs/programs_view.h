// The program tree report.
#pragma once

#include "views/programs/program_model.h"
#include "views/tables/value_tree.h"
#include "views/widgets/loading_panel.h"
#include "views/widgets/report_view.h"
#include "views/widgets/tool_row.h"

class QLabel;
class QTreeView;

namespace tilescope::views {

/// The tree above, the selected program's details below.
class ProgramsView : public ReportView {
    Q_OBJECT
public:
    explicit ProgramsView(ViewContext& context, QWidget* parent = nullptr);
    void focusSearch() override;
    [[nodiscard]] ProgramModel& model() { return *model_; }
    [[nodiscard]] QTreeView& tree() { return *treeView_; }

protected:
    void reload() override;
    void shown() override { followSelection(); }

private:
    ToolRow* makeTools();
    QWidget* makeDetails();
    void loadDetails(ProgramId program);
    void followSelection();
    void show(ProgramId program);
    void choose(ProgramId program);
    void findNext(bool forward);
    void expandFirstLevels();
    [[nodiscard]] const OpenProfilePtr& shownProfile() const;
    [[nodiscard]] bool showsTarget() const;

    ProgramModel* model_;
    QTreeView* treeView_;
    LoadingPanel* treePanel_;
    QComboBox* side_ = nullptr;
    QLineEdit* search_ = nullptr;
    LoadingPanel* detailsPanel_ = nullptr;
    ValueTreeModel* details_ = nullptr;
    QTreeView* detailsView_ = nullptr;
};

} // namespace tilescope::views
