// The operation of the model that a thing of a profile belongs to.
#pragma once

#include "core/view/profile_view.h"
#include "core/view/thing.h"

namespace tilescope {

/// Whether things of a kind belong to operations: steps do, tiles do not.
bool belongsToOperation(const Thing& thing);

/// The operation of the last of the things that has one, in the order of Thing. Of a vertex type it
/// is that of the compute set with most of its vertices. None if there is none, or if an id is not
/// of this profile. Throws UserError for a damaged profile.
OperationId operationOf(const Things& things, const ProfileView& profile, Stop stop = {});

} // namespace tilescope
