// Ticks of our axes: bytes, whole numbers, time.
#pragma once

#include <qcustomplot.h>
#include <vector>

#include "views/session/preferences.h"

namespace tilescope::views {

/// Ticks without minor ticks, whose labels depend on the distance between them.
class StepTicker : public QCPAxisTicker {
protected:
    /// The distance of ticks over a range.
    virtual double stepFor(double span) = 0;
    virtual QVector<QString> labels(const QVector<double>& ticks, double step) = 0;

    double getTickStep(const QCPRange& range) override { return step_ = stepFor(range.size()); }
    [[nodiscard]] double step() const { return step_; }
    int getSubTickCount(double) override { return 0; }
    QVector<QString> createLabelVector(const QVector<double>& ticks, const QLocale&, QChar,
                                       int) override {
        return labels(ticks, step_);
    }

private:
    double step_ = 1;
};

/// Bytes in the preferred units.
class ByteTicker : public StepTicker {
public:
    explicit ByteTicker(const Preferences& preferences)
        : preferences_(preferences) {}

protected:
    double stepFor(double span) override;
    QVector<QString> labels(const QVector<double>& ticks, double step) override;

private:
    const Preferences& preferences_;
};

/// Tiles, steps, cycles.
class CountTicker : public StepTicker {
public:
    /// Names for the places of an axis that leaves some out or has gaps: place i is labelled
    /// numbers[i]. An empty list labels places with themselves. Ticks are at round numbers if all
    /// of them have a place.
    void setNumbers(std::vector<std::int32_t> numbers);

protected:
    double stepFor(double span) override;
    QVector<double> createTickVector(double step, const QCPRange& range) override;
    QVector<QString> labels(const QVector<double>& ticks, double step) override;

private:
    std::vector<std::int32_t> numbers_;
    bool allThere_ = false; ///< no number between two places is left out
};

/// Numbers of any size.
class NumberTicker : public StepTicker {
protected:
    double stepFor(double span) override;
    QVector<QString> labels(const QVector<double>& ticks, double step) override;
};

/// Shares of one, in per cent.
class ShareTicker : public NumberTicker {
protected:
    QVector<QString> labels(const QVector<double>& ticks, double step) override;
};

/// Exponents of two: ticks are whole powers.
class PowerTicker : public StepTicker {
public:
    /// No labels beyond these exponents: other rows are there.
    void setLimits(double least, double greatest);

protected:
    double stepFor(double span) override;
    QVector<QString> labels(const QVector<double>& ticks, double step) override;

private:
    double least_ = -1e9;
    double greatest_ = 1e9;
};

/// Logarithms to the base ten, labelled with the numbers: ticks are whole decades.
class DecadeTicker : public StepTicker {
public:
    /// No labels beyond this exponent: something else is there.
    void setLast(double last) { last_ = last; }

protected:
    double stepFor(double span) override;
    QVector<QString> labels(const QVector<double>& ticks, double step) override;

private:
    double last_ = 1e9;
};

/// Cycles written as time at a clock.
class TimeTicker : public StepTicker {
public:
    explicit TimeTicker(double clockHz)
        : clockHz_(clockHz) {}

protected:
    double stepFor(double span) override;
    QVector<QString> labels(const QVector<double>& ticks, double step) override;

private:
    double clockHz_;
};

} // namespace tilescope::views
