// All suggestions for a profile, simulated from the window.
#pragma once

#include <QDialog>

#include "app/gui/run/trial_run.h"
#include "views/session/view_context.h"
#include "views/widgets/wrapped_label.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace tilescope::views {
class TablePanel;
}

namespace tilescope::gui {

/// Starts at once, shows progress, then a table of predictions and outcomes. A wrong prediction is
/// marked as wrong. A row opens as a comparison with the profile; the best is selected.
class TryAllDialog : public QDialog {
    Q_OBJECT
public:
    /// `program` is the path of `tilescope`, empty if not found.
    TryAllDialog(views::ViewContext& context, QString program, QString profile,
                 QWidget* parent = nullptr);

    [[nodiscard]] views::TablePanel& table() { return *table_; }
    /// Starts the simulations, with profiles in `folder`.
    void start(const QString& folder);

signals:
    /// The original profile and that of a trial.
    void comparisonWanted(const QStringList& files);
    /// The profiles of all trials.
    void tried(const QStringList& files);
    void ended();

protected:
    void reject() override;

private:
    void showTrials(const Table& trials);
    void fail(const QString& text);
    void openTrial(std::int32_t row);
    void updateCompare(std::int32_t row);

    TrialRun run_;
    QString profile_;
    QStringList profiles_; ///< of the rows; "" where none was kept
    views::WrappedLabel* verdict_;
    views::WrappedLabel* error_;
    QProgressBar* bar_;
    QLabel* phase_;
    views::TablePanel* table_;
    QPushButton* compare_;
    QPushButton* close_;
};

} // namespace tilescope::gui
