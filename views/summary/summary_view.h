// The summary: what was run, does it fit, how long does it take.
#pragma once

#include "views/summary/bars.h"
#include "views/summary/summary_content.h"
#include "views/tables/table_panel.h"
#include "views/widgets/fact_card.h"
#include "views/widgets/report_view.h"

class QGridLayout;
class QLabel;

namespace tilescope::views {

class SummaryView : public ReportView {
    Q_OBJECT
public:
    explicit SummaryView(ViewContext& context, QWidget* parent = nullptr);

signals:
    /// The user asks for the Memory report with a tile.
    void memoryWanted();

protected:
    void reload() override;
    void restyle() override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeContent();
    void show(const ProfileFigures& source, const ProfileFigures* target);
    void showCards(const ProfileFigures& source, const ProfileFigures* target);
    void showVerdict();
    void placeCards();
    void showBars();

    LoadingPanel* panel_;
    QFrame* verdict_ = nullptr;
    QLabel* verdictText_ = nullptr;
    StepPlot* tiles_ = nullptr;
    NamedBars* fullest_ = nullptr;
    Histogram* histogram_ = nullptr;
    QGridLayout* facts_ = nullptr;
    Card* modelCard_ = nullptr;
    Card* targetCard_ = nullptr;
    Card* graphCard_ = nullptr;
    Card* executionCard_ = nullptr;
    Card* filesCard_ = nullptr;
    Card* histogramCard_ = nullptr;
    TablePanel* options_ = nullptr;
    TablePanel* messages_ = nullptr;
    Card* messagesCard_ = nullptr;
    std::optional<ProfileFigures> source_;
    std::optional<ProfileFigures> target_;
};

} // namespace tilescope::views
