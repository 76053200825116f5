// Parts of a trace that analyses and the file share. Internal to core/trace.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/profile/trace.h"
#include "core/trace/trace_statistics.h"

namespace tilescope {

/// Centuries at any clock; sums of two such numbers do not overflow.
inline constexpr std::int64_t latestCycle = std::int64_t{1} << 61;

/// A step or a call of a body on one IPU; cycles count from the start of the body.
struct LaneEntry {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int32_t item = 0;  ///< place among the body's items
    std::int32_t call = -1; ///< index into TraceBody::calls; negative for a step
    std::int32_t onIpu = 0; ///< index into TraceStep::ipus or TraceCall::ipus; 0 for a paged step
    ProgramId program;      ///< of a step; none for a Sync and for calls
    ProgramKind kind = ProgramKind::Call;
    friend bool operator==(const LaneEntry&, const LaneEntry&) = default;
};

/// What ranges count of a step besides its cycles; zeros of a Sync and of a call.
struct StepAmounts {
    std::int64_t waiting = 0; ///< see waitingCycles()
    std::int64_t bytesIn = 0;
    friend bool operator==(const StepAmounts&, const StepAmounts&) = default;
};
inline bool hasAmounts(const LaneEntry& entry) {
    return entry.call < 0 && entry.kind != ProgramKind::Sync;
}
StepAmounts amountsOf(ProgramKind kind, const StepOnIpu& step);

/// Entries of a lane are summed up in blocks of this size.
inline constexpr std::size_t entriesPerBlock = 64;
/// Blocks of so many entries.
constexpr std::size_t blocksOf(std::size_t entries) {
    return (entries + entriesPerBlock - 1) / entriesPerBlock;
}

/// A summary of a block of entries, available without reading them.
struct LaneBlock {
    std::int64_t begin = 0;  ///< of its first entry; no other begins earlier
    std::int64_t maxEnd = 0; ///< largest end of its entries and all before it in the lane
    std::int32_t item = 0;   ///< of its first entry
    /// Its first and last step with a program; item and program negative if there is none.
    struct Named {
        std::int32_t item = -1;
        ProgramId program;
        friend bool operator==(const Named&, const Named&) = default;
    };
    Named first;
    Named last;
    TraceSums before; ///< sums of all blocks before it
    friend bool operator==(const LaneBlock&, const LaneBlock&) = default;
};

/// The blocks of a lane and the sums of all of it.
struct LaneSummary {
    std::vector<LaneBlock> blocks;
    TraceSums total;
};

/// Neighbours that are read together: a page of a file, or all there are in memory.
template <class T> class TracePage {
public:
    TracePage() = default;
    TracePage(std::size_t first, std::shared_ptr<const std::vector<T>> content)
        : first_(first)
        , content_(std::move(content)) {}
    /// Of what outlives the page.
    explicit TracePage(const std::vector<T>& all)
        : content_(std::shared_ptr<void>(), &all) {}

    [[nodiscard]] bool has(std::size_t place) const {
        return content_ && place - first_ < content_->size();
    }
    /// One that it has.
    [[nodiscard]] const T& at(std::size_t place) const { return (*content_)[place - first_]; }

private:
    std::size_t first_ = 0;
    std::shared_ptr<const std::vector<T>> content_;
};

/// What an item of a body executes: a program, none (a Sync), or a call.
struct ItemContent {
    std::int32_t program = -1;
    std::int32_t call = -1;
    friend bool operator==(const ItemContent&, const ItemContent&) = default;
};

/// Steps of a part of a body. Items that are calls are left out.
struct StepRange {
    struct Step {
        std::int64_t item = 0;
        ProgramKind kind = ProgramKind::OnTileExecute;
        ProgramId program;          ///< none for a Sync
        std::uint32_t firstIpu = 0; ///< its IPUs are `ipus` from here
        std::uint32_t endIpu = 0;   ///< to here
    };
    std::vector<Step> steps;
    std::vector<StepOnIpu> ipus;
};

/// Executions of a program by a body, once: how often, and the cycles of the IPU that takes
/// longest.
struct ProgramTotal {
    ProgramId program;
    std::int64_t count = 0;
    std::int64_t cycles = 0;
};

/// The same on one IPU: cycles until its own tiles are done.
struct IpuTotal {
    ProgramId program;
    IpuId ipu;
    std::int64_t count = 0;
    std::int64_t cycles = 0;
};

} // namespace tilescope
