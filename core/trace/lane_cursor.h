// Reading lanes and bodies entry by entry, wherever they are. Internal to core/trace.
#pragma once

#include "core/trace/lanes.h"

namespace tilescope {

/// The entries of one lane. Holds the page that was read last; for one thread.
class LaneCursor {
public:
    LaneCursor(const TraceLanes& lanes, TraceBodyId body, IpuId ipu,
               TracePages::Keep keep = TracePages::Keep::Yes)
        : lanes_(lanes)
        , lane_(lanes.lane(body, ipu))
        , body_(body)
        , ipu_(ipu)
        , keep_(keep) {}

    [[nodiscard]] const Lane& lane() const { return lane_; }
    /// Releases the page that was read last.
    void forget() { page_.reset(); }
    /// Valid until the next call.
    const LaneEntry& at(std::size_t entry) {
        if (lane_.paged == nullptr)
            return lane_.entries[entry];
        if (!page_ || entry / entriesPerPage != number_) {
            number_ = entry / entriesPerPage;
            page_ = lanes_.pages()->page(body_, ipu_, number_, keep_);
        }
        return (*page_)[entry % entriesPerPage];
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
    /// Sums of entries [first, end).
    TraceSums sums(std::size_t first, std::size_t end);
    [[nodiscard]] std::size_t blocks() const {
        return (lane_.count + entriesPerBlock - 1) / entriesPerBlock;
    }

    /// No entry up to this one ends later; a bound that may be too large inside a block.
    [[nodiscard]] std::int64_t endBound(std::size_t entry) const;

private:
    const TraceLanes& lanes_;
    const Lane& lane_;
    TraceBodyId body_;
    IpuId ipu_;
    TracePages::Keep keep_;
    TracePages::Entries page_;
    std::size_t number_ = 0;
};

/// The items of a body in order of execution; for one thread.
class ItemCursor {
public:
    ItemCursor(const TraceLanes& lanes, TraceBodyId body)
        : lanes_(lanes)
        , outline_(lanes.trace().bodies[body])
        , body_(body) {}

    struct Item {
        const TraceCall* call = nullptr;
        ProgramId program; ///< of a step; none for a Sync
    };
    /// The n-th call of the body, which is what an item executes.
    [[nodiscard]] const TraceCall* callNumber(std::size_t number, std::size_t item) const {
        const std::size_t call = lanes_.pages() != nullptr
                                     ? number
                                     : static_cast<std::size_t>(outline_.items[item].call);
        return &outline_.calls[call];
    }
    Item at(std::size_t item) {
        if (lanes_.pages() == nullptr) {
            const TraceItem& content = outline_.items[item];
            if (content.step >= 0)
                return {nullptr, outline_.steps[static_cast<std::size_t>(content.step)].program};
            return {&outline_.calls[static_cast<std::size_t>(content.call)], {}};
        }
        if (!page_ || item / itemsPerPage != number_) {
            number_ = item / itemsPerPage;
            page_ = lanes_.pages()->itemPage(body_, number_);
        }
        const ItemContent& content = (*page_)[item % itemsPerPage];
        if (content.call >= 0)
            return {&outline_.calls[static_cast<std::size_t>(content.call)], {}};
        return {nullptr, ProgramId(content.program)};
    }

private:
    const TraceLanes& lanes_;
    const TraceBody& outline_;
    TraceBodyId body_;
    TracePages::Items page_;
    std::size_t number_ = 0;
};

} // namespace tilescope
