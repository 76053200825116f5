// Keys for a window that any of them may close.
#pragma once

#include <QKeySequence>
#include <QWindow>

namespace tilescope::test {

/// Presses the modifiers and the key, and releases them, for as long as the window is there. Qt
/// Test sends all of them, also to a window that the first has closed.
void clickKey(QWindow& window, Qt::Key key, Qt::KeyboardModifiers with = {});
void clickKeys(QWindow& window, const QKeySequence& keys);
/// As if it was typed.
void typeText(QWindow& window, const char* text);

} // namespace tilescope::test
