// A heat map as a self-contained SVG picture.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tilescope {

/// Parts of a colour, 0 to 255.
struct HeatColour {
    double red = 0, green = 0, blue = 0;
};

/// The colour of a share of the scale: 0 is little and dark, 1 is much and light. Its lightness
/// grows evenly, so that colour-blind readers and grey printers keep the order.
HeatColour heatColour(double share);

/// A cell with a value is coloured by it; one without is hatched and bears its label.
struct HeatMapCell {
    std::optional<double> value;
    /// In a cell without a value: "OOM"; the legend has each label once. With a value the window
    /// shows both, the picture the value.
    std::string label;
    std::string tooltip; ///< shown by programs that know the mouse
};

struct HeatMap {
    std::string title;
    std::string subtitle;
    std::string rowKey; ///< what the rows vary: "batchSize"
    std::vector<std::string> rows;
    std::string columnKey;
    std::vector<std::string> columns;
    std::vector<HeatMapCell> cells; ///< row by row; one for each row and column
    std::string unit;               ///< of the values, which are rates: "samples/s"
};

/// The picture: dark is little and light is much, on a scale of evenly growing lightness that
/// colour-blind readers and grey printers keep; cells of the largest value are framed. Values are
/// in the cells where there is room. Throws InternalError if there are not as many cells as places.
std::string heatMapSvg(const HeatMap& map);

} // namespace tilescope
