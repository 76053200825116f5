#include "views/operations/roofline_plot.h"

#include <QtMath>
#include <algorithm>
#include <cmath>

#include "core/base/units.h"
#include "views/plot/axes/tickers.h"

namespace tilescope::views {
namespace {

constexpr double smallest = 3.5; // pixels
constexpr double greatest = 20;
constexpr double beforeRidge = 0.7; // decades that the axes reach beyond the limits' corners
constexpr double afterRidge = 1.3;  // likewise, with room for the labels of the limits
constexpr double columnWidth = 1;   // decades for rows without exchange
constexpr double labelShare = 0.06; // of the height, for a label

double corner(const RooflineLimits& limits, double peak) {
    return std::log10(peak / limits.bytes);
}

bool canBeDrawn(const RooflineLimits& limits) {
    return limits.bytes > 0 && limits.singleFlops > 0 && limits.halfFlops > 0;
}

struct Span {
    double from = 1e9;
    double to = -1e9;
    void include(double value) {
        from = std::min(from, value);
        to = std::max(to, value);
    }
};

} // namespace

RooflinePlottable::RooflinePlottable(QCPAxis* keyAxis, QCPAxis* valueAxis, const ThemeSource& theme)
    : Plottable(keyAxis, valueAxis)
    , theme_(theme) {}

void RooflinePlottable::setContent(std::vector<RooflineMark> marks, std::vector<RooflineLine> lines,
                                   double columnFrom) {
    marks_ = std::move(marks);
    lines_ = std::move(lines);
    columnFrom_ = columnFrom;
    std::stable_sort(marks_.begin(), marks_.end(),
                     [](const auto& a, const auto& b) { return a.cycles > b.cycles; });
    mostCycles_ = marks_.empty() ? 1 : std::max(1.0, marks_.front().cycles);
}

QPointF RooflinePlottable::placeOf(const RooflineMark& mark) const {
    const double x =
        mark.flopsPerByte ? std::log10(*mark.flopsPerByte) : columnFrom_ + columnWidth / 2;
    return {keyAxis()->coordToPixel(x), valueAxis()->coordToPixel(std::log10(mark.flopsPerCycle))};
}

double RooflinePlottable::radiusOf(const RooflineMark& mark) const {
    return std::max(smallest, greatest * std::sqrt(mark.cycles / mostCycles_));
}

void RooflinePlottable::draw(QCPPainter* painter) {
    painter->setFont(mParentPlot->font());
    for (std::size_t i = 0; i < lines_.size(); ++i)
        if (canBeDrawn(lines_[i].limits))
            drawLimits(*painter, lines_[i], i > 0);
    painter->setRenderHint(QPainter::Antialiasing);
    for (const RooflineMark& mark : marks_)
        drawMark(*painter, mark);
}

void RooflinePlottable::drawLimits(QCPPainter& painter, const RooflineLine& line,
                                   bool dashed) const {
    const RooflineLimits& limits = line.limits;
    const QRect area = clipRect();
    const auto pixel = [this](double x, double y) {
        return QPointF(keyAxis()->coordToPixel(x), valueAxis()->coordToPixel(y));
    };
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme_.current().limit, 1.5, dashed ? Qt::DashLine : Qt::SolidLine));
    const double last = keyAxis()->range().upper;
    const double left = valueAxis()->range().lower - std::log10(limits.bytes);
    const QPointF foot = pixel(left, valueAxis()->range().lower);
    const QPointF ridge = pixel(corner(limits, limits.halfFlops), std::log10(limits.halfFlops));
    painter.drawLine(foot, ridge);
    const auto level = [&](double peak, const QString& text) {
        const QPointF end = pixel(last, std::log10(peak));
        painter.drawLine(pixel(corner(limits, peak), std::log10(peak)), end);
        const QString label =
            text.arg(QString::fromStdString(withThousands(std::llround(peak)))) + line.suffix;
        const double width = painter.fontMetrics().horizontalAdvance(label);
        // Left of the column without exchange, whose border would cut it.
        const double border = keyAxis()->coordToPixel(columnFrom_);
        const double right =
            border - width > area.left() ? std::min<double>(border, area.right()) : area.right();
        drawLabel(painter, {right - width - 8, end.y() - 4}, label);
    };
    level(limits.halfFlops, tr("half: %1 FLOP/cycle"));
    level(limits.singleFlops, tr("single: %1 FLOP/cycle"));
    // Along the slope, beside its part that is in sight.
    painter.save();
    const double angle = std::atan2(ridge.y() - foot.y(), ridge.x() - foot.x());
    const double start = std::max<double>(foot.x(), area.left()) + 24;
    painter.translate(start, foot.y() + (start - foot.x()) * std::tan(angle));
    painter.rotate(qRadiansToDegrees(angle));
    drawLabel(painter, {0, -5},
              tr("exchange: %1 B/cycle")
                      .arg(QString::fromStdString(withThousands(std::llround(limits.bytes)))) +
                  line.suffix);
    painter.restore();
}

void RooflinePlottable::drawLabel(QCPPainter& painter, const QPointF& at,
                                  const QString& text) const {
    const QPen line = painter.pen();
    painter.setPen(theme_.current().mutedText);
    painter.drawText(at, text);
    painter.setPen(line);
}

void RooflinePlottable::drawMark(QCPPainter& painter, const RooflineMark& mark) const {
    const double radius = radiusOf(mark);
    QColor fill = mark.colour;
    fill.setAlphaF(0.6F);
    painter.setPen(QPen(mark.colour, mark.target ? 2 : 1));
    painter.setBrush(mark.target ? QBrush(Qt::NoBrush) : QBrush(fill));
    painter.drawEllipse(placeOf(mark), radius, radius);
}

RooflinePlot::RooflinePlot(ViewContext& context, ZoomRange& zoom, QWidget* parent)
    : PlotWidget(context, zoom, parent)
    , content_(new RooflinePlottable(xAxis, yAxis, context.theme)) {
    setAccessibleName(tr("Roofline"));
    xAxis->setTicker(QSharedPointer<DecadeTicker>::create());
    yAxis->setTicker(QSharedPointer<DecadeTicker>::create());
    xAxis->ticker()->setTickCount(10);
    xAxis->setLabel(tr("FLOPs for a byte exchanged"));
    setValueTitle(tr("FLOPs a cycle"));
}

void RooflinePlot::setContent(std::vector<RooflineMark> marks, std::vector<RooflineLine> lines) {
    Span x;
    Span y;
    bool noExchange = false;
    for (const RooflineLine& line : lines)
        if (canBeDrawn(line.limits)) {
            x.include(corner(line.limits, line.limits.singleFlops) - beforeRidge);
            x.include(corner(line.limits, line.limits.halfFlops) + afterRidge);
            y.include(std::log10(line.limits.singleFlops) - beforeRidge);
            y.include(std::log10(line.limits.halfFlops));
        }
    for (const RooflineMark& mark : marks) {
        if (mark.flopsPerByte)
            x.include(std::log10(*mark.flopsPerByte));
        noExchange = noExchange || !mark.flopsPerByte;
        y.include(std::log10(mark.flopsPerCycle));
    }
    if (x.from > x.to)
        x = {0, 1};
    if (y.from > y.to)
        y = {0, 1};
    const double first = x.from - 0.2;
    const double last = x.to + 0.2;
    const double end = last + (noExchange ? columnWidth : 0);
    qSharedPointerCast<DecadeTicker>(xAxis->ticker())->setLast(last);
    setSections(noExchange ? std::vector<Section>{{last, end, tr("no exchange")}}
                           : std::vector<Section>{});
    content_->setContent(std::move(marks), std::move(lines), last);
    // Room for the column's name below and the labels of the limits above.
    const double margin = labelShare * (y.to - y.from) + 0.1;
    yAxis->setRange(y.from - margin, y.to + margin);
    // A decade always has a tick.
    zoom().setLimits(first, end, 1);
    replotSoon();
}

const RooflineMark* RooflinePlot::markAt(double x, double y) const {
    constexpr double beside = 3; // pixels around a mark that count as it
    const QPointF pointer(xAxis->coordToPixel(x), yAxis->coordToPixel(y));
    const RooflineMark* nearest = nullptr;
    double least = 0;
    for (const RooflineMark& mark : content_->marks()) {
        const QPointF way = content_->placeOf(mark) - pointer;
        const double distance = std::hypot(way.x(), way.y());
        if (distance <= content_->radiusOf(mark) + beside && (!nearest || distance < least)) {
            nearest = &mark;
            least = distance;
        }
    }
    return nearest;
}

void RooflinePlot::setChosen(std::optional<std::size_t> source, std::optional<std::size_t> target) {
    source_ = source;
    target_ = target;
    update();
}

void RooflinePlot::paintExtra(QPainter& painter) {
    constexpr double gap = 3;
    painter.save();
    painter.setClipRect(axisRect()->rect());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    // Marks may have any colour and overlap: the ring has the colour of text, with the background's
    // on both sides.
    constexpr double around = 6;
    constexpr double line = 2.5;
    for (const auto& [colour, width] :
         {std::pair(theme().surface, around), std::pair(theme().text, line)})
        for (const RooflineMark& mark : content_->marks())
            if ((mark.target ? target_ : source_) == mark.row) {
                const double radius = content_->radiusOf(mark) + gap;
                painter.setPen(QPen(colour, width));
                painter.drawEllipse(content_->placeOf(mark), radius, radius);
            }
    painter.restore();
}

} // namespace tilescope::views
