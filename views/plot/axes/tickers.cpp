#include "views/plot/axes/tickers.h"

#include "views/plot/axes/axis_labels.h"

namespace tilescope::views {

double ByteTicker::getTickStep(const QCPRange& range) {
    step_ = byteTickStep(range.size(), tickCount(), preferences_.byteUnits());
    return step_;
}

QVector<QString> ByteTicker::createLabelVector(const QVector<double>& ticks, const QLocale&, QChar,
                                               int) {
    return byteLabels(ticks, step_, preferences_.byteUnits());
}

double CountTicker::getTickStep(const QCPRange& range) {
    step_ = integerTickStep(range.size(), tickCount());
    return step_;
}

QVector<QString> CountTicker::createLabelVector(const QVector<double>& ticks, const QLocale&, QChar,
                                                int) {
    if (numbers_.empty())
        return countLabels(ticks, step_);
    QVector<QString> labels;
    for (const double tick : ticks) {
        const auto place = static_cast<std::size_t>(std::max(0.0, tick));
        labels.append(tick < 0 || place >= numbers_.size() ? QString()
                                                           : QString::number(numbers_[place]));
    }
    return labels;
}

double TimeTicker::getTickStep(const QCPRange& range) {
    step_ = decimalTickStep(range.size() / clockHz_, tickCount());
    return step_ * clockHz_;
}

QVector<QString> TimeTicker::createLabelVector(const QVector<double>& ticks, const QLocale&, QChar,
                                               int) {
    QVector<double> seconds;
    seconds.reserve(ticks.size());
    for (const double tick : ticks)
        seconds.append(tick / clockHz_);
    return timeLabels(seconds, step_);
}

} // namespace tilescope::views
