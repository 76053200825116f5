#include "views/compare/verdict_cards.h"

#include <QPainter>

namespace tilescope::views {
namespace {

constexpr int cardGap = 10;  // pixels between two cards
constexpr int cardEdge = 12; // within a card, left and right
constexpr int cardAbove = 8; // within a card, above and below
constexpr int markWidth = 4; // of the line that has the verdict's colour
constexpr int detailLines = 2;
constexpr int narrowest = 190;
constexpr double largeLetters = 1.5; // times the usual size

QFont valueFont(const QFont& usual) {
    QFont font(usual);
    font.setPointSizeF(usual.pointSizeF() * largeLetters);
    return font;
}

} // namespace

VerdictCards::VerdictCards(ViewContext& context, QWidget* parent)
    : PaintedWidget(context, parent) {
    setAccessibleName(tr("Verdict"));
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void VerdictCards::setFigures(std::array<VerdictFigure, cards> figures) {
    figures_ = std::move(figures);
    QStringList texts;
    for (const VerdictFigure& figure : figures_)
        texts << tr("%1: %2 \u2192 %3 %4. %5")
                     .arg(figure.title, figure.source, figure.target, figure.change, figure.detail);
    setAccessibleDescription(texts.join(QStringLiteral("; ")));
    updateGeometry();
    update();
}

int VerdictCards::heightOf(int lines) const {
    return fontMetrics().height() * (1 + lines) + QFontMetrics(valueFont(font())).height() +
           2 * cardAbove + 4;
}

QSize VerdictCards::minimumSizeHint() const {
    return {static_cast<int>(cards) * narrowest, heightOf(detailLines)};
}

int VerdictCards::heightForWidth(int width) const {
    constexpr int n = static_cast<int>(cards);
    constexpr int mostLines = 5;
    const int room = (width - (n - 1) * cardGap) / n - markWidth - 2 * cardEdge;
    int lines = detailLines;
    for (const VerdictFigure& figure : figures_) {
        const QRect text = fontMetrics().boundingRect(QRect(0, 0, std::max(1, room), 1000),
                                                      Qt::TextWordWrap, figure.detail);
        lines = std::max(lines, (text.height() + fontMetrics().height() - 1) /
                                    std::max(1, fontMetrics().height()));
    }
    return heightOf(std::min(lines, mostLines));
}

QSize VerdictCards::sizeHint() const {
    constexpr int usual = 360;
    return {static_cast<int>(cards) * usual, minimumSizeHint().height()};
}

QRect VerdictCards::cardRect(std::size_t card) const {
    constexpr int n = static_cast<int>(cards);
    const int room = width() - (n - 1) * cardGap;
    const int i = static_cast<int>(card);
    const int left = room * i / n + i * cardGap;
    return {left, 0, room * (i + 1) / n - room * i / n, height()};
}

QColor VerdictCards::colourOf(VerdictFigure::Level level) const {
    switch (level) {
    case VerdictFigure::Level::Good:
        return theme().good;
    case VerdictFigure::Level::Bad:
        return theme().bad;
    case VerdictFigure::Level::Plain:
        break;
    }
    return theme().mutedText;
}

void VerdictCards::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    for (std::size_t i = 0; i < cards; ++i)
        paintCard(painter, cardRect(i), figures_[i]);
}

void VerdictCards::paintCard(QPainter& painter, const QRect& card,
                             const VerdictFigure& figure) const {
    painter.fillRect(card, theme().surface);
    painter.fillRect(QRect(card.left(), card.top(), markWidth, card.height()),
                     colourOf(figure.level));
    const QRect inner = card.adjusted(markWidth + cardEdge, cardAbove, -cardEdge, -cardAbove);
    const QRect title(inner.left(), inner.top(), inner.width(), fontMetrics().height());
    const QRect values(inner.left(), title.bottom() + 1, inner.width(),
                       QFontMetrics(valueFont(font())).height() + 4);
    const int taken = paintValues(painter, title, values, figure);
    painter.setFont(font());
    painter.setPen(theme().mutedText);
    painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(figure.title, Qt::ElideRight, title.width() - taken));
    painter.drawText(inner.adjusted(0, title.height() + values.height(), 0, 0),
                     Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, figure.detail);
}

// If a card is too narrow for both, the change is written beside the title, in smaller letters.
int VerdictCards::paintValues(QPainter& painter, const QRect& title, const QRect& line,
                              const VerdictFigure& figure) const {
    const QString mark = figure.level == VerdictFigure::Level::Good  ? QStringLiteral("\u2714 ")
                         : figure.level == VerdictFigure::Level::Bad ? QStringLiteral("\u2718 ")
                                                                     : QString();
    const QString change = mark + figure.change;
    const QString both = tr("%1 \u2192 %2").arg(figure.source, figure.target);
    QFont bold = valueFont(font());
    bold.setWeight(QFont::DemiBold);
    const bool besides = QFontMetrics(bold).horizontalAdvance(change) + cardEdge +
                             QFontMetrics(valueFont(font())).horizontalAdvance(both) <=
                         line.width();
    if (!besides)
        bold.setPointSizeF(font().pointSizeF());
    painter.setFont(bold);
    painter.setPen(colourOf(figure.level));
    const int taken = besides ? 0 : QFontMetrics(bold).horizontalAdvance(change) + cardEdge;
    painter.drawText(besides ? line : title, Qt::AlignRight | Qt::AlignVCenter, change);
    QFont values = valueFont(font());
    if (QFontMetrics(values).horizontalAdvance(both) > line.width())
        values = font();
    painter.setFont(values);
    QRect room(line);
    const auto write = [&](const QString& text, const QColor& colour) {
        painter.setPen(colour);
        painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(text, Qt::ElideRight, room.width()));
        room.setLeft(room.left() + painter.fontMetrics().horizontalAdvance(text));
    };
    write(figure.source, figure.sourceIsBad ? theme().bad : theme().text);
    write(QStringLiteral(" \u2192 "), theme().mutedText);
    write(figure.target, figure.targetIsBad ? theme().bad : theme().text);
    return taken;
}

QString VerdictCards::toolTipAt(const QPoint& position) const {
    for (std::size_t i = 0; i < cards; ++i)
        if (cardRect(i).contains(position) && !figures_[i].title.isEmpty())
            return tr("%1\n%2 \u2192 %3 %4\n%5")
                .arg(figures_[i].title, figures_[i].source, figures_[i].target, figures_[i].change,
                     figures_[i].detail);
    return {};
}

} // namespace tilescope::views
