// Windows of tests.
#pragma once

#include <memory>

#include "app/gui/window/main_window.h"
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

} // namespace tilescope::test
