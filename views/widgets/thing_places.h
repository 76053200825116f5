// Where things of a profile can be shown.
#pragma once

#include "views/widgets/report_view.h"

namespace tilescope::views {

/// A report, or a part of one, that shows things of a kind.
struct ThingPlace {
    QString report;  ///< its name on the command line
    QString section; ///< a tab or choice in it; may be empty
    QString title;   ///< for people: "Memory: Variables"
    friend bool operator==(const ThingPlace&, const ThingPlace&) = default;
};

/// All places for the ids set in `thing`, the usual one first.
std::vector<ThingPlace> placesOf(const Selected& thing, const ProfileInfo& info);

/// The selection with `thing` selected, keeping unrelated parts.
Selected withThing(Selected selected, const Selected& thing);

/// Selects the thing and leads from a report to the place.
void showThing(ReportView& from, ViewContext& context, const Selected& thing,
               const ThingPlace& place);

} // namespace tilescope::views
