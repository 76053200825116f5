#include "views/memory/film_slider.h"

#include <QPainter>
#include <QStyle>
#include <algorithm>

namespace tilescope::views {

FilmSlider::FilmSlider(const ThemeSource& theme, QWidget* parent)
    : QSlider(Qt::Horizontal, parent)
    , theme_(theme) {
    connect(&theme_, &ThemeSource::changed, this, qOverload<>(&QWidget::update));
}

void FilmSlider::setCurve(std::vector<std::int64_t> curve) {
    curve_ = std::move(curve);
    update();
}

std::int64_t FilmSlider::peak() const {
    return curve_.empty() ? 0 : std::max_element(curve_.begin(), curve_.end()) - curve_.begin();
}

QSize FilmSlider::sizeHint() const {
    constexpr int height = 30; // pixels: as high as the buttons beside it
    return {QSlider::sizeHint().width(), height};
}

void FilmSlider::paintEvent(QPaintEvent* event) {
    const std::int64_t most =
        curve_.empty() ? 0 : curve_[static_cast<std::size_t>(std::max<std::int64_t>(0, peak()))];
    if (most > 0) {
        QPainter painter(this);
        // The middle of the handle is at its frame, and the groove in the middle of the curve.
        const int handle = style()->pixelMetric(QStyle::PM_SliderLength, nullptr, this);
        const int room = std::max(1, width() - handle);
        const Theme& theme = theme_.current();
        const QColor colour = mixed(theme.surface, theme.notAlwaysLive, 0.5);
        const auto count = static_cast<std::int64_t>(curve_.size());
        for (int x = 0; x < room; ++x) {
            const std::int64_t from = count * x / room;
            const std::int64_t to = std::max(from + 1, count * (x + 1) / room);
            const std::int64_t value =
                *std::max_element(curve_.begin() + from, curve_.begin() + std::min(to, count));
            const int length =
                static_cast<int>(static_cast<double>(height()) * static_cast<double>(value) /
                                 static_cast<double>(most));
            painter.fillRect(handle / 2 + x, (height() - length) / 2, 1, length, colour);
        }
    }
    QSlider::paintEvent(event);
}

} // namespace tilescope::views
