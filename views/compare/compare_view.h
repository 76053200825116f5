// What changed between two profiles, in one place.
#pragma once

#include "views/compare/overview_page.h"
#include "views/compare/waterfall_chart.h"
#include "views/tables/table_panel.h"
#include "views/widgets/report_view.h"

class QTabWidget;
class QToolButton;

namespace tilescope::views {

/// The overview first, then a tab for each kind of what changed. Rows lead to their places in the
/// other reports; the selection is shared with them.
class CompareView : public ReportView {
    Q_OBJECT
public:
    explicit CompareView(ViewContext& context, QWidget* parent = nullptr);
    void focusSearch() override;

    [[nodiscard]] OverviewPage& overview() { return *overview_; }
    [[nodiscard]] WaterfallChart& waterfall() { return *chart_; }
    [[nodiscard]] QTabWidget& tabs() { return *tabs_; }
    /// The table of a tab; null for the overview.
    [[nodiscard]] TablePanel* table(int tab) { return tables_.at(static_cast<std::size_t>(tab)); }

protected:
    void reload() override;
    void restyle() override { overview_->restyle(); }
    void followSelection() override;

private:
    // The tabs that are not a table of the comparison.
    enum Tab { Overview, MemoryCauses, CycleCauses, Plans, Aligned, Options, FirstTable };

    /// `above`: what is shown above the table, if anything is.
    void addTab(const QString& title, const QString& filterHint, QWidget* above = nullptr);
    void showComparison();
    void loadTab();
    [[nodiscard]] TablePanel::MakeTable maker(int tab) const;
    /// As the profiles are, or per sample.
    [[nodiscard]] const ComparisonPtr& shownComparison() const;
    void follow(int tab, std::int32_t id);
    void goTo(const QString& report, std::int32_t operation, StepId step);

    LoadingPanel* panel_;
    QTabWidget* tabs_;
    QToolButton* perSample_;
    OverviewPage* overview_;
    WaterfallChart* chart_;
    std::vector<TablePanel*> tables_; ///< by tab
    ComparisonPtr comparison_;
    ComparisonPtr divided_; ///< per sample; made when it is first shown
    StepId targetPeak_;     ///< the source's step that corresponds to the target's peak
};

} // namespace tilescope::views
