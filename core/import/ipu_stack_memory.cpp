// Regions of tiles become variables with addresses.
#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <tuple>

#include "core/import/ipu_stack_parts.h"
#include "core/store/placement_codec.h"

namespace tilescope {
namespace {

// Bytes and pointers of the structs of memory_profile.capnp.
namespace memoryPlace {
constexpr std::size_t base = 4, size = 8, tiles = 0;                         // MemoryProfile
constexpr std::size_t physicalTile = 4, regions = 0;                         // TileMemory
constexpr std::size_t address = 0, bytes = 4, liveFrom = 24, liveUntil = 32; // MemoryRegion
constexpr std::size_t category = 0, name = 1;                                // its pointers
} // namespace memoryPlace

/// Of all classes together: more would take too long, and no program has them.
constexpr std::size_t mostSteps = 200'000'000;

constexpr std::uint64_t forever = std::numeric_limits<std::uint64_t>::max();

struct Region {
    std::int64_t offset = 0, bytes = 0;
    std::uint64_t from = 0, until = 0; ///< phases
    std::string_view category, name;
    [[nodiscard]] bool alwaysLive() const { return from == 0 && until == forever; }
};

class MemoryReader {
public:
    MemoryReader(Profile& profile, const CapnpMessage& message,
                 const std::vector<std::uint32_t>& phases)
        : profile_(profile)
        , message_(message)
        , phases_(phases)
        , base_(message.root().u32(memoryPlace::base))
        , size_(message.root().u32(memoryPlace::size)) {}

    void read() {
        const std::int32_t tiles = profile_.info.target.totalTiles();
        profile_.info.target.bytesPerTile = size_;
        std::map<std::int32_t, CapnpStruct> byTile;
        const CapnpList list = message_.root().list(memoryPlace::tiles);
        for (std::size_t i = 0; i < list.size(); ++i) {
            const std::uint32_t tile = list[i].u32(memoryPlace::physicalTile);
            if (tile >= static_cast<std::uint32_t>(tiles) ||
                !byTile.try_emplace(static_cast<std::int32_t>(tile), list[i]).second)
                message_.damaged(
                    fmt::format("tile {} is there twice, or is not one of {}", tile, tiles));
        }
        std::vector<TileRun> placements;
        for (std::int32_t tile = 0; tile < tiles; ++tile) {
            const auto found = byTile.find(tile);
            const std::vector<Region> regions =
                found == byTile.end() ? std::vector<Region>() : regionsOf(found->second);
            profile_.tileMemory.add(totalsOf(regions));
            if (!regions.empty())
                placements.push_back({tile, tile + 1, placementOf(tile, regions)});
        }
        profile_.placements = packedPlacements(lists_);
        profile_.placementOfTile = TileSeries::fromRuns(std::move(placements));
        finishVariables();
        addCategories();
    }

private:
    std::vector<Region> regionsOf(const CapnpStruct& tile) const {
        std::vector<Region> regions;
        const CapnpList list = tile.list(memoryPlace::regions);
        for (std::size_t i = 0; i < list.size(); ++i) {
            const CapnpStruct region = list[i];
            const std::int64_t offset = std::int64_t{region.u32(memoryPlace::address)} - base_;
            const std::int64_t bytes = region.u32(memoryPlace::bytes);
            if (offset < 0 || bytes > size_ - offset)
                message_.damaged(fmt::format("a region at address {} is outside of the memory",
                                             region.u32(memoryPlace::address)));
            if (bytes > 0)
                regions.push_back({offset, bytes, region.u64(memoryPlace::liveFrom),
                                   region.u64(memoryPlace::liveUntil),
                                   region.text(memoryPlace::category),
                                   region.text(memoryPlace::name)});
        }
        std::stable_sort(regions.begin(), regions.end(),
                         [](const Region& a, const Region& b) { return a.offset < b.offset; });
        return regions;
    }

    static TileMemory totalsOf(const std::vector<Region>& regions) {
        TileMemory memory;
        std::map<std::uint64_t, std::int64_t> changes; ///< of live bytes, by phase
        for (const Region& region : regions) {
            const std::int64_t end = region.offset + region.bytes;
            const std::int64_t begin = std::max(region.offset, memory.includingGaps);
            memory.excludingGaps += std::max<std::int64_t>(0, end - begin);
            memory.includingGaps = std::max(memory.includingGaps, end);
            if (region.alwaysLive()) {
                memory.alwaysLive += region.bytes;
            } else if (region.from < region.until) {
                changes[region.from] += region.bytes;
                changes[region.until] -= region.bytes;
            }
        }
        memory.nonInterleaved = memory.excludingGaps;
        std::int64_t live = 0;
        for (const auto& [phase, change] : changes)
            memory.maxNotAlwaysLive = std::max(memory.maxNotAlwaysLive, live += change);
        return memory;
    }

    /// The number of the tile's list, from 1.
    std::int64_t placementOf(std::int32_t tile, const std::vector<Region>& regions) {
        std::map<std::tuple<std::string_view, std::string_view, std::uint64_t, std::uint64_t>, int>
            onTile;
        std::vector<std::pair<std::int32_t, std::int64_t>> placed;
        Placement placement;
        for (const Region& region : regions) {
            const auto key = std::tuple(region.name, region.category, region.from, region.until);
            const VariableId variable = variableOf(region, onTile[key]++);
            runs_[variable.index()].push_back({tile, tile + 1, region.bytes});
            placed.emplace_back(variable.value(), region.offset);
            placement.variables.push_back({variable, region.offset});
        }
        const auto [known, isNew] = placements_.try_emplace(std::move(placed), lists_.size() + 1);
        if (isNew)
            lists_.push_back(std::move(placement));
        return static_cast<std::int64_t>(known->second);
    }

    /// Regions of equal names and lives are one variable, the second ones of tiles another.
    VariableId variableOf(const Region& region, int occurrence) {
        const auto [known, isNew] = variables_.try_emplace(
            {region.name, region.category, region.from, region.until, occurrence});
        if (!isNew)
            return known->second;
        Variable variable;
        variable.name = std::string(region.name.empty() ? region.category : region.name);
        variable.category = memoryCategoryFrom(region.category).value_or(MemoryCategory::Variable);
        variable.alwaysLive = region.alwaysLive();
        if (!variable.alwaysLive)
            variable.liveness = classOf(region.from, region.until);
        runs_.emplace_back();
        return known->second = profile_.variables.add(std::move(variable));
    }

    LivenessClassId classOf(std::uint64_t from, std::uint64_t until) {
        const auto [known, isNew] = classes_.try_emplace({from, until});
        if (!isNew)
            return known->second;
        if (classes_.size() * phases_.size() > mostSteps)
            message_.damaged("there are too many different lives");
        // The steps of these phases, which need not be in order.
        LivenessClass live;
        for (std::size_t step = 0; step < phases_.size(); ++step) {
            if (phases_[step] < from || phases_[step] >= until)
                continue;
            if (!live.intervals.empty() && live.intervals.back().end == StepId(step))
                live.intervals.back().end = StepId(step + 1);
            else
                live.intervals.push_back({StepId(step), StepId(step + 1)});
        }
        return known->second = profile_.livenessClasses.add(std::move(live));
    }

    void finishVariables() {
        const auto& classes = profile_.livenessClasses;
        if (!classes.empty() && std::all_of(classes.begin(), classes.end(), [](const auto& live) {
                return live.intervals.empty();
            }))
            message_.damaged(
                "it is of another program: nothing is live in the phases of the cycles");
        for (std::size_t i = 0; i < runs_.size(); ++i)
            profile_.variables[VariableId(i)].bytes = TileSeries::fromRuns(std::move(runs_[i]));
    }

    /// A byte that several share counts once, as the tiles' totals do.
    void addCategories() {
        TileSeries own, shared;
        for (std::size_t i = 0; i < profile_.tileMemory.size(); ++i) {
            const TileMemory& memory = profile_.tileMemory[TileId(i)];
            const auto tile = static_cast<std::int32_t>(i);
            const std::int64_t always = std::min(memory.alwaysLive, memory.excludingGaps);
            own.append(tile, tile + 1, always);
            shared.append(tile, tile + 1, memory.excludingGaps - always);
        }
        profile_.categoryMemory.push_back(
            {MemoryCategory::Variable, MemoryRegion::NonInterleaved, false, own});
        profile_.categoryMemory.push_back(
            {MemoryCategory::Variable, MemoryRegion::NonInterleaved, true, shared});
    }

    Profile& profile_;
    const CapnpMessage& message_;
    const std::vector<std::uint32_t>& phases_;
    std::int64_t base_, size_; // bytes
    std::map<std::tuple<std::string_view, std::string_view, std::uint64_t, std::uint64_t, int>,
             VariableId>
        variables_;
    std::vector<std::vector<TileRun>> runs_; ///< bytes by variable
    std::map<std::pair<std::uint64_t, std::uint64_t>, LivenessClassId> classes_;
    std::vector<Placement> lists_; ///< of tiles, those that differ
    std::map<std::vector<std::pair<std::int32_t, std::int64_t>>, std::size_t> placements_;
};

} // namespace

void addMemory(Profile& profile, const CapnpMessage& memory,
               const std::vector<std::uint32_t>& phases) {
    MemoryReader(profile, memory, phases).read();
}

} // namespace tilescope
