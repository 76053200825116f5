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
    QMainWindow& window_;
    views::ViewContext& context_;
    ReportHost& host_;
    MessageBar& messages_;
    std::function<QStringList()> openProfiles_;
    TraceExport* traceExport_ = nullptr;
    RunDialog* run_ = nullptr;
};

} // namespace tilescope::gui
