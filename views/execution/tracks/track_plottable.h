// Painting a track's curve.
#pragma once

#include <algorithm>
#include <array>
#include <memory>

#include "views/execution/tracks/counter_track.h"
#include "views/plot/plottable.h"

namespace tilescope::views {

/// A profile's curve, coarsely over all of the execution and closely around what is in sight.
struct TrackSide {
    std::shared_ptr<const TrackCurve> overview;
    std::shared_ptr<const TrackCurve> detail;
    /// The finest curve that covers all cycles from one to another; null if none does.
    [[nodiscard]] const TrackCurve* reaching(double from, double to) const;
};

/// Draws the values of a pixel's columns as rectangles from the axis' zero: areas for one profile,
/// outlines for two. If a pixel has several columns it shows the highest.
class TrackPlottable : public Plottable {
    Q_OBJECT
public:
    TrackPlottable(QCPAxis* keyAxis, QCPAxis* valueAxis, const CounterTrack& track,
                   const ThemeSource& theme);

    /// The source's, and the target's where two profiles are compared.
    void setSides(std::array<TrackSide, 2> sides) { sides_ = std::move(sides); }
    [[nodiscard]] const std::array<TrackSide, 2>& sides() const { return sides_; }
    [[nodiscard]] bool comparing() const { return sides_[1].overview != nullptr; }
    /// The largest value of one side between two cycles, and of both sides.
    [[nodiscard]] double largestOf(std::size_t side, double from, double to) const;
    /// The least value of one side between two cycles, or 0 if all are positive.
    [[nodiscard]] double leastOf(std::size_t side, double from, double to) const;
    [[nodiscard]] double largest(double from, double to) const {
        return std::max(largestOf(0, from, to), largestOf(1, from, to));
    }

protected:
    void draw(QCPPainter* painter) override;

private:
    template <class Take>
    void eachColumn(std::size_t side, double from, double to, const Take& take) const;
    /// Neighbouring pixels [x0, x1) that show the same column.
    struct Pixels {
        int x0 = 0;
        int x1 = 0;
        const TrackCurve* curve = nullptr;
        std::size_t column = 0;
        double least = 0;
    };
    [[nodiscard]] std::vector<Pixels> pixelsOf(const TrackSide& side) const;
    void fill(QCPPainter& painter, const std::vector<Pixels>& all) const;
    void outline(QCPPainter& painter, const std::vector<Pixels>& all, const QColor& colour) const;
    [[nodiscard]] int pixelOf(double value) const;

    const CounterTrack& track_;
    const ThemeSource& theme_;
    std::array<TrackSide, 2> sides_;
};

} // namespace tilescope::views
