// Random small graphs: whatever the importer could make of strange models.
#pragma once

#include "simulator/graph/graph.h"

namespace tilescope::test {

using namespace sim;

/// To be called inside a property: draws from rapidcheck's generators.
Graph anyGraph();

} // namespace tilescope::test
