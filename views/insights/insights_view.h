// What stands out, with the numbers that show it and what to change.
#pragma once

#include <span>

#include "core/analysis/insights/insights.h"
#include "core/analysis/insights/losses.h"
#include "views/widgets/loading_panel.h"
#include "views/widgets/report_view.h"

class QScrollArea;
class QVBoxLayout;

namespace tilescope::views {

class CardColumns;
class LargestPanel;

/// Where the cycles go, as a ranked list; a card for each insight of the source (and, below, of the
/// target) with what it costs, time and memory in groups of which the less important is folded; and
/// the largest parts of the model, an IPU or a tile.
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
        Findings of;
        bool ofSource = true;
    };
    void show();
    void orderTabs();
    /// The name of one of two profiles, and a button that goes to the other.
    QWidget* makeHeading(const Found& found);
    QWidget* makeLosses(const Found& found);
    QWidget* makeCard(const Insight& insight, bool ofSource);
    /// Cards of one kind under a heading that hides or shows them.
    QWidget* makeGroup(std::span<const Insight> insights, bool ofSource, bool open);
    /// A button for each advice; nullptr if there is none.
    QWidget* makeRunAgain(const Insight& insight, const ProfileViewPtr& profile);
    /// A button for each report that shows the place.
    void addLinks(const InsightLink& link, QVBoxLayout& column);
    void follow(const InsightLink& link);

    LoadingPanel* panel_;
    QScrollArea* scroll_;
    CardColumns* content_;
    LargestPanel* largest_;
    std::vector<Found> found_;
};

} // namespace tilescope::views
