// The plot of one track.
#pragma once

#include "views/execution/tracks/track_plottable.h"
#include "views/plot/plot_widget.h"
#include "views/plot/trace/cycle_plot.h"

namespace tilescope::views {

/// A low PlotWidget over the cycles of the time zoom, aligned with the lanes below it. Its margin
/// has the track's name and the largest value in sight, for two profiles one each in its colour.
class TrackPlot : public PlotWidget {
    Q_OBJECT
public:
    TrackPlot(ViewContext& context, const CounterTrack& track, QWidget* parent = nullptr);

    [[nodiscard]] const CounterTrack& track() const { return track_; }
    [[nodiscard]] TrackPlottable& curve() { return *curve_; }
    /// After other curves were set.
    void updateCurves();
    void setClock(double clockHz) { clockHz_ = clockHz; }
    /// The user's marks, as lines that go on through the lanes below, where their texts are.
    void setFlags(std::vector<TraceFlag> flags);

    /// As high as three lines of text.
    [[nodiscard]] static int heightFor(const QFont& font);

protected:
    void paintExtra(QPainter& painter) override;

private:
    void fitValues();
    void paintFlags(QPainter& painter) const;
    void paintMargin(QPainter& painter) const;
    [[nodiscard]] TrackUnits units() const { return {context().preferences, clockHz_}; }

    const CounterTrack& track_;
    TrackPlottable* curve_; ///< owned by the plot
    double clockHz_ = 0;
    std::vector<TraceFlag> flags_;
    std::array<double, 2> largest_{}; ///< of each side, in sight
};

} // namespace tilescope::views
