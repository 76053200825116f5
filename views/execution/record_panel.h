// Graphs and heat maps that the user's program recorded, below the trace.
#pragma once

#include <QWidget>
#include <memory>

#include "core/profile/host_record.h"
#include "views/plot/legend_bar.h"
#include "views/plot/plot_widget.h"

class QComboBox;

namespace tilescope::views {

/// One of the program's graphs as steps over the axis of the trace: a value holds until the next
/// one. Or a heat map with a row for each of its bins, whose counts hold as long; colours are
/// shares of the moment's largest count.
class RecordPlot : public PlotWidget {
    Q_OBJECT
public:
    explicit RecordPlot(ViewContext& context, QWidget* parent = nullptr);
    /// A graph by its name; `record` must outlive the plot's use of it.
    void showGraph(const HostRecord& record, const std::string& graph, double clockHz);
    /// A heat map, which outlives what is shown.
    void showMap(const HostHeatMap& map, double clockHz);
    /// The share of the moment's largest count that a bin has at a cycle; NaN before the first.
    [[nodiscard]] double shareAt(double cycle, std::size_t bin) const;

private:
    void clear();
    void labelBins();
    void fillMap();
    [[nodiscard]] const HostHeatMap::Moment* momentAt(double cycle) const;
    void fitToSight();
    void colour();
    [[nodiscard]] QString readAt(double cycle, double y) const;

    QCPColorMap* cells_ = nullptr; ///< of a heat map
    const HostHeatMap* map_ = nullptr;
    double clockHz_ = 0;
};

/// A choice of the graphs and heat maps there are, a plot and its legend.
class RecordPanel : public QWidget {
    Q_OBJECT
public:
    explicit RecordPanel(ViewContext& context, QWidget* parent = nullptr);
    /// The record of the source; null: there is nothing to show.
    void setRecord(std::shared_ptr<const HostRecord> record, double clockHz);
    [[nodiscard]] bool hasGraphs() const;
    [[nodiscard]] RecordPlot& plot() { return *plot_; }
    [[nodiscard]] QComboBox& choice() { return *graphs_; }

signals:
    void hovered(const QString& text);

private:
    void showChosen();

    ViewContext& context_;
    QComboBox* graphs_;
    RecordPlot* plot_;
    LegendBar* legend_;
    std::shared_ptr<const HostRecord> record_;
    int firstMap_ = 0; ///< place of the first heat map in the choice
    double clockHz_ = 0;
};

} // namespace tilescope::views
