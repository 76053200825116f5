// The window: menu, side menu, reports.
#pragma once

#include <QMainWindow>
#include <array>
#include <functional>
#include <map>
#include <optional>

#include "app/gui/run/run_dialog.h"
#include "app/gui/window/deep_link.h"
#include "app/gui/window/recent_files.h"
#include "app/gui/window/reports.h"
#include "app/gui/window/session_state.h"
#include "views/session/file_watch.h"
#include "views/session/view_context.h"

class QLabel;
class QStackedWidget;

namespace tilescope::views {
class SweepView;
}

namespace tilescope::gui {

class HomeScreen;
class MessageBar;
class SideMenu;
class TraceExport;

/// Whether the window may store the user's choices; pictures and tests must not.
enum class Memory { Persistent, None };

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(Memory memory, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// One profile, two to compare, or the results of a sweep (a sweep.db or its folder).
    void openProfiles(const QStringList& files);
    /// Opens source and target, and shows the report of their differences.
    void compareProfiles(const QStringList& files);
    /// Opens profiles at a place in them; if it does not exist, that is reported after loading.
    void openLink(const DeepLink& link);
    /// Brings the selected operation into view if the report in front does not do so itself.
    void goToSelected();
    /// A link to what the window shows.
    [[nodiscard]] DeepLink link();
    /// The sweep that is open; null if none is.
    [[nodiscard]] views::SweepView* sweep() { return sweep_; }
    void showReport(Report report);
    [[nodiscard]] Report currentReport() const { return current_; }
    /// The view of a report; created if it was never shown.
    views::ReportView& view(Report report);
    [[nodiscard]] views::ViewContext& context() { return context_; }
    [[nodiscard]] RecentFiles& recent() { return recent_; }
    void setShowsFrameTimes(bool shows);
    /// Shows a message that does not belong to a report.
    void showError(const QString& text);

    /// Saves what the window shows, and restores it as its profiles open.
    [[nodiscard]] SessionState state() const;
    void restoreState(const SessionState& state);
    /// Paths of the profiles that are open: none, a source, or both.
    [[nodiscard]] QStringList openFiles() const;
    /// Profiles that any window has open; a run must not replace them without asking.
    void setOpenProfilesSource(std::function<QStringList()> source);
    /// Opens the dialog of a run and fills it in.
    RunDialog& openRunDialog(const RunRequest& request);
    /// The request that repeats the run of a profile with one option changed, and the options in
    /// `with`; an empty key changes none, an empty value leaves the option (or "model") to the
    /// user.
    [[nodiscard]] static RunRequest runAgain(const ProfileView& profile,
                                             const std::string& key = {},
                                             const std::string& value = {},
                                             const std::map<std::string, std::string>& with = {});
    /// Shows a page of the help, at a heading or word unless that is empty.
    void showHelp(const QString& page = {}, const QString& heading = {});

    static constexpr const char* profileFilter =
        QT_TR_NOOP("Profiles (*.pop);;Sweep results (*.db);;All files (*)");

signals:
    void newWindowWanted();
    void quitWanted();
    void closed();

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void makeCentral();
    void makeMenus();
    void makeFileMenu();
    void makeViewMenu();
    void makeGoMenu();
    void makeRunMenu();
    void makeHelpMenu();
    void fileChanged(const QString& file);
    void restoreSelection();
    void restoreZoom();
    void restoreControls();
    void followLink();
    void showLinkedRange();
    void copyLink();
    void exportTrace(bool visibleRange);
    [[nodiscard]] QJsonObject controls() const;
    void openingEnded();
    void savePicture();
    void showPreferences();
    void showAbout();
    void fillRecentMenu();
    void showSection(const QString& name);
    void openRunAgain(const ProfileViewPtr& profile, const std::string& key,
                      const std::string& value, const std::map<std::string, std::string>& with);
    void openTryAll(const ProfileViewPtr& profile);
    /// Opens the profile of a finished run, the last of two if it is to be compared.
    void openResult(const QStringList& files);
    void openSweep(const QString& file);
    void showSweep();
    void profilesChanged();
    void openingFailed(const QString& file, const QString& text);
    void applyTheme();
    void openDialog();
    void compareDialog();
    void updateActions();
    void restore();
    QAction* add(QMenu* menu, const QString& text, const QKeySequence& keys,
                 std::function<void()> run);

    views::ViewContext context_;
    RecentFiles recent_;
    views::FileWatch watch_;
    std::function<QStringList()> openProfiles_;
    std::optional<SessionState> pending_; ///< to be restored when its profiles are open
    std::optional<Report> wanted_;        ///< to be shown when the opening profiles are open
    std::optional<DeepLink> link_;        ///< to be followed when its profiles are open
    QJsonObject wantedControls_;          ///< of reports that were not shown yet
    QString rewritten_;                   ///< the changed file that is being reloaded
    TraceExport* traceExport_ = nullptr;
    RunDialog* runDialog_ = nullptr;
    Memory memory_;
    Report current_ = Report::Summary;
    std::array<views::ReportView*, reports.size()> views_{};
    QStackedWidget* pages_ = nullptr;
    QStackedWidget* reportStack_ = nullptr;
    HomeScreen* home_ = nullptr;
    views::SweepView* sweep_ = nullptr;
    SideMenu* sideMenu_ = nullptr;
    MessageBar* messageBar_ = nullptr;
    QWidget* reportPage_ = nullptr;
    QLabel* status_ = nullptr;
    QMenu* recentMenu_ = nullptr;
    QAction* undo_ = nullptr;
    QAction* redo_ = nullptr;
    QAction* back_ = nullptr;
    QAction* forward_ = nullptr;
    QAction* frameTimes_ = nullptr;
    QAction* showSweep_ = nullptr;
    std::vector<QAction*> needProfile_;
    std::vector<QAction*> needTarget_;
};

} // namespace tilescope::gui
