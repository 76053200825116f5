// Reading lanes and bodies entry by entry, wherever they are. Internal to core/trace.
#pragma once

#include "core/trace/lanes.h"

namespace tilescope {

/// The entries of one lane. Holds the page that was read last; for one thread.
class LaneCursor {
public:
    LaneCursor(const TraceLanes& lanes, TraceBodyId body, IpuId ipu,
               TraceLanes::Keep keep = TraceLanes::Keep::Yes)
        : lanes_(lanes)
        , lane_(lanes.lane(body, ipu))
        , body_(body)
        , ipu_(ipu)
        , keep_(keep) {}

    [[nodiscard]] const Lane& lane() const { return lane_; }
    /// Releases the pages that were read last.
    void forget() {
        page_ = {};
        amounts_ = {};
    }
    /// Valid until the next call.
    const LaneEntry& at(std::size_t entry) {
        if (!page_.has(entry))
            page_ = lanes_.entries(body_, ipu_, entry, keep_);
        return page_.at(entry);
    }

    /// Of the entry's step.
    const StepAmounts& amountsAt(std::size_t entry) {
        if (!amounts_.has(entry))
            amounts_ = lanes_.amounts(body_, ipu_, entry);
        return amounts_.at(entry);
    }

    /// The first entry with which the latest end so far in the lane exceeds a cycle.
    std::size_t firstEndingAfter(std::int64_t cycle);
    /// The first entry that begins at a cycle or later.
    std::size_t firstBeginningAt(std::int64_t cycle);
    /// The entry that a cycle falls into, the last to begin of those; none between entries.
    std::optional<LaneEntry> entryAt(std::int64_t cycle);

    /// Entries [first, end) that touch cycles [from, to).
    struct Touched {
        std::size_t first = 0;
        std::size_t end = 0;
    };
    Touched touched(std::int64_t from, std::int64_t to);
    /// Blocks [first, end) that lie in cycles [from, to) as a whole.
    [[nodiscard]] Touched wholeBlocks(std::int64_t from, std::int64_t to) const;

    /// Sums of all blocks before one, or of the lane after the last.
    [[nodiscard]] const TraceSums& sumsBefore(std::size_t block) const;
    [[nodiscard]] std::size_t blocks() const { return blocksOf(lane_.count); }
    [[nodiscard]] const std::vector<LaneBlock>& summary() const {
        if (summary_ == nullptr)
            summary_ = &lanes_.blocks(body_, ipu_);
        return *summary_;
    }

    /// No entry up to this one ends later; a bound that may be too large inside a block.
    [[nodiscard]] std::int64_t endBound(std::size_t entry) const;

private:
    const TraceLanes& lanes_;
    const Lane& lane_;
    TraceBodyId body_;
    IpuId ipu_;
    TraceLanes::Keep keep_;
    mutable const std::vector<LaneBlock>* summary_ = nullptr; ///< none before it is asked for
    TracePage<LaneEntry> page_;
    TracePage<StepAmounts> amounts_;
};

/// The items of a body in order of execution; for one thread.
class ItemCursor {
public:
    ItemCursor(const TraceLanes& lanes, TraceBodyId body)
        : lanes_(lanes)
        , calls_(lanes.outline().bodies[body].calls)
        , body_(body) {}

    struct Item {
        const TraceCall* call = nullptr;
        ProgramId program; ///< of a step; none for a Sync
    };
    Item at(std::size_t item) {
        if (!page_.has(item))
            page_ = lanes_.items(body_, item);
        const ItemContent& content = page_.at(item);
        if (content.call >= 0)
            return {&calls_[static_cast<std::size_t>(content.call)], {}};
        return {nullptr, ProgramId(content.program)};
    }

private:
    const TraceLanes& lanes_;
    const std::vector<TraceCall>& calls_;
    TraceBodyId body_;
    TracePage<ItemContent> page_;
};

} // namespace tilescope
