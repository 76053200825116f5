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

void sortByVariable(std::vector<PlacedVariable>& placed) {
    radixSort(placed, [](const PlacedVariable& entry) {
        return std::uint64_t{static_cast<std::uint32_t>(entry.variable.value())};
    });
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
    std::vector<std::byte> raw;
    putVarint(raw, placements.size());
    // Where each variable was last, by variable: both lists are sorted, so that one pass merges
    // them.
    std::vector<PlacedVariable> before;
    std::vector<PlacedVariable> after;
    for (const Placement& placement : placements) {
        std::vector<PlacedVariable> placed = placement.variables;
        sortByVariable(placed);
        putVarint(raw, placed.size());
        std::int32_t previous = -1;
        auto known = before.cbegin();
        after.clear();
        for (const PlacedVariable& entry : placed) {
            while (known != before.cend() && known->variable < entry.variable)
                after.push_back(*known++);
            std::int64_t reference = 0;
            if (known != before.cend() && known->variable == entry.variable)
                reference = (known++)->offset;
            const std::int32_t id = entry.variable.value();
            putVarint(raw, static_cast<std::uint64_t>(id - previous - 1));
            putVarint(raw, zigzag(entry.offset - reference));
            after.push_back(entry);
            previous = id;
        }
        after.insert(after.end(), known, before.cend());
        before.swap(after);
    }
    return compressed(raw);
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

} // namespace tilescope
