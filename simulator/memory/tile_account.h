// Where the bytes of one tile go: totals, regions and categories of a placement.
#pragma once

#include <compare>
#include <span>
#include <utility>
#include <vector>

#include "core/profile/profile.h"
#include "simulator/memory/tile_placer.h"

namespace tilescope::sim {

struct AccountKey {
    MemoryCategory category;
    MemoryRegion region;
    bool overlapped;
    auto operator<=>(const AccountKey&) const = default;
    /// A number for each key, in their order.
    [[nodiscard]] std::size_t index() const {
        return (static_cast<std::size_t>(category) * memoryRegions.size() +
                static_cast<std::size_t>(region)) *
                   2 +
               (overlapped ? 1 : 0);
    }
    static constexpr std::size_t count = memoryCategories.size() * memoryRegions.size() * 2;
};

struct TileAccount {
    TileMemory memory;
    /// Non-zero entries, in the order of keys; they sum to memory.excludingGaps.
    std::vector<std::pair<AccountKey, std::int64_t>> byCategory;
};

/// The lives of some liveness classes, counted in turns: steps at which any of them begins or ends.
/// In between nothing changes, so that a tile's account takes time by turns and not by steps.
class LiveTurns {
public:
    /// Turns [first, end).
    struct Span {
        std::uint32_t first = 0, end = 0;
    };
    /// `there`: whether each class counts.
    LiveTurns(const IdVector<LivenessClassId, LivenessClass>& classes,
              const std::vector<bool>& there);
    [[nodiscard]] std::size_t turns() const { return turns_; }
    [[nodiscard]] std::span<const Span> of(LivenessClassId id) const {
        const std::uint32_t begin = begins_[id.index()];
        return {spans_.data() + begin, begins_[id.index() + 1] - begin};
    }

private:
    std::size_t turns_ = 0;
    std::vector<std::uint32_t> begins_; ///< by class, in spans_; one entry more for the end
    std::vector<Span> spans_;
};

/// Every byte that at least one variable uses counts once: for the always-live variable there, or
/// else for the variable that begins lowest (as overlapped). `placed`: of all requests, by offset.
TileAccount accountFor(const std::vector<PlaceRequest>& requests,
                       const std::vector<PlacedRequest>& placed, const LiveTurns& turns,
                       const Target& target);

} // namespace tilescope::sim
