// A sweep over the values of one option, started from the window.
#pragma once

#include <QDialog>
#include <QProcess>
#include <QStringList>

#include "app/gui/run/run_dialog.h"
#include "views/widgets/wrapped_label.h"

class QProgressBar;

namespace tilescope::gui {

/// The profiles that `tilescope sweep --keep-profiles` has written below a folder.
QStringList sweptProfiles(const QString& folder);

/// Asks for an option and its values, and runs `tilescope sweep` with a run's other options.
class SweepDialog : public QDialog {
    Q_OBJECT
public:
    /// `program` is the path of `tilescope`, empty if not found.
    SweepDialog(QString program, RunRequest run, QWidget* parent = nullptr);
    ~SweepDialog() override;

    [[nodiscard]] QComboBox& option() { return *option_; }
    [[nodiscard]] QLineEdit& values() { return *values_; }
    /// Of the program: "sweep", MODEL, ...
    [[nodiscard]] QStringList arguments() const;
    void start();

signals:
    /// The results are in this folder.
    void finished(const QString& folder);
    void ended();

protected:
    void reject() override;

private:
    void programEnded();
    void fail(const QString& text);
    void update();

    QString program_;
    RunRequest run_;
    QString folder_;
    QComboBox* option_;
    QLineEdit* values_;
    views::WrappedLabel* command_;
    views::WrappedLabel* error_;
    QProgressBar* bar_;
    QPushButton* start_;
    QProcess* process_ = nullptr;
};

} // namespace tilescope::gui
