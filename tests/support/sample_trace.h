// Times the programs of a sample profile.
#pragma once

#include "core/profile/profile.h"

namespace tilescope::test {

/// Fills trace, info.cycles, info.throughput and info.hasExecution: each leaf takes as long as its
/// slowest tile on each IPU, a sync of 100 cycles is before every exchange and stream copy, and
/// IPUs wait for each other after every step.
void traceExecution(Profile& profile);

inline constexpr std::int64_t sampleSyncCycles = 100;
inline constexpr std::int64_t sampleHostWaitCycles = 5000; ///< of a StreamCopyBegin
inline constexpr std::int64_t sampleHostEndCycles = 200;   ///< of a StreamCopyEnd

} // namespace tilescope::test
