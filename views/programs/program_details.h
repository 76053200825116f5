// What a program does, as lines for the pane below the tree.
#pragma once

#include <stop_token>

#include "core/view/profile_view.h"
#include "views/tables/value_tree.h"

namespace tilescope::views {

/// Kind, name, how often and how long it runs, and details of the kind: vertices of a compute set,
/// bytes and tiles of an exchange, a stream, the function of a Call, the callers of a function, the
/// operation with its options and its plan, its debug context, variables read and written.
ValueTree programDetails(const ProfileView& profile, ProgramId program,
                         const std::stop_token& stop);

/// What a step does: the part of programDetails() that is not in its first lines.
std::vector<ValueNode> programParts(const ProfileView& profile, ProgramId program,
                                    const std::stop_token& stop);

} // namespace tilescope::views
