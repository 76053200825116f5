#include "views/insights/meter.h"

#include <QPainter>
#include <algorithm>

namespace tilescope::views {
namespace {
constexpr int thickness = 6; // pixels
}

Meter::Meter(double share, const QColor& colour, const QColor& track, QWidget* parent)
    : QWidget(parent)
    , share_(std::clamp(share, 0.0, 1.0))
    , colour_(colour)
    , track_(track) {
    setFixedHeight(thickness);
}

QSize Meter::sizeHint() const {
    constexpr int wanted = 160;
    return {wanted, thickness};
}

QSize Meter::minimumSizeHint() const {
    constexpr int least = 60;
    return {least, thickness};
}

void Meter::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), track_);
    QRectF filled(rect());
    filled.setWidth(filled.width() * share_);
    painter.fillRect(filled, colour_);
}

} // namespace tilescope::views
