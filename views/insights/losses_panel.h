// The ranked list of what the cycles of a run go to.
#pragma once

#include "core/analysis/insights/losses.h"
#include "views/session/view_context.h"
#include "views/widgets/fact_card.h"

class QGridLayout;
class QToolButton;

namespace tilescope::views {

/// A row for each loss of one profile: its share of the run as a bar and a number, where most of it
/// is, and what to try, with the predicted gain. Small ones are folded into one row.
class LossesPanel : public Card {
    Q_OBJECT
public:
    /// `losses` as findLosses() gives them; `profile` is theirs. Places are links if `ofSource`.
    LossesPanel(ViewContext& context, const QString& title, const std::vector<Loss>& losses,
                ProfileViewPtr profile, bool ofSource, QWidget* parent = nullptr);

    [[nodiscard]] bool foldsSmall() const { return more_ != nullptr; }

signals:
    /// The user follows a row of the source to the report that shows it.
    void followed(const tilescope::InsightLink& link);
    void runAgainWanted(const tilescope::ProfileViewPtr& profile, const std::string& key,
                        const std::string& value, const std::map<std::string, std::string>& with);
    void tryAllWanted(const tilescope::ProfileViewPtr& profile);

private:
    void addHeadings(bool runs);
    void addRow(const Loss& loss);
    void addFolded(std::span<const Loss> losses);
    [[nodiscard]] QWidget* placeOf(const Loss& loss);
    [[nodiscard]] QWidget* remedyOf(const Loss& loss);
    [[nodiscard]] QWidget* makeTryAll();

    ViewContext& context_;
    ProfileViewPtr profile_;
    bool ofSource_;
    double clockHz_ = 0;
    double longest_ = 0; ///< share of the largest, which fills the bar
    QGridLayout* grid_;
    QToolButton* more_ = nullptr;
};

} // namespace tilescope::views
