// The hand-made profile as a pipeline of two stages with known cycles.
#pragma once

#include <cstdint>

#include "core/profile/profile.h"

namespace tilescope::test {

/// Two stages in PopART's form: stage 0 takes 100 forward and 200 backward, stage 1 takes 300 and
/// 400 in one function. Four micro-batches: F0 | F0 F1B1 | 2 x (F0 F1B1 B0) | F1B1 B0 | B0. The
/// step takes 8,000 cycles. Operations a (stage 0: 100 + 200), b (stage 1: 200 + 100), c (100 +
/// 300).
Profile samplePipeline();

/// The same executed: a control program "outer" runs fill, two repetitions of the main slot, and
/// flush from Calls, slot after slot without copies, then an update of 50 cycles on IPU 0 and 80
/// on IPU 1. Slots begin at cycles 0, 100, 800 (twice), 2200 and 2900 of the main run.
/// With more repetitions of the main slot there are as many more micro-batches, and what follows is
/// later.
Profile samplePipelineRun(std::int64_t mainRepeats = 2);

} // namespace tilescope::test
