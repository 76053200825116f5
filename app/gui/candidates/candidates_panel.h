// A list of runs beside the reports, to flip through.
#pragma once

#include <QDockWidget>
#include <functional>
#include <map>

#include "app/gui/candidates/candidates.h"
#include "views/query/background_query.h"
#include "views/tables/table_panel.h"

class QCheckBox;
class QPushButton;

namespace tilescope::gui {

/// Recent runs of the model that is open as source, at the right of the window. Arrow keys make one
/// after the other the target or, while the target is kept, the source; the neighbours of what is
/// chosen are read ahead, when nothing else is to be read. A run that is made while the list is
/// shown joins it.
class CandidatesPanel : public QDockWidget {
    Q_OBJECT
public:
    /// `recent`: profiles that were opened before.
    CandidatesPanel(views::ViewContext& context, std::function<QStringList()> recent,
                    QWidget* parent = nullptr);
    /// After other profiles were opened or made.
    void recentChanged();

    [[nodiscard]] views::TablePanel& table() { return *table_; }
    /// The target becomes the source, with which the others are compared.
    void pin();
    /// Whether the target stays and the source is flipped through.
    [[nodiscard]] QCheckBox& keepsTarget() { return *keep_; }
    /// Runs that were made for the list alone, such as the points of a sweep.
    void add(const QStringList& files);

signals:
    void sweepWanted();

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void read();
    void list(std::vector<Candidate> candidates);
    void flipTo(std::int32_t id);
    void readAhead();
    /// With what is kept of the open ones, as the source or, while the target is kept, the target.
    [[nodiscard]] ProfilePair besideKept(const ProfileViewPtr& chosen) const;
    [[nodiscard]] int placeOf(const ProfileViewPtr& profile) const;
    void updateControls();
    void fillTable();
    [[nodiscard]] Columns columns() const;

    views::ViewContext& context_;
    std::function<QStringList()> recent_;
    QStringList added_;
    bool isNew_ = true; ///< never shown before
    views::TablePanel* table_;
    QPushButton* pin_;
    QPushButton* sweep_;
    QCheckBox* keep_;
    Columns shown_ = Columns::All;
    std::vector<Candidate> candidates_;
    std::map<QString, ProfilePair> ahead_; ///< by file, what is shown if it is chosen
    QStringList aheadFor_;                 ///< files that were last read ahead, or tried
    views::BackgroundQuery query_;
    views::BackgroundQuery aheadQuery_;
};

} // namespace tilescope::gui
