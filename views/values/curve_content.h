// The curves of a training, as values.
#pragma once

#include <QString>
#include <QVector>
#include <array>
#include <cstdint>

#include "core/profile/values.h"

namespace tilescope::views {

enum class CurveQuantity { Loss, Accuracy, LearningRate, LossScale };
inline constexpr std::array curveQuantities{CurveQuantity::Loss, CurveQuantity::Accuracy,
                                            CurveQuantity::LearningRate, CurveQuantity::LossScale};

/// "Loss", with the unit if it has one: the title above an axis.
QString curveTitle(CurveQuantity quantity);

/// A quantity of one run over weight updates: from each call of the host, and from the evaluation
/// after each epoch. Loss scales are exponents of two.
struct CurveLine {
    QVector<double> iterations, values;
    /// With many calls, means of so many neighbours at overlapping places, as single calls
    /// fluctuate; with few calls, or for values that are set rather than measured, the calls
    /// themselves.
    int meanOf = 1;
    QVector<double> meanIterations, means;
    QVector<double> markIterations, markValues;
    [[nodiscard]] bool empty() const { return values.isEmpty() && markValues.isEmpty(); }
    /// Whether a single number would tell as much.
    [[nodiscard]] bool constant() const;
};
CurveLine curveLine(const ProfileValues& values, CurveQuantity quantity);

/// A number with as many digits as people compare: "0.2345", "97.2 %", "1,024".
QString curveText(CurveQuantity quantity, double value);

/// How a run ended, in one line.
QString curveFacts(const ProfileValues& values);

/// All values near an iteration, a line each; those of two runs in one line. Includes epochs that
/// ended within `reach` of it.
QString curveReadOut(const ProfileValues& source, const ProfileValues* target, double iteration,
                     double reach);

} // namespace tilescope::views
