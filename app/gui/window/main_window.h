// The window: menu, side menu, reports.
#pragma once

#include <QMainWindow>
#include <array>

#include "app/gui/reports.h"
#include "app/gui/window/recent_files.h"
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

/// Whether the window may keep what the user chose: pictures and tests leave no traces.
enum class Memory { Persistent, None };

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(Memory memory, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// One profile, two to compare, or the results of a sweep (a sweep.db or its folder).
    void openProfiles(const QStringList& files);
    /// The sweep that is open; null if none is.
    [[nodiscard]] views::SweepView* sweep() { return sweep_; }
    void showReport(Report report);
    [[nodiscard]] Report currentReport() const { return current_; }
    /// The view of a report; made if it was never shown.
    views::ReportView& view(Report report);
    [[nodiscard]] views::ViewContext& context() { return context_; }
    [[nodiscard]] const MessageBar& messageBar() const { return *messageBar_; }
    void setShowsFrameTimes(bool shows);

    static constexpr const char* profileFilter =
        QT_TR_NOOP("Profiles (*.pop);;Sweep results (*.db);;All files (*)");

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void closeEvent(QCloseEvent* event) override;

private:
    void makeCentral();
    void makeMenus();
    void makeFileMenu();
    void makeViewMenu();
    void makeGoMenu();
    void makeHelpMenu();
    void fillRecentMenu();
    void showSection(const QString& name);
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
    QLabel* titles_ = nullptr;
    QMenu* recentMenu_ = nullptr;
    QAction* back_ = nullptr;
    QAction* forward_ = nullptr;
    QAction* frameTimes_ = nullptr;
    QAction* showSweep_ = nullptr;
    std::vector<QAction*> needProfile_;
    std::vector<QAction*> needTarget_;
};

/// The palette of all actions (Ctrl+P).
void showCommandPalette(QMainWindow& window);
void showShortcuts(QWidget* parent);
void showAbout(QWidget* parent);

} // namespace tilescope::gui
