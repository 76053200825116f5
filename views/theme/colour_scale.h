// Scales that colour a number.
#pragma once

#include <array>

#include "views/theme/theme.h"

namespace tilescope::views {

/// Viridis and Cividis grow evenly in lightness and are made for the colour-blind (Smith and van
/// der Walt 2015; Nunez et al. 2018, both in the public domain). Greys prints well.
enum class ColourScale { Viridis, Cividis, Greys };
inline constexpr std::array colourScales{ColourScale::Viridis, ColourScale::Cividis,
                                         ColourScale::Greys};

/// The colour of a share from 0 (little) to 1 (much); what lies outside takes the end's. Greys runs
/// from the theme's background to its text, so that little stays near the paper.
QColor scaleColour(ColourScale scale, double share, const Theme& theme);

/// The colour of a change from -1 (less) over 0 to 1 (more): the theme's blue and vermillion, with
/// the grid's grey between.
QColor changeScaleColour(double share, const Theme& theme);

/// For amounts over the available room: a red that no scale and no series of data has.
QColor tooMuchColour(const Theme& theme);

} // namespace tilescope::views
