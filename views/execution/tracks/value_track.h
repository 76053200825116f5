// Tracks of values that come as points: lines of the program's graphs, answers of queries.
#pragma once

#include "core/profile/host_record.h"
#include "core/table/table.h"
#include "views/execution/tracks/counter_track.h"

namespace tilescope::views {

/// A value from a cycle on, until the next one.
struct ValuePoint {
    double cycle = 0;
    double value = 0;
};

/// Points in order of time, as a kind of track of its own.
class ValueTrack : public CounterTrack {
public:
    /// `unit` may be empty; `hue` is a number for Theme::series().
    ValueTrack(QString name, QString unit, QString toolTip, std::vector<ValuePoint> points,
               int hue);

    [[nodiscard]] QString name() const override { return name_; }
    [[nodiscard]] QString toolTip() const override { return toolTip_; }
    [[nodiscard]] std::vector<Part> parts(const Theme& theme) const override;
    /// Nothing: its values are not counters'.
    [[nodiscard]] TrackCurve read(const CounterColumns&) const override { return {}; }
    /// The largest and least value that holds in each column; 0 before the first point.
    [[nodiscard]] TrackCurve curve(const CycleColumns& columns) const;
    [[nodiscard]] QString text(double value, const TrackUnits& units) const override;
    [[nodiscard]] QString shortText(double value, const TrackUnits& units) const override;
    [[nodiscard]] QString note(double whole, const TrackUnits& units) const override;

private:
    QString name_, unit_, toolTip_;
    std::vector<ValuePoint> points_;
    int hue_;
};

using ValueTracks = std::vector<std::shared_ptr<const ValueTrack>>;

/// A track for each line of the program's graphs.
ValueTracks graphTracks(const HostRecord& record, double clockHz);

/// The points of an answer: two columns of numbers, cycles and value, in any order of rows. `error`
/// says what is wrong with it otherwise.
std::vector<ValuePoint> pointsOf(const Table& answer, QString& error);

} // namespace tilescope::views
