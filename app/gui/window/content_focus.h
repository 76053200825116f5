// The keyboard goes where the user has gone.
#pragma once

#include <QMainWindow>
#include <QPointer>

#include "views/query/workers.h"

namespace tilescope::gui {

/// Gives the keyboard to what a place is about when somebody goes there otherwise than by clicking
/// in it: at once, and again when the place has read what it shows, as what is hidden meanwhile
/// loses the focus to whatever comes next. Who has pressed something since is left where they are.
class ContentFocus : public QObject {
    Q_OBJECT
public:
    ContentFocus(QMainWindow& window, const views::Workers& workers);

    /// The one of a window, which has one.
    [[nodiscard]] static ContentFocus& of(const QMainWindow& window);
    /// A report in front, or a part of one; nothing if it is not in sight.
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
    QPointer<QWidget> place_; ///< whose content is still to get the keyboard
};

} // namespace tilescope::gui
