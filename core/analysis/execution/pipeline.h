// How the execution is pipelined over IPUs: where its time goes, and what a better split would
// give.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/execution/micro_batches.h"
#include "core/profile/profile.h"
#include "core/view/profile_view.h"

namespace tilescope {

struct PipelineStage {
    std::int32_t stage = 0;
    IpuId ipu;
    std::int64_t forwardCycles = 0;   ///< of one micro-batch
    std::int64_t backwardCycles = 0;  ///< of one micro-batch, with what is computed again
    std::int64_t recomputeCycles = 0; ///< of the backward cycles, those of operations run again
    std::int64_t updateCycles = 0;    ///< compute and exchange of one weight update; 0 in inference
    std::int64_t fifoCycles = 0;      ///< to push and pop the FIFOs once; stashes are in the above
    std::int64_t fifoDepth = 0;       ///< micro-batches that an activation waits (stash or FIFO)
    std::int64_t fifoBytes = 0;       ///< stashes or FIFOs, all their rows
    double occupancy = 0;             ///< share of the step in which the IPU runs the stage, 0 to 1

    [[nodiscard]] std::int64_t cycles() const { return forwardCycles + backwardCycles; }
};

/// A slot with the time that its slowest IPU takes, without copies between IPUs and host streams.
struct PipelineSlotTime {
    PipelinePart part = PipelinePart::Main;
    std::int64_t repeats = 1;
    std::vector<std::string> programs; ///< "F0", "B0" or, in one function, "F3 B3"; without FIFOs
    std::vector<MicroBatchCall> calls;
    std::int64_t cycles = 0;
    double occupancy = 0; ///< mean over the IPUs
};

/// Cycles of the step that an IPU waits in slots, all iterations.
struct PipelineWait {
    IpuId ipu;
    std::int64_t bubbles = 0;   ///< without a stage to run
    std::int64_t imbalance = 0; ///< for a longer stage of the same slot
};

/// Another contiguous split of the same operations, between blocks of the model, with the shortest
/// longest stage. Copies between IPUs are assumed not to change.
struct BetterSplit {
    std::vector<std::string> split;        ///< value of --split; empty if nothing better was found
    std::vector<std::int64_t> stageCycles; ///< forward and backward of each stage, expected
    std::int64_t longestCycles = 0;
    std::int64_t gainCycles = 0; ///< of the step, expected
    double gain = 0;             ///< as a share of the step
};

struct PipelineReport {
    std::string schedule = "none"; ///< "none" if the profile is not pipelined
    std::string hint;              ///< which option would have made a pipeline; empty if it is one
    std::int64_t microBatches = 0;
    std::int64_t iterations = 0;
    std::vector<PipelineStage> stages;
    std::vector<PipelineSlotTime> slotTimes;
    std::int64_t rampUpSlots = 0;
    std::int64_t mainSlots = 0;
    std::int64_t rampDownSlots = 0; ///< of the block, which may end with slots that run nothing
    std::int64_t busySlots = 0;     ///< slots in which at least one program runs
    /// Mean occupancy of the IPUs over the step, from the trace.
    double utilisation = 0;
    /// The same if all IPUs had equally much to do, forward took as long as backward, and nothing
    /// happened between slots: what the schedule allows (with a stage an IPU G/(G+N-1) for most,
    /// 1/N in sequence).
    double scheduleUtilisation = 0;
    /// Shares of the IPUs' time in the step that are lost: to slots in which a stage has nothing to
    /// run; to waiting for a longer stage of the same slot; to copies, host and weight update. The
    /// three and utilisation add up to one.
    double bubbleShare = 0;
    double imbalanceShare = 0;
    double overheadShare = 0;
    std::vector<PipelineWait> waits; ///< by IPU with a stage; empty where nothing ran
    std::int32_t longestStage = -1;  ///< -1 if there are no stages
    BetterSplit better;
};

/// The profile's pipeline. A profile without execution has stages, slots and buffers, but no
/// cycles.
PipelineReport pipelineReport(const ProfileView& profile, const std::stop_token& stop = {});
PipelineReport pipelineReport(const Profile& profile);

} // namespace tilescope
