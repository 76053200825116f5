// Iterates over an execution step by step, many steps at a time, without keeping them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/trace/trace_index.h"
#include "core/trace/trace_parts.h"

namespace tilescope {

/// Consecutive executed steps.
struct StepBatch {
    struct Step {
        std::int64_t index = 0; ///< index in the order of execution
        std::int32_t run = 0;
        ProgramKind kind = ProgramKind::OnTileExecute;
        ProgramId program;          ///< none for a Sync
        std::uint32_t firstIpu = 0; ///< its IPUs are `ipus` from here
        std::uint32_t endIpu = 0;   ///< to here
    };
    std::vector<Step> steps;
    std::vector<StepOnIpu> ipus; ///< by step, then by IPU; `start` is absolute

    void clear() {
        steps.clear();
        ipus.clear();
    }
};

/// Executed steps [first, end) of an index in their order. Keeps the bodies around the current step
/// and short bodies, which may be repeated often. Not thread-safe. Throws UserError where the file
/// is damaged.
class StepWalk {
public:
    /// Steps that the index does not have are left out.
    StepWalk(TraceIndex index, std::int64_t first, std::int64_t end);
    ~StepWalk();
    StepWalk(StepWalk&&) noexcept;
    StepWalk& operator=(StepWalk&&) = delete;

    /// Replaces a batch by the next steps, at most this many; false if there are none left.
    bool next(StepBatch& batch, std::size_t atMost);

private:
    /// A body that is being executed.
    struct Frame {
        TraceBodyId body;
        std::size_t item = 0; ///< the next one
        std::int64_t repetition = 0;
        std::vector<std::int64_t> base; ///< cycle at which this execution starts, by IPU
    };

    void descendTo(std::int64_t index);
    void enterCall(const TraceCall& call, std::int64_t repetition);
    void leave();
    [[nodiscard]] std::size_t nextCall(const Frame& frame) const;
    [[nodiscard]] const TraceCall& callAt(TraceBodyId body, std::size_t item) const;
    void addSteps(StepBatch& batch, Frame& frame, std::size_t end);
    void add(StepBatch& batch, const Frame& frame, std::int64_t index, const StepRange::Step& step,
             const StepRange& range) const;

    TraceIndex index_;
    const TraceLanes& lanes_;
    std::int64_t next_ = 0;
    std::int64_t end_ = 0;
    std::size_t run_ = 0;
    std::vector<Frame> frames_; ///< outermost first; empty between runs
    std::vector<std::unique_ptr<const StepRange>> shortBodies_; ///< by body
};

} // namespace tilescope
