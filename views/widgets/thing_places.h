// Showing things of a profile in other places.
#pragma once

#include "views/widgets/report_view.h"

namespace tilescope::views {

/// The title of a report, or of a place of placesOf(): "Memory: Variables" for "memory:Variables".
/// An unknown name remains as it is.
QString placeTitle(std::string_view place);

/// Selects the thing, keeping unrelated parts of the selection, and leads from a report to a place
/// of placesOf().
void showThing(ReportView& from, ViewContext& context, const Selected& thing,
               std::string_view place);

/// Whether a source line can be shown for a thing of a profile: the profile has lines, and things
/// of the kind belong to operations.
bool mayHaveSourceLine(const ProfileView& profile, const Selected& thing);

/// Selects the operation that a thing belongs to and leads to its line of the program; without one
/// says so in the status bar.
void showSourceLine(ReportView& from, ViewContext& context, const Selected& thing);

} // namespace tilescope::views
