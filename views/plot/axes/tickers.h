// Ticks of our axes: bytes, whole numbers, time.
#pragma once

#include <qcustomplot.h>
#include <vector>

#include "views/session/preferences.h"

namespace tilescope::views {

/// Bytes in the preferred units.
class ByteTicker : public QCPAxisTicker {
public:
    explicit ByteTicker(const Preferences& preferences)
        : preferences_(preferences) {}

protected:
    double getTickStep(const QCPRange& range) override;
    int getSubTickCount(double) override { return 0; }
    QVector<QString> createLabelVector(const QVector<double>& ticks, const QLocale&, QChar,
                                       int) override;

private:
    const Preferences& preferences_;
    double step_ = 1;
};

/// Tiles, steps, cycles.
class CountTicker : public QCPAxisTicker {
public:
    /// Names for the places of an axis that leaves some out: place i is labelled numbers[i]. An
    /// empty list labels places with themselves.
    void setNumbers(std::vector<std::int32_t> numbers) { numbers_ = std::move(numbers); }

protected:
    double getTickStep(const QCPRange& range) override;
    int getSubTickCount(double) override { return 0; }
    QVector<QString> createLabelVector(const QVector<double>& ticks, const QLocale&, QChar,
                                       int) override;

private:
    double step_ = 1;
    std::vector<std::int32_t> numbers_;
};

/// Cycles written as time at a clock.
class TimeTicker : public QCPAxisTicker {
public:
    explicit TimeTicker(double clockHz)
        : clockHz_(clockHz) {}

protected:
    double getTickStep(const QCPRange& range) override;
    int getSubTickCount(double) override { return 0; }
    QVector<QString> createLabelVector(const QVector<double>& ticks, const QLocale&, QChar,
                                       int) override;

private:
    double clockHz_;
    double step_ = 1; ///< seconds
};

} // namespace tilescope::views
