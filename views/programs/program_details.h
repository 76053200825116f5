// What a program does, as lines for the pane below the tree.
#pragma once

#include <stop_token>

#include "views/session/open_profile.h"
#include "views/tables/value_tree.h"

namespace tilescope::views {

/// Kind, name, operation, and what belongs to the kind: vertices of a compute set, bytes of an
/// exchange, a stream, variables read and written.
ValueTree programDetails(const OpenProfile& profile, ProgramId program,
                         const std::stop_token& stop);

} // namespace tilescope::views
