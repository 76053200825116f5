// A measured profile beside a simulated one: how far the times of their steps agree.
#pragma once

#include <QWidget>

#include "core/analysis/compare/calibration.h"
#include "views/compare/compact_table.h"
#include "views/compare/step_scatter.h"
#include "views/tables/table_panel.h"
#include "views/widgets/loading_panel.h"

namespace tilescope::views {

/// Whether one of two profiles is simulated and the other is not.
bool canBeCalibrated(const ProfilePair& open);

/// The matched share, ratios by kind, constants that can be fitted, and each step on a plot and in
/// a table, which follow the selection.
class CalibrationPage : public QWidget {
    Q_OBJECT
public:
    explicit CalibrationPage(ViewContext& context, TablePanel* steps, QWidget* parent = nullptr);
    /// Profiles of which canBeCalibrated() is true.
    void load(const ProfilePair& open);
    void clear();
    [[nodiscard]] StepScatter& scatter() { return *scatter_; }
    [[nodiscard]] CompactTable& kinds() { return *kinds_; }
    [[nodiscard]] CompactTable& constants() { return *constants_; }
    [[nodiscard]] const QLabel& matched() const { return *matched_; }

private:
    void show(const Calibration& calibration, Document document,
              std::vector<StepScatter::Mark> marks);

    ViewContext& context_;
    LoadingPanel* panel_;
    WrappedLabel* matched_;
    CompactTable* kinds_;
    CompactTable* constants_;
    WrappedLabel* note_;
    StepScatter* scatter_;
    TablePanel* steps_;
    bool loaded_ = false;
};

} // namespace tilescope::views
