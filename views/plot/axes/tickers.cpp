#include "views/plot/axes/tickers.h"

#include "views/plot/axes/axis_labels.h"

#include <algorithm>
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

void CountTicker::setNumbers(std::vector<std::int32_t> numbers) {
    numbers_ = std::move(numbers);
    allThere_ = std::adjacent_find(numbers_.begin(), numbers_.end(), [](auto a, auto b) {
                    return b < a || b > a + 1;
                }) == numbers_.end();
}

QVector<double> CountTicker::createTickVector(double step, const QCPRange& range) {
    if (numbers_.empty() || !allThere_)
        return StepTicker::createTickVector(step, range);
    QVector<double> ticks;
    const auto every = std::max<std::int32_t>(1, static_cast<std::int32_t>(step));
    const auto size = static_cast<double>(numbers_.size());
    const auto first = static_cast<std::size_t>(std::clamp(std::ceil(range.lower), 0.0, size));
    for (std::size_t i = first; i < numbers_.size() && static_cast<double>(i) <= range.upper; ++i)
        if (numbers_[i] % every == 0 && (i == 0 || numbers_[i - 1] != numbers_[i]))
            ticks.append(static_cast<double>(i));
    return ticks;
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
