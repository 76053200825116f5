#include "views/insights/meter.h"

#include <QPainter>
#include <algorithm>

namespace tilescope::views {

Meter::Meter(double share, QColor colour, QColor track, QWidget* parent)
    : QWidget(parent)
    , share_(std::clamp(share, 0.0, 1.0))
    , colour_(std::move(colour))
    , track_(std::move(track)) {
    constexpr int height = 6;
    setFixedHeight(height);
}

void Meter::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), track_);
    QRectF filled(rect());
    filled.setWidth(filled.width() * share_);
    painter.fillRect(filled, colour_);
}

} // namespace tilescope::views
