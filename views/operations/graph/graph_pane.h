// The model's graph with its controls: a page of the operations report.
#pragma once

#include <QWidget>

#include "views/operations/graph/graph_canvas.h"
#include "views/operations/graph/graph_legend.h"
#include "views/widgets/loading_panel.h"
#include "views/widgets/pointed.h"
#include "views/widgets/search_box.h"

class QComboBox;
class QLabel;
class QToolButton;

namespace tilescope::views {

/// Metric, grouping, search and the path of the chosen item above the drawing, the legend below.
class GraphPane : public QWidget {
    Q_OBJECT
public:
    explicit GraphPane(ViewContext& context, QWidget* parent = nullptr);

    /// Reads the graphs of these profiles; forgets the previous ones.
    void load(const ProfilePair& profiles);
    [[nodiscard]] const std::shared_ptr<const GraphModel>& model() const { return model_; }
    void focusSearch() { search_->focus(); }

    /// Expands the scopes of an item, chooses it and moves it into view.
    void show(const GraphItem& item);
    [[nodiscard]] GraphCanvas& canvas() { return *canvas_; }
    /// Marks the first place of an operation, or the scope shown for it; expands nothing.
    void mark(OperationId operation);

signals:
    void itemChosen(const GraphItem& item);
    void hovered(const QString& text);

private:
    QWidget* makeTools();
    [[nodiscard]] Pointed pointed(const GraphItem& item);
    void showModel(std::shared_ptr<const GraphModel> model);
    void showMissing(const MissingGraph& missing);
    void fillMetrics();
    void changeExpansion(const Expansion& expansion, const GraphItem& anchor, bool thenReveal);
    void choose(const GraphItem& item);
    void findMatches(const QString& text);
    void stepMatch(bool forward);
    void showWay(const GraphItem& item);
    void followWay(const QString& link);

    ViewContext& context_;
    ProfilePair profiles_;
    std::shared_ptr<const GraphModel> model_;
    BackgroundQuery layout_;
    LoadingPanel* panel_;
    GraphCanvas* canvas_;
    GraphLegend* legend_;
    SearchBox* search_ = nullptr;
    QComboBox* metric_ = nullptr;
    QToolButton* byPhase_ = nullptr;
    QToolButton* byStage_ = nullptr;
    QLabel* way_ = nullptr;
    std::optional<Expansion> expansion_; ///< that is shown or being laid out
    std::vector<ModelNodeId> matches_;
    int match_ = -1; ///< the one that is shown
};

} // namespace tilescope::views
