#include "simulator/memory/placement.h"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>

#include "core/base/ceil_div.h"
#include "core/base/parallel_for.h"
#include "simulator/layout/blocking.h"
#include "simulator/memory/tile_account.h"

namespace tilescope::sim {
namespace {

// Loads and stores of 64 bits: PopLibs asks this alignment of all vectors.
constexpr std::int64_t variableAlignment = 8;

std::int64_t alignUp(std::int64_t value, std::int64_t alignment) {
    return ceilDiv(value, alignment) * alignment;
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

/// Order of placement: what is bound to a region first, then what belongs there but can lie
/// elsewhere, then always live, then by size.
int rank(const PlaceRequest& request) {
    if (isExecutable(request.category))
        return 0;
    if (isPlainOnly(request.category))
        return 1;
    return request.liveness.valid() ? 3 : 2;
}

/// Places one variable after the other. What is always live is kept as merged extents; of the
/// others only those that a variable can meet are looked at, so that a model of many layers does
/// not cost the square of their number.
class TilePlacer {
public:
    TilePlacer(const Interference& interference, const Target& target)
        : interference_(interference)
        , target_(target)
        , byClass_(interference.classes(), none) {}

    /// `apart`: what the variable must share no element with.
    void place(const PlaceRequest& request, const std::vector<VariableId>& apart) {
        peers_.clear();
        for (const VariableId peer : apart)
            if (const auto known = extentOf_.find(peer); known != extentOf_.end())
                peers_.push_back(elementsOf(known->second.begin, known->second.end));
        collectMet(request.liveness);
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
        variables_.push_back({request.variable, offset});
        const Interval extent{offset, offset + request.bytes};
        if (!apart.empty())
            extentOf_.emplace(request.variable, extent);
        if (request.liveness.valid())
            addSometimesLive(extent, request.liveness);
        else
            addAlwaysLive(extent);
    }

    [[nodiscard]] Placement result() {
        std::stable_sort(
            variables_.begin(), variables_.end(),
            [](const PlacedVariable& a, const PlacedVariable& b) { return a.offset < b.offset; });
        return {std::move(variables_)};
    }

private:
    static constexpr std::int32_t none = -1;
    static bool beginsBefore(const Interval& a, const Interval& b) { return a.begin < b.begin; }

    /// Neighbours with less than the alignment between them leave no room: they become one.
    void addAlwaysLive(const Interval& extent) {
        auto at = alwaysLive_.insert(
            std::upper_bound(alwaysLive_.begin(), alwaysLive_.end(), extent, beginsBefore), extent);
        const auto joins = [](const Interval& a, const Interval& b) {
            return alignUp(a.end, variableAlignment) >= b.begin;
        };
        if (const auto next = at + 1; next != alwaysLive_.end() && joins(*at, *next)) {
            at->end = std::max(at->end, next->end);
            alwaysLive_.erase(next);
        }
        if (at != alwaysLive_.begin() && joins(*(at - 1), *at)) {
            (at - 1)->end = std::max((at - 1)->end, at->end);
            alwaysLive_.erase(at);
        }
    }

    void addSometimesLive(const Interval& extent, LivenessClassId liveness) {
        std::int32_t& head = byClass_[liveness.index()];
        sometimesLive_.push_back({extent, head});
        head = static_cast<std::int32_t>(sometimesLive_.size() - 1);
    }

    /// What a variable of the class may not share addresses with, sorted by begin.
    void collectMet(LivenessClassId liveness) {
        some_.clear();
        if (!liveness.valid())
            for (const Linked& placed : sometimesLive_)
                some_.push_back(placed.extent);
        else
            for (const LivenessClassId other : interference_.met(liveness))
                for (std::int32_t at = byClass_[other.index()]; at != none;
                     at = sometimesLive_[static_cast<std::size_t>(at)].next)
                    some_.push_back(sometimesLive_[static_cast<std::size_t>(at)].extent);
        std::sort(some_.begin(), some_.end(), beginsBefore);
        met_.resize(some_.size() + alwaysLive_.size());
        std::merge(some_.begin(), some_.end(), alwaysLive_.begin(), alwaysLive_.end(), met_.begin(),
                   beginsBefore);
    }

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
        for (const Interval& other : met_) {
            if (other.end <= offset)
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

    /// A variable that is not always live, and the next of its class.
    struct Linked {
        Interval extent;
        std::int32_t next = none;
    };

    const Interference& interference_;
    const Target& target_;
    std::vector<Interval> alwaysLive_; ///< sorted by begin, merged
    std::vector<Linked> sometimesLive_;
    std::vector<std::int32_t> byClass_; ///< the last of each class in sometimesLive_
    std::vector<PlacedVariable> variables_;
    std::unordered_map<VariableId, Interval> extentOf_;
    std::vector<Interval> peers_;      ///< elements that the variable being placed must not touch
    std::vector<Interval> some_, met_; ///< of the variable being placed
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
    , bits_(count_ * count_, 0)
    , met_(count_) {
    for (std::size_t a = 0; a < count_; ++a)
        for (std::size_t b = a; b < count_; ++b) {
            const bool meet = classes[LivenessClassId(a)].overlaps(classes[LivenessClassId(b)]);
            bits_[a * count_ + b] = bits_[b * count_ + a] = meet ? 1 : 0;
            if (meet) {
                met_[a].push_back(LivenessClassId(b));
                if (a != b)
                    met_[b].push_back(LivenessClassId(a));
            }
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
    const std::vector<VariableId> nobody;
    for (const PlaceRequest& request : ordered) {
        const auto peers = apart.find(request.variable);
        placer.place(request, peers == apart.end() ? nobody : peers->second);
    }
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
    parallelFor(representatives.size(), [&](std::size_t i) {
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
