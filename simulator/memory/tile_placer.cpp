#include "simulator/memory/tile_placer.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <unordered_map>

#include "core/base/ceil_div.h"
#include "core/base/radix_sort.h"
#include "simulator/layout/blocking.h"
#include "simulator/memory/first_gap.h"
#include "simulator/memory/tile_order.h"

namespace tilescope::sim {
namespace {

// Loads and stores of 64 bits: PopLibs requires this alignment of all vectors.
constexpr std::int64_t variableAlignment = 8;

/// In units of the alignment, rounded up.
std::int64_t inUnits(std::int64_t bytes) {
    return ceilDiv(bytes, variableAlignment);
}

/// Variables that must share no memory element, by either of a pair.
using Apart = std::map<VariableId, std::vector<VariableId>>;

Apart apartOf(const std::vector<PlaceRequest>& requests) {
    Apart apart;
    for (const PlaceRequest& request : requests)
        if (request.apartFrom.valid()) {
            apart[request.variable].push_back(request.apartFrom);
            apart[request.apartFrom].push_back(request.variable);
        }
    return apart;
}

/// Places one variable after the other. Always-live ones are kept as merged extents. Among the
/// others only those that a variable can meet are examined, so that time is not quadratic in the
/// number of a model's layers: each liveness class has its slots, class after class in the order of
/// Interference, and a class meets a few runs of slots. Addresses are in units of the alignment.
template <class Unit> class TilePlacer {
public:
    TilePlacer(const Interference& interference, const Target& target)
        : interference_(interference)
        , target_(target) {}

    /// All of a tile, in the order given. `prefers`: what preferably is apart is.
    const std::vector<PlacedRequest>& place(const std::vector<PlaceRequest>& requests,
                                            const std::vector<std::uint32_t>& order, bool prefers) {
        begin(requests, prefers);
        for (const std::uint32_t number : order)
            place(number, requests[number]);
        // Variables at the same address stay in the order of placement.
        radixSort(
            placed_,
            [](const PlacedRequest& place) { return static_cast<std::uint64_t>(place.offset); },
            sorted_);
        return placed_;
    }

private:
    struct Extent {
        Unit begin = 0, end = 0;
    };
    static constexpr Unit notTaken = 0; // an end
    /// A variable that preferably is apart from others; without bytes until it has its place.
    struct Preferring {
        VariableId variable;
        Interval bytes;
    };

    void begin(const std::vector<PlaceRequest>& requests, bool prefers) {
        apart_ = apartOf(requests);
        extentOf_.clear();
        preferring_.clear();
        prefers_ = prefers;
        if (prefers)
            listPreferring(requests);
        placed_.clear();
        alwaysLive_.clear();
        slots_.assign(interference_.classes() + 1, 0);
        for (const PlaceRequest& request : requests)
            if (request.liveness.valid())
                ++slots_[interference_.number(request.liveness) + std::size_t{1}];
        std::partial_sum(slots_.begin(), slots_.end(), slots_.begin());
        free_ = slots_;
        slotsTaken_ = false;
        const std::size_t extents = requests.size() + extentsAtOnce;
        begins_.assign(extents, 0);
        ends_.assign(extents, notTaken);
        metBegins_.resize(std::max(metBegins_.size(), extents));
        metEnds_.resize(std::max(metEnds_.size(), extents));
    }

    void place(std::uint32_t number, const PlaceRequest& request) {
        const auto apart = apart_.empty() ? apart_.end() : apart_.find(request.variable);
        peers_.clear();
        if (apart != apart_.end())
            for (const VariableId peer : apart->second)
                if (const auto known = extentOf_.find(peer); known != extentOf_.end())
                    peers_.push_back(elementsOf(known->second));
        const bool prefers = prefers_ && request.preferablyApart.front().valid();
        if (prefers)
            addPreferredPeers(number, request);
        collectMet(request.liveness);
        const std::int64_t offset = find(request);
        placed_.push_back({number, offset});
        const Interval extent{offset, offset + request.bytes};
        if (apart != apart_.end())
            extentOf_.emplace(request.variable, extent);
        if (prefers)
            preferring_[preferringOf_[number]].bytes = extent;
        if (request.liveness.valid())
            addSometimesLive(extent, request.liveness);
        else
            addAlwaysLive(extent);
    }

    void listPreferring(const std::vector<PlaceRequest>& requests) {
        preferringOf_.resize(std::max(preferringOf_.size(), requests.size()));
        for (std::size_t i = 0; i < requests.size(); ++i)
            if (requests[i].preferablyApart.front().valid()) {
                preferringOf_[i] = static_cast<std::uint32_t>(preferring_.size());
                preferring_.push_back({requests[i].variable, {}});
            }
    }

    /// Few variables have any: placing the others is faster if this is not part of it.
    [[gnu::noinline]] void addPreferredPeers(std::uint32_t number, const PlaceRequest& request) {
        for (const VariableId peer : request.preferablyApart) {
            if (!peer.valid())
                return;
            const Preferring& known = preferring_[nearestPreferring(preferringOf_[number], peer)];
            if (known.variable == peer && known.bytes.end > 0)
                peers_.push_back(elementsOf(known.bytes));
        }
    }

    /// A variable, or one that is next to where it would be. Those of one vertex are near each
    /// other in most cases: the search begins at one of them.
    [[nodiscard]] std::size_t nearestPreferring(std::size_t at, VariableId peer) const {
        constexpr int mostSteps = 8; // take about as long as bisecting does
        for (int step = 0; step < mostSteps; ++step) {
            const VariableId here = preferring_[at].variable;
            if (here == peer || (here < peer ? at + 1 == preferring_.size() : at == 0))
                return at;
            at = here < peer ? at + 1 : at - 1;
        }
        const auto found = std::lower_bound(
            preferring_.begin(), preferring_.end() - 1, peer,
            [](const Preferring& one, VariableId id) { return one.variable < id; });
        return static_cast<std::size_t>(found - preferring_.begin());
    }

    static Extent unitsOfExtent(const Interval& bytes) {
        return {static_cast<Unit>(bytes.begin / variableAlignment),
                static_cast<Unit>(inUnits(bytes.end))};
    }

    /// Tries the regions in the variable's order of preference.
    [[nodiscard]] std::int64_t find(const PlaceRequest& request) {
        std::int64_t offset = -1;
        const std::int64_t end = target_.bytesPerTile;
        if (isPlainOnly(request.category))
            offset = firstFit(request, 0, target_.interleavedOffset);
        else if (request.interleaved)
            offset = firstFit(request, target_.interleavedOffset, end);
        if (offset < 0 && !isExecutable(request.category))
            offset = firstFit(request, 0, end);
        if (offset < 0)
            offset = firstFit(request, end, std::numeric_limits<std::int64_t>::max());
        return offset;
    }

    /// Neighbours with less than the alignment between them leave no room: they become one.
    void addAlwaysLive(const Interval& bytes) {
        const Extent extent = unitsOfExtent(bytes);
        auto at = alwaysLive_.insert(
            std::upper_bound(alwaysLive_.begin(), alwaysLive_.end(), extent,
                             [](const Extent& a, const Extent& b) { return a.begin < b.begin; }),
            extent);
        if (const auto next = at + 1; next != alwaysLive_.end() && at->end >= next->begin) {
            at->end = std::max(at->end, next->end);
            alwaysLive_.erase(next);
        }
        if (at != alwaysLive_.begin() && (at - 1)->end >= at->begin) {
            (at - 1)->end = std::max((at - 1)->end, at->end);
            alwaysLive_.erase(at);
        }
    }

    void addSometimesLive(const Interval& bytes, LivenessClassId liveness) {
        const Extent extent = unitsOfExtent(bytes);
        const std::uint32_t slot = free_[interference_.number(liveness)]++;
        begins_[slot] = extent.begin;
        ends_[slot] = extent.end;
        slotsTaken_ = true;
    }

    /// Collects the variables with which one of the class may not share addresses, except for
    /// always-live ones: their slots, whether taken or not, in any order.
    void collectMet(LivenessClassId liveness) {
        met_ = 0;
        if (!slotsTaken_)
            return;
        if (liveness.valid()) {
            met_ = gatherExtents(interference_.met(interference_.number(liveness)), slots_.data(),
                                 begins_.data(), ends_.data(), metBegins_.data(), metEnds_.data());
        } else {
            met_ = slots_.back();
            std::copy_n(begins_.data(), met_, metBegins_.data());
            std::copy_n(ends_.data(), met_, metEnds_.data());
        }
        // Whole blocks are examined: what is behind the last one meets nothing.
        std::fill_n(metBegins_.data() + met_, extentsAtOnce, Unit{0});
        std::fill_n(metEnds_.data() + met_, extentsAtOnce, notTaken);
    }

    /// Lowest aligned offset in [from, to) where the variable meets none that is live with it, in
    /// no element of its peers.
    [[nodiscard]] std::int64_t firstFit(const PlaceRequest& request, std::int64_t from,
                                        std::int64_t to) {
        const auto wanted = static_cast<Unit>(inUnits(request.bytes));
        std::int64_t offset = from;
        for (;;) {
            offset = std::int64_t{firstFree(wanted, static_cast<Unit>(inUnits(offset)))} *
                     variableAlignment;
            const auto peer = std::find_if(peers_.begin(), peers_.end(), [&](const Interval& p) {
                return offset < p.end && p.begin < offset + request.bytes;
            });
            if (peer == peers_.end())
                break;
            offset = peer->end;
        }
        return offset <= to - request.bytes ? offset : -1;
    }

    /// Every variable in the way moves the offset past it, whatever their order: so sorting is not
    /// needed, and passes over two arrays are fastest. After many they are sorted after all.
    [[nodiscard]] Unit firstFree(Unit wanted, Unit offset) {
        constexpr int mostPasses = 32; // take about as long as sorting does
        const std::size_t metInBlocks = (met_ + extentsAtOnce - 1) / extentsAtOnce * extentsAtOnce;
        int passes = mostPasses;
        for (bool meetsNone = false;; meetsNone = true) {
            const Unit start = firstAlwaysFree(wanted, offset);
            if (meetsNone && start == offset)
                return offset;
            offset =
                firstGap(metBegins_.data(), metEnds_.data(), metInBlocks, start, wanted, passes);
            if (passes == 0)
                return firstFreeInOrder(wanted, offset);
            if (offset == start)
                return offset;
        }
    }

    /// The same among always-live variables only.
    [[nodiscard]] Unit firstAlwaysFree(Unit wanted, Unit offset) const {
        for (auto always = firstAlwaysLiveAfter(offset);
             always != alwaysLive_.end() && always->begin < offset + wanted; ++always)
            offset = always->end;
        return offset;
    }

    [[nodiscard]] Unit firstFreeInOrder(Unit wanted, Unit offset) {
        inOrder_.assign(firstAlwaysLiveAfter(offset), alwaysLive_.cend());
        for (std::size_t i = 0; i < met_; ++i)
            if (metEnds_[i] > offset)
                inOrder_.push_back({metBegins_[i], metEnds_[i]});
        std::sort(inOrder_.begin(), inOrder_.end(),
                  [](const Extent& a, const Extent& b) { return a.begin < b.begin; });
        for (const Extent& extent : inOrder_) {
            if (extent.begin >= offset + wanted)
                break;
            offset = std::max(offset, extent.end);
        }
        return offset;
    }

    [[nodiscard]] typename std::vector<Extent>::const_iterator
    firstAlwaysLiveAfter(Unit offset) const {
        return std::upper_bound(alwaysLive_.begin(), alwaysLive_.end(), offset,
                                [](Unit at, const Extent& extent) { return at < extent.end; });
    }

    /// The whole elements that some bytes touch. Two ways of interleaving make a pair of elements
    /// one.
    [[nodiscard]] Interval elementsOf(const Interval& bytes) const {
        const auto element = [&](std::int64_t address) {
            const bool pair = address >= target_.interleavedOffset;
            const std::int64_t base = pair ? target_.interleavedOffset : 0;
            const std::int64_t size = target_.elementBytes * (pair ? 2 : 1);
            const std::int64_t first = base + (address - base) / size * size;
            return Interval{first, first + size};
        };
        return {element(bytes.begin).begin, element(std::max(bytes.begin, bytes.end - 1)).end};
    }

    const Interference& interference_;
    const Target& target_;
    // Of the tile being placed.
    Apart apart_;
    std::vector<PlacedRequest> placed_, sorted_;
    std::vector<Extent> alwaysLive_;   ///< sorted, merged
    std::vector<std::uint32_t> slots_; ///< by class, its first; one entry more for the end
    std::vector<std::uint32_t> free_;  ///< by class, its next one to take
    std::vector<Unit> begins_, ends_;  ///< of what is not always live, by slot
    bool slotsTaken_ = false;          ///< any
    std::size_t met_ = 0;              ///< how many the variable being placed can meet
    std::vector<Unit> metBegins_, metEnds_;
    std::vector<Extent> inOrder_;                       ///< used again from variable to variable
    std::unordered_map<VariableId, Interval> extentOf_; ///< bytes, of what is kept apart
    bool prefers_ = false;
    std::vector<Preferring> preferring_;      ///< in the order of variables
    std::vector<std::uint32_t> preferringOf_; ///< by request, of those that prefer
    std::vector<Interval> peers_; ///< elements that the variable being placed must not touch
};

/// An address beyond all variables: each is placed in a gap, or after all others and the elements
/// of those that it is kept apart from.
std::int64_t highestAddress(const std::vector<PlaceRequest>& requests, const Target& target) {
    std::int64_t highest = target.bytesPerTile;
    for (const PlaceRequest& request : requests)
        highest += request.bytes + 2 * target.elementBytes + variableAlignment;
    return highest;
}

} // namespace

class TilePlacements::Impl {
public:
    Impl(const Interference& interference, const Target& target)
        : target_(target)
        , small_(interference, target)
        , large_(interference, target) {}

    const std::vector<PlacedRequest>& place(const std::vector<PlaceRequest>& requests,
                                            const std::vector<double>& weights) {
        const auto& order = weights.empty() ? order_.of(requests, FirstOfLives::Largest)
                                            : order_.of(requests, weights);
        return placeInOrder(requests, order, false);
    }

    const std::vector<PlacedRequest>&
    placeMessagesFirst(const std::vector<PlaceRequest>& requests) {
        return placeInOrder(requests, order_.of(requests, FirstOfLives::Messages), true);
    }

private:
    const std::vector<PlacedRequest>& placeInOrder(const std::vector<PlaceRequest>& requests,
                                                   const std::vector<std::uint32_t>& order,
                                                   bool prefers) {
        // Half the width is twice the speed; tiles exceeded by gigabytes take the slow way.
        const bool small = inUnits(highestAddress(requests, target_)) <=
                           std::int64_t{std::numeric_limits<std::int32_t>::max()} / 2;
        return small ? small_.place(requests, order, prefers)
                     : large_.place(requests, order, prefers);
    }

    const Target& target_;
    TilePlacer<std::int32_t> small_;
    TilePlacer<std::int64_t> large_;
    PlacementOrder order_;
};

TilePlacements::TilePlacements(const Interference& interference, const Target& target)
    : impl_(std::make_unique<Impl>(interference, target)) {}

TilePlacements::~TilePlacements() = default;

const std::vector<PlacedRequest>& TilePlacements::place(const std::vector<PlaceRequest>& requests,
                                                        const std::vector<double>& weights) {
    return impl_->place(requests, weights);
}

const std::vector<PlacedRequest>&
TilePlacements::placeMessagesFirst(const std::vector<PlaceRequest>& requests) {
    return impl_->placeMessagesFirst(requests);
}

std::vector<PlacedRequest> placeOnTile(const std::vector<PlaceRequest>& requests,
                                       const Interference& interference, const Target& target,
                                       const std::vector<double>& weights) {
    return TilePlacements(interference, target).place(requests, weights);
}

} // namespace tilescope::sim
