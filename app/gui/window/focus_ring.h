// A ring around whatever has the keyboard.
#pragma once

#include <QPointer>
#include <QWidget>
#include <vector>

#include "views/theme/theme.h"

namespace tilescope::gui {

/// Shows a frame around the widget of a window, or of its dialogs, that has the focus: one look for
/// controls, tables and plots alike, which moves with the widget and goes away with it. What a new
/// window gives the focus to by itself has none.
class FocusRing : public QObject {
    Q_OBJECT
public:
    /// Both live as long as the ring.
    FocusRing(QWidget& window, const views::ThemeSource& theme);

    /// The widget that the ring is around; null if there is none.
    [[nodiscard]] QWidget* widget() const { return widget_; }
    /// The frame on the screen, in global coordinates; empty if there is none.
    [[nodiscard]] QRect place() const;

private:
    void follow(QWidget* focused);
    void watch(QWidget* widget, bool on);
    void put();
    bool eventFilter(QObject* watched, QEvent* event) override;

    QWidget& window_;
    const views::ThemeSource& theme_;
    QPointer<QWidget> widget_;
    QPointer<QWidget> before_;               ///< what it was around last, which a window gets back
    std::vector<QPointer<QWidget>> watched_; ///< the widget and all that it is in
    QPointer<QWidget> frame_;
};

} // namespace tilescope::gui
