#include "views/plot/axes/axis_labels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "views/theme/minus_sign.h"

namespace tilescope::views {
namespace {

struct Prefix {
    const char* text;
    double size;
};

constexpr int mostDecimals = 4;

bool isWhole(double value) {
    return std::abs(value - std::round(value)) < 1e-6 * value;
}

/// That of the largest tick or, far into a plot, a smaller one: neighbours must differ.
const Prefix& prefixFor(double largest, double step, std::span<const Prefix> prefixes) {
    const double finest = std::pow(10.0, mostDecimals);
    const auto* best = &prefixes.front();
    for (const Prefix& prefix : prefixes)
        if (largest >= prefix.size && isWhole(step / prefix.size * finest))
            best = &prefix;
    return *best;
}

// As many decimals as the step needs, and no more.
int decimalsFor(double step) {
    int decimals = 0;
    while (decimals < mostDecimals && !isWhole(step * std::pow(10.0, decimals)))
        ++decimals;
    return decimals;
}

QVector<QString> labelled(const QVector<double>& ticks, double step,
                          std::span<const Prefix> prefixes) {
    double largest = 0;
    for (const double tick : ticks)
        largest = std::max(largest, std::abs(tick));
    const Prefix& prefix = prefixFor(largest, step, prefixes);
    const int decimals = decimalsFor(step / prefix.size);
    QVector<QString> labels;
    labels.reserve(ticks.size());
    for (const double tick : ticks) {
        // A tick that should be zero may be a rounding error away from it.
        if (std::abs(tick) < step * 1e-6) {
            labels.append(QStringLiteral("0"));
            continue;
        }
        const double value = tick / prefix.size;
        const QString number =
            withMinusSign(decimals == 0 ? QString::fromStdString(withThousands(std::llround(value)))
                                        : QString::number(value, 'f', decimals));
        labels.append(*prefix.text == '\0'
                          ? number
                          : number + QChar(0x00a0) + QString::fromUtf8(prefix.text));
    }
    return labels;
}

constexpr std::array binaryBytes{Prefix{"B", 1}, Prefix{"KiB", 1024}, Prefix{"MiB", 1048576},
                                 Prefix{"GiB", 1073741824}, Prefix{"TiB", 1099511627776}};
constexpr std::array siBytes{Prefix{"B", 1}, Prefix{"kB", 1e3}, Prefix{"MB", 1e6},
                             Prefix{"GB", 1e9}, Prefix{"TB", 1e12}};
constexpr std::array plainBytes{Prefix{"B", 1}};
constexpr std::array counts{Prefix{"", 1}, Prefix{"M", 1e6}, Prefix{"G", 1e9}, Prefix{"T", 1e12}};
constexpr std::array times{Prefix{"ns", 1e-9}, Prefix{"\xc2\xb5s", 1e-6}, Prefix{"ms", 1e-3},
                           Prefix{"s", 1}};

} // namespace

double decimalTickStep(double span, int count) {
    const double rough = std::max(span, 1e-12) / std::max(count, 1);
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    const double mantissa = rough / power;
    const double nice = mantissa <= 1 ? 1 : mantissa <= 2 ? 2 : mantissa <= 5 ? 5 : 10;
    return nice * power;
}

double integerTickStep(double span, int count) {
    return std::max(1.0, decimalTickStep(span, count));
}

double byteTickStep(double span, int count, ByteUnits units) {
    if (units != ByteUnits::Binary)
        return integerTickStep(span, count);
    const double rough = std::max(span, 1.0) / std::max(count, 1);
    return std::max(1.0, std::exp2(std::round(std::log2(rough))));
}

QVector<QString> byteLabels(const QVector<double>& ticks, double step, ByteUnits units) {
    switch (units) {
    case ByteUnits::Binary:
        return labelled(ticks, step, binaryBytes);
    case ByteUnits::Si:
        return labelled(ticks, step, siBytes);
    case ByteUnits::Plain:
        break;
    }
    return labelled(ticks, step, plainBytes);
}

QVector<QString> countLabels(const QVector<double>& ticks, double step) {
    return labelled(ticks, step, counts);
}

QVector<QString> numberLabels(const QVector<double>& ticks, double step) {
    constexpr int mostPlain = 6; // decimals; beyond that an exponent is shorter
    const int decimals =
        step > 0 ? std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9))) : 0;
    QVector<QString> labels;
    for (const double tick : ticks) {
        if (std::abs(tick) < step * 1e-6)
            labels.append(QStringLiteral("0"));
        else if (decimals > mostPlain)
            labels.append(withMinusSign(QString::number(tick, 'g', 3)));
        else if (decimals == 0)
            labels.append(withMinusSign(QString::fromStdString(withThousands(std::llround(tick)))));
        else
            labels.append(withMinusSign(QString::number(tick, 'f', decimals)));
    }
    return labels;
}

QVector<QString> shareLabels(const QVector<double>& ticks, double step) {
    constexpr double hundred = 100;
    QVector<double> percents;
    for (const double tick : ticks)
        percents.append(hundred * tick);
    QVector<QString> labels = numberLabels(percents, hundred * step);
    for (QString& label : labels)
        label += QStringLiteral("\u00a0%");
    return labels;
}

QString powerText(int base, int exponent) {
    static const QString raised =
        QString::fromUtf8("\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079");
    QString text = QString::number(base);
    for (const QChar digit : QString::number(exponent))
        text += digit == QLatin1Char('-') ? QChar(0x207b) : raised[digit.digitValue()];
    return text;
}

QVector<QString> decadeLabels(const QVector<double>& exponents) {
    constexpr int leastPlain = -3;
    constexpr int mostPlain = 6;
    QVector<QString> labels;
    for (const double tick : exponents) {
        const int exponent = static_cast<int>(std::lround(tick));
        if (exponent < leastPlain || exponent > mostPlain)
            labels.append(powerText(10, exponent));
        else if (exponent < 0)
            labels.append(QString::number(std::pow(10, exponent), 'f', -exponent));
        else
            labels.append(
                QString::fromStdString(withThousands(std::llround(std::pow(10, exponent)))));
    }
    return labels;
}

QVector<QString> timeLabels(const QVector<double>& ticks, double step) {
    return labelled(ticks, step, times);
}

} // namespace tilescope::views
