// The window: menus, and a home screen, reports or the results of a sweep.
#pragma once

#include "app/gui/window/recent_files.h"
#include "app/gui/window/session_keeper.h"
#include "app/gui/window/window_dialogs.h"

namespace tilescope::views {
class SweepView;
}

namespace tilescope::gui {

class CandidatesPanel;
class HomeScreen;
class Menus;
class MessageBar;
class ProfilesPage;

/// Whether the window may store the user's choices; pictures and tests must not.
enum class Memory { Persistent, None };

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(Memory memory, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// One profile, two to compare, several as a table, or the results of a sweep (a sweep.db or
    /// its folder); also files that go with an open profile (given_files.h).
    void openProfiles(const QStringList& files);
    /// Opens source and target, and shows the report of their differences.
    void compareProfiles(const QStringList& files);
    /// Opens profiles at a place in them; if it does not exist, that is reported after loading.
    void openLink(const DeepLink& link);
    /// Shows what a window showed, as its profiles open.
    void restoreState(const SessionState& state);
    /// Reads what is in front again, or closes it.
    void reload();
    void closeInFront();

    /// The sweep that is open; null if none is.
    [[nodiscard]] views::SweepView* sweep() { return sweep_; }
    [[nodiscard]] bool sweepInFront() const;
    /// The table of several profiles; null if they were not opened.
    [[nodiscard]] ProfilesPage* several() { return several_; }
    [[nodiscard]] bool severalInFront() const;
    void showSeveral();
    void showSweep();

    /// Shows a message that does not belong to a report.
    void showError(const QString& text);

    [[nodiscard]] views::ViewContext& context() { return context_; }
    [[nodiscard]] RecentFiles& recent() { return recent_; }
    [[nodiscard]] ReportHost& reports() { return *reports_; }
    [[nodiscard]] SessionKeeper& session() { return *session_; }
    [[nodiscard]] WindowDialogs& dialogs() { return *dialogs_; }
    /// Runs of the model that is open; hidden at first.
    [[nodiscard]] CandidatesPanel& candidates() { return *candidates_; }
    void showReport(Report report) { reports_->show(report); }
    [[nodiscard]] Report currentReport() const { return reports_->current(); }
    views::ReportView& view(Report report) { return reports_->view(report); }

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
    void connectHome();
    void openSweep(const QString& file);
    void openTraces(const QStringList& files);
    void openSeveral(const QStringList& files);
    void profilesChanged();
    void openingFailed(const QString& file, const QString& text);
    /// Keeps files that were opened or made, unless nothing is kept.
    void remember(const QString& file, const QString& target = {});

    views::ViewContext context_;
    RecentFiles recent_;
    Memory memory_;
    QStackedWidget* pages_ = nullptr;
    HomeScreen* home_ = nullptr;
    CandidatesPanel* candidates_ = nullptr;
    ReportHost* reports_ = nullptr;
    views::SweepView* sweep_ = nullptr;
    ProfilesPage* several_ = nullptr;
    MessageBar* messages_ = nullptr;
    SessionKeeper* session_ = nullptr;
    WindowDialogs* dialogs_ = nullptr;
    Menus* menus_ = nullptr;
};

} // namespace tilescope::gui
