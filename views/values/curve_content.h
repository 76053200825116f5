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

/// "Loss", with the unit if it has one: what is above an axis.
QString curveTitle(CurveQuantity quantity);

/// A quantity of one run over weight updates: of each call of the host, and what the evaluation
/// after each epoch gave. Loss scales are exponents of two.
struct CurveLine {
    QVector<double> iterations, values;
    /// Of many calls the mean of so many neighbours, a few times in each such stretch, as single
    /// calls go up and down; of few calls, and of what is set rather than measured, the calls.
    int meanOf = 1;
    QVector<double> meanIterations, means;
    QVector<double> markIterations, markValues;
    [[nodiscard]] bool empty() const { return values.isEmpty() && markValues.isEmpty(); }
    /// Says no more than one number would.
    [[nodiscard]] bool constant() const;
};
CurveLine curveLine(const ProfileValues& values, CurveQuantity quantity);

/// A number with as many digits as people compare: "0.2345", "97.2 %", "1,024".
QString curveText(CurveQuantity quantity, double value);

/// How a run ended, in one line.
QString curveFacts(const ProfileValues& values);

/// All that is known near an iteration, a line each; of two runs both numbers in a line. Epochs are
/// told of when they ended within `reach` of it.
QString curveReadOut(const ProfileValues& source, const ProfileValues* target, double iteration,
                     double reach);

} // namespace tilescope::views
