// Overview strip, plot of step areas and legend as one widget: what Memory and Liveness show.
#pragma once

#include <QWidget>

#include "views/plot/axes/tickers.h"
#include "views/plot/legend_bar.h"
#include "views/plot/overview_strip.h"
#include "views/plot/plot_widget.h"
#include "views/plot/series/step_area_plottable.h"

namespace tilescope::views {

/// Step areas over tiles or program steps, bytes upwards.
class StepPlot : public QWidget {
    Q_OBJECT
public:
    StepPlot(ViewContext& context, const QString& keyLabel, QWidget* parent = nullptr);

    struct Content {
        std::vector<StepArea> areas;
        StepAreaPlottable::Mode mode = StepAreaPlottable::Mode::Stacked;
        std::optional<PlotWidget::Limit> limit;
        std::size_t length = 0; ///< values on the axis, if more than the areas have
        double top = 0;         ///< bytes that the axis reaches at least
    };
    /// Shows other data. The zoom stays if there are as many values as before.
    void setContent(Content content);
    void setKeyLabel(const QString& label) { plot_->xAxis->setLabel(label); }
    void setValueTitle(const QString& title) { plot_->setValueTitle(title); }
    /// Labels the places of the key axis with these numbers; with themselves if empty.
    void setKeyNumbers(std::vector<std::int32_t> numbers);
    /// A name in the upper left corner, such as "Source"; empty for none.
    void setTitle(const QString& title);
    [[nodiscard]] PlotWidget& plot() { return *plot_; }
    [[nodiscard]] ZoomRange& zoom() { return zoom_; }
    [[nodiscard]] const StepAreaPlottable& areas() const { return *areas_; }
    [[nodiscard]] const LegendBar& legend() const { return *legend_; }
    [[nodiscard]] LegendBar& legend() { return *legend_; }
    [[nodiscard]] OverviewStrip& overview() { return *strip_; }
    /// The names and values of all areas at an index, a line each, the top of the stack first.
    [[nodiscard]] QString valuesAt(std::size_t index) const;

private:
    void styleTitle();
    void paintOverview(QPainter& painter, const QRect& rect) const;

    ViewContext& context_;
    ZoomRange zoom_;
    OverviewStrip* strip_;
    PlotWidget* plot_;
    LegendBar* legend_;
    StepAreaPlottable* areas_; ///< owned by plot_
    QSharedPointer<CountTicker> ticker_;
    QCPItemText* title_; ///< owned by plot_
    std::size_t size_ = 0;
};

} // namespace tilescope::views
