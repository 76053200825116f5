// The summary: what was run, does it fit, how long does it take.
#pragma once

#include <QMap>

#include "core/view/profile_view.h"
#include "views/summary/bars.h"
#include "views/summary/summary_content.h"
#include "views/tables/table_panel.h"
#include "views/widgets/fact_card.h"
#include "views/widgets/report_view.h"
#include "views/widgets/wrapped_label.h"

class QGridLayout;
class QLabel;

namespace tilescope::views {

/// What a profile keeps of the program that made it.
struct KeptSource {
    bool hasLines = false;
    int texts = 0;          ///< files whose text is kept
    std::int64_t bytes = 0; ///< of these texts
};
KeptSource keptSource(const ProfileView& profile, Stop stop);

class SummaryView : public ReportView {
    Q_OBJECT
public:
    explicit SummaryView(ViewContext& context, QWidget* parent = nullptr);

    /// Names of the blocks that show only their heading.
    [[nodiscard]] QStringList collapsed() const;
    void setCollapsed(const QStringList& names);
    /// Nullptr if there is no such block.
    [[nodiscard]] Card* block(const QString& name) const { return blocks_.value(name); }
    [[nodiscard]] TablePanel& options() { return *options_; }

signals:
    /// The user has hidden or shown a block.
    void collapsedChanged(const QStringList& names);
    /// The user wants to say what an imported profile ran.
    void jobWanted();

protected:
    void reload() override;
    void restyle() override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeContent();
    Card* addBlock(const char* name, Card* card, QWidget* content = nullptr);
    void showFiles();
    void show(const ProfileFigures& source, const ProfileFigures* target);
    void showCards(const ProfileFigures& source, const ProfileFigures* target);
    void showVerdict();
    void placeCards();
    void showBars();

    LoadingPanel* panel_;
    QFrame* verdict_ = nullptr;
    WrappedLabel* verdictText_ = nullptr;
    QWidget* noJob_ = nullptr; ///< shown for profiles whose job is not known
    StepPlot* tiles_ = nullptr;
    NamedBars* fullest_ = nullptr;
    Histogram* histogram_ = nullptr;
    QGridLayout* facts_ = nullptr;
    Card* modelCard_ = nullptr;
    Card* targetCard_ = nullptr;
    Card* graphCard_ = nullptr;
    Card* executionCard_ = nullptr;
    Card* filesCard_ = nullptr;
    Card* compilerCard_ = nullptr;
    TablePanel* options_ = nullptr;
    TablePanel* messages_ = nullptr;
    Card* messagesCard_ = nullptr;
    QMap<QString, Card*> blocks_; ///< by name for settings
    std::optional<ProfileFigures> source_;
    std::optional<ProfileFigures> target_;
    KeptSource keptOfSource_;
    KeptSource keptOfTarget_;
};

} // namespace tilescope::views
