#include "views/tables/first_column.h"

#include <QEvent>
#include <QHeaderView>
#include <QTreeView>
#include <algorithm>

namespace tilescope::views {
namespace {
constexpr int leastWidth = 200;
constexpr int padding = 10; // between a value and the next column
} // namespace

FirstColumnFills::FirstColumnFills(QTreeView& view)
    : QObject(&view)
    , view_(view) {
    view_.viewport()->installEventFilter(this);
    view_.header()->setStretchLastSection(false);
}

void FirstColumnFills::fit() {
    QHeaderView& header = *view_.header();
    for (int column = 1; column < header.count(); ++column) {
        header.setSectionResizeMode(column, QHeaderView::Interactive);
        view_.resizeColumnToContents(column);
        header.resizeSection(column, header.sectionSize(column) + padding);
    }
    giveRest();
}

void FirstColumnFills::giveRest() {
    QHeaderView& header = *view_.header();
    if (header.count() == 0)
        return;
    int others = 0;
    for (int column = 1; column < header.count(); ++column)
        others += header.sectionSize(column);
    header.resizeSection(0, std::max(leastWidth, view_.viewport()->width() - others));
}

bool FirstColumnFills::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize)
        giveRest();
    return QObject::eventFilter(watched, event);
}

} // namespace tilescope::views
