#include "simulator/memory/placement.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <span>
#include <unordered_map>
#include <utility>

#include "core/base/parallel_for.h"
#include "core/store/placement_codec.h"
#include "simulator/memory/tile_account.h"
#include "simulator/memory/tile_placer.h"

namespace tilescope::sim {
namespace {

/// A variable that lies on a tile, with its bytes there.
struct TileEntry {
    std::uint32_t variable = 0;
    std::int64_t bytes = 0;
    friend bool operator==(const TileEntry&, const TileEntry&) = default;
};
/// All of a tile, in the order of variables.
using TileList = std::vector<TileEntry>;

struct ListHash {
    std::size_t operator()(const TileList* list) const {
        std::size_t hash = list->size();
        for (const TileEntry& entry : *list)
            hash = hash * 1099511628211U ^ (static_cast<std::size_t>(entry.variable) * 31 +
                                            static_cast<std::size_t>(entry.bytes));
        return hash;
    }
};
struct ListEqual {
    bool operator()(const TileList* a, const TileList* b) const { return *a == *b; }
};
/// Numbers of lists, by their contents.
using KnownLists = std::unordered_map<const TileList*, std::size_t, ListHash, ListEqual>;

/// One of the placements of an IPU's tiles.
struct DistinctPlacement {
    TileList list;
    Placement placement; ///< in the order of variables
    TileAccount account;
};

/// The placements of an IPU's tiles.
struct IpuPlacements {
    static constexpr std::int32_t none = -1;
    std::vector<std::int32_t> ofTile; ///< none: the tile is empty
    std::vector<DistinctPlacement> distinct;
};

/// Places IPU by IPU: few variables are on more than one, so that lists, classes and turns of one
/// are a small part of all, and those of the others need not exist at the same time.
class Placing {
public:
    Placing(const LoweredProgram& lowered, const Target& target)
        : profile_(lowered.profile)
        , target_(target) {
        requests_.reserve(profile_.variables.size());
        for (std::size_t i = 0; i < profile_.variables.size(); ++i) {
            const VariableId id(i);
            const Variable& v = profile_.variables[id];
            requests_.push_back({id, 0, v.alwaysLive ? LivenessClassId() : v.liveness, v.category,
                                 lowered.needs[id].interleaved, lowered.needs[id].apartFrom,
                                 lowered.needs[id].preferablyApart});
        }
    }

    [[nodiscard]] IpuPlacements placeIpu(std::int32_t ipu) const {
        std::vector<TileList> lists = listsOf(ipu);
        IpuPlacements result;
        result.ofTile.resize(lists.size(), IpuPlacements::none);
        KnownLists known;
        std::vector<std::size_t> first; // tile of each distinct list
        for (std::size_t tile = 0; tile < lists.size(); ++tile) {
            if (lists[tile].empty())
                continue;
            const auto [entry, isNew] = known.emplace(&lists[tile], first.size());
            if (isNew)
                first.push_back(tile);
            else
                lists[tile] = {};
            result.ofTile[tile] = static_cast<std::int32_t>(entry->second);
        }
        const std::vector<bool> there = classesIn(lists, first);
        const Interference interference(profile_.livenessClasses, there);
        const LiveTurns turns(profile_.livenessClasses, there);
        result.distinct.resize(first.size());
        constexpr std::size_t tilesAtOnce = 16; // few enough to keep all processors busy
        parallelFor((first.size() + tilesAtOnce - 1) / tilesAtOnce, [&](std::size_t chunk) {
            TilePlacements placements(interference, target_);
            std::vector<PlaceRequest> requests;
            const std::size_t begin = chunk * tilesAtOnce;
            for (std::size_t i = begin; i < std::min(begin + tilesAtOnce, first.size()); ++i) {
                TileList list = std::move(lists[first[i]]);
                result.distinct[i] = place(list, placements, turns, requests);
                if (!staysOn(ipu, list))
                    result.distinct[i].list = std::move(list);
            }
        });
        return result;
    }

private:
    /// False for variables that the compiler drops, since they are never accessed.
    [[nodiscard]] static bool isKept(const Variable& variable) {
        return variable.alwaysLive || variable.liveness.valid();
    }

    /// visit(variable, first, end, bytes) of all runs on an IPU, with its tiles counted from 0.
    template <class Visit> void forRuns(std::int32_t ipu, const Visit& visit) const {
        const std::int32_t first = ipu * target_.tilesPerIpu;
        const std::int32_t end = first + target_.tilesPerIpu;
        for (std::size_t i = 0; i < profile_.variables.size(); ++i) {
            const Variable& variable = profile_.variables[VariableId(i)];
            if (!isKept(variable))
                continue;
            const std::vector<TileRun>& runs = variable.bytes.runs();
            auto run = std::partition_point(runs.begin(), runs.end(),
                                            [&](const TileRun& r) { return r.end <= first; });
            for (; run != runs.end() && run->first < end; ++run)
                visit(static_cast<std::uint32_t>(i), std::max(run->first, first) - first,
                      std::min(run->end, end) - first, run->value);
        }
    }

    [[nodiscard]] std::vector<TileList> listsOf(std::int32_t ipu) const {
        const auto tiles = static_cast<std::size_t>(target_.tilesPerIpu);
        std::vector<std::int32_t> more(tiles + 1, 0); // entries than on the tile before
        forRuns(ipu, [&](std::uint32_t, std::int32_t first, std::int32_t end, std::int64_t) {
            ++more[static_cast<std::size_t>(first)];
            --more[static_cast<std::size_t>(end)];
        });
        std::vector<TileList> lists(tiles);
        std::int32_t entries = 0;
        for (std::size_t tile = 0; tile < tiles; ++tile)
            lists[tile].reserve(static_cast<std::size_t>(entries += more[tile]));
        forRuns(ipu, [&](std::uint32_t variable, std::int32_t first, std::int32_t end,
                         std::int64_t bytes) {
            for (std::int32_t tile = first; tile < end; ++tile)
                lists[static_cast<std::size_t>(tile)].push_back({variable, bytes});
        });
        return lists;
    }

    [[nodiscard]] std::vector<bool> classesIn(const std::vector<TileList>& lists,
                                              const std::vector<std::size_t>& tiles) const {
        std::vector<bool> there(profile_.livenessClasses.size(), false);
        for (const std::size_t tile : tiles)
            for (const TileEntry& entry : lists[tile])
                if (const LivenessClassId id = requests_[entry.variable].liveness; id.valid())
                    there[id.index()] = true;
        return there;
    }

    /// True if the list has a variable that lies on this IPU only: no other IPU has an equal one.
    [[nodiscard]] bool staysOn(std::int32_t ipu, const TileList& list) const {
        const std::int32_t first = ipu * target_.tilesPerIpu;
        return std::any_of(list.begin(), list.end(), [&](const TileEntry& entry) {
            const auto& runs =
                profile_.variables[VariableId(std::size_t{entry.variable})].bytes.runs();
            return runs.front().first >= first && runs.back().end <= first + target_.tilesPerIpu;
        });
    }

    /// What does not fit with the largest first is tried once more, with long lives counting, too:
    /// *assumed*, as Poplar's allocator is not public, but published programs fit that would not.
    /// Nothing changes where that does not fit either.
    void placeAgain(const std::vector<PlaceRequest>& requests, TilePlacements& placements,
                    const LiveTurns& turns, DistinctPlacement& result) const {
        constexpr double lifeExponent = 0.25;
        std::vector<double> weights;
        weights.reserve(requests.size());
        for (const PlaceRequest& request : requests) {
            std::int64_t life = request.liveness.valid() ? 0 : 1;
            if (request.liveness.valid())
                for (const LiveTurns::Span& span : turns.of(request.liveness))
                    life += span.end - span.first;
            weights.push_back(static_cast<double>(request.bytes) *
                              std::pow(static_cast<double>(life), lifeExponent));
        }
        const std::vector<PlacedRequest>& again = placements.place(requests, weights);
        TileAccount found = accountFor(requests, again, turns, target_);
        if (exceeds(found))
            return;
        result = {{}, placementOf(requests, again), std::move(found)};
    }

    /// `requests`: memory for those of the tile.
    [[nodiscard]] DistinctPlacement place(const TileList& list, TilePlacements& placements,
                                          const LiveTurns& turns,
                                          std::vector<PlaceRequest>& requests) const {
        requests.clear();
        requests.reserve(list.size());
        for (const TileEntry& entry : list) {
            requests.push_back(requests_[entry.variable]);
            requests.back().bytes = entry.bytes;
        }
        const auto resultOf = [&](const std::vector<PlacedRequest>& placed) {
            return DistinctPlacement{
                {}, placementOf(requests, placed), accountFor(requests, placed, turns, target_)};
        };
        // Messages first is *assumed*: published fullest tiles have it. Preferences are given up
        // where there is no room for them.
        DistinctPlacement result = resultOf(placements.placeMessagesFirst(requests));
        if (exceeds(result.account))
            result = resultOf(placements.place(requests));
        if (exceeds(result.account))
            placeAgain(requests, placements, turns, result);
        return result;
    }

    [[nodiscard]] bool exceeds(const TileAccount& account) const {
        return account.memory.includingGaps > target_.bytesPerTile;
    }

    /// In the order of variables.
    static Placement placementOf(const std::vector<PlaceRequest>& requests,
                                 const std::vector<PlacedRequest>& placed) {
        Placement placement;
        placement.variables.resize(placed.size());
        for (const PlacedRequest& place : placed)
            placement.variables[place.request] = {requests[place.request].variable, place.offset};
        return placement;
    }

    const Profile& profile_;
    const Target& target_;
    std::vector<PlaceRequest> requests_; ///< by variable, without bytes
};

/// Writes the placements of all IPUs into the profile, packed: as values they would take more
/// memory than all else.
class PlacementRecord {
public:
    explicit PlacementRecord(Profile& profile)
        : profile_(profile)
        , byKey_(AccountKey::count) {}

    /// IPU by IPU, in their order.
    void add(IpuPlacements ipu) {
        std::vector<std::int64_t> numbers;
        for (DistinctPlacement& distinct : ipu.distinct)
            numbers.push_back(numberOf(distinct));
        for (const std::int32_t at : ipu.ofTile) {
            const auto tile = static_cast<std::int32_t>(profile_.tileMemory.size());
            if (at == IpuPlacements::none) {
                profile_.tileMemory.add({});
                continue;
            }
            const auto i = static_cast<std::size_t>(at);
            profile_.placementOfTile.append(tile, tile + 1, numbers[i] + 1);
            profile_.tileMemory.add(ipu.distinct[i].account.memory);
            for (const auto& [key, bytes] : ipu.distinct[i].account.byCategory)
                byKey_[key.index()].append(tile, tile + 1, bytes);
        }
        pack(open_.size() / placementsPerChunk * placementsPerChunk);
    }

    void finish() {
        pack(open_.size());
        for (const MemoryCategory category : memoryCategories)
            for (const MemoryRegion region : memoryRegions)
                for (const bool overlapped : {false, true}) {
                    const AccountKey key{category, region, overlapped};
                    if (!byKey_[key.index()].empty())
                        profile_.categoryMemory.push_back(
                            {category, region, overlapped, std::move(byKey_[key.index()])});
                }
    }

private:
    /// The number of a placement, which an earlier IPU may already have.
    std::int64_t numberOf(DistinctPlacement& distinct) {
        const std::size_t next = packed_ + open_.size();
        if (!distinct.list.empty()) {
            lists_.push_back(std::move(distinct.list));
            const auto [entry, isNew] = known_.emplace(&lists_.back(), next);
            if (!isNew) {
                lists_.pop_back();
                return static_cast<std::int64_t>(entry->second);
            }
        }
        open_.push_back(std::move(distinct.placement));
        return static_cast<std::int64_t>(next);
    }

    /// Packs the first of what is not packed yet. Chunks are independent of each other.
    void pack(std::size_t placements) {
        const std::size_t chunks = (placements + placementsPerChunk - 1) / placementsPerChunk;
        const std::size_t before = profile_.placements.size();
        profile_.placements.resize(before + chunks);
        parallelFor(chunks, [&](std::size_t i) {
            const std::size_t first = i * placementsPerChunk;
            const std::size_t count = std::min(placementsPerChunk, placements - first);
            profile_.placements[before + i] = {
                count, encodePlacements(std::span<const Placement>(open_).subspan(first, count))};
        });
        open_.erase(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(placements));
        packed_ += placements;
    }

    Profile& profile_;
    std::size_t packed_ = 0;      ///< placements
    std::vector<Placement> open_; ///< those after them
    std::deque<TileList> lists_;  ///< those that more than one IPU may have
    KnownLists known_;            ///< the same by contents
    std::vector<TileSeries> byKey_;
};

} // namespace

/// One IPU after the other, on all processors: what a tile has takes much memory until it is
/// packed.
void placeVariables(LoweredProgram& lowered, const Target& target) {
    const Placing placing(lowered, target);
    PlacementRecord record(lowered.profile);
    for (std::int32_t ipu = 0; ipu < target.ipus; ++ipu)
        record.add(placing.placeIpu(ipu));
    record.finish();
}

} // namespace tilescope::sim
