// What changed between two profiles, in one place.
#pragma once

#include <optional>

#include "views/compare/compare_content.h"
#include "views/tables/table_panel.h"
#include "views/tables/value_tree.h"
#include "views/widgets/report_view.h"

class QLabel;
class QTabWidget;
class QTreeView;

namespace tilescope::views {

/// The verdict on top, headline figures and options below it, then the largest differences by kind.
class CompareView : public ReportView {
    Q_OBJECT
public:
    explicit CompareView(ViewContext& context, QWidget* parent = nullptr);
    void focusSearch() override;

protected:
    void reload() override;
    void restyle() override;

private:
    void loadTab();

    LoadingPanel* panel_;
    QLabel* verdict_;
    std::optional<ProfileFigures> source_;
    std::optional<ProfileFigures> target_;
    ValueTreeModel* figures_;
    QTreeView* figuresView_;
    TablePanel* options_;
    QTabWidget* tabs_;
    std::vector<TablePanel*> tables_;
};

} // namespace tilescope::views
