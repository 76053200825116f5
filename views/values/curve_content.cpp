#include "views/values/curve_content.h"

#include <QStringList>
#include <algorithm>
#include <cmath>

#include "core/base/units.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

std::optional<double> valueOf(const CurvePoint& point, CurveQuantity quantity) {
    switch (quantity) {
    case CurveQuantity::Loss:
        return point.loss;
    case CurveQuantity::Accuracy:
        return point.accuracy;
    case CurveQuantity::LearningRate:
        return point.learningRate;
    case CurveQuantity::LossScale:
        break;
    }
    return point.lossScale;
}

std::optional<double> evaluationOf(const EpochPoint& epoch, CurveQuantity quantity) {
    switch (quantity) {
    case CurveQuantity::Loss:
        return epoch.evalLoss;
    case CurveQuantity::Accuracy:
        return epoch.evalAccuracy;
    case CurveQuantity::LearningRate:
    case CurveQuantity::LossScale:
        break;
    }
    return std::nullopt;
}

/// The call nearest to an iteration; null if there is none.
const CurvePoint* nearestCall(const ProfileValues& values, double iteration) {
    const auto next = std::lower_bound(values.curve.begin(), values.curve.end(), iteration,
                                       [](const CurvePoint& point, double at) {
                                           return static_cast<double>(point.iteration) < at;
                                       });
    if (values.curve.empty())
        return nullptr;
    if (next == values.curve.end())
        return &values.curve.back();
    if (next != values.curve.begin() && iteration - static_cast<double>((next - 1)->iteration) <
                                            static_cast<double>(next->iteration) - iteration)
        return &*(next - 1);
    return &*next;
}

const EpochPoint* epochNear(const ProfileValues& values, double iteration, double reach) {
    const EpochPoint* nearest = nullptr;
    double least = reach;
    for (const EpochPoint& epoch : values.epochs)
        if (const double distance = std::abs(static_cast<double>(epoch.iteration) - iteration);
            distance <= least) {
            nearest = &epoch;
            least = distance;
        }
    return nearest;
}

QString orDash(CurveQuantity quantity, const std::optional<double>& value) {
    return value ? curveText(quantity, *value) : QStringLiteral("\u2013");
}

QString nameOf(CurveQuantity quantity) {
    switch (quantity) {
    case CurveQuantity::Loss:
        return Text::tr("Loss");
    case CurveQuantity::Accuracy:
        return Text::tr("Accuracy");
    case CurveQuantity::LearningRate:
        return Text::tr("Learning rate");
    case CurveQuantity::LossScale:
        break;
    }
    return Text::tr("Loss scale");
}

/// The mean of the numbers in [first, end); NaN if there are none.
double meanIn(const QVector<double>& values, qsizetype first, qsizetype end) {
    double sum = 0;
    int count = 0;
    for (qsizetype i = first; i < end; ++i)
        if (std::isfinite(values[i])) {
            sum += values[i];
            ++count;
        }
    return count > 0 ? sum / count : std::nan("");
}

void addMeans(CurveLine& line, bool measured) {
    constexpr qsizetype fewCalls = 200; // few enough for a readable line of single calls
    constexpr qsizetype stretches = 50; // of a curve, each with a mean
    constexpr qsizetype inAStretch = 4; // means, of overlapping neighbours
    const qsizetype count = line.values.size();
    if (!measured || count < fewCalls) {
        line.meanIterations = line.iterations;
        line.means = line.values;
        return;
    }
    const qsizetype width = count / stretches;
    line.meanOf = static_cast<int>(width);
    const qsizetype step = std::max<qsizetype>(1, width / inAStretch);
    for (qsizetype at = 0; at < count; at += step) {
        line.meanIterations.append(line.iterations[at]);
        line.means.append(meanIn(line.values, std::max<qsizetype>(0, at - width / 2),
                                 std::min(count, at - width / 2 + width)));
    }
}

QString countOf(std::int64_t count) {
    return QString::fromStdString(withThousands(count));
}

} // namespace

QString curveTitle(CurveQuantity quantity) {
    return nameOf(quantity);
}

bool CurveLine::constant() const {
    return markValues.isEmpty() && std::all_of(values.begin(), values.end(), [this](double value) {
               return value == values.front();
           });
}

CurveLine curveLine(const ProfileValues& values, CurveQuantity quantity) {
    CurveLine line;
    for (const CurvePoint& point : values.curve)
        if (const auto value = valueOf(point, quantity)) {
            line.iterations.append(static_cast<double>(point.iteration));
            const double shown = quantity == CurveQuantity::LossScale ? std::log2(*value) : *value;
            // A loss that has diverged leaves a gap.
            line.values.append(std::isfinite(shown) ? shown : std::nan(""));
        }
    for (const EpochPoint& epoch : values.epochs)
        if (const auto value = evaluationOf(epoch, quantity); value && std::isfinite(*value)) {
            line.markIterations.append(static_cast<double>(epoch.iteration));
            line.markValues.append(*value);
        }
    addMeans(line, quantity == CurveQuantity::Loss || quantity == CurveQuantity::Accuracy);
    return line;
}

QString curveText(CurveQuantity quantity, double value) {
    if (std::isnan(value))
        return Text::tr("NaN");
    switch (quantity) {
    case CurveQuantity::Accuracy:
        return QString::fromStdString(formatPercent(value, 1));
    case CurveQuantity::LossScale:
        return value >= 1 && value == std::floor(value) && value < 1e15
                   ? countOf(static_cast<std::int64_t>(value))
                   : QString::number(value, 'g', 4);
    case CurveQuantity::Loss:
    case CurveQuantity::LearningRate:
        break;
    }
    return QString::number(value, 'g', 4);
}

QString curveFacts(const ProfileValues& values) {
    if (values.curve.empty() && values.epochs.empty())
        return Text::tr("Not trained.");
    QStringList sentences;
    if (!values.epochs.empty()) {
        const EpochPoint& last = values.epochs.back();
        QString text = Text::tr("Epoch %1, %2 weight updates: loss %3")
                           .arg(countOf(last.epoch), countOf(last.iteration),
                                curveText(CurveQuantity::Loss, last.loss));
        if (last.accuracy)
            text = Text::tr("%1, accuracy %2")
                       .arg(text, curveText(CurveQuantity::Accuracy, *last.accuracy));
        if (last.evalAccuracy)
            text = Text::tr("%1, on test data %2")
                       .arg(text, curveText(CurveQuantity::Accuracy, *last.evalAccuracy));
        sentences << text;
    }
    if (!values.curve.empty()) {
        const CurvePoint& last = values.curve.back();
        sentences << Text::tr("Learning rate %1, loss scale %2")
                         .arg(curveText(CurveQuantity::LearningRate, last.learningRate),
                              curveText(CurveQuantity::LossScale, last.lossScale));
    }
    QString text = sentences.join(QStringLiteral(". ")) + QLatin1Char('.');
    // A number stays with its unit.
    return text.replace(QStringLiteral(" %"), QStringLiteral("\u00a0%"));
}

QString curveReadOut(const ProfileValues& source, const ProfileValues* target, double iteration,
                     double reach) {
    const CurvePoint* call = nearestCall(source, iteration);
    const CurvePoint* other = target == nullptr ? nullptr : nearestCall(*target, iteration);
    if (call == nullptr && other == nullptr)
        return {};
    QStringList lines{
        Text::tr("Update %1").arg(countOf(call != nullptr ? call->iteration : other->iteration))};
    const auto add = [&](const QString& name, CurveQuantity quantity,
                         const std::optional<double>& a, const std::optional<double>& b) {
        if (!a && !b)
            return;
        lines << (target == nullptr ? QStringLiteral("%1: %2").arg(name, orDash(quantity, a))
                                    : Text::tr("%1: source %2, target %3")
                                          .arg(name, orDash(quantity, a), orDash(quantity, b)));
    };
    for (const CurveQuantity quantity : curveQuantities)
        add(nameOf(quantity), quantity, call != nullptr ? valueOf(*call, quantity) : std::nullopt,
            other != nullptr ? valueOf(*other, quantity) : std::nullopt);
    const EpochPoint* epoch = epochNear(source, iteration, reach);
    const EpochPoint* otherEpoch =
        target == nullptr ? nullptr : epochNear(*target, iteration, reach);
    for (const CurveQuantity quantity : {CurveQuantity::Loss, CurveQuantity::Accuracy})
        add(Text::tr("%1 on test data").arg(nameOf(quantity)), quantity,
            epoch != nullptr ? evaluationOf(*epoch, quantity) : std::nullopt,
            otherEpoch != nullptr ? evaluationOf(*otherEpoch, quantity) : std::nullopt);
    if (const EpochPoint* ended = epoch != nullptr ? epoch : otherEpoch)
        lines.front() = Text::tr("%1, end of epoch %2").arg(lines.front(), countOf(ended->epoch));
    return lines.join(QLatin1Char('\n'));
}

} // namespace tilescope::views
