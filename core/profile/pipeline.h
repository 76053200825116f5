// The structure of a pipelined execution: which functions run on which IPU, and slot by slot.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/profile/kinds.h"

namespace tilescope {

/// The parts of a pipelined step: filling, the steady state, draining.
enum class PipelinePart : std::uint8_t { RampUp, Main, RampDown };
template <>
inline constexpr auto enumNames<PipelinePart> = std::to_array<std::string_view>({"rampUp", "main",
                                                                                 "rampDown"});

/// The functions and buffers of one stage. In PopART's form forward and backward of the last stage
/// are one function; in inference there is no backward.
struct StageRecord {
    IpuId ipu;
    ProgramId forward;
    ProgramId backward;     ///< none in inference
    ProgramId backwardFrom; ///< if both are one function: programs from this id on are backward
    ProgramId fifo;         ///< advances the FIFOs (TensorFlow's schedules), if any
    /// Micro-batches of an activation that wait for the backward pass (stash or FIFO rows).
    std::int64_t bufferDepth = 0;
    std::vector<VariableId> buffers; ///< stashes or FIFOs, all their rows
    friend bool operator==(const StageRecord&, const StageRecord&) = default;
};

/// A slot of the schedule: the functions called in it. A block of ramp-down may end with slots that
/// run nothing.
struct PipelineSlot {
    PipelinePart part = PipelinePart::Main;
    std::int64_t repeats = 1; ///< of the block that the slot is in
    std::vector<ProgramId> programs;
    friend bool operator==(const PipelineSlot&, const PipelineSlot&) = default;
};

/// An operation of the model, in its order, and the stage that it was assigned to. Everything named
/// below it ("<name>/...") was derived from it.
struct StagedOperation {
    std::string name;
    std::int32_t stage = 0;
    friend bool operator==(const StagedOperation&, const StagedOperation&) = default;
};

struct Pipeline {
    std::string schedule; ///< "popart", "grouped", "interleaved", "sequential"; empty: no pipeline
    std::int64_t microBatches = 0; ///< that go through the slots once
    std::int64_t iterations = 1;   ///< how often the slots run: weight updates in training
    std::vector<StageRecord> stages;
    std::vector<PipelineSlot> slotList;
    std::vector<StagedOperation> operations;
    [[nodiscard]] bool empty() const { return stages.empty(); }
    friend bool operator==(const Pipeline&, const Pipeline&) = default;
};

} // namespace tilescope
