#include "core/store/placement_codec.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "core/base/damaged_profile.h"
#include "core/base/error.h"
#include "core/base/radix_sort.h"
#include "core/store/compression.h"
#include "core/tiles/tile_series.h"
#include "core/tiles/varint.h"

namespace tilescope {
namespace {

// A chunk of 64 tiles with 100,000 variables each stays below this: more is damage.
constexpr std::size_t maxChunkBytes = std::size_t{1} << 27;

using Offsets = std::unordered_map<std::int32_t, std::int64_t>;

/// `placed` in the order of variables, in `sorted` if it is in another one.
std::span<const PlacedVariable> byVariable(const std::vector<PlacedVariable>& placed,
                                           std::vector<PlacedVariable>& sorted) {
    const auto isBefore = [](const PlacedVariable& a, const PlacedVariable& b) {
        return a.variable < b.variable;
    };
    if (std::is_sorted(placed.begin(), placed.end(), isBefore))
        return placed;
    sorted = placed;
    radixSort(sorted, [](const PlacedVariable& entry) {
        return std::uint64_t{static_cast<std::uint32_t>(entry.variable.value())};
    });
    return sorted;
}

/// Ids are written as the distance to the one before, so that they increase.
std::int32_t nextVariable(std::int32_t previous, VarintReader& reader) {
    constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
    const std::uint64_t skipped = reader.next();
    const auto next = static_cast<std::uint64_t>(std::int64_t{previous} + 1);
    if (next > most || skipped > most - next)
        throw DamagedProfile("a chunk of tile addresses names an impossible variable");
    return static_cast<std::int32_t>(next + skipped);
}

std::int64_t nextOffset(std::int64_t before, VarintReader& reader) {
    constexpr std::int64_t most = TileSeries::largestStored;
    const std::int64_t difference = reader.nextSigned();
    if (difference > most || difference < -most || before + difference < 0 ||
        before + difference > most)
        throw DamagedProfile("a chunk of tile addresses names an impossible address");
    return before + difference;
}

} // namespace

std::vector<std::byte> encodePlacements(std::span<const Placement> placements) {
    constexpr std::size_t expectedBytes = 4; // of an entry; most have two or three
    std::size_t entries = 0;
    for (const Placement& placement : placements)
        entries += placement.variables.size();
    VarintWriter raw(expectedBytes * entries);
    raw.makeRoomFor(1);
    raw.put(placements.size());
    // Where each variable was last, by variable: both lists are sorted, so that one pass merges
    // them.
    std::vector<PlacedVariable> before;
    std::vector<PlacedVariable> after;
    std::vector<PlacedVariable> sorted;
    for (const Placement& placement : placements) {
        const std::span<const PlacedVariable> placed = byVariable(placement.variables, sorted);
        raw.makeRoomFor(1);
        raw.put(placed.size());
        std::int32_t previous = -1;
        auto known = before.cbegin();
        after.clear();
        after.reserve(before.size() + placed.size());
        for (const PlacedVariable& entry : placed) {
            while (known != before.cend() && known->variable < entry.variable)
                after.push_back(*known++);
            std::int64_t reference = 0;
            if (known != before.cend() && known->variable == entry.variable)
                reference = (known++)->offset;
            const std::int32_t id = entry.variable.value();
            raw.makeRoomFor(2);
            raw.put(static_cast<std::uint64_t>(id - previous - 1));
            raw.put(zigzag(entry.offset - reference));
            after.push_back(entry);
            previous = id;
        }
        after.insert(after.end(), known, before.cend());
        before.swap(after);
    }
    return compressed(raw.written());
}

std::vector<Placement> decodePlacements(std::span<const std::byte> data) {
    const std::vector<std::byte> raw =
        decompressed(data, maxChunkBytes, "a chunk of tile addresses cannot be read");
    VarintReader reader(raw);
    const std::uint64_t count = reader.next();
    if (count > placementsPerChunk)
        throw DamagedProfile("a chunk of tile addresses is too long");
    std::vector<Placement> placements(count);
    Offsets before;
    for (Placement& placement : placements) {
        const std::uint64_t entries = reader.next();
        if (entries > reader.remaining() / 2)
            throw DamagedProfile("a chunk of tile addresses ends too early");
        placement.variables.reserve(entries);
        std::int32_t previous = -1;
        for (std::uint64_t i = 0; i < entries; ++i) {
            const std::int32_t id = nextVariable(previous, reader);
            std::int64_t& reference = before[id];
            reference = nextOffset(reference, reader);
            placement.variables.push_back({VariableId(id), reference});
            previous = id;
        }
        std::sort(placement.variables.begin(), placement.variables.end(),
                  [](const auto& a, const auto& b) {
                      return std::pair(a.offset, a.variable) < std::pair(b.offset, b.variable);
                  });
    }
    return placements;
}

std::vector<PlacementChunk> packedPlacements(std::span<const Placement> placements) {
    std::vector<PlacementChunk> chunks;
    for (std::size_t first = 0; first < placements.size(); first += placementsPerChunk) {
        const auto chunk =
            placements.subspan(first, std::min(placementsPerChunk, placements.size() - first));
        chunks.push_back({chunk.size(), encodePlacements(chunk)});
    }
    return chunks;
}

IdVector<PlacementId, Placement> unpackedPlacements(std::span<const PlacementChunk> chunks) {
    IdVector<PlacementId, Placement> placements;
    for (const PlacementChunk& chunk : chunks)
        for (Placement& placement : decodePlacements(chunk.packed))
            placements.add(std::move(placement));
    return placements;
}

std::size_t placementsIn(std::span<const PlacementChunk> chunks) {
    std::size_t placements = 0;
    for (const PlacementChunk& chunk : chunks)
        placements += chunk.placements;
    return placements;
}

} // namespace tilescope
