#include "views/values/heat_content.h"

#include <QStringList>
#include <algorithm>
#include <cmath>

#include "core/base/units.h"
#include "views/plot/axes/axis_labels.h"
#include "views/tables/cell_text.h"
#include "views/theme/colour_scale.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

bool isShare(ValueMeasure measure) {
    return measure != ValueMeasure::Exponent && measure != ValueMeasure::Largest;
}

QString countOfElements(std::int64_t count) {
    return QString::fromStdString(withThousands(count));
}

QString shareText(double share) {
    constexpr double readsAsNothing = 0.0005; // rounds to zero with one decimal of per cent
    return share > 0 && share < readsAsNothing ? QStringLiteral("%1 %").arg(100 * share, 0, 'g', 2)
                                               : QString::fromStdString(formatPercent(share, 1));
}

QString binText(int exponent) {
    if (exponent < exponents::first)
        return Text::tr("below %1").arg(powerText(2, exponents::first));
    if (exponent > exponents::last)
        return Text::tr("%1 and more").arg(powerText(2, exponent));
    return Text::tr("%1 to %2").arg(powerText(2, exponent), powerText(2, exponent + 1));
}

const ValueSample* sampleAt(const ProfileValues& values, ValueTensorId tensor,
                            std::int64_t iteration) {
    if (!tensor.valid())
        return nullptr;
    for (const ValueSample& sample : samplesOf(values, tensor))
        if (sample.iteration == iteration)
            return &sample;
    return nullptr;
}

} // namespace

double HeatScale::positionOf(double value) const {
    if (kind == Kind::Exponent)
        return high > low ? std::clamp((value - low) / (high - low), 0.0, 1.0) : 1;
    return value <= 0 ? -1 : std::clamp(1 - std::log10(value) / leastPower, 0.0, 1.0);
}

std::vector<HeatScale::Label> HeatScale::labels() const {
    if (kind == Kind::Share)
        return {{0, QStringLiteral("0.01 %")},
                {0.5, QStringLiteral("1 %")},
                {1, QStringLiteral("100 %")}};
    const auto power = [](double e) { return powerText(2, static_cast<int>(std::lround(e))); };
    return high > low ? std::vector<Label>{{0, power(low)}, {1, power(high)}}
                      : std::vector<Label>{{1, power(high)}};
}

QColor heatScaleColour(double position, const Theme& theme) {
    // The very ends are too near to the background to be told from it.
    constexpr double least = 0.08;
    const double share = least + (1 - least) * std::clamp(position, 0.0, 1.0);
    return scaleColour(ColourScale::Viridis, theme.dark ? share : 1 - share, theme);
}

QColor noShareColour(const Theme& theme) {
    return mixed(theme.surface, theme.border, theme.dark ? 0.3 : 0.35);
}

double HeatSide::columnStart(std::size_t column) const {
    if (iterations.empty())
        return 0;
    constexpr double half = 0.5;
    if (column == 0)
        return static_cast<double>(iterations.front()) - half;
    if (column >= iterations.size())
        return static_cast<double>(iterations.back()) + half;
    return half *
           (static_cast<double>(iterations[column - 1]) + static_cast<double>(iterations[column]));
}

int HeatSide::columnAt(double x) const {
    if (iterations.empty() || x < columnStart(0) || x >= columnStart(iterations.size()))
        return -1;
    const auto next = std::upper_bound(
        iterations.begin(), iterations.end(), x,
        [](double at, std::int64_t iteration) { return at < static_cast<double>(iteration); });
    const auto after = static_cast<std::size_t>(next - iterations.begin());
    if (after == 0)
        return 0;
    return static_cast<int>(after < iterations.size() && x >= columnStart(after) ? after
                                                                                 : after - 1);
}

void ExponentAxis::include(const ProfileValues& values, ValueTensorId tensor) {
    if (!tensor.valid())
        return;
    const ValueTotals totals = totalsOf(samplesOf(values, tensor));
    if (const auto exponent = totals.leastExponent())
        least = std::min(least, *exponent - 1);
    if (const auto exponent = totals.greatestExponent())
        greatest = std::max(greatest, *exponent + 1);
}

HeatSide exponentSide(const ProfileValues& values, ValueTensorId tensor, const ExponentAxis& axis) {
    if (!tensor.valid())
        return {};
    const std::vector<ValueTensorId> one{tensor};
    const ValueMatrix matrix = exponentMap(values, one);
    HeatSide side{matrix.iterations, {}};
    const auto addMeasure = [&](ValueMeasure measure, double from) {
        side.rows.push_back({from, from + 1, tensorMap(values, one, measure).rows.front()});
    };
    addMeasure(ValueMeasure::Zeros, axis.zeros());
    for (std::size_t bin = 0; bin < exponents::bins; ++bin) {
        const int exponent = exponents::of(bin);
        if (exponent >= axis.least && exponent <= axis.greatest)
            side.rows.push_back({static_cast<double>(exponent), exponent + 1.0, matrix.rows[bin]});
    }
    addMeasure(ValueMeasure::NotFinite, axis.notFinite());
    return side;
}

HeatSide tensorSide(const ProfileValues& values, const std::vector<ValueTensorId>& tensors,
                    ValueMeasure measure) {
    std::vector<ValueTensorId> known;
    for (const ValueTensorId tensor : tensors)
        if (tensor.valid())
            known.push_back(tensor);
    ValueMatrix matrix = tensorMap(values, known, measure);
    HeatSide side{matrix.iterations, {}};
    std::size_t next = 0;
    double at = 0;
    for (const ValueTensorId tensor : tensors) {
        side.rows.push_back({at, at + 1,
                             tensor.valid()
                                 ? std::move(matrix.rows[next++])
                                 : std::vector<double>(matrix.iterations.size(), unknown)});
        ++at;
    }
    return side;
}

HeatScale scaleOf(ValueMeasure measure, const HeatSide& source, const HeatSide& target) {
    if (isShare(measure))
        return {HeatScale::Kind::Share, 0, 1, Text::tr("of the elements")};
    HeatScale scale{HeatScale::Kind::Exponent, 0, 0, {}};
    bool any = false;
    for (const HeatSide* side : {&source, &target})
        for (const HeatRow& row : side->rows)
            for (const double value : row.values)
                if (std::isfinite(value)) {
                    scale.low = any ? std::min(scale.low, value) : value;
                    scale.high = any ? std::max(scale.high, value) : value;
                    any = true;
                }
    scale.low = std::floor(scale.low);
    scale.high = std::ceil(scale.high);
    return scale;
}

QString exponentText(const ProfileValues& values, ValueTensorId tensor, std::int64_t iteration,
                     const ExponentAxis& axis, double y) {
    const ValueSample* sample = sampleAt(values, tensor, iteration);
    QStringList lines{Text::tr("Iteration %1").arg(countOfElements(iteration))};
    if (sample == nullptr)
        return lines.front() + QLatin1Char('\n') + Text::tr("not sampled");
    const auto elements = static_cast<double>(std::max<std::int64_t>(1, sample->elements));
    const auto add = [&](const QString& what, std::int64_t count) {
        lines << Text::tr("%1: %2 (%3 of %4)")
                     .arg(what, shareText(static_cast<double>(count) / elements),
                          countOfElements(count), countOfElements(sample->elements));
    };
    const int exponent = static_cast<int>(std::floor(y));
    if (exponent >= axis.least && exponent <= axis.greatest)
        add(binText(exponent), sample->exponents.at(exponents::binOf(exponent)));
    add(Text::tr("Zeros"), sample->zeros);
    add(Text::tr("Subnormal"), sample->subnormals);
    if (const std::int64_t lost = sample->nans + sample->infinities + sample->atLimit; lost > 0)
        add(Text::tr("NaN, infinite, at the limit"), lost);
    lines << Text::tr("From %1 to %2, mean %3")
                 .arg(QString::number(sample->minimum, 'g', 4),
                      QString::number(sample->maximum, 'g', 4),
                      QString::number(sample->mean, 'g', 4));
    return lines.join(QLatin1Char('\n'));
}

QString measureTitle(ValueMeasure measure) {
    return measure == ValueMeasure::NotFinite ? Text::tr("Overflow")
                                              : translated(std::string(displayName(measure)));
}

QString measureText(ValueMeasure measure, double value) {
    if (std::isnan(value))
        return Text::tr("not sampled, or nothing to show");
    if (isShare(measure))
        return shareText(value);
    constexpr double whole = 0.05;
    const double nearest = std::round(value);
    return std::abs(value - nearest) < whole ? powerText(2, static_cast<int>(nearest))
                                             : QStringLiteral("2^%1").arg(value, 0, 'f', 1);
}

} // namespace tilescope::views
