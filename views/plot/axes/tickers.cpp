#include "views/plot/axes/tickers.h"

#include "views/plot/axes/axis_labels.h"

#include <cmath>

namespace tilescope::views {

double ByteTicker::stepFor(double span) {
    return byteTickStep(span, tickCount(), preferences_.byteUnits());
}

QVector<QString> ByteTicker::labels(const QVector<double>& ticks, double step) {
    return byteLabels(ticks, step, preferences_.byteUnits());
}

double CountTicker::stepFor(double span) {
    return integerTickStep(span, tickCount());
}

QVector<QString> CountTicker::labels(const QVector<double>& ticks, double step) {
    if (numbers_.empty())
        return countLabels(ticks, step);
    QVector<QString> labels;
    for (const double tick : ticks) {
        const auto place = static_cast<std::size_t>(std::max(0.0, tick));
        const bool none = tick < 0 || place >= numbers_.size();
        labels.append(none ? QString() : countLabels({double(numbers_[place])}, 1).front());
    }
    return labels;
}

double NumberTicker::stepFor(double span) {
    return decimalTickStep(span, tickCount());
}

QVector<QString> NumberTicker::labels(const QVector<double>& ticks, double step) {
    return numberLabels(ticks, step);
}

QVector<QString> ShareTicker::labels(const QVector<double>& ticks, double step) {
    return shareLabels(ticks, step);
}

void PowerTicker::setLimits(double least, double greatest) {
    least_ = least;
    greatest_ = greatest;
}

// One, two, four, eight: powers that are easy to count on from.
double PowerTicker::stepFor(double span) {
    return std::exp2(std::ceil(std::log2(std::max(1.0, span / std::max(1, tickCount())))));
}

QVector<QString> PowerTicker::labels(const QVector<double>& ticks, double /*step*/) {
    QVector<QString> labels;
    for (const double tick : ticks)
        labels.append(tick < least_ || tick > greatest_
                          ? QString()
                          : powerText(2, static_cast<int>(std::lround(tick))));
    return labels;
}

double DecadeTicker::stepFor(double span) {
    return std::ceil(std::max(1.0, span / std::max(1, tickCount())));
}

QVector<QString> DecadeTicker::labels(const QVector<double>& ticks, double /*step*/) {
    QVector<QString> labels = decadeLabels(ticks);
    for (qsizetype i = 0; i < labels.size(); ++i)
        if (ticks[i] > last_)
            labels[i].clear();
    return labels;
}

double TimeTicker::stepFor(double span) {
    return decimalTickStep(span / clockHz_, tickCount()) * clockHz_;
}

QVector<QString> TimeTicker::labels(const QVector<double>& ticks, double step) {
    QVector<double> seconds;
    for (const double tick : ticks)
        seconds.append(tick / clockHz_);
    return timeLabels(seconds, step / clockHz_);
}

} // namespace tilescope::views
