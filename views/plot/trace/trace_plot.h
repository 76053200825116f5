// The plot of an execution: lanes of rows with a scroll bar, arranged by the user.
#pragma once

#include "views/plot/trace/cycle_plot.h"
#include "views/plot/trace/lane_ways.h"
#include "views/plot/trace/trace_plottable.h"

namespace tilescope::views {

class LaneNames;

/// The actions on a lane, by mouse, menu and keyboard.
enum class LaneAction {
    Fold, ///< or unfold
    Pin,  ///< or unpin
    Hide, ///< never the last one
    MoveUp,
    MoveDown,
    Taller,
    Lower,
    Only,    ///< of its kind: see TracePlot::onlyWanted()
    FoldAll, ///< or unfold all, if all are folded
    ShowAll,
    Menu,     ///< with all of these
    SelectUp, ///< the lane above becomes the current one
    SelectDown,
};

/// A CyclePlot with rows of one height, high enough for names; lower if all lanes have to be
/// visible at once, or as high as the user has set. Shift-wheel and the scroll bar scroll the rows,
/// the wheel zooms in time. Names of lanes are on the left: see LaneNames.
class TracePlot : public CyclePlot {
    Q_OBJECT
public:
    explicit TracePlot(ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] TracePlottable& trace() { return *trace_; }
    [[nodiscard]] const TracePlottable& trace() const { return *trace_; }
    /// After other lanes were set.
    void updateRows();

    static constexpr int highestRow = 22;
    static constexpr int readableRow = 15; ///< with names
    static constexpr int lowestRow = 6;    ///< colours without names
    /// Rows as low as it takes to see all of them without scrolling.
    void setShowsAllRows(bool all);
    /// Of lanes whose height the user has not set.
    [[nodiscard]] int rowHeight() const { return rowHeight_; }

    [[nodiscard]] const LaneArrangement& arrangement() const { return arrangement_; }
    void setArrangement(const LaneArrangement& arrangement);
    /// The lane that keys act on, by its index in the overview; -1 until one is chosen.
    [[nodiscard]] int currentLane() const;
    void setCurrentLane(std::size_t lane);
    void act(LaneAction action, std::size_t lane);
    void moveLane(std::size_t lane, std::size_t before);
    void setRowHeight(std::size_t lane, int height);
    /// All actions on a lane, followed by those of the plot; the caller owns it.
    [[nodiscard]] QMenu* laneMenu(std::size_t lane);
    void openLaneMenu(std::size_t lane, const QPoint& at);
    [[nodiscard]] LaneNames& names() { return *names_; }

    /// Outlines the boxes of these steps and dims all others, instead of drawing lines at markers.
    void setSelected(SelectedSteps steps);
    /// Outlines what is followed, and dims all else.
    void setFollowed(std::vector<LaneWay> ways);
    [[nodiscard]] const std::vector<LaneWay>& followed() const { return followed_; }
    /// Arrows of what is selected, unless something is followed.
    void setFlows(std::vector<LaneFlow> flows);
    [[nodiscard]] const std::vector<LaneFlow>& flows() const { return flows_; }
    void setShowsFlows(bool shows);

signals:
    /// Lanes have moved, or others have become visible.
    void arranged();
    /// The user wants to see only this lane (by its key) of its kind.
    void onlyWanted(const QString& key);

protected:
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintExtra(QPainter& painter) override;
    void paintMarkers(QPainter& painter) const override;

private:
    friend class LaneNames;
    void showRows();
    [[nodiscard]] int lowestRowOf(const std::vector<std::size_t>& shown, int page) const;
    void arrange();
    void select(std::size_t lane, int by);
    void foldAll();
    void describeCurrent();
    void bringIntoSight(std::size_t lane);
    [[nodiscard]] const LaneArrangement::Keys& keys() const { return trace_->laneRows().keys; }
    [[nodiscard]] std::size_t hiddenLanes() const;
    void paintLengths(QPainter& painter) const;

    TracePlottable* trace_; ///< owned by the plot
    LaneNames* names_;
    LaneArrangement arrangement_;
    std::vector<LaneWay> followed_;
    std::vector<LaneFlow> flows_;
    bool showsFlows_ = true;
    std::string current_; ///< key of the lane that keys act on
    double clockHz_ = 0;
    bool showsAllRows_ = false;
    int rowHeight_ = highestRow;
};

} // namespace tilescope::views
