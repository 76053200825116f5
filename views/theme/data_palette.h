// The colours that data may have.
#pragma once

#include <QColor>
#include <array>

namespace tilescope::views {

/// Sets of colours that people with any kind of colour vision can tell apart.
enum class DataColours { OkabeIto, Tableau, TolMuted };
inline constexpr std::array dataColours{DataColours::OkabeIto, DataColours::Tableau,
                                        DataColours::TolMuted};

/// Colours by the hue that they have, or stand for, in the set of Okabe and Ito.
struct DataPalette {
    QColor orange;
    QColor sky;
    QColor green;
    QColor yellow;
    QColor blue;
    QColor vermillion;
    QColor purple;
};

/// The published colours of a set. Okabe and Ito, "Color Universal Design" (2008), without black;
/// "Color Blind 10" of Tableau; "muted" of Paul Tol, "Colour Schemes", SRON/EPS/TN/09-002 (2021).
DataPalette dataPalette(DataColours colours);

/// The WCAG contrast of two colours, 1 to 21.
double contrast(const QColor& a, const QColor& b);

/// The palette, with colours that are not visible on `surface` mixed with `text` until they are.
/// Yellow is not mixed: no palette has one that is visible on white, and only small parts of data
/// use it.
DataPalette visibleOn(const DataPalette& palette, const QColor& surface, const QColor& text);

} // namespace tilescope::views
