// The values report: how a training went, and what its numbers are.
#pragma once

#include "views/tables/table_panel.h"
#include "views/values/curves_pane.h"
#include "views/values/heat_pane.h"
#include "views/widgets/report_view.h"

class QComboBox;
class QTabWidget;
class QToolButton;

namespace tilescope::views {

class ToolRow;

/// Curves of the training and a heat map of values above, both over the same iterations; tables
/// below. The tensor that is selected is that of the whole window.
class ValuesView : public ReportView {
    Q_OBJECT
public:
    explicit ValuesView(ViewContext& context, QWidget* parent = nullptr);
    void focusSearch() override;
    [[nodiscard]] ZoomRange* axis() override { return content_ ? &iterations_ : nullptr; }

    [[nodiscard]] CurvesPane& curves() { return *curves_; }
    [[nodiscard]] HeatPane& heat() { return *heat_; }
    [[nodiscard]] TablePanel& tensors() { return *tensors_; }
    [[nodiscard]] const ValuesContent& content() const { return *content_; }
    /// The tensor that is shown, a place in the content's pairs; -1 for none.
    [[nodiscard]] int shownPair() const { return pair_; }

protected:
    void reload() override;
    void followSelection() override;

private:
    ToolRow* makeTools();
    QTabWidget* makeTabs();
    void showContent(ValuesContent content);
    void showNothing();
    void chooseCurves();
    void showTensors();
    void showMap(int choice);
    void userChose(int pair);
    void showPair(int pair);
    void followTable();
    [[nodiscard]] std::optional<ValueKind> kind() const;

    ZoomRange iterations_;
    LoadingPanel* panel_;
    CurvesPane* curves_;
    HeatPane* heat_;
    TablePanel* tensors_;
    TablePanel* samples_;
    TablePanel* epochs_;
    TablePanel* updates_;
    QTabWidget* tabs_ = nullptr;
    std::array<QToolButton*, curveQuantities.size()> curveButtons_{};
    QComboBox* kinds_ = nullptr;
    QComboBox* maps_ = nullptr;
    QToolButton* toOperations_ = nullptr;
    ToolRow* tools_ = nullptr;
    QToolButton* compute_ = nullptr; ///< where there are no values
    std::shared_ptr<const ValuesContent> content_;
    int pair_ = -1;
    bool userChoseCurves_ = false;
};

} // namespace tilescope::views
