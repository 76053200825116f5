#include "views/compare/step_scatter.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "views/session/time_texts.h"

namespace tilescope::views {
namespace {

constexpr double markRadius = 3.5; // pixels
constexpr double ringRadius = 7;
constexpr double clickReach = 8; // of a click
constexpr int scatterEdge = 12;
constexpr int besideAxis = 6;
constexpr double faint = 0.75; // so that marks show through each other

QString powerText(int decade) {
    constexpr int thousand = 3, million = 6, billion = 9;
    const auto scaled = [&](int of, const char* letter) {
        return QString::number(std::lround(std::pow(10, decade - of))) + QLatin1String(letter);
    };
    return decade >= billion    ? scaled(billion, "G")
           : decade >= million  ? scaled(million, "M")
           : decade >= thousand ? scaled(thousand, "k")
                                : scaled(0, "");
}

} // namespace

StepScatter::StepScatter(ViewContext& context, QWidget* parent)
    : PaintedWidget(context, parent) {
    setAccessibleName(tr("Measured over simulated cycles of steps"));
    setMinimumSize(240, 200);
}

void StepScatter::setMarks(std::vector<Mark> marks) {
    marks_ = std::move(marks);
    std::erase_if(marks_, [](const Mark& m) { return m.simulated <= 0 || m.measured <= 0; });
    from_ = 0;
    to_ = 1;
    for (const Mark& mark : marks_)
        to_ = std::max({to_, std::log10(mark.simulated), std::log10(mark.measured)});
    double least = to_;
    for (const Mark& mark : marks_)
        least = std::min({least, std::log10(mark.simulated), std::log10(mark.measured)});
    from_ = std::max(0.0, std::floor(least));
    to_ = std::max(from_ + 1, std::ceil(to_));
    update();
}

void StepScatter::select(std::int32_t id) {
    selected_ = id;
    update();
}

QRectF StepScatter::area() const {
    const int line = fontMetrics().height();
    const int left =
        fontMetrics().horizontalAdvance(QStringLiteral("100M")) + line + 2 * besideAxis;
    return QRectF(rect()).adjusted(left, scatterEdge, -scatterEdge, -(2 * line + 2 * besideAxis));
}

QPointF StepScatter::placeOf(const Mark& mark) const {
    const QRectF in = area();
    const auto share = [this](double cycles) {
        return (std::log10(cycles) - from_) / (to_ - from_);
    };
    return {in.left() + share(mark.simulated) * in.width(),
            in.bottom() - share(mark.measured) * in.height()};
}

const StepScatter::Mark* StepScatter::markAt(const QPoint& position) const {
    const Mark* nearest = nullptr;
    double best = clickReach;
    for (const Mark& mark : marks_) {
        const QPointF away = placeOf(mark) - position;
        const double distance = std::hypot(away.x(), away.y());
        if (distance < best) {
            best = distance;
            nearest = &mark;
        }
    }
    return nearest;
}

void StepScatter::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton)
        return;
    if (const Mark* mark = markAt(event->pos()))
        emit chosen(mark->id);
}

QString StepScatter::toolTipAt(const QPoint& position) const {
    const Mark* mark = markAt(position);
    if (mark == nullptr)
        return {};
    return tr("%1\n%2 cycles simulated, %3 measured: %4 times")
        .arg(mark->name.toHtmlEscaped(), countText(std::llround(mark->simulated)),
             countText(std::llround(mark->measured)),
             QString::number(mark->measured / mark->simulated, 'g', 3));
}

void StepScatter::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), theme().surface);
    paintAxes(painter);
    paintMarks(painter);
}

void StepScatter::paintAxes(QPainter& painter) const {
    const QRectF in = area();
    const int line = fontMetrics().height();
    for (int decade = static_cast<int>(from_); decade <= static_cast<int>(to_); ++decade) {
        const double share = (decade - from_) / (to_ - from_);
        const double x = in.left() + share * in.width();
        const double y = in.bottom() - share * in.height();
        painter.setPen(theme().grid);
        painter.drawLine(QPointF(x, in.top()), QPointF(x, in.bottom()));
        painter.drawLine(QPointF(in.left(), y), QPointF(in.right(), y));
        painter.setPen(theme().mutedText);
        painter.drawText(QRectF(x - 40, in.bottom() + besideAxis / 2.0, 80, line), Qt::AlignCenter,
                         powerText(decade));
        painter.drawText(QRectF(0, y - line / 2.0, in.left() - besideAxis, line),
                         Qt::AlignRight | Qt::AlignVCenter, powerText(decade));
    }
    painter.setPen(QPen(theme().mutedText, 1, Qt::DashLine));
    painter.drawLine(in.bottomLeft(), in.topRight());
    painter.setPen(theme().text);
    painter.drawText(QRectF(in.left(), in.bottom() + line + besideAxis, in.width(), line),
                     Qt::AlignCenter, tr("simulated cycles"));
    painter.save();
    painter.translate(0, in.bottom());
    painter.rotate(-90);
    painter.drawText(QRectF(0, besideAxis / 2.0, in.height(), line), Qt::AlignCenter,
                     tr("measured cycles"));
    painter.restore();
}

void StepScatter::paintMarks(QPainter& painter) const {
    const Mark* ringed = nullptr;
    for (auto mark = marks_.rbegin(); mark != marks_.rend(); ++mark) {
        QColor colour = theme().kind(mark->kind);
        colour.setAlphaF(static_cast<float>(faint));
        painter.setPen(QPen(theme().surface, 0.5));
        painter.setBrush(colour);
        painter.drawEllipse(placeOf(*mark), markRadius, markRadius);
        if (mark->id == selected_)
            ringed = &*mark;
    }
    if (ringed == nullptr)
        return;
    painter.setPen(QPen(theme().text, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(placeOf(*ringed), ringRadius, ringRadius);
}

} // namespace tilescope::views
