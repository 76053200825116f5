#include "views/memory/address_history.h"

#include <algorithm>
#include <cmath>

#include "views/plot/axes/tickers.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

constexpr double headRoom = 1.03;

// Addresses in hexadecimal, at multiples of a power of two.
class AddressTicker : public StepTicker {
public:
    void setBase(std::int64_t base) { base_ = static_cast<double>(base); }

protected:
    double stepFor(double span) override {
        return std::exp2(std::ceil(std::log2(std::max(1.0, span / tickCount()))));
    }
    QVector<QString> labels(const QVector<double>& ticks, double /*step*/) override {
        QVector<QString> labels;
        for (const double tick : ticks)
            labels.append(QStringLiteral("0x%1").arg(static_cast<qint64>(tick + base_), 0, 16));
        return labels;
    }

private:
    double base_ = 0;
};

} // namespace

AddressPlottable::AddressPlottable(QCPAxis* stepAxis, QCPAxis* addressAxis, ViewContext& context)
    : Plottable(stepAxis, addressAxis)
    , context_(context) {}

std::vector<const MapBlock*> AddressPlottable::blocksAt(double step, double offset) const {
    std::vector<const MapBlock*> found;
    for (const AddressSpan& span : content_.spans) {
        const MapBlock& block = content_.blocks[span.block];
        if (step >= span.steps.first.value() && step < span.steps.end.value() &&
            offset >= static_cast<double>(block.begin) && offset < static_cast<double>(block.end))
            found.push_back(&block);
    }
    return found;
}

void AddressPlottable::draw(QCPPainter* painter) {
    painter->setAntialiasing(false);
    const Theme& theme = context_.theme.current();
    const QRect clip = clipRect();
    const auto boxOf = [&](const AddressSpan& span) {
        const MapBlock& block = content_.blocks[span.block];
        const int x0 = qRound(keyAxis()->coordToPixel(span.steps.first.value()));
        const int x1 = qRound(keyAxis()->coordToPixel(span.steps.end.value()));
        const int y0 = qRound(valueAxis()->coordToPixel(static_cast<double>(block.end)));
        const int y1 = qRound(valueAxis()->coordToPixel(static_cast<double>(block.begin)));
        return QRect(x0, y0, std::max(1, x1 - x0), std::max(1, y1 - y0));
    };
    for (const AddressSpan& span : content_.spans) {
        const MapBlock& block = content_.blocks[span.block];
        const QRect box = boxOf(span).intersected(clip);
        if (box.isEmpty())
            continue;
        // Always-live variables stay in the background.
        const QColor colour = theme.category(block.category);
        painter->fillRect(box, block.alwaysLive ? mixed(colour, theme.surface, 0.45) : colour);
        if (box.height() > 3)
            painter->fillRect(box.left(), box.top(), box.width(), 1, theme.surface);
    }
    painter->setPen(QPen(theme.text, 2));
    painter->setBrush(Qt::NoBrush);
    for (const AddressSpan& span : content_.spans)
        if (selected_.valid() && content_.blocks[span.block].variable == selected_)
            painter->drawRect(boxOf(span).adjusted(0, 0, -1, -1));
    const int border =
        qRound(valueAxis()->coordToPixel(static_cast<double>(content_.interleavedOffset)));
    if (content_.interleavedOffset > 0 && clip.contains(clip.left(), border)) {
        painter->setPen(QPen(theme.mutedText, 1, Qt::DotLine));
        painter->drawLine(QPointF(clip.left(), border), QPointF(clip.right(), border));
    }
}

AddressHistory::AddressHistory(ViewContext& context, ZoomRange& zoom, QWidget* parent)
    : PlotWidget(context, zoom, parent) {
    areas_ = new AddressPlottable(xAxis, yAxis, context);
    setAccessibleName(tr("Addresses over program steps"));
    xAxis->setTicker(QSharedPointer<CountTicker>::create());
    yAxis->setTicker(QSharedPointer<AddressTicker>::create());
    showSteps(true);
    setReadOut([this](double step, double offset) { return textAt(step, offset); });
    connect(this, &PlotWidget::clicked, this, [this](double x, double y, Qt::KeyboardModifiers) {
        if (x < 0 || x >= static_cast<double>(areas_->content().stepNames.size()))
            return;
        const auto blocks = areas_->blocksAt(x, y);
        emit chosen(blocks.empty() ? VariableId() : blocks.back()->variable,
                    StepId(static_cast<std::int32_t>(x)));
    });
}

void AddressHistory::setContent(TileAddresses content, const QString& title, std::int64_t top) {
    setValueTitle(tr("Address (%1)").arg(title));
    top_ = std::max<std::int64_t>(1, top);
    yAxis->ticker().staticCast<AddressTicker>()->setBase(content.base);
    areas_->setContent(std::move(content));
    showAllAddresses();
}

void AddressHistory::showSteps(bool shown) {
    xAxis->setTickLabels(shown);
    xAxis->setLabel(shown ? tr("Program step") : QString());
    replotSoon();
}

void AddressHistory::showAllAddresses() {
    yAxis->setRange(0, static_cast<double>(top_) * headRoom);
    const std::int64_t limit = areas_->content().limit;
    setLimit(limit > 0
                 ? std::optional(Limit{static_cast<double>(limit),
                                       tr("%1 on a tile").arg(context().preferences.bytes(limit))})
                 : std::optional<Limit>());
    replotSoon();
}

void AddressHistory::setSelected(VariableId variable, StepId step) {
    areas_->setSelected(variable);
    setMarkers(step.valid()
                   ? std::vector<Marker>{{static_cast<double>(step.value()), step.value() + 1.0}}
                   : std::vector<Marker>{});
    replotSoon();
}

void AddressHistory::wheelEvent(QWheelEvent* event) {
    if (!event->modifiers().testFlag(Qt::ControlModifier) || event->angleDelta().y() == 0)
        return PlotWidget::wheelEvent(event);
    const double top = static_cast<double>(std::max(areas_->content().limit, top_)) * headRoom;
    const double factor = std::pow(1.25, -event->angleDelta().y() / 120.0);
    const double centre = yAxis->pixelToCoord(event->position().y());
    QCPRange range = yAxis->range();
    range.lower = std::max(0.0, centre - (centre - range.lower) * factor);
    range.upper = std::min(top, centre + (range.upper - centre) * factor);
    constexpr double leastBytes = 64;
    if (range.size() >= leastBytes)
        yAxis->setRange(range);
    replotSoon();
    event->accept();
}

void AddressHistory::mouseDoubleClickEvent(QMouseEvent*) {
    showAllAddresses();
    zoom().fit();
}

QString AddressHistory::textAt(double step, double offset) const {
    const TileAddresses& content = areas_->content();
    if (step < 0 || step >= static_cast<double>(content.stepNames.size()) || offset < 0)
        return {};
    const auto index = static_cast<std::size_t>(step);
    QStringList lines{
        tr("Step %1: %2").arg(index).arg(shownName(content.stepNames[index])),
        tr("Address 0x%1").arg(content.base + static_cast<std::int64_t>(offset), 0, 16)};
    const auto blocks = areas_->blocksAt(step, offset);
    lines +=
        blocks.empty() ? QStringList{tr("Not in use")} : blockLines(blocks, context().preferences);
    return lines.join(QLatin1Char('\n'));
}

} // namespace tilescope::views
