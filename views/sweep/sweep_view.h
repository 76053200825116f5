// The results of a sweep: a heat map whose cells open as profiles, throughput over memory, a table.
#pragma once

#include <QWidget>
#include <filesystem>
#include <optional>

#include "core/export/sweep_map.h"
#include "views/session/view_context.h"
#include "views/widgets/wrapped_label.h"

class QComboBox;
class QLabel;
class QPushButton;

namespace tilescope::views {

class FrontPlot;
class HeatMapWidget;
class LoadingPanel;
class TablePanel;
class ToolRow;

/// Two axes of a sweep as a heat map, one of several values in its cells, the other axes each at
/// one value; all points by throughput and memory, and in a table. A cell opens as a profile, two
/// as a comparison: the marked one is the source.
class SweepView : public QWidget {
    Q_OBJECT
public:
    explicit SweepView(ViewContext& context, QWidget* parent = nullptr);

    /// Reads a results database, or the one in a folder, in the background.
    void open(const std::filesystem::path& path);
    /// Reads it again: a sweep that is under way adds points.
    void reload();
    [[nodiscard]] const std::filesystem::path& file() const { return file_; }
    /// The profiles that were kept of its points and are still there.
    [[nodiscard]] QStringList keptProfiles() const;

    [[nodiscard]] HeatMapWidget& map() { return *map_; }
    [[nodiscard]] FrontPlot& front() { return *front_; }
    [[nodiscard]] TablePanel& table() { return *table_; }
    [[nodiscard]] QComboBox& values() { return *values_; }
    [[nodiscard]] LoadingPanel& panel() { return *panel_; }

signals:
    /// One profile, or a source and a target.
    void profilesWanted(const QStringList& files);

private:
    QWidget* makeControls();
    void setResults(SweepResults results);
    void fillAxes();
    void showMap();
    void showDetails();
    /// Makes a point of the grid the current cell.
    void showPoint(std::size_t point);
    [[nodiscard]] SweepMapOptions options() const;
    [[nodiscard]] QString format(double value) const;
    [[nodiscard]] QString profileOf(const std::optional<PointResult>& result) const;
    /// The profile of a cell; empty if none was kept.
    [[nodiscard]] QString profileOf(int cell) const;
    [[nodiscard]] QString describe(int cell) const;
    void openCell(int cell);
    void compareCells();

    ViewContext& context_;
    std::filesystem::path file_;
    std::optional<SweepResults> results_;
    std::vector<std::size_t> points_; ///< of the cells
    LoadingPanel* panel_;
    QLabel* title_;
    QComboBox* values_ = nullptr;
    QComboBox* rows_ = nullptr;
    QComboBox* columns_ = nullptr;
    ToolRow* otherAxes_;
    std::vector<std::pair<std::size_t, QComboBox*>> positions_; ///< of the axes that are neither
    HeatMapWidget* map_;
    FrontPlot* front_;
    TablePanel* table_;
    WrappedLabel* details_;
    QPushButton* open_;
    QPushButton* compare_;
};

} // namespace tilescope::views
