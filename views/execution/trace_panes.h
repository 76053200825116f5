// The plots of an execution, one below the other.
#pragma once

#include "views/execution/lanes_pane.h"
#include "views/execution/tiles_pane.h"
#include "views/execution/trace_selection.h"
#include "views/execution/trace_strip.h"
#include "views/execution/tracks_pane.h"
#include "views/widgets/wrapped_label.h"

class QStackedWidget;

namespace tilescope::views {

/// A strip over all of the execution, counters, lanes of boxes or of tiles, and what their colours
/// mean. Clicks and drags in them select; what is selected is marked in all of them.
class TracePanes : public QWidget {
    Q_OBJECT
public:
    TracePanes(ViewContext& context, TraceSelection& selection);

    [[nodiscard]] LanesPane& lanes() { return *lanes_; }
    [[nodiscard]] TilesPane& tiles() { return *tiles_; }
    [[nodiscard]] TracksPane& tracks() { return *tracks_; }
    [[nodiscard]] TraceStrip& strip() { return *strip_; }
    /// All plots, shown or not.
    [[nodiscard]] const std::vector<PlotWidget*>& plots() const { return plots_; }
    /// The plot of lanes.
    [[nodiscard]] PlotWidget& shownPlot();

    /// Changes between lanes of boxes and of tiles, and says whether the host has a lane.
    void setLook(TraceLook look, bool host);
    /// Reads what a question asks for, of an execution that takes `cycles`.
    void load(const TraceQuestion& question, ColourBy colours, double cycles);
    void clear();
    /// What the user must know about the execution; hidden if empty.
    void setNotice(const QString& text);
    /// Shows a notice if the host called the model more often than the trace has runs of it, which
    /// are then repeated, or if it has more threads than lanes.
    void showHosts(const Hosts& hosts);

signals:
    void status(const QString& text);

private:
    void connectPlots(TraceSelection& selection);
    void updateLegend();

    ViewContext& context_;
    WrappedLabel* notice_;
    WrappedLabel* aboutHost_;
    TraceStrip* strip_;
    TracksPane* tracks_;
    LanesPane* lanes_;
    TilesPane* tiles_;
    QStackedWidget* lanesOrTiles_;
    LegendBar* legend_;
    std::vector<PlotWidget*> plots_;
    TraceLook look_ = TraceLook::Flame;
    bool host_ = true;
    TraceQuestion question_;
    double cycles_ = 0;
};

} // namespace tilescope::views
