#include "views/tables/item_menu.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QMenu>
#include <QPointer>
#include <algorithm>

#include "views/tables/item_export.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

// A viewport belongs to the widget that scrolls in it.
QWidget& ownerOf(QWidget& widget) {
    auto* area = qobject_cast<QAbstractScrollArea*>(widget.parentWidget());
    return area != nullptr && area->viewport() == &widget ? *area : widget;
}

ReportView* reportAround(QWidget& widget) {
    for (QWidget* at = &widget; at != nullptr; at = at->parentWidget())
        if (auto* report = qobject_cast<ReportView*>(at))
            return report;
    return nullptr;
}

void putOnClipboard(const QString& text) {
    QApplication::clipboard()->setText(text);
}

void addPlaces(QMenu& menu, ReportView& report, ViewContext& context, const Selected& thing) {
    const ProfileViewPtr& source = context.reports.source();
    if (!source)
        return;
    QMenu* places = nullptr;
    for (const std::string_view place : placesOf(thing, source->info())) {
        const QString title = placeTitle(place);
        if (title == report.accessibleName())
            continue; // this is the place itself
        if (places == nullptr)
            places = menu.addMenu(Text::tr("Show in"));
        QObject::connect(
            places->addAction(title), &QAction::triggered, &report,
            [&report, &context, thing, place] { showThing(report, context, thing, place); });
    }
}

void addSourceLine(QMenu& menu, ReportView& report, ViewContext& context, const Selected& thing) {
    const ProfileViewPtr& source = context.reports.source();
    if (source && mayHaveSourceLine(*source, thing))
        QObject::connect(menu.addAction(Text::tr("Show source line")), &QAction::triggered, &report,
                         [&report, &context, thing] { showSourceLine(report, context, thing); });
}

void addFilter(QMenu& menu, const Pointed& pointed) {
    const QString& text = pointed.filterText.isEmpty() ? pointed.name : pointed.filterText;
    if (!pointed.filter || text.isEmpty())
        return;
    constexpr qsizetype longest = 40; // letters in a menu
    QObject::connect(
        menu.addAction(Text::tr("Filter to '%1'").arg(menuText(shownText(text, longest)))),
        &QAction::triggered, &menu, pointed.filter);
}

void addCopy(QMenu& menu, const QModelIndex& cell, const Pointed& pointed) {
    if (cell.isValid())
        QObject::connect(menu.addAction(Text::tr("Copy cell")), &QAction::triggered, &menu,
                         [text = cellText(cell)] { putOnClipboard(text); });
    else if (!pointed.name.isEmpty())
        QObject::connect(menu.addAction(Text::tr("Copy name")), &QAction::triggered, &menu,
                         [text = pointed.name] { putOnClipboard(text); });
}

bool isOpen(const QWidget& owner) {
    const auto menus =
        owner.findChildren<QMenu*>(QString::fromLatin1(itemMenuName), Qt::FindDirectChildrenOnly);
    return std::any_of(menus.begin(), menus.end(),
                       [](const QMenu* menu) { return menu->isVisible(); });
}

void popUp(QWidget& owner, ViewContext& context, const Pointed& pointed, const QModelIndex& cell,
           const QPoint& position) {
    if (isOpen(owner))
        return; // the key and the platform's event for it may both arrive
    auto* menu = new QMenu(&owner);
    menu->setObjectName(QString::fromLatin1(itemMenuName));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    // Its entries are about the open profiles.
    QObject::connect(&context.workers, &Workers::profilesLeft, menu, &QWidget::close);
    if (ReportView* report = reportAround(owner)) {
        addPlaces(*menu, *report, context, pointed.thing);
        addSourceLine(*menu, *report, context, pointed.thing);
    }
    addFilter(*menu, pointed);
    addCopy(*menu, cell, pointed);
    menu->addActions(owner.actions());
    if (menu->isEmpty())
        return menu->deleteLater();
    menu->popup(position);
    // The keyboard starts at the first entry.
    menu->setActiveAction(menu->actions().front());
}

/// Where the menu of the keyboard opens.
QPoint middleOf(QWidget& owner, const QModelIndex& cell) {
    if (auto* items = qobject_cast<QAbstractItemView*>(&owner); items != nullptr && cell.isValid())
        return items->viewport()->mapToGlobal(items->visualRect(cell).center());
    return owner.mapToGlobal(owner.rect().center());
}

} // namespace

bool openItemMenu(QWidget& widget, ViewContext& context, const QContextMenuEvent& event) {
    QWidget& owner = ownerOf(widget);
    auto* items = qobject_cast<QAbstractItemView*>(&owner);
    const PointAt pointAt = pointAtOf(owner);
    if (qobject_cast<QHeaderView*>(&owner) != nullptr ||
        (items == nullptr && !pointAt && owner.actions().isEmpty()))
        return false;
    const bool keyboard = event.reason() == QContextMenuEvent::Keyboard;
    QModelIndex cell;
    if (items != nullptr)
        cell = keyboard ? items->currentIndex() : items->indexAt(event.pos());
    const QPoint position = keyboard ? middleOf(owner, cell) : event.globalPos();
    const ShowMenu show = [at = QPointer<QWidget>(&owner), &context,
                           cell = QPersistentModelIndex(cell), position](const Pointed& pointed) {
        if (at)
            popUp(*at, context, pointed, cell, position);
    };
    if (pointAt)
        pointAt(keyboard ? std::nullopt : std::optional(event.pos()), show);
    else
        show({});
    return true;
}

} // namespace tilescope::views
