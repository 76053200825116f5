#include "app/gui/window/standard_actions.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QLineEdit>

#include "views/plot/plot_widget.h"
#include "views/plot/save_plot.h"
#include "views/widgets/item_export.h"

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

} // namespace

StandardActions::StandardActions(QWidget& reports)
    : QObject(&reports)
    , reports_(reports) {
    qApp->installEventFilter(this);
}

bool StandardActions::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Polish && watched->isWidgetType()) {
        auto* widget = static_cast<QWidget*>(watched);
        if (reports_.isAncestorOf(widget))
            equip(*widget);
    }
    return false;
}

void StandardActions::equip(QWidget& widget) {
    if (auto* items = qobject_cast<QAbstractItemView*>(&widget)) {
        views::addExportActions(*items);
        return;
    }
    if (auto* plot = qobject_cast<views::PlotWidget*>(&widget)) {
        addPictureActions(*plot);
        return;
    }
    if (!widget.accessibleName().isEmpty())
        return;
    if (auto* field = qobject_cast<QLineEdit*>(&widget))
        field->setAccessibleName(field->placeholderText().isEmpty() ? field->toolTip()
                                                                    : field->placeholderText());
    else if (auto* button = qobject_cast<QAbstractButton*>(&widget);
             button != nullptr && button->text().isEmpty())
        button->setAccessibleName(button->toolTip());
}

} // namespace tilescope::gui
