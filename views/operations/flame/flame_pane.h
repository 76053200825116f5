// The flame graph with its controls: a page of the operations report.
#pragma once

#include <QWidget>
#include <memory>

#include "core/analysis/compare/profile_pair.h"
#include "views/operations/flame/flame_view.h"
#include "views/widgets/loading_panel.h"
#include "views/widgets/search_box.h"

class QComboBox;
class QLabel;
class QToolButton;

namespace tilescope::views {

class LegendBar;
class ToolRow;

/// What boxes are as wide as, a search, and the way back above the graph; the passes below.
class FlamePane : public QWidget {
    Q_OBJECT
public:
    explicit FlamePane(ViewContext& context);

    /// Reads the costs of the chosen profile, the first if only one is open; forgets previous ones.
    void load(const ProfilePair& profiles);
    void focusSearch() { search_->focus(); }
    /// Outlines what is selected elsewhere.
    void select(OperationId operation);
    [[nodiscard]] FlameView& flame() { return *flame_; }
    [[nodiscard]] QComboBox& weights() { return *weight_; }
    [[nodiscard]] QComboBox& profileChoice() { return *profile_; } ///< shown when comparing
    [[nodiscard]] SearchBox& search() { return *search_; }

signals:
    /// A box was chosen: the operation that costs most in it; none without one.
    void chosen(tilescope::OperationId operation, tilescope::ModelNodeId node);
    void hovered(const QString& text);

private:
    QWidget* makeTools();
    void show(std::shared_ptr<const FlameTree> tree, std::shared_ptr<const SourceNames> names,
              double clockHz);
    [[nodiscard]] OperationId inSource(OperationId operation) const;
    void find();
    void step(bool forward);
    void showLegend();

    ViewContext& context_;
    ProfilePair profiles_;
    std::shared_ptr<const SourceNames> names_;
    std::shared_ptr<const MatchedOperations> matched_; ///< where the target is shown
    LoadingPanel* panel_;
    FlameView* flame_;
    LegendBar* legend_;
    ToolRow* tools_ = nullptr;
    QComboBox* weight_ = nullptr;
    QComboBox* profile_ = nullptr;
    QToolButton* back_ = nullptr;
    SearchBox* search_ = nullptr;
    QLabel* found_ = nullptr;
    OperationId selected_;
};

} // namespace tilescope::views
