// The bulk-synchronous view of an execution: what every tile does in every cycle.
#pragma once

#include <QWidget>

#include "views/execution/tile_content.h"
#include "views/plot/trace/tile_plot.h"
#include "views/query/background_query.h"

namespace tilescope::views {

/// A TilePlot that reads what it shows: again whenever the range of cycles or tiles changes, the
/// last wish first, the picture before stretched meanwhile.
class TilesPane : public QWidget {
    Q_OBJECT
public:
    explicit TilesPane(ViewContext& context, QWidget* parent = nullptr);

    /// Reads other profiles or IPUs.
    void load(const TraceQuestion& question);
    void clear();
    [[nodiscard]] TilePlot& plot() { return *plot_; }

signals:
    void stepClicked(qint64 step, bool target);
    void status(const QString& text);

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void refresh();
    [[nodiscard]] QString readOut(double x, double y) const;
    void clicked(double x, double y);

    ViewContext& context_;
    TilePlot* plot_;
    BackgroundQuery partsQuery_;
    BackgroundQuery rasterQuery_;
    bool rasterWanted_ = false; ///< the zoom moved while a raster was being made
    std::shared_ptr<const std::vector<TileLane>> lanes_;
};

} // namespace tilescope::views
