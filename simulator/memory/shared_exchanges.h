// Exchanges whose code is stored once.
#pragma once

#include "core/profile/profile.h"

namespace tilescope::sim {

/// Equal sequences of exchange instructions are stored once, at the first: leaves the others
/// without code. Two sequences are equal if the same amounts move in the same way between the same
/// addresses. Each always-live variable has addresses of its own. Temporaries have the same ones if
/// the same amount is live besides, laid out alike: so exchanges of repeated layers share code, and
/// those of weights do not. *Assumed* from published layers of a model; not documented. Runs after
/// liveness and before placement.
void shareExchangeCode(Profile& profile);

} // namespace tilescope::sim
