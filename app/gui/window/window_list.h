// The windows of the program.
#pragma once

#include <QObject>
#include <vector>

#include "app/gui/window/main_window.h"

namespace tilescope::gui {

/// Owns the windows. Preferences changed in one are changed in all; their state is stored when the
/// program ends and restored when it starts.
class WindowList : public QObject {
    Q_OBJECT
public:
    explicit WindowList(Memory memory, QObject* parent = nullptr);
    ~WindowList() override;

    /// Another window, not yet shown.
    MainWindow& add();
    [[nodiscard]] std::vector<MainWindow*> windows() const { return windows_; }
    /// Shows the windows of the last session; false if there was none or the user wants none.
    bool restoreSession();
    /// Closes all windows and remembers them.
    void quit();

private:
    void remember();
    void closed(MainWindow* window);
    /// Profiles that any window has open.
    [[nodiscard]] QStringList openProfiles() const;

    Memory memory_;
    std::vector<MainWindow*> windows_;
    bool quitting_ = false;
};

} // namespace tilescope::gui
