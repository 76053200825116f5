// Questions of ssh, asked in a dialog: ssh starts this program to ask, with the question as its
// argument and TILESCOPE_ASKPASS set.
#pragma once

#include <QDialog>
#include <optional>

class QLineEdit;

namespace tilescope::gui {

/// Whether this process was started to ask.
bool isAskpass();

/// Prints the answer. The exit status is 0, or 1 if the user gave none.
int runAskpass(int argc, char** argv);

/// A question about a secret, or whether a host is to be trusted.
class AskpassDialog : public QDialog {
    Q_OBJECT
public:
    /// `confirms`: ssh wants no answer but that it may go on.
    AskpassDialog(const QString& question, bool confirms, QWidget* parent = nullptr);

    /// As ssh expects it; none if the dialog was cancelled.
    [[nodiscard]] std::optional<QString> answer() const;

private:
    QLineEdit* secret_ = nullptr; ///< none for a host or a confirmation
    bool confirms_;
};

} // namespace tilescope::gui
