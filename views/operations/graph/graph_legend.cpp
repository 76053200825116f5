#include "views/operations/graph/graph_legend.h"

#include <QPainter>

namespace tilescope::views {
namespace {

constexpr double edge = 12;
constexpr double gap = 8;
constexpr double scaleWidth = 140;
constexpr double scaleHeight = 11;

} // namespace

GraphLegend::GraphLegend(ViewContext& context, QWidget* parent)
    : PaintedWidget(context, parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void GraphLegend::setColours(std::optional<GraphColours> colours) {
    colours_ = colours;
    setToolTip(colours_ ? Text::tr(metricRow(colours_->metric()).toolTip) : QString());
    setAccessibleName(texts().join(QStringLiteral(", ")));
    updateGeometry();
    update();
}

QStringList GraphLegend::texts() const {
    if (!colours_)
        return {};
    const ByteUnits units = context().preferences.byteUnits();
    const GraphMetric metric = colours_->metric();
    if (!colours_->comparing())
        return {metricTitle(metric), metricText(metric, 0, units),
                metricText(metric, colours_->most(), units)};
    return {tr("%1, target less source").arg(metricTitle(metric)),
            metricText(metric, -colours_->most(), units, true),
            metricText(metric, colours_->most(), units, true)};
}

QSize GraphLegend::sizeHint() const {
    const int lines = colours_ && colours_->comparing() ? 2 : 1;
    return {320, lines * (fontMetrics().height() + 8) + 4};
}

double GraphLegend::paintScale(QPainter& painter, double left) const {
    const double line = colours_->comparing() ? height() / 2.0 : height();
    const double top = (line - scaleHeight) / 2;
    const double least = colours_->comparing() ? -colours_->most() : 0;
    for (int i = 0; i < static_cast<int>(scaleWidth); ++i) {
        const double value = least + (colours_->most() - least) * (i + 0.5) / scaleWidth;
        painter.fillRect(QRectF(left + i, top, 1, scaleHeight),
                         colours_->most() > 0 ? colours_->colourOf(value, theme())
                                              : colours_->colourOf(0, theme()));
    }
    painter.setPen(theme().border);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(left, top, scaleWidth, scaleHeight));
    return left + scaleWidth;
}

void GraphLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().surface);
    if (!colours_)
        return;
    const QStringList all = texts();
    double at = edge;
    const double line = colours_->comparing() ? height() / 2.0 : height();
    double top = 0;
    const auto write = [&](const QString& text, const QColor& colour) {
        painter.setPen(colour);
        const double width = fontMetrics().horizontalAdvance(text);
        painter.drawText(QRectF(at, top, width + 1, line), Qt::AlignVCenter, text);
        at += width + gap;
    };
    write(all[0], theme().text);
    write(all[1], theme().mutedText);
    at = paintScale(painter, at) + gap;
    write(all[2], theme().mutedText);
    if (!colours_->comparing())
        return;
    // A line of their own: beside the scale they would be cut in a narrow window.
    top = line;
    at = edge;
    const auto mark = [&](const QColor& colour, Qt::PenStyle style, const QString& text) {
        constexpr double side = 12;
        painter.setPen(QPen(colour, 2.5, style));
        painter.drawRoundedRect(QRectF(at, top + (line - side) / 2, 1.6 * side, side), 3, 3);
        at += 1.6 * side + gap;
        write(text, theme().mutedText);
        at += gap;
    };
    mark(theme().source, Qt::DashLine, tr("source only"));
    mark(theme().target, Qt::SolidLine, tr("target only"));
}

} // namespace tilescope::views
