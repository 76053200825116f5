// Timed execution: bodies whose steps are stored once, and calls of bodies that place them in time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/profile/kinds.h"

namespace tilescope {

/// One step on one IPU. Cycles count from the start of the body on that IPU.
struct StepOnIpu {
    IpuId ipu;
    std::int64_t start = 0;
    std::int64_t cycles = 0; ///< until the slowest tile is done
    std::int64_t activeTiles = 0;
    std::int64_t activeCycles = 0; ///< summed over tiles
    std::int64_t bytesIn = 0;
    std::int64_t bytesOut = 0;
};

/// A step that a body executes: a leaf of the program tree, or a Sync (which has no program).
struct TraceStep {
    ProgramKind kind = ProgramKind::OnTileExecute;
    ProgramId program; ///< none for a Sync
    std::vector<StepOnIpu> ipus;
};

/// When a called body starts on one IPU, and the cycles from one repetition to the next.
struct CallOnIpu {
    IpuId ipu;
    std::int64_t start = 0;
    std::int64_t period = 0;
};

/// `count` executions of another body, one after the other.
struct TraceCall {
    TraceBodyId callee;
    ProgramId program; ///< the Call or Repeat
    std::int64_t count = 1;
    std::vector<CallOnIpu> ipus;
};

/// An entry of a body: a step or a call, in the order of execution.
struct TraceItem {
    std::int32_t step = -1; ///< index into TraceBody::steps, or
    std::int32_t call = -1; ///< index into TraceBody::calls
};

struct TraceBody {
    std::string name;
    ProgramId program; ///< what it executes: a control program, a function, the body of a repeat
    std::vector<TraceItem> items;
    std::vector<TraceStep> steps;
    std::vector<TraceCall> calls;
};

/// One Engine::run: a control program executed from cycle `start`, for `cycles`.
struct TraceRun {
    std::string name; ///< "Engine::run #0 (weightsFromHost)"
    TraceBodyId body;
    std::int64_t start = 0;
    std::int64_t cycles = 0;
};

struct Trace {
    IdVector<TraceBodyId, TraceBody> bodies;
    std::vector<TraceRun> runs;
};

} // namespace tilescope
