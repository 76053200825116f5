// The pipeline report: which stage runs when, what is lost, and what would be better.
#pragma once

#include <array>
#include <optional>

#include "views/pipeline/share_bar.h"
#include "views/pipeline/slot_diagram.h"
#include "views/plot/legend_bar.h"
#include "views/tables/table_panel.h"
#include "views/widgets/fact_card.h"
#include "views/widgets/loading_panel.h"
#include "views/widgets/report_view.h"
#include "views/widgets/tool_row.h"
#include "views/widgets/wrapped_label.h"

class QLabel;
class QPushButton;
class QSpinBox;

namespace tilescope::views {

/// Cards and the slots of the source (and below, of the target) above, the stages as a table below.
class PipelineView : public ReportView {
    Q_OBJECT
public:
    explicit PipelineView(ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] SlotDiagram& diagram() { return *sides_[0].diagram; }
    [[nodiscard]] SlotDiagram& targetDiagram() { return *sides_[1].diagram; }
    void setWidths(SlotWidths widths);
    void setNumbers(SlotNumbers numbers);
    void setColours(SlotColours colours);

protected:
    void reload() override;
    void followSelection() override;
    void restyle() override;

private:
    /// The widgets that each profile has.
    struct Side {
        WrappedLabel* title = nullptr;
        WrappedLabel* empty = nullptr; ///< in place of the diagram
        SlotDiagram* diagram = nullptr;
        ShareBar* shares = nullptr;
        QWidget* split = nullptr;
        WrappedLabel* splitText = nullptr;
        WrappedLabel* splitOption = nullptr;
        QWidget* actions = nullptr; ///< buttons that apply or copy the split
    };
    ToolRow* makeTools();
    QWidget* makeTop();
    QWidget* makeCards();
    Card* makeSplitCard();
    QWidget* makeSplitActions(std::size_t side);
    void runWithSplit(std::size_t side);
    void show(PipelineSide source, std::optional<PipelineSide> target);
    void showSide(Side& side, const PipelineSide* shown);
    void pieceChosen(std::size_t side, int piece);
    /// The user has chosen a piece: the selection has its program and micro-batch.
    void select(std::size_t side, int piece);
    void follow(std::int64_t microBatch);
    void goTo(const QString& report);
    /// One scale for both diagrams, if they count the same.
    void shareScale();
    void updateLegend();
    void updateTexts();

    LoadingPanel* panel_;
    QComboBox* widths_ = nullptr;
    QComboBox* numbers_ = nullptr;
    QComboBox* colours_ = nullptr;
    QSpinBox* follow_ = nullptr;
    QToolButton* toTrace_ = nullptr;
    QToolButton* toTree_ = nullptr;
    Card* facts_ = nullptr;
    WrappedLabel* chosen_ = nullptr;
    LegendBar* legend_ = nullptr;
    TablePanel* stages_ = nullptr;
    std::array<Side, 2> sides_; ///< source, target
    std::optional<PipelineSide> source_;
    std::optional<PipelineSide> target_;
    bool scrolling_ = false; ///< one diagram makes the other follow
};

} // namespace tilescope::views
