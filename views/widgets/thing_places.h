// Where a thing of a profile can be looked at.
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

/// All places of what is set in `thing`, the usual one first.
std::vector<ThingPlace> placesOf(const Selected& thing, const ProfileInfo& info);

/// What is selected when a thing is: the thing, beside what has nothing to do with it.
Selected withThing(Selected selected, const Selected& thing);

/// Selects the thing and leads from a report to the place.
void showThing(ReportView& from, ViewContext& context, const Selected& thing,
               const ThingPlace& place);

} // namespace tilescope::views
