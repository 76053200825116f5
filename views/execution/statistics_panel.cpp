#include "views/execution/statistics_panel.h"

#include <QPaintEvent>
#include <QPainter>

#include "core/report/range_table.h"
#include "views/session/time_texts.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {
constexpr int margin = 14;
constexpr int titleHeight = 52;
constexpr int rowHeight = 54;
constexpr int labelWidth = 96;
constexpr int barHeight = 16;
constexpr int balanceWidth = 140;
constexpr int shares = 3;
constexpr int valueWidth = 56; // of a share after its bar
} // namespace

StatisticsPanel::StatisticsPanel(ViewContext& context, QWidget* parent)
    : PaintedWidget(context, parent)
    , query_(context.workers) {}

void StatisticsPanel::load(const TraceQuestion& question, CycleRange range, const QString& title) {
    query_.startNext([this, question, range, title](const std::stop_token& stop) {
        return [this, title, lanes = traceStatistics(question, range, stop)]() mutable {
            title_ = title;
            lanes_ = std::move(lanes);
            setMinimumHeight(sizeHint().height());
            updateGeometry();
            update();
        };
    });
}

QSize StatisticsPanel::sizeHint() const {
    return {600, titleHeight + static_cast<int>(lanes_.size()) * rowHeight + margin};
}

QRect StatisticsPanel::rowRect(std::size_t lane) const {
    return {margin, titleHeight + static_cast<int>(lane) * rowHeight, width() - 2 * margin,
            rowHeight};
}

QRect StatisticsPanel::barRect(const QRect& row) const {
    constexpr int gap = 20;
    return {row.left() + labelWidth, row.top() + 4,
            std::max(50, row.width() - labelWidth - shares * balanceWidth - gap), barHeight};
}

QRect StatisticsPanel::shareRect(const QRect& row, Share share) const {
    return {row.right() - (static_cast<int>(share) + 1) * balanceWidth, row.top() + 4,
            balanceWidth - valueWidth, barHeight};
}

void StatisticsPanel::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().surface);
    painter.setPen(theme().text);
    painter.drawText(QRect(margin, 8, width() - 2 * margin, 20), Qt::AlignLeft | Qt::AlignVCenter,
                     title_);
    if (lanes_.empty())
        return;
    const QRect first = rowRect(0);
    painter.setPen(theme().mutedText);
    const int y = titleHeight - 22;
    painter.drawText(QRect(barRect(first).left(), y, 300, 20), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("Cycles by kind"));
    const auto heading = [&](Share share, const QString& text) {
        painter.drawText(QRect(shareRect(first, share).left(), y, balanceWidth, 20),
                         Qt::AlignLeft | Qt::AlignVCenter, text);
    };
    heading(Share::Efficiency, tr("Parallel efficiency"));
    heading(Share::Balance, tr("Tile balance"));
    heading(Share::InSteps, tr("Balance in steps"));
    for (std::size_t i = 0; i < lanes_.size(); ++i)
        if (const QRect row = rowRect(i); row.intersects(event->rect()))
            paintLane(painter, lanes_[i], row);
}

void StatisticsPanel::paintLane(QPainter& painter, const LaneStatistics& lane,
                                const QRect& row) const {
    painter.setPen(theme().text);
    painter.drawText(QRect(row.left(), row.top() + 4, labelWidth, barHeight),
                     Qt::AlignLeft | Qt::AlignVCenter, shownName(lane.name));
    paintProportions(painter, lane.statistics, barRect(row));
    paintShare(painter, shareRect(row, Share::Efficiency), lane.statistics.parallelEfficiency);
    paintShare(painter, shareRect(row, Share::Balance), lane.statistics.tileBalance);
    paintShare(painter, shareRect(row, Share::InSteps), lane.stepBalance);
    painter.setPen(theme().mutedText);
    const QRect below(barRect(row).left(), barRect(row).bottom() + 4,
                      row.right() - barRect(row).left(), 20);
    painter.drawText(
        below, Qt::AlignLeft | Qt::AlignVCenter,
        painter.fontMetrics().elidedText(numbers(lane), Qt::ElideRight, below.width()));
}

void StatisticsPanel::paintShare(QPainter& painter, const QRect& bar,
                                 std::optional<double> share) const {
    painter.fillRect(bar, theme().raised);
    painter.fillRect(QRect(bar.left(), bar.top(), static_cast<int>(bar.width() * share.value_or(0)),
                           bar.height()),
                     theme().accent);
    painter.setPen(theme().text);
    painter.drawText(QRect(bar.right() + 6, bar.top(), valueWidth - 6, bar.height()),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     share ? QStringLiteral("%1 %").arg(100 * *share, 0, 'f', 1)
                           : QStringLiteral("\u2013"));
}

// If steps overlap, the parts add up to more than the range: the bar is as long as their sum, and a
// line marks the end of the range.
void StatisticsPanel::paintProportions(QPainter& painter, const TraceStatistics& statistics,
                                       const QRect& bar) const {
    painter.fillRect(bar, theme().raised);
    const double range = static_cast<double>(std::max<std::int64_t>(statistics.cycles, 1));
    const double all = range + static_cast<double>(statistics.overlapped);
    double x = bar.left();
    for (const ProgramKind kind : programKinds) {
        const auto cycles = static_cast<double>(statistics.sums.cycles(kind));
        const double width = cycles / all * bar.width();
        if (width <= 0)
            continue;
        const QRectF part(x, bar.top(), width, bar.height());
        painter.fillRect(part, theme().kind(kind));
        const double share = cycles / range;
        const QString text = QStringLiteral("%1 %").arg(100 * share, 0, 'f', share < 0.1 ? 1 : 0);
        if (painter.fontMetrics().horizontalAdvance(text) + 8 < width) {
            painter.setPen(Theme::textOn(theme().kind(kind)));
            painter.drawText(part, Qt::AlignCenter, text);
        }
        x += width;
    }
    if (statistics.overlapped > 0) {
        const int end = bar.left() + qRound(bar.width() * range / all);
        painter.fillRect(QRect(end - 1, bar.top() - 3, 2, bar.height() + 6), theme().text);
    }
}

QString StatisticsPanel::numbers(const LaneStatistics& lane) const {
    const TraceSums& sums = lane.statistics.sums;
    QStringList parts{context().preferences.cycles(lane.statistics.cycles, lane.clockHz),
                      tr("steps: %1").arg(countText(sums.steps))};
    if (lane.statistics.overlapped > 0)
        parts.append(
            tr("steps overlap for %1 (%2 %)")
                .arg(context().preferences.cycles(lane.statistics.overlapped, lane.clockHz))
                .arg(100.0 * static_cast<double>(lane.statistics.overlapped) /
                         static_cast<double>(lane.statistics.cycles),
                     0, 'f', 1));
    const auto moved = [&](const QString& name, std::int64_t in, std::int64_t out) {
        if (in != 0 || out != 0)
            parts.append(
                tr("%1 %2 in, %3 out")
                    .arg(name, context().preferences.bytes(in), context().preferences.bytes(out)));
    };
    moved(tr("host"), sums.hostBytesIn, sums.hostBytesOut);
    moved(tr("other IPUs"), sums.globalBytesIn, sums.globalBytesOut);
    moved(tr("exchange"), sums.exchangeBytesIn, sums.exchangeBytesOut);
    return parts.join(QStringLiteral("  \u00b7  "));
}

QString StatisticsPanel::proportionsText(const LaneStatistics& lane) const {
    const TraceStatistics& statistics = lane.statistics;
    QStringList lines;
    const double all = static_cast<double>(std::max<std::int64_t>(statistics.cycles, 1));
    const auto line = [&](const QString& name, std::int64_t cycles) {
        if (cycles > 0)
            lines.append(tr("%1: %2, %3 %")
                             .arg(name, context().preferences.cycles(cycles, lane.clockHz))
                             .arg(100.0 * static_cast<double>(cycles) / all, 0, 'f', 1));
    };
    for (const ProgramKind kind : programKinds)
        line(textOf(toString(kind)), statistics.sums.cycles(kind));
    line(tr("Idle"), statistics.idle());
    line(tr("Less where steps overlap"), statistics.overlapped);
    return lines.join(QLatin1Char('\n'));
}

QString StatisticsPanel::toolTipAt(const QPoint& position) const {
    std::size_t lane = 0;
    while (lane < lanes_.size() && !rowRect(lane).contains(position))
        ++lane;
    if (lane == lanes_.size())
        return {};
    const QRect row = rowRect(lane);
    if (position.x() >= shareRect(row, Share::InSteps).left())
        return textOf(stepBalanceColumn().help);
    if (position.x() >= shareRect(row, Share::Balance).left())
        return tr("Cycles in which tiles work, divided by the cycles of the range times the tiles "
                  "of the IPU");
    if (position.x() >= shareRect(row, Share::Efficiency).left())
        return tr("Cycles in which tiles compute, divided by the cycles of compute sets times the "
                  "tiles of the IPU: less where tiles wait for the slowest one");
    return proportionsText(lanes_[lane]);
}

} // namespace tilescope::views
