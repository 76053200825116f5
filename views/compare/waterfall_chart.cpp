#include "views/compare/waterfall_chart.h"

#include <QKeyEvent>
#include <QPainter>
#include <algorithm>

#include "core/base/units.h"
#include "views/tables/cell_text.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

constexpr int rowHeight = 25;
constexpr int barHeight = 15;
constexpr int edge = 14;
constexpr int gap = 12;
constexpr int widest = 1100; // beyond it a name and its value are too far from each other

} // namespace

WaterfallChart::WaterfallChart(ViewContext& context, QWidget* parent)
    : PaintedWidget(context, parent) {
    setAccessibleName(tr("Waterfall"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
}

void WaterfallChart::setWaterfall(std::optional<Waterfall> waterfall, const QString& note) {
    waterfall_ = std::move(waterfall);
    note_ = note;
    marked_ = -1;
    bars_.clear();
    if (waterfall_) {
        const auto cycles = [](std::int64_t n) { return QString::fromStdString(formatCycles(n)); };
        const Waterfall& w = *waterfall_;
        bars_.push_back({w.perSample ? tr("Source, a sample") : tr("Source"),
                         cycles(w.before),
                         0,
                         w.before,
                         Bar::Kind::Source,
                         {}});
        std::int64_t at = w.before;
        for (const WaterfallStep& step : w.steps) {
            const std::int64_t change = step.difference();
            QString tip = tr("%1 \u2192 %2").arg(cycles(step.before), cycles(step.after));
            if (!step.place.empty())
                tip += tr(", most in %1").arg(shownName(step.place, mostOfOne));
            if (step.kind)
                tip += tr("\nClick to see where these cycles go");
            bars_.push_back({translated(step.name()),
                             (change < 0 ? QStringLiteral("\u2212") : QStringLiteral("+")) +
                                 cycles(std::abs(change)),
                             at, at + change, change < 0 ? Bar::Kind::Gain : Bar::Kind::Cost,
                             std::move(tip), step.kind, step.place});
            at += change;
        }
        bars_.push_back({w.perSample ? tr("Target, a sample") : tr("Target"),
                         cycles(w.after),
                         0,
                         w.after,
                         Bar::Kind::Target,
                         {}});
    }
    QStringList texts;
    for (const Bar& bar : bars_)
        texts << bar.name + QStringLiteral(": ") + bar.value;
    setAccessibleDescription(texts.join(QStringLiteral("; ")));
    fitAxis();
    setMinimumHeight(sizeHint().height());
    updateGeometry();
    update();
}

void WaterfallChart::fitAxis() {
    // If all steps together are a smaller share of the run, they would hardly show on an axis from
    // 0.
    constexpr double leastFromZero = 0.4;
    axisFrom_ = 0;
    axisTo_ = 1;
    std::int64_t least = -1;
    for (const Bar& bar : bars_) {
        axisTo_ = std::max({axisTo_, bar.from, bar.to});
        least = least < 0 ? bar.to : std::min(least, bar.to);
    }
    const std::int64_t span = axisTo_ - least;
    if (span > 0 && static_cast<double>(span) < leastFromZero * static_cast<double>(axisTo_))
        axisFrom_ = std::max<std::int64_t>(0, least - span / 4);
}

QSize WaterfallChart::sizeHint() const {
    return {600, (static_cast<int>(bars_.size()) + 1) * rowHeight + edge};
}

QColor WaterfallChart::colourOf(Bar::Kind kind) const {
    switch (kind) {
    case Bar::Kind::Source:
        return theme().source;
    case Bar::Kind::Target:
        return theme().target;
    case Bar::Kind::Gain:
        return theme().good;
    case Bar::Kind::Cost:
        break;
    }
    return theme().bad;
}

void WaterfallChart::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().surface);
    painter.setPen(theme().mutedText);
    const QRect heading(edge, 4, width() - 2 * edge, rowHeight);
    if (!waterfall_) {
        painter.drawText(heading, Qt::AlignLeft | Qt::AlignVCenter,
                         tr("Not both profiles were executed: there are no cycles to compare."));
        return;
    }
    QString text = waterfall_->perSample ? tr("Cycles of a sample.") : tr("Cycles of the run.");
    if (!note_.isEmpty())
        text += QLatin1Char(' ') + note_;
    if (axisFrom_ > 0)
        text += tr(" The axis begins at %1.").arg(QString::fromStdString(formatCycles(axisFrom_)));
    painter.drawText(heading, Qt::AlignLeft | Qt::AlignVCenter, text);
    int names = 0;
    int values = 0;
    for (const Bar& bar : bars_) {
        names = std::max(names, fontMetrics().horizontalAdvance(bar.name));
        values = std::max(values, fontMetrics().horizontalAdvance(bar.value));
    }
    for (std::size_t i = 0; i < bars_.size(); ++i) {
        const QRect row = rowOf(i);
        if (static_cast<int>(i) == marked_)
            painter.fillRect(row.adjusted(-edge / 2, 0, edge / 2, 0), theme().selected);
        painter.setPen(theme().text);
        painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter, bars_[i].name);
        painter.drawText(row, Qt::AlignRight | Qt::AlignVCenter, bars_[i].value);
        paintBar(painter, i, row.adjusted(names + gap, 0, -values - gap, 0));
    }
}

void WaterfallChart::paintBar(QPainter& painter, std::size_t bar, const QRect& track) const {
    const Bar& b = bars_[bar];
    const auto pixel = [&](std::int64_t cycles) {
        const double share = static_cast<double>(std::max(cycles, axisFrom_) - axisFrom_) /
                             static_cast<double>(axisTo_ - axisFrom_);
        return track.left() + share * std::max(1, track.width());
    };
    const double left = pixel(std::min(b.from, b.to));
    const double end = pixel(b.to);
    const double top = track.center().y() - barHeight / 2.0;
    painter.fillRect(
        QRectF(left, top, std::max(1.0, pixel(std::max(b.from, b.to)) - left), barHeight),
        colourOf(b.kind));
    if (bar + 1 == bars_.size())
        return;
    painter.setPen(QPen(theme().mutedText, 1, Qt::DotLine));
    painter.drawLine(QPointF(end, top + barHeight), QPointF(end, top + rowHeight));
}

QRect WaterfallChart::rowOf(std::size_t bar) const {
    const int right = std::min(width(), widest) - edge;
    return {edge, rowHeight * (static_cast<int>(bar) + 1), right - edge, rowHeight};
}

int WaterfallChart::barAt(const QPoint& position) const {
    for (std::size_t i = 0; i < bars_.size(); ++i)
        if (rowOf(i).contains(position))
            return static_cast<int>(i);
    return -1;
}

// Only bars that lead somewhere are marked.
void WaterfallChart::mark(int bar) {
    const bool leads = bar >= 0 && bars_[static_cast<std::size_t>(bar)].loss.has_value();
    marked_ = leads ? bar : -1;
    setCursor(leads ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
}

void WaterfallChart::choose(int bar) {
    if (bar < 0 || !bars_[static_cast<std::size_t>(bar)].loss)
        return;
    const Bar chosen = bars_[static_cast<std::size_t>(bar)]; // a copy, as bars may change
    emit stepChosen(*chosen.loss, chosen.place);
}

void WaterfallChart::mouseMoveEvent(QMouseEvent* event) {
    mark(barAt(event->pos()));
}

void WaterfallChart::leaveEvent(QEvent* event) {
    if (!hasFocus())
        mark(-1);
    PaintedWidget::leaveEvent(event);
}

void WaterfallChart::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton)
        choose(barAt(event->pos()));
}

void WaterfallChart::keyPressEvent(QKeyEvent* event) {
    const int by = event->key() == Qt::Key_Down ? 1 : event->key() == Qt::Key_Up ? -1 : 0;
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        return choose(marked_);
    if (by == 0)
        return PaintedWidget::keyPressEvent(event);
    const auto last = static_cast<int>(bars_.size()) - 1;
    const auto leads = [this](int bar) {
        return bars_[static_cast<std::size_t>(bar)].loss.has_value();
    };
    for (int bar = marked_ < 0 ? (by > 0 ? 0 : last) : marked_ + by; bar >= 0 && bar <= last;
         bar += by)
        if (leads(bar))
            return mark(bar);
}

QString WaterfallChart::toolTipAt(const QPoint& position) const {
    const int bar = barAt(position);
    return bar >= 0 ? bars_[static_cast<std::size_t>(bar)].toolTip : QString();
}

} // namespace tilescope::views
