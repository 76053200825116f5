#include "simulator/memory/tile_account.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace tilescope::sim {
namespace {

struct Extent {
    std::int64_t begin, end;
    const PlaceRequest* request;
};

/// Adds [begin, end) to the account, split at the region borders.
void charge(TileAccount& account, const Target& target, const Extent& extent, std::int64_t begin,
            std::int64_t end) {
    const std::int64_t borders[] = {0, target.interleavedOffset, target.bytesPerTile,
                                    std::numeric_limits<std::int64_t>::max()};
    for (std::size_t r = 0; r < memoryRegions.size(); ++r) {
        const std::int64_t bytes = std::min(end, borders[r + 1]) - std::max(begin, borders[r]);
        if (bytes <= 0)
            continue;
        account.byCategory[{extent.request->category, memoryRegions[r],
                            extent.request->liveness.valid()}] += bytes;
        account.memory.excludingGaps += bytes;
        switch (memoryRegions[r]) {
        case MemoryRegion::NonInterleaved:
            account.memory.nonInterleaved += bytes;
            break;
        case MemoryRegion::Interleaved:
            account.memory.interleaved += bytes;
            break;
        case MemoryRegion::Overflowed:
            account.memory.overflowed += bytes;
            break;
        }
    }
}

std::int64_t maxNotAlwaysLive(const std::vector<PlaceRequest>& requests,
                              const IdVector<LivenessClassId, LivenessClass>& classes,
                              std::size_t steps) {
    std::vector<std::int64_t> change(steps + 1, 0);
    for (const PlaceRequest& request : requests) {
        if (!request.liveness.valid())
            continue;
        for (const StepInterval& interval : classes[request.liveness].intervals) {
            change[interval.first.index()] += request.bytes;
            change[interval.end.index()] -= request.bytes;
        }
    }
    std::int64_t now = 0;
    std::int64_t most = 0;
    for (const std::int64_t step : change) {
        now += step;
        most = std::max(most, now);
    }
    return most;
}

} // namespace

TileAccount accountFor(const std::vector<PlaceRequest>& requests, const Placement& placement,
                       const IdVector<LivenessClassId, LivenessClass>& classes, std::size_t steps,
                       const Target& target) {
    TileAccount account;
    std::unordered_map<std::int32_t, const PlaceRequest*> byVariable;
    for (const PlaceRequest& request : requests) {
        byVariable[request.variable.value()] = &request;
        if (!request.liveness.valid())
            account.memory.alwaysLive += request.bytes;
    }
    std::vector<Extent> extents;
    for (const PlacedVariable& placed : placement.variables) {
        const PlaceRequest* request = byVariable.at(placed.variable.value());
        extents.push_back({placed.offset, placed.offset + request->bytes, request});
        account.memory.includingGaps =
            std::max(account.memory.includingGaps, placed.offset + request->bytes);
    }
    // The placement is sorted by offset, so what is covered so far ends at one address.
    std::int64_t covered = 0;
    for (const Extent& extent : extents) {
        const std::int64_t begin = std::max(extent.begin, covered);
        if (begin < extent.end)
            charge(account, target, extent, begin, extent.end);
        covered = std::max(covered, extent.end);
    }
    account.memory.maxNotAlwaysLive = maxNotAlwaysLive(requests, classes, steps);
    return account;
}

} // namespace tilescope::sim
