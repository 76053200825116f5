// What stands out, with the numbers that show it and what to change.
#pragma once

#include "core/analysis/insights/insights.h"
#include "views/widgets/loading_panel.h"
#include "views/widgets/report_view.h"

class QLayout;
class QVBoxLayout;

namespace tilescope::views {

class LargestPanel;

/// A card for each insight of the source (and, below, of the target), and the largest parts of the
/// model, an IPU or a tile.
class InsightsView : public ReportView {
    Q_OBJECT
public:
    explicit InsightsView(ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] LargestPanel& largest() { return *largest_; }

protected:
    void reload() override;
    void restyle() override { show(); }

private:
    struct Found {
        QString heading;
        std::vector<Insight> insights;
        bool ofSource = true;
    };
    void show();
    QWidget* makeCard(const Insight& insight, bool ofSource);
    /// A button for each option that the advice names, and for the model where that is to change;
    /// nullptr if there is neither.
    QWidget* makeRunAgain(const Insight& insight, const OpenProfilePtr& profile);
    /// A button for each report that shows the place.
    QLayout* makeLinks(const InsightLink& link);
    void follow(const InsightLink& link);

    LoadingPanel* panel_;
    QWidget* content_;
    QVBoxLayout* layout_; ///< of the cards
    LargestPanel* largest_;
    std::vector<Found> found_;
};

} // namespace tilescope::views
