// The dialogs of a window.
#pragma once

#include <QMainWindow>
#include <functional>

#include "app/gui/run/run_dialog.h"
#include "app/gui/window/report_host.h"

namespace tilescope::gui {

class MessageBar;
class TraceExport;

/// Files to open and to write, runs, preferences and help.
class WindowDialogs : public QObject {
    Q_OBJECT
public:
    WindowDialogs(QMainWindow& window, views::ViewContext& context, ReportHost& host,
                  MessageBar& messages);

    void openProfile();
    /// Asks for a host and a file there.
    void openRemote(const QStringList& recentHosts = {});
    /// Asks for a target; for a source too if none is open.
    void compareWith();
    /// Uses files that are no profiles: traces of the host, a job. False if they are to be opened.
    bool take(const QStringList& files);
    /// Asks for traces of the host of the open profile, and adds them to a copy.
    void chooseHostTraces();
    void addHostTraces(const QStringList& traces);
    /// Asks for what an imported profile ran, and makes its options known.
    void chooseJob();
    void attachJob(const QString& job);
    /// Profiles that any window has open; a run must not replace them without asking.
    void setOpenProfilesSource(std::function<QStringList()> source) {
        openProfiles_ = std::move(source);
    }
    /// Opens the dialog of a run and fills it in.
    RunDialog& openRun(const RunRequest& request);
    void tryAll(const ProfileViewPtr& profile);
    /// Opens the dialog of a sweep of a run.
    void sweep(const ProfileViewPtr& profile);
    void savePicture();
    /// For Perfetto and chrome://tracing.
    void exportTrace(bool visibleRange);
    void showPreferences();
    void showAbout();
    /// Shows a page of the help, at a heading or word unless that is empty.
    void showHelp(const QString& page = {}, const QString& heading = {});

signals:
    /// Files to open: one, or two to compare.
    void filesChosen(const QStringList& files);
    /// The profile of a finished run, the last of two if it is to be compared.
    void resultReady(const QStringList& files);
    /// Profiles of runs that were made together.
    void runsReady(const QStringList& files);

private:
    /// An open profile that was imported without its job; null if there is none.
    [[nodiscard]] ProfileViewPtr withoutJob() const;
    void notify(const QString& text);

    QMainWindow& window_;
    views::ViewContext& context_;
    ReportHost& host_;
    MessageBar& messages_;
    std::function<QStringList()> openProfiles_;
    TraceExport* traceExport_ = nullptr;
    RunDialog* run_ = nullptr;
    SimulationRun* attaching_ = nullptr; ///< `tilescope import --job`
    QString enable_;                     ///< the enable script that was typed last
};

} // namespace tilescope::gui
