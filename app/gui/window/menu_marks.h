// What actions of the menus say of themselves.
#pragma once

namespace tilescope::gui {

/// The property of an action for the open profile that does its work for the results of a sweep,
/// too, while these are in front.
inline constexpr const char* sweepHasItToo = "sweepHasItToo";

} // namespace tilescope::gui
