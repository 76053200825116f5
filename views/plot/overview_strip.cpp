#include "views/plot/overview_strip.h"

#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>
#include <cmath>

#include "views/plot/plot_widget.h"
#include "views/plot/scrolling_page.h"

namespace tilescope::views {
namespace {
constexpr int handleWidth = 6;
constexpr int handleReach = 8;
} // namespace

OverviewStrip::OverviewStrip(ViewContext& context, ZoomRange& zoom, QWidget* parent)
    : PaintedWidget(context, parent)
    , zoom_(zoom) {
    setFixedHeight(30);
    setMouseTracking(true);
    setToolTip(
        tr("Drag the handles to zoom, the part between them to move; double-click shows all"));
    connect(&zoom_, &ZoomRange::changed, this, qOverload<>(&QWidget::update));
    connect(&context.theme, &ThemeSource::changed, this, &OverviewStrip::invalidate);
}

void OverviewStrip::setContent(PaintAll paint) {
    paint_ = std::move(paint);
    invalidate();
}

void OverviewStrip::invalidate() {
    content_ = {};
    update();
}

QRect OverviewStrip::track() const {
    return rect().adjusted(PlotWidget::leftMargin, 3, -PlotWidget::rightMargin, -3);
}

double OverviewStrip::pixelOf(double value) const {
    const QRect area = track();
    return area.left() + (value - zoom_.first()) / (zoom_.last() - zoom_.first()) * area.width();
}

double OverviewStrip::valueAt(double pixel) const {
    const QRect area = track();
    return zoom_.first() +
           (pixel - area.left()) / std::max(1, area.width()) * (zoom_.last() - zoom_.first());
}

void OverviewStrip::paintEvent(QPaintEvent*) {
    const QRect area = track();
    QPainter painter(this);
    painter.fillRect(rect(), theme().surface);
    painter.fillRect(area, theme().raised);
    if (content_.isNull() && paint_ && area.width() > 0 && area.height() > 0) {
        content_ = QPixmap(area.size() * devicePixelRatioF());
        content_.setDevicePixelRatio(devicePixelRatioF());
        content_.fill(Qt::transparent);
        QPainter contentPainter(&content_);
        paint_(contentPainter, QRect(QPoint(0, 0), area.size()));
    }
    if (!content_.isNull())
        painter.drawPixmap(area.topLeft(), content_);
    const int left = static_cast<int>(std::lround(pixelOf(zoom_.from())));
    const int right = static_cast<int>(std::lround(pixelOf(zoom_.to())));
    QColor shade = theme().window;
    shade.setAlphaF(0.72F);
    painter.fillRect(QRect(area.topLeft(), QPoint(left - 1, area.bottom())), shade);
    painter.fillRect(QRect(QPoint(right, area.top()), QPoint(area.right(), area.bottom())), shade);
    painter.setPen(theme().border);
    painter.drawRect(QRect(left, area.top(), right - left - 1, area.height() - 1));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme().mutedText);
    painter.setBrush(theme().raised);
    for (const int x : {left, right})
        painter.drawRoundedRect(
            QRectF(x - handleWidth / 2.0, area.top() + 3.5, handleWidth, area.height() - 7), 2, 2);
}

OverviewStrip::Grip OverviewStrip::gripAt(const QPoint& position) const {
    const double left = pixelOf(zoom_.from());
    const double right = pixelOf(zoom_.to());
    const double x = position.x();
    if (std::abs(x - left) <= handleReach && std::abs(x - left) <= std::abs(x - right))
        return Grip::Left;
    if (std::abs(x - right) <= handleReach)
        return Grip::Right;
    return x > left && x < right ? Grip::Middle : Grip::None;
}

void OverviewStrip::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton)
        return;
    grip_ = gripAt(event->pos());
    const double value = valueAt(event->pos().x());
    if (grip_ == Grip::None) {
        zoom_.setRange(value - zoom_.span() / 2, value + zoom_.span() / 2);
        grip_ = Grip::Middle;
    }
    gripOffset_ = value - zoom_.from();
}

void OverviewStrip::mouseMoveEvent(QMouseEvent* event) {
    const double value = valueAt(event->pos().x());
    switch (grip_) {
    case Grip::Left:
        zoom_.setRange(std::min(value, zoom_.to()), zoom_.to());
        break;
    case Grip::Right:
        zoom_.setRange(zoom_.from(), std::max(value, zoom_.from()));
        break;
    case Grip::Middle:
        zoom_.setRange(value - gripOffset_, value - gripOffset_ + zoom_.span());
        break;
    case Grip::None: {
        const Grip over = gripAt(event->pos());
        setCursor(over == Grip::Left || over == Grip::Right ? Qt::SizeHorCursor : Qt::ArrowCursor);
        break;
    }
    }
}

void OverviewStrip::wheelEvent(QWheelEvent* event) {
    if (!event->modifiers().testFlag(Qt::ControlModifier) && isOnScrollingPage(*this))
        return event->ignore();
    zoom_.zoomAt(valueAt(event->position().x()), std::pow(1.25, -event->angleDelta().y() / 120.0));
    event->accept();
}

} // namespace tilescope::views
