// Texts of axis ticks: pure functions, so that every unit can be tested without a plot.
#pragma once

#include <QString>
#include <QVector>

#include "core/base/units.h"

namespace tilescope::views {

/// The distance of about `count` ticks over `span` bytes: a power of two times the unit for binary
/// units, otherwise 1, 2 or 5 times a power of ten.
double byteTickStep(double span, int count, ByteUnits units);
/// 1, 2 or 5 times a power of ten, at least 1: for tiles, steps and cycles.
double integerTickStep(double span, int count);
/// 1, 2 or 5 times a power of ten.
double decimalTickStep(double span, int count);

/// Labels that share one unit: "0", "128 KiB", "256 KiB".
QVector<QString> byteLabels(const QVector<double>& ticks, double step, ByteUnits units);
/// "0", "5,000"; from a million on "2.5 M".
QVector<QString> countLabels(const QVector<double>& ticks, double step);
/// Numbers of any size, with as many digits as the step needs: "0.0002".
QVector<QString> numberLabels(const QVector<double>& ticks, double step);
/// Shares of one: "0 %", "12.5 %".
QVector<QString> shareLabels(const QVector<double>& ticks, double step);
/// A power with its exponent raised.
QString powerText(int base, int exponent);
/// Powers of ten by their exponents: "0.01", "1", "1,000"; beyond a million with the exponent
/// raised.
QVector<QString> decadeLabels(const QVector<double>& exponents);
/// Seconds in one unit: "0", "1.5 ms", "3 ms".
QVector<QString> timeLabels(const QVector<double>& ticks, double step);

} // namespace tilescope::views
