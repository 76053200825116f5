// The dialog that starts a simulation.
#pragma once

#include <QDialog>
#include <functional>

#include "app/gui/run/option_form.h"
#include "app/gui/run/simulation_run.h"
#include "core/view/profile_view.h"
#include "views/widgets/wrapped_label.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;

namespace tilescope::gui {

/// The initial state of the dialog: the options of another run, perhaps with one of them changed.
struct RunRequest {
    QString model; ///< empty if the user has to choose
    std::map<std::string, std::string> options;
    std::string focusOption; ///< key of the option to look at first, or "model"
    QString compareWith;     ///< profile to compare the result with
};

/// The request that repeats the run of a profile with one option changed, and the options in
/// `with`; an empty key changes none, an empty value leaves the option (or "model") to the user.
RunRequest runAgain(const ProfileView& profile, const std::string& key = {},
                    const std::string& value = {},
                    const std::map<std::string, std::string>& with = {});

/// Model, target and options of a run; shows the equivalent command line, runs it as a child
/// process with progress, log and cancel, and tells where the result is.
class RunDialog : public QDialog {
    Q_OBJECT
public:
    /// `program` is the path of `tilescope`, empty if not found.
    explicit RunDialog(QString program, QWidget* parent = nullptr);
    ~RunDialog() override;

    void setRequest(const RunRequest& request);
    /// Profiles that are open: replacing one of them needs confirmation.
    void setOpenProfiles(const QStringList& files) { openProfiles_ = files; }
    /// Called before a profile is replaced; a message box, unless replaced by a test.
    std::function<bool(const QString& text)> confirm;

    [[nodiscard]] bool running() const { return run_.running(); }
    [[nodiscard]] QString commandLine() const;
    void setModel(const QString& model);
    void setFolder(const QString& folder);
    [[nodiscard]] QString folder() const;
    /// The next folder for a model that does not exist yet, in the user's data of this program.
    static QString freshFolder(const QString& model);

signals:
    /// The result; `compareWith` is a profile to compare it with, or empty.
    void resultReady(const QString& profile, const QString& compareWith);

protected:
    void reject() override;

private:
    QWidget* makeHead();
    QWidget* makeFoot();
    void makeButtons();
    void loadModels();
    void takeModels(const QByteArray& json);
    void modelChanged();
    void takeJobOptions(const QString& model);
    [[nodiscard]] bool marksFlagsOfTheJob();
    void updateCompare();
    void update();
    void run();
    void runStarted();
    void runEnded();
    void runFailed(const QString& text, const QString& option);
    [[nodiscard]] bool mayWrite();
    /// Arguments of the program; MODEL if no model is chosen yet.
    [[nodiscard]] QStringList arguments() const;

    SimulationRun run_;
    QStringList openProfiles_;
    QString compareWith_;
    std::map<std::string, std::string> jobOptions_; ///< set by the job file chosen as model
    QString suggestedFolder_;                       ///< the folder unless the user enters another
    std::map<QString, QString> modelOptions_;       ///< of built-in models, by name
    QComboBox* model_;
    QLineEdit* folder_;
    OptionForm* form_;
    QPlainTextEdit* command_;
    QPushButton* copy_;
    QComboBox* then_;
    QProgressBar* bar_;
    QLabel* phase_;
    views::WrappedLabel* error_;
    QPlainTextEdit* log_;
    QPushButton* runButton_;
    QPushButton* cancel_;
};

} // namespace tilescope::gui
