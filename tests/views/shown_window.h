// Windows of tests.
#pragma once

#include <QLabel>
#include <memory>

#include "app/gui/window/main_window.h"
#include "app/gui/window/message_bar.h"
#include "tests/support/window_steps.h"

namespace tilescope::test {

/// A window on the screen, of its usual size unless another is given.
inline std::unique_ptr<gui::MainWindow> shownWindow(QSize size = {},
                                                    gui::Memory memory = gui::Memory::None) {
    auto window = std::make_unique<gui::MainWindow>(memory);
    if (!size.isEmpty())
        window->resize(size);
    window->show();
    return window;
}

/// The message that a window shows; empty if it shows none. A slow machine says first that a file
/// is being opened.
inline QString shownMessage(const gui::MainWindow& window) {
    const gui::MessageBar& bar = child<gui::MessageBar>(window);
    return bar.isVisible() ? bar.findChild<QLabel*>()->text() : QString();
}

} // namespace tilescope::test
