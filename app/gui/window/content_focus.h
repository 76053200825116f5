// Moves the keyboard focus along with the user's navigation.
#pragma once

#include <QMainWindow>
#include <QPointer>

#include "views/query/workers.h"

namespace tilescope::gui {

/// Gives the keyboard focus to the main widget of a place when the user goes there without clicking
/// in it: at once, and again when the place has loaded its data, as widgets hidden meanwhile lose
/// the focus. Does nothing if a key or button has been pressed since.
class ContentFocus : public QObject {
    Q_OBJECT
public:
    ContentFocus(QMainWindow& window, const views::Workers& workers);

    /// The instance of a window; every window has one.
    [[nodiscard]] static ContentFocus& of(const QMainWindow& window);
    /// `place` is the report in front, or a part of it; nothing is done if it is not visible.
    void want(QWidget& place);
    /// The page of `report` that is called `section`, if it is in front; else the report.
    [[nodiscard]] static QWidget& partOf(QWidget& report, const QString& section);

private:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void begin();
    void finish();
    void end();

    QMainWindow& window_;
    const views::Workers& workers_;
    QPointer<QWidget> place_; ///< whose content is still to get the focus
};

} // namespace tilescope::gui
