// Exchanges whose code is stored once.
#pragma once

#include "core/profile/profile.h"

namespace tilescope::sim {

/// Equal sequences of exchange instructions are stored once, at the first: leaves the others
/// without code. Two sequences are equal if as much moves in the same way between the same
/// addresses. Addresses of what is always live are its own. Temporaries have the same ones if as
/// much is live besides, and lies alike: so those of repeated layers share, and exchanges of
/// weights do not. *Assumed*: published layers of a model show it, no document says it. After
/// liveness and before placement.
void shareExchangeCode(Profile& profile);

} // namespace tilescope::sim
