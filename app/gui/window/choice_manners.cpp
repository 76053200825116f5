#include "app/gui/window/choice_manners.h"

#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QEvent>
#include <QItemSelectionModel>
#include <QPointer>
#include <QScrollArea>
#include <QSignalBlocker>

#include "app/gui/window/focus_ring.h"
#include "views/plot/plot_widget.h"
#include "views/widgets/painted_widget.h"
#include "views/widgets/report_view.h"

namespace tilescope::gui {
namespace {

/// Whether most of it is visible: parts of a scrolling page are not.
bool isInSight(const QWidget& widget) {
    if (!widget.isVisible())
        return false;
    QRect seen = widget.rect();
    for (const QWidget* at = &widget; !at->isWindow() && at->parentWidget() != nullptr;) {
        seen.translate(at->pos());
        at = at->parentWidget();
        seen &= at->rect();
    }
    return 2 * seen.width() * seen.height() > widget.width() * widget.height();
}

template <class Kind> QWidget* largest(const QWidget& report, QWidget* best = nullptr) {
    for (Kind* each : report.findChildren<Kind*>())
        if (isInSight(*each) && each->isEnabled() && each->focusPolicy() != Qt::NoFocus &&
            (best == nullptr || each->width() * each->height() > best->width() * best->height()))
            best = each;
    return best;
}

QWidget* largestPlot(const QWidget& report) {
    return largest<views::PaintedWidget>(report, largest<views::PlotWidget>(report));
}

views::ReportView* reportOf(QWidget& widget) {
    for (QWidget* at = &widget; at != nullptr; at = at->parentWidget())
        if (auto* report = qobject_cast<views::ReportView*>(at))
            return report;
    return nullptr;
}

} // namespace

ChoiceManners::ChoiceManners(QWidget& reports)
    : QObject(&reports)
    , reports_(reports) {
    qApp->installEventFilter(this);
}

bool ChoiceManners::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Wheel) {
        if (qobject_cast<QComboBox*>(watched) == nullptr &&
            qobject_cast<QAbstractSpinBox*>(watched) == nullptr)
            return false;
        event->ignore(); // passes it on to the parent
        return true;
    }
    // Nor does the wheel give it the keyboard focus.
    if (event->type() == QEvent::Show && qobject_cast<QComboBox*>(watched) != nullptr) {
        auto* box = static_cast<QComboBox*>(watched);
        if (box->focusPolicy() == Qt::WheelFocus)
            box->setFocusPolicy(Qt::StrongFocus);
    }
    if (event->type() == QEvent::Hide && watched->isWidgetType())
        if (auto* box = qobject_cast<QComboBox*>(watched->parent());
            box != nullptr && static_cast<QWidget*>(watched)->isWindow() &&
            reports_.isAncestorOf(box))
            listClosed(*box);
    return false;
}

// The list closes just before the choice is signalled.
void ChoiceManners::listClosed(QComboBox& box) {
    const QMetaObject::Connection choice =
        connect(&box, &QComboBox::activated, this, [this, at = &box] { chosen(*at); });
    QMetaObject::invokeMethod(
        this, [choice] { disconnect(choice); }, Qt::QueuedConnection);
}

// Queued, until the plot that the choice brings to the front is shown.
void ChoiceManners::chosen(QComboBox& box) {
    QMetaObject::invokeMethod(
        this,
        [box = QPointer<QComboBox>(&box)] {
            views::ReportView* report = box ? reportOf(*box) : nullptr;
            if (report == nullptr || !report->isVisible())
                return;
            if (QWidget* plot = largestPlot(*report))
                plot->setFocus();
        },
        Qt::QueuedConnection);
}

bool ChoiceManners::focusContent(QWidget& place) {
    if (QWidget* plot = largestPlot(place)) {
        plot->setFocus();
        return true;
    }
    auto* const items = qobject_cast<QAbstractItemView*>(largest<QAbstractItemView>(place));
    // Hidden widgets do not get the keyboard; then the page does, to be scrolled.
    if (items == nullptr) {
        QWidget* const page = largest<QScrollArea>(place);
        if (page != nullptr && !page->hasFocus()) {
            page->setProperty(quietFocusProperty, true);
            page->setFocus();
        }
        return page != nullptr;
    }
    if (items->selectionModel() == nullptr || items->currentIndex().isValid()) {
        items->setFocus();
        return true;
    }
    // A list makes its first item current when it gets the focus, although that item is not the
    // selection of the window.
    const QSignalBlocker nothingIsChosen(items->selectionModel());
    items->setFocus();
    items->selectionModel()->clearCurrentIndex();
    return true;
}

} // namespace tilescope::gui
