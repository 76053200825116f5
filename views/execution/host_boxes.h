// What is said of boxes of the host, whichever lane they are in.
#pragma once

#include "views/execution/trace_item.h"

namespace tilescope::views {

/// The name of a lane of a thread, told from the other host's if there are two.
std::string threadLaneName(const ProfilePair& profiles, bool target, const QString& name);

/// Details of a piece of host time, for the panel that shows a step's details. The clock (Hz) is
/// that of the axis.
ValueTree hostDetails(const ItemPlace& place, double clockHz);

/// The read-out of a box that the host's own clock has measured: its cycles only say where it is.
QString hostReadOut(const ItemPlace& place, const QString& title, double clockHz);

} // namespace tilescope::views
