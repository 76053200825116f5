#include "views/insights/short_button.h"

#include <QResizeEvent>
#include <algorithm>

namespace tilescope::views {

ShortButton::ShortButton(QString text, int least, int most, QWidget* parent)
    : QPushButton(text, parent)
    , whole_(std::move(text))
    , least_(least)
    , most_(most) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setAccessibleName(whole_);
}

int ShortButton::frameWidth() const {
    return QPushButton::sizeHint().width() - fontMetrics().horizontalAdvance(text());
}

QSize ShortButton::sizeHint() const {
    // Elided text needs whole pixels: round its width up.
    const int wanted = fontMetrics().horizontalAdvance(whole_) + 1 + frameWidth();
    return {std::min(wanted, most_), QPushButton::sizeHint().height()};
}

QSize ShortButton::minimumSizeHint() const {
    const QSize wanted = sizeHint();
    return {std::min(wanted.width(), least_), wanted.height()};
}

void ShortButton::resizeEvent(QResizeEvent* event) {
    QPushButton::resizeEvent(event);
    const int room = event->size().width() - frameWidth();
    const QString shown = fontMetrics().elidedText(whole_, Qt::ElideMiddle, std::max(0, room));
    if (shown != text())
        setText(shown);
}

} // namespace tilescope::views
