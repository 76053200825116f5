// Adding traces of programs on the host to the open profile.
#pragma once

#include <QDialog>
#include <QStringList>

#include "core/import/add_host_traces.h"
#include "views/session/view_context.h"
#include "views/widgets/wrapped_label.h"

class QDoubleSpinBox;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QRadioButton;

namespace tilescope::gui {

/// Asks when the traces begin and where the profile with them goes, and makes it on a worker.
class HostTraceDialog : public QDialog {
    Q_OBJECT
public:
    HostTraceDialog(views::ViewContext& context, ProfileViewPtr profile, QStringList traces,
                    QWidget* parent = nullptr);

    [[nodiscard]] HostTraceClock clock() const;
    void setOffset(double seconds);
    void setZero(const QString& event);
    [[nodiscard]] QString output() const;
    void setOutput(const QString& file);
    /// Reads the traces and writes the profile.
    void start();
    [[nodiscard]] bool running() const { return query_.running(); }
    [[nodiscard]] QString problem() const { return problem_->text(); }

signals:
    /// The profile was written; `text` says what was added.
    void added(const QString& file, const QString& text);

private:
    void makeParts();
    [[nodiscard]] QWidget* makeChoices();
    void chooseOutput();
    void showRunning();
    void fail(const QString& text);
    [[nodiscard]] ImportProgress progress();

    ProfileViewPtr profile_;
    QStringList traces_;
    QString replaced_; ///< an existing file that the user agreed to replace
    QRadioButton* first_;
    QRadioButton* byOffset_;
    QRadioButton* byEvent_;
    QDoubleSpinBox* offset_;
    QLineEdit* event_;
    QLineEdit* output_;
    QPushButton* choose_;
    QProgressBar* bar_;
    views::WrappedLabel* problem_;
    QPushButton* add_;
    views::BackgroundQuery query_;
};

} // namespace tilescope::gui
