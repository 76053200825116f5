#include "views/values/heat_plot.h"

#include <QSignalBlocker>
#include <algorithm>
#include <cmath>

namespace tilescope::views {
namespace {
constexpr double zoomStep = 1.25;
constexpr int narrowLeft = 14;
constexpr int exponentLeft = 72;
constexpr double fewestRows = 3;
} // namespace

HeatPlot::HeatPlot(ViewContext& context, ZoomRange& zoom, QWidget* parent)
    : PlotWidget(context, zoom, parent)
    , cells_(new HeatPlottable(xAxis, yAxis, context.theme))
    , scroll_(new QScrollBar(Qt::Vertical, this))
    , powers_(QSharedPointer<PowerTicker>::create()) {
    xAxis->setTicker(QSharedPointer<CountTicker>::create());
    yAxis->setTicker(powers_);
    for (QCPAxis* axis : {xAxis, yAxis})
        axis->grid()->setVisible(false);
    setMinimumHeight(150);
    scroll_->hide();
    connect(this, &QCustomPlot::afterLayout, this, &HeatPlot::layOut);
    context.history.follow(rows_);
    connect(&rows_, &ZoomRange::changed, this, &HeatPlot::showRows);
    connect(scroll_, &QScrollBar::valueChanged, this,
            [this](int value) { rows_.setRange(value, value + rows_.span()); });
    connect(this, &PlotWidget::clicked, this, [this](double, double y, Qt::KeyboardModifiers) {
        if (const int row = tensors_ ? cells_->rowAt(y) : -1; row >= 0)
            emit rowClicked(row);
    });
}

void HeatPlot::setLeft(int left) {
    axisRect()->setMargins(QMargins(left, 0, rightMargin, 0));
}

void HeatPlot::setNamesRoom(int pixels) {
    namesRoom_ = pixels;
    if (tensors_ && !names_.isEmpty())
        setLeft(namesRoom_);
}

void HeatPlot::setKeyTitle(const QString& title) {
    xAxis->setLabel(title);
    replotSoon();
}

void HeatPlot::showExponents(HeatSide side, const ExponentAxis& axis) {
    tensors_ = false;
    axis_ = axis;
    names_.clear();
    powers_->setLimits(axis.least, axis.greatest + 1);
    cells_->setSide(std::move(side), {HeatScale::Kind::Share, 0, 1, tr("of the elements")});
    cells_->setOrder(std::nullopt);
    scroll_->hide();
    setLeft(exponentLeft);
    yAxis->setTickLabels(true);
    yAxis->setTicks(true);
    yAxis->setRangeReversed(false);
    yAxis->setRange(axis.bottom(), axis.top());
    setValueTitle(tr("Magnitude"));
    replotSoon();
}

void HeatPlot::showTensors(HeatSide side, HeatScale scale, QStringList names) {
    const bool others = !tensors_ || cells_->side().rows.size() != side.rows.size();
    tensors_ = true;
    names_ = std::move(names);
    cells_->setSide(std::move(side), std::move(scale));
    setLeft(names_.isEmpty() ? narrowLeft : namesRoom_);
    yAxis->setTickLabels(false);
    yAxis->setTicks(false);
    yAxis->setRangeReversed(true);
    setValueTitle(names_.isEmpty() ? QString(QChar(0x00a0)) : tr("Tensor"));
    if (others)
        cells_->setOrder(std::vector<int>());
    replotSoon();
}

void HeatPlot::setOrder(const std::vector<int>& order) {
    if (!tensors_)
        return;
    cells_->setOrder(order);
    const auto count = static_cast<double>(std::max<std::size_t>(1, order.size()));
    rows_.setLimits(0, count, std::min(fewestRows, count));
    rowsFitted_ = true;
    fitRows();
}

double HeatPlot::roomForRows() const {
    const int rowHeight = fontMetrics().height() + 3;
    return std::max(1.0, std::floor(static_cast<double>(axisRect()->height()) / rowHeight));
}

// As many rows as have readable names, unless the user has zoomed.
void HeatPlot::fitRows() {
    if (!tensors_ || !rowsFitted_)
        return;
    rows_.setRange(rows_.from(), rows_.from() + std::max(fewestRows, roomForRows()));
    showChosen();
    showRows();
}

void HeatPlot::showRows() {
    if (!tensors_)
        return;
    // A few rows are no higher than this many.
    constexpr double fewAsHighAs = 12;
    const double shown = rows_.showsAll()
                             ? std::max(rows_.span(), std::min(roomForRows(), fewAsHighAs))
                             : rows_.span();
    yAxis->setRange(rows_.from(), rows_.from() + shown);
    const QSignalBlocker blocker(scroll_);
    scroll_->setRange(0, static_cast<int>(std::ceil(rows_.last() - rows_.span())));
    scroll_->setPageStep(std::max(1, static_cast<int>(rows_.span())));
    scroll_->setValue(static_cast<int>(rows_.from()));
    scroll_->setVisible(!rows_.showsAll());
    replotSoon();
}

void HeatPlot::setChosen(int row) {
    chosen_ = row;
    showChosen();
    update();
}

// Scrolls to the row that stands out unless it is in sight.
void HeatPlot::showChosen() {
    const auto& order = cells_->order();
    if (!tensors_ || !order)
        return;
    const auto found = std::find(order->begin(), order->end(), chosen_);
    const auto place = static_cast<double>(found - order->begin());
    if (found != order->end() && (place < rows_.from() || place + 1 > rows_.to()))
        rows_.setRange(place - rows_.span() / 2, place + rows_.span() / 2);
}

void HeatPlot::layOut() {
    const QRect plot = axisRect()->rect();
    if (plot == laidOut_)
        return;
    laidOut_ = plot;
    const int width = scroll_->sizeHint().width();
    scroll_->setGeometry(this->width() - width, plot.top(), width, plot.height());
    const int label = 2 * fontMetrics().horizontalAdvance(QStringLiteral("88,888"));
    xAxis->ticker()->setTickCount(std::max(2, plot.width() / label));
    fitRows();
    replotSoon();
}

void HeatPlot::wheelEvent(QWheelEvent* event) {
    const int delta =
        event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x();
    const bool zooms = event->modifiers().testFlag(Qt::ControlModifier);
    if (!tensors_ || !(zooms || event->modifiers().testFlag(Qt::ShiftModifier)))
        return PlotWidget::wheelEvent(event);
    constexpr double notch = 120;
    rowsFitted_ = rowsFitted_ && !zooms;
    if (zooms)
        rows_.zoomAt(yAxis->pixelToCoord(event->position().y()),
                     std::pow(zoomStep, -delta / notch));
    else
        rows_.panBy(-delta / (10 * notch));
    event->accept();
}

} // namespace tilescope::views
