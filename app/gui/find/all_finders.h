// Everything that can be searched in a window.
#pragma once

#include <memory>

#include "app/gui/find/finder.h"
#include "core/view/profile_view.h"

class QMenuBar;
class QWidget;

namespace tilescope::gui {

/// Where to search; null for whatever does not exist.
struct FindPlaces {
    QMenuBar* menus = nullptr;
    QWidget* report = nullptr; ///< in front
    ProfileViewPtr profile;    ///< the source
};

/// One finder of each kind, in the order in which hits are shown. They do not refer to `places`.
std::vector<std::unique_ptr<const Finder>> allFinders(const FindPlaces& places);

} // namespace tilescope::gui
