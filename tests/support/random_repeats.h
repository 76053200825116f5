// Random programs that repeat each other, for what follows executions without unrolling them.
#pragma once

#include <cstdint>

#include "core/profile/profile.h"

namespace tilescope::test {

/// Random repeats and steps on three IPUs with a trace of two runs: repeats at the pace of all IPUs
/// or of each, nested, steps that overlap now and then. Each IPU has other bytes live at each step.
Profile randomRepeats(std::uint32_t seed);

} // namespace tilescope::test
