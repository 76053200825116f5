#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/store/placement_codec.h"
#include "invariant_parts.h"

namespace tilescope::test {
namespace {

bool isCode(MemoryCategory category) {
    return category == MemoryCategory::VertexCode || category == MemoryCategory::ControlCode ||
           category == MemoryCategory::InternalExchangeCode ||
           category == MemoryCategory::HostExchangeCode ||
           category == MemoryCategory::GlobalExchangeCode;
}

/// Whether two classes have a step in common, found step by step and kept.
class CommonSteps {
public:
    explicit CommonSteps(const Profile& profile)
        : profile_(profile)
        , count_(profile.livenessClasses.size())
        , known_(count_ * count_) {}

    bool liveTogether(const Variable& a, const Variable& b) {
        if (a.alwaysLive || b.alwaysLive)
            return true;
        auto& known = known_[a.liveness.index() * count_ + b.liveness.index()];
        if (!known)
            known =
                meet(profile_.livenessClasses[a.liveness], profile_.livenessClasses[b.liveness]);
        return *known;
    }

private:
    static bool meet(const LivenessClass& a, const LivenessClass& b) {
        for (const StepInterval& interval : a.intervals)
            for (std::int32_t step = interval.first.value(); step < interval.end.value(); ++step)
                if (b.contains(StepId(step)))
                    return true;
        return false;
    }

    const Profile& profile_;
    std::size_t count_;
    std::vector<std::optional<bool>> known_;
};

/// Variables with their bytes on every tile, as the variables themselves say.
using TileList = std::vector<std::pair<std::int32_t, std::int64_t>>; ///< in the order of ids
std::vector<TileList> listsByTile(const Profile& profile) {
    std::vector<TileList> lists(static_cast<std::size_t>(profile.info.target.totalTiles()));
    for (std::size_t v = 0; v < profile.variables.size(); ++v) {
        const Variable& variable = profile.variables[VariableId(v)];
        if (!variable.alwaysLive && !variable.liveness.valid())
            continue;
        for (const TileRun& run : variable.bytes.runs())
            for (std::int32_t tile = run.first; tile < run.end; ++tile)
                lists.at(static_cast<std::size_t>(tile))
                    .emplace_back(static_cast<std::int32_t>(v), run.value);
    }
    return lists;
}

/// Bytes of a variable on a tile; none where it should not be.
std::int64_t bytesIn(const TileList& list, VariableId id) {
    const auto found =
        std::lower_bound(list.begin(), list.end(), std::pair(id.value(), std::int64_t{0}));
    return found == list.end() || found->first != id.value() ? 0 : found->second;
}

using Placements = IdVector<PlacementId, Placement>;
const Placement* placementOn(const Profile& profile, const Placements& placements,
                             std::int32_t tile) {
    const std::int64_t at = profile.placementOfTile.at(TileId(tile));
    return at == 0 ? nullptr : &placements[PlacementId(static_cast<std::int32_t>(at - 1))];
}

void checkOverlap(const Profile& profile, std::int32_t tile, const Placement& placement,
                  const TileList& bytes, CommonSteps& common, Complaints& complaints) {
    struct Extent {
        std::int64_t begin, end;
        const Variable* variable;
    };
    std::vector<Extent> extents;
    for (const PlacedVariable& placed : placement.variables)
        extents.push_back({placed.offset, placed.offset + bytesIn(bytes, placed.variable),
                           &profile.variables[placed.variable]});
    std::int64_t longest = 0;
    for (std::size_t i = 0; i < extents.size(); ++i) {
        longest = std::max(longest, extents[i].end - extents[i].begin);
        complaints.expect(i == 0 || extents[i - 1].begin <= extents[i].begin,
                          "placements are sorted", "tile {}", tile);
        for (std::size_t j = i; j-- > 0;) {
            if (extents[j].begin + longest <= extents[i].begin)
                break;
            complaints.expect(extents[j].end <= extents[i].begin ||
                                  !common.liveTogether(*extents[i].variable, *extents[j].variable),
                              "live variables do not share addresses", "{} and {} at {} on tile {}",
                              extents[j].variable->name, extents[i].variable->name,
                              extents[i].begin, tile);
        }
    }
}

} // namespace

void checkAddresses(const Profile& profile, Complaints& complaints) {
    const Target& target = profile.info.target;
    const std::vector<TileList> lists = listsByTile(profile);
    const Placements placements = unpackedPlacements(profile.placements);
    // Tiles share a placement only if they share the list of variables and sizes.
    std::map<const Placement*, const TileList*> listOf;
    CommonSteps common(profile);
    for (std::int32_t tile = 0; tile < target.totalTiles(); ++tile) {
        const TileList& list = lists[static_cast<std::size_t>(tile)];
        const Placement* placement = placementOn(profile, placements, tile);
        if (!placement) {
            complaints.expect(list.empty(), "every variable has an address", "tile {}", tile);
            continue;
        }
        const auto [known, isNew] = listOf.emplace(placement, &list);
        complaints.expect(*known->second == list, "equal placements have equal variables",
                          "tile {}", tile);
        if (!isNew)
            continue;
        TileList placed;
        for (const PlacedVariable& at : placement->variables) {
            const std::int64_t bytes = bytesIn(list, at.variable);
            placed.emplace_back(at.variable.value(), bytes);
            const Variable& variable = profile.variables[at.variable];
            complaints.expect(at.offset >= 0 && at.offset % 8 == 0, "addresses are aligned",
                              "{} at {} on tile {}", variable.name, at.offset, tile);
            complaints.expect(!isCode(variable.category) ||
                                  at.offset + bytes <= target.interleavedOffset ||
                                  at.offset >= target.bytesPerTile,
                              "code lies in the plain region", "{} at {} on tile {}", variable.name,
                              at.offset, tile);
        }
        std::sort(placed.begin(), placed.end());
        complaints.expect(placed == list, "every variable has an address", "tile {}: {} of {}",
                          tile, placement->variables.size(), list.size());
        if (placed == list)
            checkOverlap(profile, tile, *placement, list, common, complaints);
    }
}

namespace {

struct Union {
    std::int64_t bytes = 0, highest = 0;
};
Union unionOf(const Placement& placement, const TileList& list) {
    std::vector<std::pair<std::int64_t, std::int64_t>> extents;
    for (const PlacedVariable& placed : placement.variables)
        extents.emplace_back(placed.offset, placed.offset + bytesIn(list, placed.variable));
    std::sort(extents.begin(), extents.end());
    Union result;
    for (const auto& [begin, end] : extents) {
        result.bytes += std::max<std::int64_t>(0, end - std::max(begin, result.highest));
        result.highest = std::max(result.highest, end);
    }
    return result;
}

std::int64_t largestNotAlwaysLive(const Profile& profile, const TileList& list) {
    std::vector<std::int64_t> live(profile.steps.size(), 0);
    for (const auto& [id, bytes] : list) {
        const Variable& variable = profile.variables[VariableId(id)];
        if (variable.alwaysLive)
            continue;
        for (const StepInterval& interval : profile.livenessClasses[variable.liveness].intervals)
            for (std::size_t step = interval.first.index(); step < interval.end.index(); ++step)
                live[step] += bytes;
    }
    return live.empty() ? 0 : *std::max_element(live.begin(), live.end());
}

} // namespace

void checkTileAccounts(const Profile& profile, Complaints& complaints) {
    const std::int32_t tiles = profile.info.target.totalTiles();
    complaints.expect(profile.tileMemory.size() == static_cast<std::size_t>(tiles),
                      "every tile has an account", "{} of {}", profile.tileMemory.size(), tiles);
    std::vector<std::int64_t> categories(static_cast<std::size_t>(tiles), 0);
    std::map<MemoryRegion, std::vector<std::int64_t>> regions;
    for (const MemoryRegion region : memoryRegions)
        regions[region].assign(static_cast<std::size_t>(tiles), 0);
    for (const CategoryMemory& entry : profile.categoryMemory) {
        complaints.expectSound(entry.bytes, tiles, std::string(toString(entry.category)));
        entry.bytes.addTo(categories);
        entry.bytes.addTo(regions[entry.region]);
    }
    const std::vector<TileList> lists = listsByTile(profile);
    const Placements placements = unpackedPlacements(profile.placements);
    bool fits = true;
    for (std::int32_t tile = 0; tile < static_cast<std::int32_t>(profile.tileMemory.size());
         ++tile) {
        const TileMemory& memory = profile.tileMemory[TileId(tile)];
        const auto at = static_cast<std::size_t>(tile);
        fits = fits && memory.overflowed == 0;
        complaints.expect(categories[at] == memory.excludingGaps, "categories add up",
                          "tile {}: {} of {}", tile, categories[at], memory.excludingGaps);
        complaints.expect(regions[MemoryRegion::NonInterleaved][at] == memory.nonInterleaved &&
                              regions[MemoryRegion::Interleaved][at] == memory.interleaved &&
                              regions[MemoryRegion::Overflowed][at] == memory.overflowed &&
                              memory.nonInterleaved + memory.interleaved + memory.overflowed ==
                                  memory.excludingGaps,
                          "regions add up", "tile {}", tile);
        const Placement* placement = placementOn(profile, placements, tile);
        const Union used = placement ? unionOf(*placement, lists[at]) : Union{};
        complaints.expect(used.bytes == memory.excludingGaps, "excluding gaps is the used bytes",
                          "tile {}: {} of {}", tile, memory.excludingGaps, used.bytes);
        complaints.expect(used.highest == memory.includingGaps, "including gaps is the highest end",
                          "tile {}: {} of {}", tile, memory.includingGaps, used.highest);
        std::int64_t alwaysLive = 0;
        for (const auto& [id, bytes] : lists[at])
            if (profile.variables[VariableId(id)].alwaysLive)
                alwaysLive += bytes;
        complaints.expect(alwaysLive == memory.alwaysLive, "always live adds up", "tile {}", tile);
        const std::int64_t live = largestNotAlwaysLive(profile, lists[at]);
        complaints.expect(live == memory.maxNotAlwaysLive, "the liveness peak adds up",
                          "tile {}: {} of {}", tile, memory.maxNotAlwaysLive, live);
    }
    complaints.expect(fits == profile.info.fits, "fits means that nothing overflows", "fits: {}",
                      profile.info.fits);
}

} // namespace tilescope::test
