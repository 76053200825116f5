// Actions common to all tables and plots of reports.
#pragma once

#include <QObject>
#include <QWidget>

#include "views/session/view_context.h"

namespace tilescope::gui {

/// When a widget of the reports is first shown, adds Copy and Save as CSV to tables and trees, and
/// Save picture and Copy picture to plots; opens the context menus of all of them. A widget without
/// a name for screen readers gets its tool tip as name, or the title of its tab, card or report.
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
