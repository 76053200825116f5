#include "simulator/memory/tile_account.h"

#include <algorithm>
#include <array>
#include <limits>

namespace tilescope::sim {
namespace {

static_assert(static_cast<std::size_t>(memoryCategories.back()) + 1 == memoryCategories.size());
static_assert(static_cast<std::size_t>(memoryRegions.back()) + 1 == memoryRegions.size());

using BytesByKey = std::array<std::int64_t, AccountKey::count>;

/// Adds bytes of a region to the totals.
void charge(TileMemory& memory, BytesByKey& byKey, const PlaceRequest& request, MemoryRegion region,
            std::int64_t bytes) {
    byKey[AccountKey{request.category, region, request.liveness.valid()}.index()] += bytes;
    memory.excludingGaps += bytes;
    switch (region) {
    case MemoryRegion::NonInterleaved:
        memory.nonInterleaved += bytes;
        break;
    case MemoryRegion::Interleaved:
        memory.interleaved += bytes;
        break;
    case MemoryRegion::Overflowed:
        memory.overflowed += bytes;
        break;
    }
}

/// The same with [begin, end), which is split at the borders of regions.
void charge(TileMemory& memory, BytesByKey& byKey, const Target& target,
            const PlaceRequest& request, std::int64_t begin, std::int64_t end) {
    if (end <= target.interleavedOffset)
        return charge(memory, byKey, request, MemoryRegion::NonInterleaved, end - begin);
    if (begin >= target.interleavedOffset && end <= target.bytesPerTile)
        return charge(memory, byKey, request, MemoryRegion::Interleaved, end - begin);
    const auto borders =
        std::to_array<std::int64_t>({0, target.interleavedOffset, target.bytesPerTile,
                                     std::numeric_limits<std::int64_t>::max()});
    for (std::size_t r = 0; r < memoryRegions.size(); ++r) {
        const std::int64_t bytes = std::min(end, borders[r + 1]) - std::max(begin, borders[r]);
        if (bytes > 0)
            charge(memory, byKey, request, memoryRegions[r], bytes);
    }
}

std::int64_t maxNotAlwaysLive(const std::vector<PlaceRequest>& requests, const LiveTurns& turns) {
    std::vector<std::int64_t> change(turns.turns(), 0);
    for (const PlaceRequest& request : requests) {
        if (!request.liveness.valid())
            continue;
        for (const LiveTurns::Span& span : turns.of(request.liveness)) {
            change[span.first] += request.bytes;
            change[span.end] -= request.bytes;
        }
    }
    std::int64_t now = 0;
    std::int64_t most = 0;
    for (const std::int64_t turn : change) {
        now += turn;
        most = std::max(most, now);
    }
    return most;
}

} // namespace

LiveTurns::LiveTurns(const IdVector<LivenessClassId, LivenessClass>& classes,
                     const std::vector<bool>& there)
    : begins_(classes.size() + 1, 0) {
    std::vector<StepId> steps;
    for (std::size_t i = 0; i < classes.size(); ++i)
        if (there[i])
            for (const StepInterval& interval : classes[LivenessClassId(i)].intervals) {
                steps.push_back(interval.first);
                steps.push_back(interval.end);
            }
    std::sort(steps.begin(), steps.end());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    turns_ = steps.size();
    const auto turn = [&](StepId step) {
        return static_cast<std::uint32_t>(std::lower_bound(steps.begin(), steps.end(), step) -
                                          steps.begin());
    };
    for (std::size_t i = 0; i < classes.size(); ++i) {
        if (there[i])
            for (const StepInterval& interval : classes[LivenessClassId(i)].intervals)
                spans_.push_back({turn(interval.first), turn(interval.end)});
        begins_[i + 1] = static_cast<std::uint32_t>(spans_.size());
    }
}

TileAccount accountFor(const std::vector<PlaceRequest>& requests,
                       const std::vector<PlacedRequest>& placed, const LiveTurns& turns,
                       const Target& target) {
    TileAccount account;
    TileMemory& memory = account.memory;
    for (const PlaceRequest& request : requests)
        if (!request.liveness.valid())
            memory.alwaysLive += request.bytes;
    BytesByKey byKey{};
    // Sorted by offset: the covered part ends at one address.
    std::int64_t covered = 0;
    for (const PlacedRequest& place : placed) {
        const PlaceRequest& request = requests[place.request];
        const std::int64_t begin = std::max(place.offset, covered);
        const std::int64_t end = place.offset + request.bytes;
        if (begin < end)
            charge(memory, byKey, target, request, begin, end);
        covered = std::max(covered, end);
    }
    memory.includingGaps = covered;
    for (const MemoryCategory category : memoryCategories)
        for (const MemoryRegion region : memoryRegions)
            for (const bool overlapped : {false, true}) {
                const AccountKey key{category, region, overlapped};
                if (const std::int64_t bytes = byKey[key.index()]; bytes > 0)
                    account.byCategory.emplace_back(key, bytes);
            }
    memory.maxNotAlwaysLive = maxNotAlwaysLive(requests, turns);
    return account;
}

} // namespace tilescope::sim
