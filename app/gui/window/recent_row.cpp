#include "app/gui/window/recent_row.h"

#include <QApplication>
#include <QPainter>

namespace tilescope::gui {
namespace {

constexpr int rowEdge = 10;   // pixels left of the texts
constexpr int forRemove = 38; // right of them, where the button to remove a row is
constexpr int rowGap = 14;    // between two texts
constexpr int rowAbove = 7;   // the first line, and below the second
constexpr int ageWidth = 96;

/// Draws a text as far as there is room and moves the left edge to its end.
void drawNext(QPainter& painter, QRect& line, const QString& text, Qt::TextElideMode elide) {
    const QFontMetrics& metrics = painter.fontMetrics();
    const QString shown = metrics.elidedText(text, elide, std::max(0, line.width()));
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, shown);
    line.setLeft(line.left() + metrics.horizontalAdvance(shown) + rowGap);
}

} // namespace

RecentRow::RecentRow(const views::ThemeSource& theme, QObject* parent)
    : QStyledItemDelegate(parent)
    , theme_(theme) {}

QSize RecentRow::sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const {
    constexpr int between = 3;
    return {200, 2 * (option.fontMetrics.height() + rowAbove) + between};
}

void RecentRow::paint(QPainter* painter, const QStyleOptionViewItem& option,
                      const QModelIndex& index) const {
    QStyleOptionViewItem ground(option);
    const QWidget* widget = option.widget;
    QStyle* style = widget != nullptr ? widget->style() : QApplication::style();
    style->drawPrimitive(QStyle::PE_PanelItemViewItem, &ground, painter, widget);
    const views::Theme& theme = theme_.current();
    const auto text = [&index](Role role) { return index.data(role).toString(); };
    const bool missing = index.data(MissingRole).toBool();
    painter->save();
    const QRect inner = option.rect.adjusted(rowEdge, rowAbove, -forRemove, -rowAbove);
    QRect first(inner.left(), inner.top(), inner.width(), inner.height() / 2);
    QRect second(inner.left(), first.bottom() + 1, inner.width(), inner.height() / 2);
    painter->setFont(option.font);
    // Ages form a column, with verdicts next to it.
    painter->setPen(theme.mutedText);
    QRect age(first);
    age.setLeft(first.right() - ageWidth);
    painter->drawText(age, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, text(AgeRole));
    const QString verdict = text(VerdictRole);
    QRect fits(first);
    fits.setRight(age.left() - rowGap);
    painter->setPen(index.data(GoodRole).toBool() ? theme.good : theme.bad);
    painter->drawText(fits, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, verdict);
    first.setRight(fits.right() - option.fontMetrics.horizontalAdvance(verdict) - rowGap);
    QFont bold(option.font);
    bold.setWeight(QFont::DemiBold);
    painter->setFont(bold);
    painter->setPen(missing ? theme.mutedText : theme.text);
    drawNext(*painter, first, text(TitleRole), Qt::ElideMiddle);
    painter->setFont(option.font);
    painter->setPen(missing || !index.data(GoodRole).toBool() ? theme.mutedText : theme.text);
    drawNext(*painter, first, text(DetailsRole), Qt::ElideRight);
    painter->setPen(theme.mutedText);
    drawNext(*painter, second, text(PlaceRole), Qt::ElideMiddle);
    painter->restore();
}

} // namespace tilescope::gui
