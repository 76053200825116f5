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

/// The colour of a share of the scale: 0 is low and dark, 1 is high and light. Its lightness grows
/// evenly, so that the order is visible to colour-blind readers and in grey prints.
HeatColour heatColour(double share);

/// A cell with a value is coloured by it; one without is hatched and shows its label.
struct HeatMapCell {
    std::optional<double> value;
    /// In a cell without a value: "OOM"; the legend has each label once. In a cell with a value,
    /// the window shows both, the picture only the value.
    std::string label;
    std::string tooltip; ///< shown by programs with a mouse
};

struct HeatMap {
    std::string title;
    std::string subtitle;
    std::string rowKey; ///< the option that varies over the rows: "batchSize"
    std::vector<std::string> rows;
    std::string columnKey;
    std::vector<std::string> columns;
    std::vector<HeatMapCell> cells; ///< row by row; one for each row and column
    std::string unit;               ///< of the values, which are rates: "samples/s"
};

/// The picture: dark is low and light is high, on a scale of evenly growing lightness that stays
/// readable for colour-blind readers and in grey prints; cells with the largest value are framed.
/// Values are written into the cells if there is room. Throws InternalError if the number of cells
/// is not rows times columns.
std::string heatMapSvg(const HeatMap& map);

} // namespace tilescope
