#include "views/plot/plot_widget.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "views/plot/scrolling_page.h"

namespace tilescope::views {
namespace {
constexpr double wheelStep = 1.25;
constexpr double keyPan = 0.15;
} // namespace

PlotWidget::PlotWidget(ViewContext& context, ZoomRange& zoom, QWidget* parent)
    : QCustomPlot(parent)
    , context_(context)
    , zoom_(zoom) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setNotAntialiasedElements(QCP::aeAll);
    // Paint together with everything else that changes in the window, not separately.
    setPlottingHint(QCP::phImmediateRefresh, false);
    // A buffered layer would be cleared and blended over the others in each frame.
    layer(QStringLiteral("overlay"))->setMode(QCPLayer::lmLogical);
    setMinimumSize(200, 90);
    axisRect()->setAutoMargins(QCP::msTop | QCP::msBottom);
    axisRect()->setMargins(QMargins(leftMargin, 0, rightMargin, 0));
    axisRect()->setMinimumMargins(QMargins(leftMargin, 10, rightMargin, 10));
    xAxis->setRange(zoom.from(), zoom.to());
    context_.history.follow(zoom_);
    connect(&zoom_, &ZoomRange::changed, this, [this] {
        xAxis->setRange(zoom_.from(), zoom_.to());
        xAxis2->setRange(zoom_.from(), zoom_.to());
        replotSoon();
        // Something else is under the pointer now.
        if (!dragging_)
            updateReadOut();
    });
    connect(&context_.theme, &ThemeSource::changed, this, &PlotWidget::applyTheme);
    connect(&context_.preferences, &Preferences::unitsChanged, this, &PlotWidget::replotSoon);
    connect(this, &QCustomPlot::afterLayout, this, &PlotWidget::fitValueTicks);
    connect(this, &QCustomPlot::afterReplot, this, [this] { replotMs_ += replotTime(); });
    applyTheme();
}

void PlotWidget::replotSoon() {
    if (isVisible())
        return replot(QCustomPlot::rpQueuedReplot);
    stale_ = true;
}

void PlotWidget::showEvent(QShowEvent* event) {
    QCustomPlot::showEvent(event);
    if (std::exchange(stale_, false))
        replot(QCustomPlot::rpQueuedRefresh);
}

void PlotWidget::applyTheme() {
    const Theme& t = theme();
    setBackground(t.surface);
    for (QCPAxis* axis : {xAxis, yAxis, xAxis2, yAxis2}) {
        axis->setBasePen(QPen(t.border));
        axis->setTickPen(QPen(t.border));
        axis->setSubTickPen(QPen(t.border));
        axis->setTickLabelColor(t.mutedText);
        axis->setLabelColor(t.mutedText);
        axis->setTickLabelFont(font());
        axis->setLabelFont(font());
        axis->setLabelPadding(4);
        axis->setTickLabelPadding(5);
        axis->setTickLengthIn(0);
        axis->setTickLengthOut(4);
        axis->setSubTicks(false);
        axis->grid()->setPen(QPen(t.grid));
        axis->grid()->setZeroLinePen(QPen(t.grid));
    }
    replotSoon();
}

void PlotWidget::setMarkers(std::vector<Marker> markers) {
    markers_ = std::move(markers);
    update();
}

void PlotWidget::setSections(std::vector<Section> sections) {
    sections_ = std::move(sections);
    update();
}

void PlotWidget::setLimit(std::optional<Limit> limit) {
    limit_ = std::move(limit);
    update();
}

void PlotWidget::setValueTitle(const QString& title) {
    valueTitle_ = title;
    constexpr int above = 10;
    // The highest label of the axis reaches above it by half of its height.
    const int height = fontMetrics().height();
    const int needed = title.isEmpty() ? above : above + height + height / 2;
    axisRect()->setMinimumMargins(QMargins(leftMargin, needed, rightMargin, above));
    replotSoon();
}

// As many labels as have room above each other.
void PlotWidget::fitValueTicks() {
    constexpr int fewest = 2;
    constexpr int most = 8;
    const int room = 2 * fontMetrics().height();
    const int count = std::clamp(axisRect()->height() / room, fewest, most);
    if (!yAxis->tickLabels() || yAxis->ticker()->tickCount() == count)
        return;
    yAxis->ticker()->setTickCount(count);
    replotSoon();
}

void PlotWidget::paintWhole(QCPPainter& painter) {
    const auto pointer = std::exchange(pointer_, {});
    const QString readOut = std::exchange(readOutText_, {});
    painter.setMode(QCPPainter::pmVectorized);
    painter.setMode(QCPPainter::pmNoCaching);
    toPainter(&painter, width(), height());
    paintOverlay(painter);
    pointer_ = pointer;
    readOutText_ = readOut;
}

void PlotWidget::paintEvent(QPaintEvent* event) {
    QElapsedTimer timer;
    timer.start();
    QCustomPlot::paintEvent(event);
    QPainter painter(this);
    paintOverlay(painter);
    painter.end();
    context_.frameTimes.record(replotMs_ + static_cast<double>(timer.nsecsElapsed()) / 1e6);
    replotMs_ = 0;
}

void PlotWidget::wheelEvent(QWheelEvent* event) {
    if (!event->modifiers().testFlag(Qt::ControlModifier) && isOnScrollingPage(*this))
        return event->ignore();
    if (event->angleDelta().y() == 0) {
        zoom_.panBy(-event->angleDelta().x() / 1200.0);
    } else {
        const double centre = xAxis->pixelToCoord(event->position().x());
        zoom_.zoomAt(centre, std::pow(wheelStep, -event->angleDelta().y() / 120.0));
    }
    event->accept();
}

void PlotWidget::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton)
        return;
    setFocus();
    pressed_ = event->pos();
    pressedFrom_ = zoom_.from();
    dragging_ = false;
    selectingRange_ = event->modifiers().testFlag(Qt::ShiftModifier);
}

void PlotWidget::mouseMoveEvent(QMouseEvent* event) {
    if (pressed_ && !dragging_ &&
        (event->pos() - *pressed_).manhattanLength() >= QApplication::startDragDistance())
        dragging_ = true;
    if (pressed_ && dragging_ && !selectingRange_) {
        const double perPixel = zoom_.span() / std::max(1, axisRect()->width());
        const double from = pressedFrom_ - (event->pos().x() - pressed_->x()) * perPixel;
        zoom_.setRange(from, from + zoom_.span());
        setCursor(Qt::ClosedHandCursor);
    }
    hoverAt(event->pos());
}

void PlotWidget::mouseReleaseEvent(QMouseEvent* event) {
    if (!pressed_ || event->button() != Qt::LeftButton)
        return;
    const double x = xAxis->pixelToCoord(event->pos().x());
    if (!dragging_) {
        if (axisRect()->rect().contains(event->pos()))
            emit clicked(x, yAxis->pixelToCoord(event->pos().y()), event->modifiers());
    } else if (selectingRange_) {
        const double other = xAxis->pixelToCoord(pressed_->x());
        emit rangeSelected(std::min(x, other), std::max(x, other));
    }
    pressed_.reset();
    dragging_ = selectingRange_ = false;
    unsetCursor();
    update();
}

void PlotWidget::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton)
        zoom_.zoomAt(xAxis->pixelToCoord(event->pos().x()), 0.5);
}

void PlotWidget::keyPressEvent(QKeyEvent* event) {
    const double centre =
        pointer_ ? xAxis->pixelToCoord(pointer_->x()) : (zoom_.from() + zoom_.to()) / 2;
    switch (event->modifiers() == Qt::NoModifier ? event->key() : 0) {
    case Qt::Key_W:
    case Qt::Key_Up:
        return zoom_.zoomAt(centre, 1 / wheelStep);
    case Qt::Key_S:
    case Qt::Key_Down:
        return zoom_.zoomAt(centre, wheelStep);
    case Qt::Key_A:
    case Qt::Key_Left:
        return zoom_.panBy(-keyPan);
    case Qt::Key_D:
    case Qt::Key_Right:
        return zoom_.panBy(keyPan);
    case Qt::Key_F:
    case Qt::Key_Home:
        return zoom_.fit();
    case Qt::Key_Escape:
        return context_.selection.clear();
    default:
        QCustomPlot::keyPressEvent(event);
    }
}

void PlotWidget::leaveEvent(QEvent* event) {
    QCustomPlot::leaveEvent(event);
    pointer_.reset();
    readOutText_.clear();
    emit hovered({});
    update();
}

void PlotWidget::updateReadOut() {
    if (const auto pointer = pointer_)
        hoverAt(*pointer);
}

void PlotWidget::hoverAt(const QPoint& position) {
    // The plot is dragged along with the pointer, and the read-out is not painted.
    if (dragging_ && !selectingRange_) {
        pointer_ = position;
        return;
    }
    pointer_.reset();
    readOutText_.clear();
    if (axisRect()->rect().contains(position)) {
        pointer_ = position;
        if (readOut_)
            readOutText_ =
                readOut_(xAxis->pixelToCoord(position.x()), yAxis->pixelToCoord(position.y()));
    }
    emit hovered(inOneLine(readOutText_));
    update();
}

} // namespace tilescope::views
