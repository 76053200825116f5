// Where the bytes of one tile go: totals, regions and categories of a placement.
#pragma once

#include <compare>
#include <map>
#include <vector>

#include "core/profile/profile.h"
#include "simulator/memory/placement.h"

namespace tilescope::sim {

struct AccountKey {
    MemoryCategory category;
    MemoryRegion region;
    bool overlapped;
    auto operator<=>(const AccountKey&) const = default;
};

struct TileAccount {
    TileMemory memory;
    std::map<AccountKey, std::int64_t> byCategory; ///< sums to memory.excludingGaps
};

/// Every byte that at least one variable uses counts once: for the always-live variable there, or
/// else for the variable that begins lowest (as overlapped).
TileAccount accountFor(const std::vector<PlaceRequest>& requests, const Placement& placement,
                       const IdVector<LivenessClassId, LivenessClass>& classes, std::size_t steps,
                       const Target& target);

} // namespace tilescope::sim
