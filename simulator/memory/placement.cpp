#include "simulator/memory/placement.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tbb/parallel_for.h>
#include <unordered_map>

#include "simulator/layout/blocking.h"
#include "simulator/memory/tile_account.h"

namespace tilescope::sim {
namespace {

// Loads and stores of 64 bits: PopLibs asks this alignment of all vectors.
constexpr std::int64_t variableAlignment = 8;

std::int64_t alignUp(std::int64_t value, std::int64_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

bool isExecutable(MemoryCategory category) {
    switch (category) {
    case MemoryCategory::VertexCode:
    case MemoryCategory::ControlCode:
    case MemoryCategory::InternalExchangeCode:
    case MemoryCategory::HostExchangeCode:
    case MemoryCategory::GlobalExchangeCode:
        return true;
    default:
        return false;
    }
}

/// Vertex state, too, must lie within reach of the base of the plain region (16-bit offsets).
bool isPlainOnly(MemoryCategory category) {
    return isExecutable(category) || category == MemoryCategory::VertexInstanceState ||
           category == MemoryCategory::VertexFieldData || category == MemoryCategory::Stack;
}

/// Order of placement: what is bound to a region first, then always live, then by size.
int rank(const PlaceRequest& request) {
    if (isPlainOnly(request.category))
        return 0;
    return request.liveness.valid() ? 2 : 1;
}

struct Placed {
    std::int64_t begin, end;
    LivenessClassId liveness;
    VariableId variable;
};

class TilePlacer {
public:
    TilePlacer(const Interference& interference, const Target& target)
        : interference_(interference)
        , target_(target) {}

    /// `apart`: what the variable must share no element with.
    void place(const PlaceRequest& request, const std::vector<VariableId>& apart) {
        peers_.clear();
        for (const Placed& placed : placed_)
            if (std::find(apart.begin(), apart.end(), placed.variable) != apart.end())
                peers_.push_back(elementsOf(placed.begin, placed.end));
        std::int64_t offset = -1;
        const std::int64_t end = target_.bytesPerTile;
        if (isPlainOnly(request.category))
            offset = firstFit(request, 0, target_.interleavedOffset);
        else if (request.interleaved)
            offset = firstFit(request, target_.interleavedOffset, end);
        if (offset < 0 && !isExecutable(request.category))
            offset = firstFit(request, 0, end);
        if (offset < 0)
            offset = firstFit(request, end, std::numeric_limits<std::int64_t>::max() / 2);
        const Placed placed{offset, offset + request.bytes, request.liveness, request.variable};
        placed_.insert(
            std::upper_bound(placed_.begin(), placed_.end(), placed,
                             [](const Placed& a, const Placed& b) { return a.begin < b.begin; }),
            placed);
    }

    [[nodiscard]] Placement result() const {
        Placement placement;
        placement.variables.reserve(placed_.size());
        for (const Placed& p : placed_)
            placement.variables.push_back({p.variable, p.begin});
        return placement;
    }

private:
    /// Lowest aligned offset in [from, to) where the variable meets none that is live with it, in
    /// no element of its peers.
    [[nodiscard]] std::int64_t firstFit(const PlaceRequest& request, std::int64_t from,
                                        std::int64_t to) const {
        std::int64_t offset = from;
        for (;;) {
            offset = firstFree(request, offset);
            const auto peer = std::find_if(peers_.begin(), peers_.end(), [&](const Interval& p) {
                return offset < p.end && p.begin < offset + request.bytes;
            });
            if (peer == peers_.end())
                break;
            offset = alignUp(peer->end, variableAlignment);
        }
        return offset + request.bytes <= to ? offset : -1;
    }

    [[nodiscard]] std::int64_t firstFree(const PlaceRequest& request, std::int64_t from) const {
        std::int64_t offset = from;
        for (const Placed& other : placed_) {
            if (other.end <= offset || !interference_.overlap(request.liveness, other.liveness))
                continue;
            if (other.begin >= offset + request.bytes)
                break;
            offset = alignUp(other.end, variableAlignment);
        }
        return offset;
    }

    /// The whole elements that [begin, end) touches. Two ways of interleaving make a pair of
    /// elements one.
    [[nodiscard]] Interval elementsOf(std::int64_t begin, std::int64_t end) const {
        const auto element = [&](std::int64_t address) {
            const bool pair = address >= target_.interleavedOffset;
            const std::int64_t base = pair ? target_.interleavedOffset : 0;
            const std::int64_t size = target_.elementBytes * (pair ? 2 : 1);
            const std::int64_t first = base + (address - base) / size * size;
            return Interval{first, first + size};
        };
        return {element(begin).begin, element(std::max(begin, end - 1)).end};
    }

    const Interference& interference_;
    const Target& target_;
    std::vector<Placed> placed_;  ///< sorted by begin
    std::vector<Interval> peers_; ///< elements that the variable being placed must not touch
};

/// Requests of every tile, found by one pass over the variables' runs.
class TileRequests {
public:
    TileRequests(const LoweredProgram& lowered, std::int32_t tiles)
        : lowered_(lowered)
        , byTile_(static_cast<std::size_t>(tiles)) {
        const auto& variables = lowered.profile.variables;
        for (std::size_t v = 0; v < variables.size(); ++v) {
            const Variable& variable = variables[VariableId(v)];
            if (!variable.alwaysLive && !variable.liveness.valid())
                continue; // never accessed: the compiler drops it
            for (const TileRun& run : variable.bytes.runs())
                for (std::int32_t tile = run.first; tile < run.end; ++tile)
                    byTile_[static_cast<std::size_t>(tile)].emplace_back(
                        static_cast<std::int32_t>(v), run.value);
        }
    }

    using List = std::vector<std::pair<std::int32_t, std::int64_t>>;
    [[nodiscard]] const List& of(std::int32_t tile) const {
        return byTile_[static_cast<std::size_t>(tile)];
    }

    [[nodiscard]] std::vector<PlaceRequest> requests(std::int32_t tile) const {
        std::vector<PlaceRequest> requests;
        for (const auto& [id, bytes] : of(tile)) {
            const VariableId variable(id);
            const Variable& v = lowered_.profile.variables[variable];
            requests.push_back({variable, bytes, v.alwaysLive ? LivenessClassId() : v.liveness,
                                v.category, lowered_.needs[variable].interleaved,
                                lowered_.needs[variable].apartFrom});
        }
        return requests;
    }

private:
    const LoweredProgram& lowered_;
    std::vector<List> byTile_;
};

struct ListHash {
    std::size_t operator()(const TileRequests::List* list) const {
        std::size_t hash = list->size();
        for (const auto& [id, bytes] : *list)
            hash = hash * 1099511628211u ^
                   (static_cast<std::size_t>(id) * 31 + static_cast<std::size_t>(bytes));
        return hash;
    }
};
struct ListEqual {
    bool operator()(const TileRequests::List* a, const TileRequests::List* b) const {
        return *a == *b;
    }
};

} // namespace

Interference::Interference(const IdVector<LivenessClassId, LivenessClass>& classes)
    : count_(classes.size())
    , bits_(count_ * count_, 0) {
    for (std::size_t a = 0; a < count_; ++a)
        for (std::size_t b = a; b < count_; ++b) {
            const bool meet = classes[LivenessClassId(a)].overlaps(classes[LivenessClassId(b)]);
            bits_[a * count_ + b] = bits_[b * count_ + a] = meet ? 1 : 0;
        }
}

Placement placeOnTile(const std::vector<PlaceRequest>& requests, const Interference& interference,
                      const Target& target) {
    std::vector<PlaceRequest> ordered = requests;
    std::sort(ordered.begin(), ordered.end(), [](const PlaceRequest& a, const PlaceRequest& b) {
        const auto key = [](const PlaceRequest& r) {
            return std::tuple(rank(r), -r.bytes, r.variable);
        };
        return key(a) < key(b);
    });
    std::map<VariableId, std::vector<VariableId>> apart;
    for (const PlaceRequest& request : requests)
        if (request.apartFrom.valid()) {
            apart[request.variable].push_back(request.apartFrom);
            apart[request.apartFrom].push_back(request.variable);
        }
    TilePlacer placer(interference, target);
    for (const PlaceRequest& request : ordered)
        placer.place(request, apart[request.variable]);
    return placer.result();
}

void placeVariables(LoweredProgram& lowered, const Target& target) {
    Profile& profile = lowered.profile;
    const std::int32_t tiles = target.totalTiles();
    const Interference interference(profile.livenessClasses);
    const TileRequests requests(lowered, tiles);

    // One placement for all tiles with the same variables in the same sizes.
    std::unordered_map<const TileRequests::List*, std::size_t, ListHash, ListEqual> known;
    std::vector<std::int32_t> representatives;
    std::vector<std::int64_t> placementOf(static_cast<std::size_t>(tiles), 0);
    for (std::int32_t tile = 0; tile < tiles; ++tile) {
        if (requests.of(tile).empty())
            continue;
        const auto [entry, isNew] = known.emplace(&requests.of(tile), representatives.size());
        if (isNew)
            representatives.push_back(tile);
        placementOf[static_cast<std::size_t>(tile)] = static_cast<std::int64_t>(entry->second) + 1;
    }
    std::vector<Placement> placements(representatives.size());
    std::vector<TileAccount> accounts(representatives.size());
    tbb::parallel_for(std::size_t{0}, representatives.size(), [&](std::size_t i) {
        const auto list = requests.requests(representatives[i]);
        placements[i] = placeOnTile(list, interference, target);
        accounts[i] =
            accountFor(list, placements[i], profile.livenessClasses, profile.steps.size(), target);
    });

    for (Placement& placement : placements)
        profile.placements.add(std::move(placement));
    profile.placementOfTile = TileSeries::fromDense(placementOf);
    std::map<AccountKey, std::vector<std::int64_t>> byCategory;
    for (std::int32_t tile = 0; tile < tiles; ++tile) {
        const std::int64_t at = placementOf[static_cast<std::size_t>(tile)];
        if (at == 0) {
            profile.tileMemory.add({});
            continue;
        }
        const TileAccount& account = accounts[static_cast<std::size_t>(at - 1)];
        profile.tileMemory.add(account.memory);
        for (const auto& [key, bytes] : account.byCategory) {
            auto& dense = byCategory[key];
            dense.resize(static_cast<std::size_t>(tiles), 0);
            dense[static_cast<std::size_t>(tile)] = bytes;
        }
    }
    for (const auto& [key, dense] : byCategory)
        profile.categoryMemory.push_back(
            {key.category, key.region, key.overlapped, TileSeries::fromDense(dense)});
}

} // namespace tilescope::sim
