// The counter tracks above the lanes of an execution.
#pragma once

#include <QMenu>
#include <QWidget>

#include "core/analysis/compare/profile_pair.h"
#include "views/execution/tracks/crosshair.h"
#include "views/execution/tracks/track_plot.h"
#include "views/query/background_query.h"
#include "views/session/ipu_set.h"

namespace tilescope::views {

/// A TrackPlot for each chosen kind of track, as many as leave room for what is below. Like the
/// lanes they read everything coarsely, then what is in sight, stretching the last picture
/// meanwhile.
class TracksPane : public QWidget {
    Q_OBJECT
public:
    explicit TracksPane(ViewContext& context, QWidget* parent = nullptr);

    /// A checkable action for each kind of track.
    void addChoices(QMenu& menu);
    /// Reads other profiles or IPUs.
    void load(const ProfilePair& profiles, const IpuSet& ipus, std::int64_t length);
    void clear();
    void setMarkers(const std::vector<PlotWidget::Marker>& markers);
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
    /// A click: the step of the source that runs there, by its execution index.
    void stepClicked(qint64 step);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void setWanted(std::size_t track, bool wanted);
    /// Shows those for which there is room.
    void arrange();
    void place();
    void refresh();
    void clicked(double cycle);
    struct Question;
    [[nodiscard]] Question question() const;
    struct Answer;
    static std::vector<Answer> read(const Question& question, const std::stop_token& stop);
    void show(std::vector<Answer> answers);

    ViewContext& context_;
    Crosshair crosshair_;
    std::vector<TrackPlot*> plots_;
    std::vector<bool> wanted_;
    std::vector<bool> shown_;
    BackgroundQuery query_;
    BackgroundQuery clickQuery_;
    ProfilePair profiles_;
    IpuSet ipus_;
    std::int64_t length_ = 0;
};

} // namespace tilescope::views
