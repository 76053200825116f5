#include "views/execution/trace_strip.h"

#include <QPainter>

#include "views/plot/trace/box_colours.h"

namespace tilescope::views {
TraceStrip::TraceStrip(ViewContext& context, QWidget* parent)
    : OverviewStrip(context, context.timeZoom, parent) {
    setContent([this](QPainter& painter, const QRect& rect) { paintRows(painter, rect); });
}

void TraceStrip::setRows(SharedRows rows) {
    rows_ = std::move(rows);
    invalidate();
}

void TraceStrip::setFlags(std::vector<TraceFlag> flags) {
    flags_ = std::move(flags);
    invalidate();
}

// A pole over all lanes and a cloth, as those of moments.
void TraceStrip::paintFlags(QPainter& painter, const QRect& rect) const {
    const ZoomRange& zoom = context().timeZoom;
    const double all = zoom.last() - zoom.first();
    constexpr double cloth = 7; // pixels
    painter.setPen(theme().accent);
    painter.setBrush(theme().accent);
    for (const TraceFlag& flag : flags_) {
        const double x = (flag.cycle - zoom.first()) / all * rect.width();
        if (!(x >= 0 && x <= rect.width()))
            continue;
        painter.drawLine(QPointF(x, 0), QPointF(x, rect.height()));
        painter.drawPolygon(
            QPolygonF({QPointF(x, 0), QPointF(x + cloth, cloth / 2), QPointF(x, cloth)}));
    }
    painter.setBrush(Qt::NoBrush);
}

void TraceStrip::paintRows(QPainter& painter, const QRect& rect) const {
    if (rows_.empty())
        return paintFlags(painter, rect);
    const ZoomRange& zoom = context().timeZoom;
    // More lanes than pixels cannot all be seen.
    const std::size_t shown =
        std::min(rows_.size(), static_cast<std::size_t>(std::max(1, rect.height())));
    const double height = static_cast<double>(rect.height()) / static_cast<double>(shown);
    const BoxColours colours(theme(), ColourBy::Kind);
    const BoxPaints paints = [&colours](const TraceBox& box) { return colours.of(box); };
    // A line of pixels for each lane, stretched to its height.
    QImage line(rect.width(), 1, QImage::Format_ARGB32_Premultiplied);
    for (std::size_t i = 0; i < shown; ++i) {
        const TraceRow& steps = *rows_[i * rows_.size() / shown];
        line.fill(Qt::transparent);
        auto* const pixels = reinterpret_cast<QRgb*>(line.bits());
        for (const BoxOnScreen& place :
             boxesOnScreen(steps, zoom.first(), zoom.last(), rect.width(), paints))
            std::fill(pixels + place.x0, pixels + place.x1,
                      mixedColours(place.colour, colours.surface(), 1 - place.coverage));
        painter.drawImage(
            QRectF(0, height * static_cast<double>(i), rect.width(), std::max(1.0, height)), line);
    }
    paintFlags(painter, rect);
}

} // namespace tilescope::views
