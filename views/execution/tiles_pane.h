// The bulk-synchronous view of an execution: what every tile does in every cycle.
#pragma once

#include <QWidget>

#include "views/execution/tile_content.h"
#include "views/plot/trace/tile_plot.h"
#include "views/query/background_query.h"

namespace tilescope::views {

class TraceSelection;

/// A TilePlot that reads its own data again whenever the range of cycles or tiles changes, the last
/// request first, stretching the last picture meanwhile.
class TilesPane : public QWidget {
    Q_OBJECT
public:
    TilesPane(ViewContext& context, TraceSelection& selection);

    /// Reads other profiles or IPUs.
    void load(const TraceQuestion& question);
    void clear();
    [[nodiscard]] TilePlot& plot() { return *plot_; }

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void refresh();
    /// The read-out of a place; reads more if it is another place than before.
    [[nodiscard]] QString readOut(double x, double y);
    void readMoment();
    void forgetMoment();
    [[nodiscard]] QString textOf(const TileLane& lane, std::int32_t tile,
                                 const TileMoment& moment) const;
    void clicked(double x, double y);

    ViewContext& context_;
    TraceSelection& selection_;
    TilePlot* plot_;
    BackgroundQuery partsQuery_;
    BackgroundQuery rasterQuery_;
    BackgroundQuery momentQuery_;
    BackgroundQuery clickQuery_;
    std::shared_ptr<const std::vector<TileLane>> lanes_;
    struct Hovered {
        TilePlot::Place place;
        std::int64_t cycle = -1;
    };
    Hovered hovered_;    ///< newest place of the pointer
    QString momentText_; ///< of the place that was read last
};

} // namespace tilescope::views
