// The operations report: what each part of the model costs.
#pragma once

#include "views/operations/flame/flame_pane.h"
#include "views/operations/graph/graph_pane.h"
#include "views/operations/group_tabs.h"
#include "views/operations/roofline_pane.h"
#include "views/operations/source_pane.h"
#include "views/widgets/report_view.h"

class QAction;
class QComboBox;
class QMenu;
class QSplitter;
class QStackedWidget;
class QToolButton;

namespace tilescope::views {

class ToolRow;

/// The table of groups above (operations, scopes, types, PopLibs calls or steps), the selected
/// one's tabs below. One profile shows any columns, two show one side by side. Instead of the table
/// the model's graph, the rows' roofline, a flame graph or the user's code can be shown, with the
/// tabs beside it.
class OperationsView : public ReportView {
    Q_OBJECT
public:
    explicit OperationsView(ViewContext& context, QWidget* parent = nullptr);
    void focusSearch() override;

    void setChoice(const GroupChoice& choice);
    /// Which rows the table of one profile has; at first those with costs.
    void showRows(ShownRows rows);
    [[nodiscard]] TablePanel& table() { return *table_; }
    [[nodiscard]] GraphPane& graph() { return *graph_; }
    [[nodiscard]] RooflinePane& roofline() { return *roofline_; }
    [[nodiscard]] FlamePane& flame() { return *flame_; }
    [[nodiscard]] SourcePane& code() { return *code_; }
    [[nodiscard]] GroupTabs& tabs() { return *tabs_; }
    [[nodiscard]] const QStringList& columns() const { return columns_; }

protected:
    void reload() override;
    void followSelection() override;
    void restyle() override;

private:
    QWidget* makeTools();
    void joinMenus();
    void fillColumns();
    void setColumn(const QString& key, bool on);
    void load();
    void showReport();
    void fillLayers(int depth, bool hasLines);
    void choose(std::int32_t row);
    void selectRow(std::int32_t row);
    void loadDetails(std::int32_t row);
    void chooseStep(std::int32_t program);
    [[nodiscard]] bool showsGraph() const;
    [[nodiscard]] bool showsTable() const;
    [[nodiscard]] bool showsFlame() const;
    void loadFlame();
    void chooseInFlame(OperationId operation, ModelNodeId node);
    void showPage(QWidget* page);
    void loadGraph();
    void chooseInGraph(const GraphItem& item);
    [[nodiscard]] std::int32_t rowOf(OperationId operation, ModelNodeId node = {}) const;
    void forgetDetails();
    void shareRoom();

    TablePanel* table_;
    GraphPane* graph_;
    RooflinePane* roofline_;
    FlamePane* flame_;
    SourcePane* code_;
    QStackedWidget* pages_;
    QSplitter* splitter_;
    LoadingPanel* detailsPanel_;
    GroupTabs* tabs_;
    BackgroundQuery groups_;
    ToolRow* tools_ = nullptr;
    QComboBox* layer_ = nullptr;
    std::vector<GroupChoice> choices_; ///< of this list
    QComboBox* metric_ = nullptr;
    bool metricChosen_ = false; ///< by the user
    QWidget* metricBox_ = nullptr;
    QToolButton* columnButton_ = nullptr;
    QMenu* columnMenu_ = nullptr;
    QAction* allRows_ = nullptr; ///< whether rows without cost are shown
    GroupChoice choice_;
    QStringList columns_;
    ShownRows shownRows_ = ShownRows::Costly;
    std::shared_ptr<const OperationsReport> report_;
    std::int32_t shownRow_ = -1; ///< the row whose details are shown
    bool sharedByUser_ = false;  ///< the page's and the details' sizes
    bool graphStale_ = true;     ///< the graph is not that of the open profiles
    bool flameStale_ = true;     ///< likewise
};

} // namespace tilescope::views
