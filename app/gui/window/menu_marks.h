// Properties of menu actions.
#pragma once

namespace tilescope::gui {

/// Marks an action for the open profile that also works for the results of a sweep while these are
/// in front.
inline constexpr const char* sweepHasItToo = "sweepHasItToo";

} // namespace tilescope::gui
