#include "views/plot/trace/trace_flags.h"

namespace tilescope::views {

void paintFlags(QPainter& painter, PlotWidget& plot, const Theme& theme,
                const std::vector<TraceFlag>& flags) {
    constexpr int padding = 5;
    constexpr int longest = 220; // pixels
    const QRect area = plot.axisRect()->rect();
    double free = area.left();
    for (const TraceFlag& flag : flags) {
        const double x = plot.xAxis->coordToPixel(flag.cycle);
        if (x < area.left() || x > area.right())
            continue;
        painter.setPen(QPen(theme.accent, 1));
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
        const QFontMetrics metrics = painter.fontMetrics();
        const QString text = metrics.elidedText(flag.text, Qt::ElideRight, longest);
        QRectF label(x, area.bottom() - metrics.height() - padding,
                     metrics.horizontalAdvance(text) + 2 * padding, metrics.height() + 2);
        if (label.right() > area.right())
            label.moveRight(x);
        if (label.left() < free)
            continue;
        free = label.right();
        painter.fillRect(label, theme.accent);
        painter.setPen(Theme::textOn(theme.accent));
        painter.drawText(label, Qt::AlignCenter, text);
    }
}

} // namespace tilescope::views
