// A ring around the widget with the keyboard focus.
#pragma once

#include <QPointer>
#include <QWidget>
#include <vector>

#include "views/theme/theme.h"

namespace tilescope::gui {

/// A property of a widget that is about to get the focus without a frame, this one time.
inline constexpr const char* quietFocusProperty = "quietFocus";

/// Shows a frame around the widget of a window, or of its dialogs, that has the focus: the same for
/// controls, tables and plots. It moves and disappears with the widget. The initial focus of a new
/// window has no frame.
class FocusRing : public QObject {
    Q_OBJECT
public:
    /// Both must outlive the ring.
    FocusRing(QWidget& window, const views::ThemeSource& theme);

    /// The widget inside the ring; null if there is none.
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
    QPointer<QWidget> before_;               ///< the previous widget, restored with its window
    std::vector<QPointer<QWidget>> watched_; ///< the widget and all its parents
    QPointer<QWidget> frame_;
};

} // namespace tilescope::gui
