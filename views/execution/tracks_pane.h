// The counter tracks above the lanes of an execution.
#pragma once

#include <QMenu>
#include <QWidget>

#include "views/execution/trace_item.h"
#include "views/execution/tracks/crosshair.h"
#include "views/execution/tracks/track_plot.h"
#include "views/execution/tracks/value_track.h"
#include "views/query/background_query.h"

namespace tilescope::views {

/// A TrackPlot for each chosen kind of track, as many as leave room for what is below. Like the
/// lanes they read everything coarsely, then what is in sight, stretching the last picture
/// meanwhile.
class TracksPane : public QWidget {
    Q_OBJECT
public:
    TracksPane(ViewContext& context, TraceSelection& selection);

    /// A checkable action for each kind of track, those of values whenever the menu opens.
    void addChoices(QMenu& menu);
    /// Tracks of values of the source: of the program's graphs, shown once they are chosen, and of
    /// queries, shown at once.
    void setValueTracks(const ValueTracks& graphs, const ValueTracks& queries);
    /// The names of all queries of tracks, also of those without an answer: each can be removed.
    void setQueries(QStringList names) { queryNames_ = std::move(names); }
    /// By its name.
    void setShown(const QString& name, bool shown);
    /// Reads other profiles or IPUs, over an axis of `length` cycles.
    void load(const TraceQuestion& question, std::int64_t length);
    void clear() { load({}, 0); }
    /// Other plots are added to it to show a line at the pointer, too.
    [[nodiscard]] Crosshair& crosshair() { return crosshair_; }
    /// Of all kinds, shown or not.
    [[nodiscard]] const std::vector<TrackPlot*>& plots() const { return plots_; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {0, 0}; }

    /// Pixels that everything around the tracks needs at least: strip, lanes with axes, legend.
    static constexpr int lowestLanes = 250;

signals:
    void status(const QString& text);
    /// Plots of tracks of values come and go.
    void plotAdded(tilescope::views::TrackPlot* plot);
    void plotRemoved(tilescope::views::TrackPlot* plot);
    /// The user wants another track from a query, or one less.
    void queryWanted();
    void queryUnwanted(const QString& name);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void addPlot(const CounterTrack& track, bool wanted);
    void addChoice(QMenu& menu, std::size_t track);
    void removeValuePlots();
    void makeTracks();
    void setWanted(std::size_t track, bool wanted);
    /// Shows those for which there is room.
    void arrange();
    void place();
    void refresh();
    /// The counter of a profile, as one side of its plot.
    struct Track {
        std::shared_ptr<const TraceItem> item;
        std::size_t plot = 0;
        std::size_t side = 0;
    };
    [[nodiscard]] TrackSide sideOf(const Track& track) const {
        return plots_[track.plot]->curve().sides()[track.side];
    }
    void setCurve(const Track& track, std::shared_ptr<const TrackCurve> curve, bool overview);
    [[nodiscard]] QString readOut(TrackPlot& plot, double cycle) const;

    ViewContext& context_;
    Crosshair crosshair_;
    TraceSelection& selection_;
    std::vector<TrackPlot*> plots_;
    std::vector<bool> wanted_;
    std::vector<bool> shown_;
    std::vector<Track> tracks_;
    BackgroundQuery query_;
    TraceQuestion question_;
    std::int64_t length_ = 0;
    ValueTracks values_; ///< of the last plots
    QStringList queryNames_;
    std::map<QString, bool> chosen_; ///< by the user, by the names of values
};

} // namespace tilescope::views
