// Values over iterations in the form that a heat map paints.
#pragma once

#include <QString>
#include <cstdint>
#include <vector>

#include "core/analysis/values/heat_maps.h"
#include "views/theme/theme.h"

namespace tilescope::views {

/// The meaning of colours: shares from 1 in 10,000 to all, each factor of ten as wide as the next
/// (so that rare values are as distinguishable as common ones), or exponents of two.
struct HeatScale {
    enum class Kind { Share, Exponent };
    Kind kind = Kind::Share;
    double low = 0, high = 0; ///< of exponents
    QString title;            ///< "of the elements"

    static constexpr int leastPower = -4; ///< of ten, of a share
    /// From 0 to 1 along the scale; negative for a share of zero, which has no colour.
    [[nodiscard]] double positionOf(double value) const;
    /// The labels at the ends and between them: a position and a text.
    struct Label {
        double position = 0;
        QString text;
    };
    [[nodiscard]] std::vector<Label> labels() const;
};

/// The colour of a position on a scale. Its contrast with the background grows evenly, in both
/// light and dark themes.
QColor heatScaleColour(double position, const Theme& theme);
/// The colour of a share of zero, where there are samples.
QColor noShareColour(const Theme& theme);

/// A row of a heat map on its vertical axis.
struct HeatRow {
    double from = 0, to = 0;
    std::vector<double> values; ///< one for each iteration; NaN where nothing was sampled
};

/// A run's part of a heat map.
struct HeatSide {
    std::vector<std::int64_t> iterations;
    std::vector<HeatRow> rows;

    /// Where the column of an iteration begins: half way from the one before. The index after the
    /// last one gives the end.
    [[nodiscard]] double columnStart(std::size_t column) const;
    /// The column at a place of the axis; -1 for none.
    [[nodiscard]] int columnAt(double x) const;
};

/// The rows of exponents between two, and their places: zeros are below all of them, values that
/// are not finite above.
struct ExponentAxis {
    int least = half_range::leastSubnormal - 2;
    int greatest = half_range::greatest + 2; ///< the axis ends where the next would begin
    [[nodiscard]] double zeros() const { return least - 2; }        ///< one row up from there
    [[nodiscard]] double notFinite() const { return greatest + 2; } ///< likewise
    [[nodiscard]] double bottom() const { return zeros(); }
    [[nodiscard]] double top() const { return notFinite() + 1; }
    /// Makes room for all elements of a tensor.
    void include(const ProfileValues& values, ValueTensorId tensor);
};

/// Exponents of a tensor over iterations, with its zeros and values that are not finite.
HeatSide exponentSide(const ProfileValues& values, ValueTensorId tensor, const ExponentAxis& axis);
/// Tensors over iterations; the row of a missing tensor is empty.
HeatSide tensorSide(const ProfileValues& values, const std::vector<ValueTensorId>& tensors,
                    ValueMeasure measure);

/// The scale of a measure over both sides; the second may have no rows.
HeatScale scaleOf(ValueMeasure measure, const HeatSide& source, const HeatSide& target);

/// Details of a tensor at an iteration, with the exponent at that height of the axis, in lines.
QString exponentText(const ProfileValues& values, ValueTensorId tensor, std::int64_t iteration,
                     const ExponentAxis& axis, double y);
/// "Zeros"; for values that are not finite or at the limit "Overflow".
QString measureTitle(ValueMeasure measure);
/// "12.3 %" or "2⁻⁹".
QString measureText(ValueMeasure measure, double value);

} // namespace tilescope::views
