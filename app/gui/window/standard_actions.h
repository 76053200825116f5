// What every table and plot of a report can do, wherever it comes from.
#pragma once

#include <QObject>
#include <QWidget>

#include "views/session/view_context.h"

namespace tilescope::gui {

/// Sees each widget of the reports when it is first shown, and gives tables and trees Copy and Save
/// as CSV, and plots Save picture and Copy picture; opens the context menus of all of them. What
/// has no name for screen readers gets its hint as one, or the title of the tab, card or report
/// that it is in.
class StandardActions : public QObject {
    Q_OBJECT
public:
    /// `reports` is the parent of all of them.
    StandardActions(QWidget& reports, views::ViewContext& context);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void equip(QWidget& widget);
    void giveName(QWidget& widget) const;

    QWidget& reports_;
    views::ViewContext& context_;
};

} // namespace tilescope::gui
