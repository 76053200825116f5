#include "tests/support/sample_memory.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "core/store/placement_codec.h"

namespace tilescope::test {
namespace {

constexpr std::int64_t alignment = 16;

struct Block {
    VariableId variable;
    std::int64_t offset = 0;
    std::int64_t bytes = 0;
    [[nodiscard]] std::int64_t end() const { return offset + bytes; }
};

/// Bytes by category, region and overlap on one tile.
using CategoryKey = std::array<std::int32_t, 3>;
using CategoryBytes = std::map<CategoryKey, std::int64_t>;

struct TileResult {
    Placement placement;
    TileMemory memory;
    CategoryBytes categories;
};

bool wantsInterleaved(const Variable& v) {
    return v.name.find("weights") != std::string::npos;
}

bool mayShare(const Profile& profile, const Variable& a, const Variable& b) {
    return !a.alwaysLive && !b.alwaysLive &&
           !profile.livenessClasses[a.liveness].overlaps(profile.livenessClasses[b.liveness]);
}

/// The lowest aligned offset from `from` on at which no block that must not share lies.
std::int64_t firstFit(const Profile& profile, const std::vector<Block>& placed, VariableId id,
                      std::int64_t bytes, std::int64_t from) {
    std::int64_t offset = from;
    for (bool moved = true; moved;) {
        moved = false;
        for (const Block& other : placed) {
            if (other.offset >= offset + bytes || offset >= other.end() ||
                mayShare(profile, profile.variables[id], profile.variables[other.variable]))
                continue;
            offset = (other.end() + alignment - 1) / alignment * alignment;
            moved = true;
        }
    }
    return offset;
}

std::vector<Block> placeTile(const Profile& profile,
                             const std::vector<std::pair<VariableId, std::int64_t>>& sizes) {
    std::vector<Block> placed;
    for (const bool alwaysLive : {true, false})
        for (const auto& [id, bytes] : sizes) {
            const Variable& v = profile.variables[id];
            if (v.alwaysLive != alwaysLive)
                continue;
            const std::int64_t from =
                wantsInterleaved(v) ? profile.info.target.interleavedOffset : 0;
            placed.push_back({id, firstFit(profile, placed, id, bytes, from), bytes});
        }
    return placed;
}

MemoryRegion regionOf(const Target& target, std::int64_t offset) {
    if (offset >= target.bytesPerTile)
        return MemoryRegion::Overflowed;
    return offset >= target.interleavedOffset ? MemoryRegion::Interleaved
                                              : MemoryRegion::NonInterleaved;
}

/// Cuts the addresses at every edge; each piece belongs to the first block placed on it.
void countBytes(const Profile& profile, const std::vector<Block>& placed, TileResult& result) {
    const Target& target = profile.info.target;
    std::vector<std::int64_t> edges{target.interleavedOffset, target.bytesPerTile};
    for (const Block& block : placed) {
        edges.push_back(block.offset);
        edges.push_back(block.end());
        result.memory.includingGaps = std::max(result.memory.includingGaps, block.end());
    }
    std::sort(edges.begin(), edges.end());
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
        const std::int64_t bytes = edges[i + 1] - edges[i];
        std::int32_t owners = 0;
        VariableId owner;
        for (const Block& block : placed)
            if (block.offset <= edges[i] && edges[i] < block.end() && owners++ == 0)
                owner = block.variable;
        if (bytes == 0 || owners == 0)
            continue;
        const MemoryRegion region = regionOf(target, edges[i]);
        const auto category = static_cast<std::int32_t>(profile.variables[owner].category);
        result.categories[{category, static_cast<std::int32_t>(region), owners > 1 ? 1 : 0}] +=
            bytes;
        result.memory.excludingGaps += bytes;
        (region == MemoryRegion::NonInterleaved ? result.memory.nonInterleaved
         : region == MemoryRegion::Interleaved  ? result.memory.interleaved
                                                : result.memory.overflowed) += bytes;
    }
}

void countLiveness(const Profile& profile, const std::vector<Block>& placed, TileMemory& memory) {
    for (const Block& block : placed)
        if (profile.variables[block.variable].alwaysLive)
            memory.alwaysLive += block.bytes;
    for (std::size_t step = 0; step < profile.steps.size(); ++step) {
        std::int64_t bytes = 0;
        for (const Block& block : placed) {
            const Variable& v = profile.variables[block.variable];
            if (!v.alwaysLive && profile.livenessClasses[v.liveness].contains(StepId(step)))
                bytes += block.bytes;
        }
        memory.maxNotAlwaysLive = std::max(memory.maxNotAlwaysLive, bytes);
    }
}

} // namespace

void placeVariables(Profile& profile) {
    using Sizes = std::vector<std::pair<VariableId, std::int64_t>>;
    std::map<Sizes, std::int64_t> known;
    std::vector<TileResult> results;
    std::vector<std::int64_t> placementOfTile;
    std::map<CategoryKey, std::vector<std::int64_t>> categories;
    const auto tiles = static_cast<std::size_t>(profile.info.target.totalTiles());
    for (std::size_t tile = 0; tile < tiles; ++tile) {
        Sizes sizes;
        for (std::size_t v = 0; v < profile.variables.size(); ++v)
            if (const auto bytes = profile.variables[VariableId(v)].bytes.at(TileId(tile)))
                sizes.emplace_back(VariableId(v), bytes);
        const auto [at, isNew] = known.try_emplace(sizes, std::int64_t(results.size()));
        if (isNew) {
            std::vector<Block> placed = placeTile(profile, sizes);
            TileResult result;
            countBytes(profile, placed, result);
            countLiveness(profile, placed, result.memory);
            std::stable_sort(placed.begin(), placed.end(),
                             [](const Block& a, const Block& b) { return a.offset < b.offset; });
            for (const Block& block : placed)
                result.placement.variables.push_back({block.variable, block.offset});
            results.push_back(std::move(result));
        }
        const TileResult& result = results[static_cast<std::size_t>(at->second)];
        placementOfTile.push_back(at->second + 1);
        profile.tileMemory.add(result.memory);
        for (const auto& [key, bytes] : result.categories) {
            auto& dense = categories[key];
            dense.resize(tiles);
            dense[tile] = bytes;
        }
    }
    profile.placementOfTile = TileSeries::fromDense(placementOfTile);
    std::vector<Placement> placements;
    for (TileResult& result : results)
        placements.push_back(std::move(result.placement));
    profile.placements = packedPlacements(placements);
    for (const auto& [key, dense] : categories)
        profile.categoryMemory.push_back({static_cast<MemoryCategory>(key[0]),
                                          static_cast<MemoryRegion>(key[1]), key[2] != 0,
                                          TileSeries::fromDense(dense)});
}

} // namespace tilescope::test
