// Where what an executed step works on comes from, and where its result goes.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "core/analysis/execution/micro_batches.h"
#include "core/trace/trace_index.h"
#include "core/view/profile_view.h"

namespace tilescope {

enum class FlowKind {
    Stage,    ///< a stage's output to the next one that works on the micro-batch
    Backward, ///< what a stage keeps of its forward pass, to its backward pass
    Exchange, ///< between IPUs
    Stream    ///< between an IPU and the host's callback
};

/// One end of a flow.
struct FlowEnd {
    IpuId ipu; ///< none: the host
    CycleRange cycles;
    std::int64_t step = -1;   ///< the first step there, by execution index; negative if unknown
    MicroBatchPart part = {}; ///< of a stage
};

struct Flow {
    FlowKind kind = FlowKind::Stage;
    FlowEnd from, to;
    std::int64_t bytes = 0; ///< 0 if unknown
};

struct Flows {
    std::vector<Flow> list;
    /// Several IPUs send to several in one step, and the profile does not say who to whom.
    bool isCollective = false;
};

/// The flows that begin or end at a step or at the stage that it belongs to.
Flows flowsOf(const ProfileView& profile, const ExecutedStep& step,
              const std::stop_token& stop = {});

} // namespace tilescope
