// The menus of the main window.
#pragma once

#include <QAction>
#include <QMenu>
#include <functional>
#include <vector>

namespace tilescope::gui {

class MainWindow;

/// All commands of a window with their keys, each of which is enabled while it has something to do.
class Menus : public QObject {
    Q_OBJECT
public:
    explicit Menus(MainWindow& window);
    /// After something was opened, closed or brought to the front.
    void update();

private:
    QAction* add(QMenu* menu, const QString& text, const QKeySequence& keys,
                 std::function<void()> run);
    /// A command for an open profile, or also for a sweep in front.
    QAction* addForProfile(QMenu* menu, const QString& text, const QKeySequence& keys,
                           std::function<void()> run, bool forSweep = false);
    void makeFileMenu();
    void makeViewMenu();
    void makeGoMenu();
    void makeRunMenu();
    void makeHelpMenu();
    void fillRecentMenu(QMenu* menu);

    MainWindow& window_;
    struct ForProfile {
        QAction* action;
        bool forSweep;
    };
    std::vector<ForProfile> needProfile_;
    std::vector<QAction*> needTarget_;
    std::vector<QAction*> needRun_; ///< a profile whose run can be repeated
    QAction* showSweep_ = nullptr;
    QAction* showSeveral_ = nullptr;
    QAction* undo_ = nullptr;
    QAction* redo_ = nullptr;
    QAction* back_ = nullptr;
    QAction* forward_ = nullptr;
};

} // namespace tilescope::gui
