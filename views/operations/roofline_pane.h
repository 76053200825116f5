// The roofline of the rows with its legend: a page of the operations report.
#pragma once

#include <QWidget>

#include "views/operations/operations_content.h"
#include "views/operations/roofline_plot.h"
#include "views/plot/legend_bar.h"
#include "views/widgets/loading_panel.h"

namespace tilescope::views {

/// Colours show the types of operations: the most costly ones have colours of their own. With two
/// profiles the target's marks are outlines.
class RooflinePane : public QWidget {
    Q_OBJECT
public:
    explicit RooflinePane(ViewContext& context, QWidget* parent = nullptr);

    void setReport(std::shared_ptr<const OperationsReport> report, const ProfilePair& profiles);
    /// Rings a row of the source and the target's row of that name; none if negative.
    void mark(std::int32_t row);
    /// Call when the theme or the units have changed.
    void restyle();
    [[nodiscard]] RooflinePlot& plot() { return *plot_; }
    [[nodiscard]] const LegendBar& legend() const { return *legend_; }
    [[nodiscard]] LoadingPanel& panel() { return *panel_; }
    /// Details of a mark, one per line.
    [[nodiscard]] QString textOf(const RooflineMark& mark) const;

signals:
    /// A mark was clicked: its row of the source.
    void chosen(std::int32_t row);
    void hovered(const QString& text);

private:
    void showMarks();
    void addMarks(std::vector<RooflineMark>& marks, const CostTableData& data, bool target) const;
    void fillLegend();
    [[nodiscard]] QColor colourOf(const std::string& type) const;
    /// The row of the other profile with the same path and IPU.
    [[nodiscard]] std::optional<std::size_t> counterpart(const CostRow& row,
                                                         const CostTableData& other) const;

    ViewContext& context_;
    std::shared_ptr<const OperationsReport> report_;
    std::vector<RooflineLine> lines_;
    std::vector<std::string> types_; ///< with colours of their own
    bool otherTypes_ = false;
    ZoomRange zoom_;
    LoadingPanel* panel_;
    RooflinePlot* plot_;
    LegendBar* legend_;
};

} // namespace tilescope::views
