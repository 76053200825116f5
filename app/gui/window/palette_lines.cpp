#include "app/gui/window/palette_lines.h"

#include <QApplication>
#include <QPainter>
#include <QStyle>
#include <algorithm>

namespace tilescope::gui {

void PaletteLines::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
    QStyleOptionViewItem line = option;
    initStyleOption(&line, index);
    const bool heading = index.data(headingRole).toBool();
    const QString detail = index.data(detailRole).toString();
    line.text.clear();
    const QStyle* style = line.widget == nullptr ? QApplication::style() : line.widget->style();
    style->drawControl(QStyle::CE_ItemViewItem, &line, painter, line.widget);
    painter->save();
    constexpr int beside = 10; // pixels at either end, and between name and detail
    QRect room = line.rect.adjusted(beside, 0, -beside, 0);
    QFont font = line.font;
    font.setBold(heading);
    painter->setFont(font);
    const bool chosen = line.state.testFlag(QStyle::State_Selected);
    const QColor text =
        line.palette.color(QPalette::Active, chosen ? QPalette::HighlightedText : QPalette::Text);
    const QColor muted =
        chosen ? text : line.palette.color(QPalette::Active, QPalette::PlaceholderText);
    if (!detail.isEmpty()) {
        const QFontMetrics metrics = painter->fontMetrics();
        const int width = std::min(metrics.boundingRect(detail).width() + beside, room.width() / 3);
        painter->setPen(muted);
        painter->drawText(room, Qt::AlignRight | Qt::AlignVCenter,
                          metrics.elidedText(detail, Qt::ElideRight, width));
        room.setRight(room.right() - width - beside);
    }
    painter->setPen(heading ? muted : text);
    const QString name =
        heading ? index.data(Qt::DisplayRole).toString() : index.data(nameRole).toString();
    painter->drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                      painter->fontMetrics().elidedText(name, Qt::ElideMiddle, room.width()));
    painter->restore();
}

} // namespace tilescope::gui
