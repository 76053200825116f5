#include "views/widgets/short_label.h"

#include <QHelpEvent>
#include <QPainter>
#include <QStyle>
#include <QToolTip>
#include <algorithm>

#include "views/theme/text.h"

namespace tilescope::views {

ShortLabel::ShortLabel(const QString& text, int least, int most, QWidget* parent)
    : QLabel(shownText(text, mostOfParagraph), parent)
    , least_(least)
    , most_(most) {
    setTextFormat(Qt::PlainText);
}

QSize ShortLabel::sizeHint() const {
    const QSize wanted = QLabel::sizeHint();
    return {std::min(wanted.width(), most_), wanted.height()};
}

QSize ShortLabel::minimumSizeHint() const {
    const QSize wanted = QLabel::minimumSizeHint();
    return {std::min(wanted.width(), least_), wanted.height()};
}

bool ShortLabel::isShort() const {
    return QLabel::minimumSizeHint().width() > width();
}

bool ShortLabel::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip && toolTip().isEmpty() && isShort()) {
        QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), text(), this);
        return true;
    }
    return QLabel::event(event);
}

void ShortLabel::paintEvent(QPaintEvent* event) {
    if (!isShort())
        return QLabel::paintEvent(event);
    QPainter painter(this);
    const QRect room = contentsRect().marginsRemoved(QMargins(margin(), 0, margin(), 0));
    style()->drawItemText(&painter, room, static_cast<int>(alignment()), palette(), isEnabled(),
                          fontMetrics().elidedText(text(), Qt::ElideMiddle, room.width()),
                          foregroundRole());
}

} // namespace tilescope::views
