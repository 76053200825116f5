#include "views/theme/data_palette.h"

#include <algorithm>
#include <cmath>

#include "views/theme/theme.h"

namespace tilescope::views {
namespace {

// Below this contrast an area does not stand out from what is behind it.
constexpr double leastContrast = 2;

double channelLuminance(double value) {
    return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

// https://www.w3.org/TR/WCAG21/#dfn-relative-luminance
double luminance(const QColor& c) {
    return 0.2126 * channelLuminance(c.redF()) + 0.7152 * channelLuminance(c.greenF()) +
           0.0722 * channelLuminance(c.blueF());
}

QColor visible(const QColor& colour, const QColor& surface, const QColor& text) {
    constexpr double step = 0.05;
    for (double share = 0; share < 1; share += step)
        if (const QColor mixture = mixed(colour, text, share);
            contrast(mixture, surface) >= leastContrast)
            return mixture;
    return text;
}

} // namespace

DataPalette dataPalette(DataColours colours) {
    switch (colours) {
    case DataColours::Tableau:
        return {.orange = QColor("#ff800e"),
                .sky = QColor("#5f9ed1"),
                .green = QColor("#595959"),
                .yellow = QColor("#ffbc79"),
                .blue = QColor("#006ba4"),
                .vermillion = QColor("#c85200"),
                .purple = QColor("#898989")};
    case DataColours::TolMuted:
        return {.orange = QColor("#aa4499"),
                .sky = QColor("#44aa99"),
                .green = QColor("#117733"),
                .yellow = QColor("#ddcc77"),
                .blue = QColor("#332288"),
                .vermillion = QColor("#cc6677"),
                .purple = QColor("#999933")};
    case DataColours::OkabeIto:
        break;
    }
    return {.orange = QColor("#e69f00"),
            .sky = QColor("#56b4e9"),
            .green = QColor("#009e73"),
            .yellow = QColor("#f0e442"),
            .blue = QColor("#0072b2"),
            .vermillion = QColor("#d55e00"),
            .purple = QColor("#cc79a7")};
}

double contrast(const QColor& a, const QColor& b) {
    const double first = luminance(a);
    const double second = luminance(b);
    return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

DataPalette visibleOn(const DataPalette& palette, const QColor& surface, const QColor& text) {
    DataPalette seen = palette;
    for (QColor* colour :
         {&seen.orange, &seen.sky, &seen.green, &seen.blue, &seen.vermillion, &seen.purple})
        *colour = visible(*colour, surface, text);
    return seen;
}

} // namespace tilescope::views
