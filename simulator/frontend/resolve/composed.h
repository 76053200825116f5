// Operators that exporters write as several nodes because older operator sets have no name for
// them.
#pragma once

#include "simulator/frontend/resolve/node.h"

namespace tilescope::sim {

/// Replaces the last node of x/2 * (1 + erf(x/sqrt 2)), and of the tanh form of the same function,
/// by a Gelu of x, whatever the order of factors. The other nodes stay for other readers;
/// those that nobody reads are removed with dead code. IPU frameworks have the function as one
/// operator (popnn GELU), so that this is what runs.
void recogniseGelu(ResolvedModel& model);

} // namespace tilescope::sim
