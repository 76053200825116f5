#include "app/gui/window/standard_actions.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QKeyEvent>
#include <QLineEdit>
#include <QTabWidget>

#include "views/plot/plot_widget.h"
#include "views/plot/save_plot.h"
#include "views/tables/item_export.h"
#include "views/tables/item_menu.h"

namespace tilescope::gui {
namespace {

void addPictureActions(views::PlotWidget& plot) {
    static const char* const done = "pictureActions";
    if (plot.property(done).toBool() || plot.contextMenuPolicy() != Qt::DefaultContextMenu)
        return;
    plot.setProperty(done, true);
    auto* save = new QAction(StandardActions::tr("Save picture…"), &plot);
    auto* copy = new QAction(StandardActions::tr("Copy picture"), &plot);
    plot.addAction(save);
    plot.addAction(copy);
    plot.setContextMenuPolicy(Qt::ActionsContextMenu);
    QObject::connect(save, &QAction::triggered, &plot,
                     [&plot] { views::savePlot(plot, QStringLiteral("plot")); });
    QObject::connect(copy, &QAction::triggered, &plot,
                     [&plot] { QApplication::clipboard()->setPixmap(plot.grab()); });
}

// Some platforms turn the menu key into a context menu event too; none does so for Shift+F10.
bool asksForMenu(const QKeyEvent& key) {
    return (key.key() == Qt::Key_Menu && key.modifiers() == Qt::NoModifier) ||
           (key.key() == Qt::Key_F10 && key.modifiers() == Qt::ShiftModifier);
}

// The tab, card or report that a widget is in.
QString nameOfPlace(const QWidget& widget) {
    for (const QWidget* at = widget.parentWidget(); at != nullptr; at = at->parentWidget()) {
        // Between a page and its tab widget there is a stacked widget.
        const QWidget* above =
            at->parentWidget() == nullptr ? nullptr : at->parentWidget()->parentWidget();
        if (const auto* tabs = qobject_cast<const QTabWidget*>(above))
            if (const int page = tabs->indexOf(const_cast<QWidget*>(at)); page >= 0)
                return tabs->tabText(page);
        if (!at->accessibleName().isEmpty())
            return at->accessibleName();
    }
    return {};
}

} // namespace

StandardActions::StandardActions(QWidget& reports, views::ViewContext& context)
    : QObject(&reports)
    , reports_(reports)
    , context_(context) {
    qApp->installEventFilter(this);
}

// Not when a widget is polished, which may be before it is in a report.
bool StandardActions::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Show && watched->isWidgetType()) {
        auto* widget = static_cast<QWidget*>(watched);
        if (reports_.isAncestorOf(widget))
            equip(*widget);
    }
    if (!watched->isWidgetType() || !reports_.isAncestorOf(static_cast<QWidget*>(watched)))
        return false;
    auto& widget = *static_cast<QWidget*>(watched);
    if (event->type() == QEvent::ContextMenu)
        return views::openItemMenu(widget, context_, *static_cast<QContextMenuEvent*>(event));
    if (event->type() != QEvent::KeyPress || !asksForMenu(*static_cast<QKeyEvent*>(event)))
        return false;
    const QContextMenuEvent asked(QContextMenuEvent::Keyboard, QPoint(),
                                  widget.mapToGlobal(QPoint()));
    return views::openItemMenu(widget, context_, asked);
}

void StandardActions::equip(QWidget& widget) {
    if (auto* items = qobject_cast<QAbstractItemView*>(&widget)) {
        views::addExportActions(*items);
        // Arrow keys move between cells; Tab leaves the table.
        items->setTabKeyNavigation(false);
    } else if (auto* plot = qobject_cast<views::PlotWidget*>(&widget)) {
        addPictureActions(*plot);
    }
    if (widget.focusPolicy() != Qt::NoFocus && widget.accessibleName().isEmpty())
        giveName(widget);
}

void StandardActions::giveName(QWidget& widget) const {
    if (auto* field = qobject_cast<QLineEdit*>(&widget))
        field->setAccessibleName(field->placeholderText().isEmpty() ? field->toolTip()
                                                                    : field->placeholderText());
    else if (auto* button = qobject_cast<QAbstractButton*>(&widget)) {
        if (button->text().isEmpty())
            button->setAccessibleName(button->toolTip());
    } else if (qobject_cast<QAbstractScrollArea*>(&widget) != nullptr ||
               qobject_cast<QTabWidget*>(&widget) != nullptr ||
               qobject_cast<QCustomPlot*>(&widget) != nullptr)
        widget.setAccessibleName(nameOfPlace(widget));
}

} // namespace tilescope::gui
