// The execution trace: what every IPU does in every cycle.
#pragma once

#include "views/execution/sql_tracks.h"
#include "views/execution/trace_navigator.h"
#include "views/widgets/loading_panel.h"
#include "views/widgets/report_view.h"

namespace tilescope::views {

/// Lanes of boxes, or of tiles, over cycles above; statistics and steps of the visible (or
/// selected) range, details of the selected step and the user's marks below. The parts read what
/// they show; this class says what that is.
class TraceView : public ReportView {
    Q_OBJECT
public:
    explicit TraceView(ViewContext& context, QWidget* parent = nullptr);
    void focusSearch() override { search().focus(); }
    [[nodiscard]] ZoomRange* axis() override {
        return canShow(profiles()) && context().timeZoom.isOwn() ? &context().timeZoom : nullptr;
    }
    void goToOperation(OperationId operation, bool target) override;
    void setLook(TraceLook look) { controls_->setLook(look); }
    [[nodiscard]] TraceLook look() const { return controls_->look(); }
    [[nodiscard]] TracePlot& plot() { return panes_->lanes().plot(); }
    [[nodiscard]] TilesPane& tiles() { return panes_->tiles(); }
    [[nodiscard]] TracksPane& tracks() { return panes_->tracks(); }
    [[nodiscard]] SearchBox& search() { return controls_->search(); }
    [[nodiscard]] MarksModel& marks() { return tabs_->marks(); }
    [[nodiscard]] TraceControls& controls() { return *controls_; }
    [[nodiscard]] TraceTabs& tabs() { return *tabs_; }
    [[nodiscard]] SqlTracks& queries() { return *queries_; }
    [[nodiscard]] const TraceSelection& selection() const { return *selection_; }
    [[nodiscard]] TraceSelection& selection() { return *selection_; }

protected:
    void reload() override;
    void followSelection() override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void connectParts();
    void show(const ShownExecution& execution);
    void showNothing();
    void changeLook();
    void loadPlots();
    void loadStatistics();
    void connectTracks();
    void showTracks();
    [[nodiscard]] TraceQuestion question() const;
    void changeAlignment();
    void setAxis(const TraceAxis& axis);
    void showFlags();

    TraceTabs* tabs_;
    TraceSelection* selection_;
    TracePanes* panes_;
    TraceControls* controls_;
    TraceNavigator* navigator_;
    LoadingPanel* panel_;
    SqlTracks* queries_;
    ValueTracks graphs_;                      ///< of the program
    ShownExecution read_;                     ///< over cycles
    ShownExecution shown_;                    ///< on the axis
    std::optional<CycleAlignment> alignment_; ///< of the open profiles, once it was wanted
    BackgroundQuery alignQuery_;
};

} // namespace tilescope::views
