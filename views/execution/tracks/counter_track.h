// A counter over the time axis of an execution: what a track above its lanes draws.
#pragma once

#include <QColor>
#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "core/analysis/counters/counter_columns.h"
#include "views/session/preferences.h"
#include "views/theme/theme.h"

namespace tilescope::views {

/// Values in columns of time.
struct TrackCurve {
    CycleColumns columns;
    std::vector<std::vector<double>> parts; ///< by part, by column; each stands on those before it
    std::vector<double> least; ///< by column, where it has several values; parts are the largest
    double whole = 0;          ///< how much the machine has of it; 0 if unknown
    bool limited = false;      ///< `whole` is a limit that may be exceeded
    bool bounds = false;       ///< least and largest values are bounds, not values

    /// The height of all parts.
    [[nodiscard]] double top(std::size_t column) const;
    /// The lowest value of a column.
    [[nodiscard]] double bottom(std::size_t column) const {
        return least.empty() ? top(column) : least[column];
    }
    /// The column of a cycle; none outside.
    [[nodiscard]] std::optional<std::size_t> columnAt(double cycle) const;
};

/// How values are written.
struct TrackUnits {
    const Preferences& preferences;
    double clockHz = 0; ///< 0: rates are by cycle only
};

/// A kind of track. A new one is a class of its own with a line in counterTracks().
class CounterTrack {
public:
    virtual ~CounterTrack() = default;

    /// In the margin and the menu: "Live memory".
    [[nodiscard]] virtual QString name() const = 0;
    [[nodiscard]] virtual QString toolTip() const = 0;
    /// Whether it is shown until the user chooses.
    [[nodiscard]] virtual bool shownAtFirst() const { return false; }

    /// The layers of the curve, from below.
    struct Part {
        QString name; ///< empty if it is the only one
        QColor colour;
    };
    [[nodiscard]] virtual std::vector<Part> parts(const Theme& theme) const = 0;

    /// Reads the curve; on a worker thread.
    [[nodiscard]] virtual TrackCurve read(const CounterColumns& counters) const = 0;

    /// A value with its unit: "5.62 KiB/cycle (7.61 TiB/s)".
    [[nodiscard]] virtual QString text(double value, const TrackUnits& units) const = 0;
    /// A value without its unit, for the margin, and the note below it: "per cycle".
    [[nodiscard]] virtual QString shortText(double value, const TrackUnits& units) const = 0;
    [[nodiscard]] virtual QString note(double whole, const TrackUnits& units) const = 0;
};

/// All kinds, in the order in which they are shown.
const std::vector<std::unique_ptr<const CounterTrack>>& counterTracks();

/// The values of a column in words.
QString columnText(const CounterTrack& track, const TrackCurve& curve, std::size_t column,
                   const Theme& theme, const TrackUnits& units);

} // namespace tilescope::views
