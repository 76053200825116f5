#include "views/tables/cell_bars.h"

#include <QPainter>
#include <algorithm>

#include "views/tables/cell_text.h"

namespace tilescope::views {

CellBars::CellBars(const ThemeSource& theme, QObject* parent)
    : QStyledItemDelegate(parent)
    , theme_(theme) {}

QRectF CellBars::barIn(const QRect& cell, double share) {
    constexpr double side = 4; // pixels left and right, the same margin as the digits
    constexpr double thick = 3;
    constexpr double below = 1;
    constexpr double least = 1.5; // shorter ones are but specks
    const double room = std::max(0.0, cell.width() - 2 * side);
    const double length = std::min(share * room, room);
    if (!(length >= least))
        return {};
    // Bars grow leftwards from the end of the numbers, so that a longer number has a longer bar.
    return {cell.right() + 1 - side - length, cell.bottom() + 1 - below - thick, length, thick};
}

void CellBars::paint(QPainter* painter, const QStyleOptionViewItem& option,
                     const QModelIndex& index) const {
    QStyledItemDelegate::paint(painter, option, index);
    const QVariant share = index.data(barRole);
    if (!share.isValid())
        return;
    constexpr double strength = 0.5; // of the accent colour, as digits matter more
    const Theme& theme = theme_.current();
    painter->fillRect(barIn(option.rect, share.toDouble()),
                      mixed(theme.surface, theme.accent, strength));
}

} // namespace tilescope::views
