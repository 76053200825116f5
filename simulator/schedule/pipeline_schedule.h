// When each stage of a pipeline runs: pure functions of stage and micro-batch counts.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/ids.h"
#include "core/options/batch_options.h"
#include "core/options/execution_options.h"
#include "core/options/host_options.h"

namespace tilescope::sim {

/// A slot (PopART: pipeline cycle): the stage programs that run in it, ascending.
using Slot = std::vector<std::int32_t>;

/// When the transfers of a stage with the host run: in the slot of its program, or in the slots
/// before and after it, in schedules where a micro-batch enters in every slot.
enum class HostTransfers { InSlot, Beside };

/// A pipeline over `stages` forward stages. Stages that come back to an IPU run one after the other
/// there within a slot. Its stage programs are numbered in the order in which a micro-batch runs
/// them:
/// - PopART, training: 2N-1 programs; program i < N-1 is the forward of stage i, N-1 is forward and
///   backward of the last stage, and 2N-2-i is the backward of stage i (popart
///   transforms/pipeline.cpp);
/// - TensorFlow's schedules, training: 2N programs, F0 .. F(N-1), B(N-1) .. B0 (pipeline_visitor);
/// - inference: N programs.
///
/// Where transfers with the host run beside the programs, a stage's inputs come in the slot before
/// it and its results leave in the slot after it (TensorFlow's grouped_overlap_pipeline_visitor,
/// PopART's getMinAndMaxUnrollStages): there is one slot more before all others and one after them,
/// and only slots with both are repeated.
struct PipelineSchedule {
    PipelineSchedule(Schedule kind, std::int32_t stages, bool training, std::int64_t microBatches,
                     HostTransfers transfers = HostTransfers::InSlot);

    Schedule kind;
    std::int32_t stages = 1;
    bool training = false;
    std::int64_t microBatches = 1;
    HostTransfers transfers = HostTransfers::InSlot;

    std::int32_t programs = 1;
    std::vector<Slot> rampUp;
    std::vector<Slot> main; ///< one repetition of the steady state
    std::int64_t mainRepeats = 0;
    std::vector<Slot> rampDown;

    [[nodiscard]] std::int32_t forwardProgram(std::int32_t stage) const { return stage; }
    [[nodiscard]] std::int32_t backwardProgram(std::int32_t stage) const {
        return programs - 1 - stage;
    }
    /// The stage that a program belongs to.
    [[nodiscard]] std::int32_t stageOf(std::int32_t program) const {
        return program < stages ? program : programs - 1 - program;
    }
    /// True if activations wait in a FIFO that a step of its own pushes and pops (TensorFlow);
    /// false if the forward program stashes and the backward program restores (PopART).
    [[nodiscard]] bool usesFifo() const { return kind != Schedule::PopArt; }
    /// Micro-batches of an activation that wait between forward and backward of a stage: the stash
    /// of PopART holds 2(N-1-i)+1 (none for the last stage), TensorFlow's FIFO 2(N-1-i) grouped,
    /// N-1-i interleaved, none in sequence.
    [[nodiscard]] std::int64_t bufferDepth(std::int32_t stage) const;
    /// The same for a tensor that one program makes and a later one on the same IPU reads: between
    /// forward and backward of a stage, or between two stages of an IPU. PopART: programs from the
    /// one to the other inclusive (getStashSize); TensorFlow: slots that pass between the two.
    [[nodiscard]] std::int64_t rowsBetween(std::int32_t from, std::int32_t to) const;
    /// Slots in which at least one program runs.
    [[nodiscard]] std::int64_t busySlots() const;
    /// Share of (IPU, slot) pairs in which a balanced pipeline with one stage an IPU works: what
    /// limits its throughput.
    [[nodiscard]] double utilisation() const;
};

/// The least number of micro-batches that a schedule takes, and what it must be a multiple of.
struct MicroBatchRule {
    std::int64_t least = 1;
    std::int64_t multipleOf = 1;
};
MicroBatchRule microBatchRule(Schedule kind, std::int32_t stages, bool training,
                              HostTransfers transfers = HostTransfers::InSlot);

/// Throws UserError naming the option and the nearest count that the schedule takes.
void checkMicroBatches(Schedule kind, std::int32_t stages, bool training, std::int64_t microBatches,
                       HostTransfers transfers = HostTransfers::InSlot);

/// The options' choice for a pipeline's transfers.
HostTransfers hostTransfersOf(const HostOptions& options);

/// The schedule of the options' pipeline.
PipelineSchedule scheduleOf(const BatchOptions& batch, const ExecutionOptions& execution,
                            const HostOptions& host, std::int32_t stages);

/// Throws UserError if the schedule would use an IPU twice in a slot that it cannot: interleaved
/// runs the forward or the backward of one stage an IPU. `stageIpus`: IPU of each stage.
void checkDeviceMapping(Schedule kind, const std::vector<IpuId>& stageIpus, bool training);

} // namespace tilescope::sim
