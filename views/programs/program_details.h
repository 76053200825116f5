// What a program does, as lines for the pane below the tree.
#pragma once

#include <stop_token>
#include <utility>

#include "core/view/profile_view.h"
#include "views/tables/value_tree.h"

namespace tilescope::views {

/// Kind, name, how often it runs and for how long, and what belongs to the kind: vertices of a
/// compute set, bytes and tiles of an exchange, a stream, the function of a Call, the callers of a
/// function, the operation with its options and its plan, variables read and written.
ValueTree programDetails(const ProfileView& profile, ProgramId program,
                         const std::stop_token& stop);

/// A line with a name and a value.
inline ValueNode detailLine(const QString& name, Cell value, Unit unit = Unit::None) {
    return {name, {std::move(value)}, {}, unit};
}

/// What a step does: the part of programDetails() that is not in its first lines.
std::vector<ValueNode> programParts(const ProfileView& profile, ProgramId program,
                                    const std::stop_token& stop);

/// Two trees of details as one with two columns; lines are matched by name, in order.
ValueTree comparedDetails(const ValueTree& source, const ValueTree& target);

} // namespace tilescope::views
