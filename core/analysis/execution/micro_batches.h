// Which micro-batch each call of a pipeline's slots works on, and where one runs in an execution.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/profile/pipeline.h"
#include "core/profile/profile.h"
#include "core/trace/trace_index.h"
#include "core/view/profile_view.h"

namespace tilescope {

/// A call in a slot: in the slot's repetition k, from 0, it works on micro-batch first + k * stride
/// of the step. Micro-batches are counted from 1.
struct MicroBatchCall {
    ProgramId call; ///< the Call of the program tree; none if the tree has no such call
    std::int32_t stage = 0;
    bool forward = false;
    bool backward = false;  ///< with forward: both in one function; neither: it advances FIFOs
    std::int64_t first = 0; ///< 0 for one that advances FIFOs
    std::int64_t stride = 0;
    [[nodiscard]] std::int64_t in(std::int64_t repetition) const;
};

/// By slot, in the order of its programs; programs that are no stage's are left out. Each stage
/// takes micro-batches in the order in which they enter the pipeline, forward and backward: the
/// n-th call of a function in a step works on the n-th.
std::vector<std::vector<MicroBatchCall>>
microBatchCalls(const Pipeline& pipeline, const IdVector<ProgramId, Program>& programs);

/// What a stage does for a micro-batch.
struct MicroBatchPart {
    std::int64_t number = 0;    ///< of the micro-batch in its step, from 1
    std::int64_t iteration = 0; ///< the step, from 0
    std::int32_t stage = 0;
    bool forward = false;
    bool backward = false; ///< with forward: not known which of the two
    friend bool operator==(const MicroBatchPart&, const MicroBatchPart&) = default;
};

/// A part with its place in the execution.
struct MicroBatchRun {
    MicroBatchPart part;
    ProgramId call;
    IpuId ipu;
    CycleRange range; ///< on the IPU
};

/// The micro-batches of a profile.
class MicroBatches {
public:
    MicroBatches(Pipeline pipeline, const IdVector<ProgramId, Program>& programs);

    /// Of a step; 0 without a pipeline.
    [[nodiscard]] std::int64_t count() const { return pipeline_.microBatches; }
    /// Steps of the run.
    [[nodiscard]] std::int64_t iterations() const { return pipeline_.iterations; }

    /// What an executed step is part of; none for what belongs to no micro-batch: copies between
    /// IPUs, FIFOs, weight updates. Of a joint function it needs the step's program to tell forward
    /// from backward.
    [[nodiscard]] std::optional<MicroBatchPart> partOf(const ExecutedStep& step) const;

    /// The way of a micro-batch through the stages in the steps of the pipeline that a range
    /// touches, in order of time; of at most `mostIterations` of them, the first ones.
    [[nodiscard]] std::vector<MicroBatchRun> runsOf(std::int64_t number, const TraceIndex& trace,
                                                    CycleRange range,
                                                    std::int64_t mostIterations) const;

private:
    struct Place {
        std::size_t slot = 0;
        std::size_t call = 0;
    };
    using Repeats = std::map<ProgramId, std::int64_t>;
    class RunFinder;

    Pipeline pipeline_;
    std::vector<std::vector<MicroBatchCall>> calls_;
    std::map<ProgramId, Place> places_; ///< by Call
    Repeats repeats_;                   ///< of each Repeat of the tree
};

/// Those of a profile, made once; none (0) without a pipeline.
std::shared_ptr<const MicroBatches> microBatchesOf(const ProfileView& profile, Stop stop);

} // namespace tilescope
