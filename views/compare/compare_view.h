// What changed between two profiles, in one place.
#pragma once

#include <array>

#include "core/analysis/compare/waterfall.h"
#include "views/compare/calibration_page.h"
#include "views/compare/overview_page.h"
#include "views/compare/waterfall_chart.h"
#include "views/tables/table_panel.h"
#include "views/widgets/report_view.h"

class QTabWidget;
class QToolButton;

namespace tilescope::views {

/// The overview first, then what changed in three groups: memory, time, program and options, each
/// with a tab for each kind. Rows lead to their places in the other reports; the selection is
/// shared with them.
class CompareView : public ReportView {
    Q_OBJECT
public:
    /// What a tab shows.
    enum class Page {
        Overview,
        MemoryCauses,
        Variables,
        Aligned,
        CycleCauses,
        ComputeSets,
        Exchanges,
        Operations,
        Plans,
        Programs,
        Vertices,
        Options,
        Calibration
    };
    static constexpr std::size_t pages = 13;

    explicit CompareView(ViewContext& context, QWidget* parent = nullptr);
    void focusSearch() override;

    [[nodiscard]] OverviewPage& overview() { return *overview_; }
    [[nodiscard]] WaterfallChart& waterfall() { return *chart_; }
    [[nodiscard]] CalibrationPage& calibration() { return *calibration_; }
    [[nodiscard]] QTabWidget& groups() { return *groups_; }
    /// The page in front, and bringing one there.
    [[nodiscard]] Page page() const;
    void showPage(Page page);
    /// The table of a page; null for the overview.
    [[nodiscard]] TablePanel* table(Page page) const {
        return tables_.at(static_cast<std::size_t>(page));
    }

protected:
    void reload() override;
    void restyle() override { overview_->restyle(); }
    void followSelection() override;

private:
    void makeGroups();
    QWidget* makePage(Page page);
    void showComparison();
    void showWaterfall();
    void loadPage();
    [[nodiscard]] TablePanel::MakeTable maker(Page page) const;
    /// As the profiles are, or per sample.
    [[nodiscard]] const ComparisonPtr& shownComparison() const;
    void follow(Page page, std::int32_t id);
    void followBar(LossKind kind, const std::string& place);
    void goTo(const QString& report, std::int32_t operation, StepId step);

    LoadingPanel* panel_;
    QTabWidget* groups_;
    std::vector<QTabWidget*> inner_;          ///< by group; null for the overview
    std::array<QWidget*, pages> widgets_{};   ///< by page
    std::array<TablePanel*, pages> tables_{}; ///< by page
    QToolButton* perSample_;
    OverviewPage* overview_;
    WaterfallChart* chart_;
    CalibrationPage* calibration_ = nullptr;
    QWidget* chartArea_ = nullptr; ///< the scroll area of the chart
    ComparisonPtr comparison_;
    ComparisonPtr divided_; ///< per sample; made when it is first shown
    std::optional<WaterfallParts> parts_;
    StepId targetPeak_; ///< the source's step that corresponds to the target's peak
};

} // namespace tilescope::views
