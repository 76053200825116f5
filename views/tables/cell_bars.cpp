#include "views/tables/cell_bars.h"

#include <QPainter>
#include <algorithm>

#include "views/tables/cell_text.h"

namespace tilescope::views {

CellBars::CellBars(const ThemeSource& theme, QObject* parent)
    : QStyledItemDelegate(parent)
    , theme_(theme) {}

QRectF CellBars::barIn(const QRect& cell, double share) {
    constexpr double side = 4;    // pixels left and right, as far as the digits keep
    constexpr double above = 3;   // and below
    constexpr double least = 1.5; // shorter ones are but specks
    const double room = std::max(0.0, cell.width() - 2 * side);
    const double length = std::min(share * room, room);
    if (!(length >= least))
        return {};
    // It grows from where the numbers end, so that a longer number is a longer bar.
    return {cell.right() + 1 - side - length, cell.top() + above, length,
            cell.height() - 2 * above};
}

void CellBars::paint(QPainter* painter, const QStyleOptionViewItem& option,
                     const QModelIndex& index) const {
    const QVariant share = index.data(barRole);
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    const Theme& theme = theme_.current();
    if (!share.isValid())
        return QStyledItemDelegate::paint(painter, option, index);
    const double strength = theme.dark ? 0.3 : 0.2; // of the accent, in what is behind the digits
    const QRectF bar = barIn(option.rect, share.toDouble());
    // The ground of a selected row would be painted over the bar: there it is part of the ground.
    if (!selected) {
        painter->fillRect(bar, mixed(theme.surface, theme.accent, strength));
        return QStyledItemDelegate::paint(painter, option, index);
    }
    painter->fillRect(option.rect, theme.selected);
    painter->fillRect(bar, mixed(theme.selected, theme.accent, strength));
    QStyleOptionViewItem plain(option);
    plain.state.setFlag(QStyle::State_Selected, false);
    QStyledItemDelegate::paint(painter, plain, index);
}

} // namespace tilescope::views
