// Everything that a window can be searched for.
#pragma once

#include <memory>

#include "app/gui/find/finder.h"
#include "core/view/profile_view.h"

class QMenuBar;
class QWidget;

namespace tilescope::gui {

/// Where things are searched; what there is not is null.
struct FindPlaces {
    QMenuBar* menus = nullptr;
    QWidget* report = nullptr; ///< in front
    ProfileViewPtr profile;    ///< the source
};

/// One finder of each kind, in the order in which their hits are shown. They keep what they need.
std::vector<std::unique_ptr<const Finder>> allFinders(const FindPlaces& places);

} // namespace tilescope::gui
