#include "app/gui/window/window_list.h"

#include <QScreen>

#include "app/gui/window/session_state.h"

namespace tilescope::gui {

WindowList::WindowList(Memory memory, QObject* parent)
    : QObject(parent)
    , memory_(memory) {}

WindowList::~WindowList() {
    for (MainWindow* window : std::exchange(windows_, {}))
        delete window;
}

MainWindow& WindowList::add() {
    auto* window = new MainWindow(memory_);
    if (!windows_.empty()) {
        window->context().preferences.copyFrom(windows_.back()->context().preferences);
        constexpr int offset = 28;
        window->resize(windows_.back()->size());
        window->move(windows_.back()->pos() + QPoint(offset, offset));
    } else {
        // Without a window manager nothing else limits it to a small screen.
        window->resize(window->size().boundedTo(window->screen()->availableSize()));
    }
    windows_.push_back(window);
    views::Preferences& preferences = window->context().preferences;
    connect(&preferences, &views::Preferences::changed, this, [this, &preferences] {
        for (MainWindow* other : windows_)
            if (&other->context().preferences != &preferences)
                other->context().preferences.copyFrom(preferences);
    });
    connect(window, &MainWindow::newWindowWanted, this, [this] { add().show(); });
    connect(window, &MainWindow::quitWanted, this, &WindowList::quit);
    connect(window, &MainWindow::closed, this, [this, window] { closed(window); });
    // Stores the session whenever profiles change, however the program may end. Queued, until the
    // window has updated its state.
    connect(
        &window->context().reports, &views::ReportPair::changed, this,
        [this] {
            if (!quitting_ && !windows_.empty())
                remember();
        },
        Qt::QueuedConnection);
    window->dialogs().setOpenProfilesSource([this] { return openProfiles(); });
    return *window;
}

QStringList WindowList::openProfiles() const {
    QStringList files;
    for (MainWindow* window : windows_)
        files += window->session().files();
    return files;
}

bool WindowList::restoreSession() {
    views::Preferences preferences;
    preferences.load();
    if (memory_ == Memory::None || !preferences.restoresSession())
        return false;
    for (const SessionState& state : storedSession()) {
        MainWindow& window = add();
        window.restoreState(state);
        window.show();
    }
    return !windows_.empty();
}

void WindowList::remember() {
    if (memory_ == Memory::None)
        return;
    std::vector<SessionState> states;
    for (MainWindow* window : windows_)
        states.push_back(window->session().state());
    storeSession(states);
}

void WindowList::quit() {
    remember();
    quitting_ = true;
    for (MainWindow* window : std::vector<MainWindow*>(windows_))
        window->close();
}

// The last window to close is stored as the session; one of several is forgotten.
void WindowList::closed(MainWindow* window) {
    if (!quitting_ && windows_.size() == 1)
        remember();
    std::erase(windows_, window);
    window->deleteLater();
}

} // namespace tilescope::gui
