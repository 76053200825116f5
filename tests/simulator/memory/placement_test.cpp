// Addresses on a tile, and the account of its memory.
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include <QtTest>

#include "core/base/error.h"
#include "simulator/memory/placement.h"
#include "simulator/memory/tile_account.h"
#include "support/holds.h"
#include "tests/support/test_main.h"

namespace placement_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

constexpr std::size_t steps = 12;

/// A tile of 4 KiB, the upper half interleaved.
Target smallTile() {
    Target target = targetPreset("mk2");
    target.bytesPerTile = 4096;
    target.interleavedOffset = 2048;
    return target;
}

using Placed = std::vector<PlacedRequest>;

struct Tile {
    IdVector<LivenessClassId, LivenessClass> classes;
    std::vector<PlaceRequest> requests;

    LivenessClassId life(std::int32_t first, std::int32_t end) {
        return classes.add({{{StepId(first), StepId(end)}}});
    }
    void add(std::int64_t bytes, LivenessClassId liveness,
             MemoryCategory category = MemoryCategory::Variable, bool interleaved = false) {
        requests.push_back(
            {VariableId(requests.size()), bytes, liveness, category, interleaved, {}});
    }
    [[nodiscard]] Placed place(const Target& target) const {
        return placeOnTile(requests, Interference(classes), target);
    }
    [[nodiscard]] TileAccount account(const Target& target, const Placed& placed) const {
        const LiveTurns turns(classes, std::vector<bool>(classes.size(), true));
        return accountFor(requests, placed, turns, target);
    }
    [[nodiscard]] bool liveAt(const PlaceRequest& request, std::size_t step) const {
        return !request.liveness.valid() || classes[request.liveness].contains(StepId(step));
    }
};

Tile anyTile(std::int64_t largest) {
    Tile tile;
    for (std::int64_t i = anyFrom(1, 8); i > 0; --i) {
        const auto first = static_cast<std::int32_t>(anyFrom(0, steps - 1));
        LivenessClass made{
            {{StepId(first), StepId(static_cast<std::int32_t>(anyFrom(first + 1, steps)))}}};
        tile.classes.add(std::move(made));
    }
    for (std::int64_t i = anyFrom(0, 15); i > 0; --i) {
        const MemoryCategory category =
            *rc::gen::element(MemoryCategory::Variable, MemoryCategory::Message,
                              MemoryCategory::Constant, MemoryCategory::VertexCode,
                              MemoryCategory::ControlCode, MemoryCategory::VertexInstanceState);
        const bool movable =
            category == MemoryCategory::Variable || category == MemoryCategory::Message;
        const auto liveness = movable && *rc::gen::arbitrary<bool>()
                                  ? LivenessClassId(static_cast<std::int32_t>(anyFrom(
                                        0, static_cast<std::int64_t>(tile.classes.size()) - 1)))
                                  : LivenessClassId();
        tile.add(anyFrom(1, largest), liveness, category, *rc::gen::arbitrary<bool>());
    }
    return tile;
}

std::int64_t offsetOf(const Placed& placement, std::size_t request) {
    for (const PlacedRequest& placed : placement)
        if (placed.request == request)
            return placed.offset;
    return -1;
}

bool isCode(MemoryCategory category) {
    return category == MemoryCategory::VertexCode || category == MemoryCategory::ControlCode;
}

/// The order in which requests are placed, spelled out.
std::vector<std::size_t> orderOf(const std::vector<PlaceRequest>& requests) {
    const auto key = [&](std::size_t i) {
        const PlaceRequest& r = requests[i];
        const int rank = isCode(r.category)                                  ? 0
                         : r.category == MemoryCategory::VertexInstanceState ? 1
                         : r.liveness.valid()                                ? 3
                                                                             : 2;
        return std::tuple(rank, -r.bytes, i);
    };
    std::vector<std::size_t> order(requests.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    return order;
}

/// First fit by trying each address that can be the lowest: the begin of a region and the end of
/// each extent.
std::int64_t lowestPlace(const Tile& tile, const Target& target, const Placed& placement,
                         const std::vector<std::size_t>& before, std::size_t request) {
    const PlaceRequest& wanted = tile.requests[request];
    struct Extent {
        std::int64_t begin, end;
    };
    std::vector<Extent> met;
    for (const std::size_t other : before) {
        const PlaceRequest& placed = tile.requests[other];
        if (!placed.liveness.valid() || !wanted.liveness.valid() ||
            tile.classes[placed.liveness].overlaps(tile.classes[wanted.liveness]))
            met.push_back({offsetOf(placement, other), offsetOf(placement, other) + placed.bytes});
    }
    const auto lowestIn = [&](std::int64_t from, std::int64_t to) {
        std::vector<std::int64_t> candidates{from};
        for (const Extent& extent : met)
            if (extent.end > from)
                candidates.push_back((extent.end + 7) / 8 * 8);
        std::int64_t lowest = -1;
        for (const std::int64_t at : candidates)
            if (at + wanted.bytes <= to && (lowest < 0 || at < lowest) &&
                std::none_of(met.begin(), met.end(), [&](const Extent& extent) {
                    return extent.begin < at + wanted.bytes && at < extent.end;
                }))
                lowest = at;
        return lowest;
    };
    std::int64_t place = -1;
    const bool code = isCode(wanted.category);
    if (code || wanted.category == MemoryCategory::VertexInstanceState)
        place = lowestIn(0, target.interleavedOffset);
    else if (wanted.interleaved)
        place = lowestIn(target.interleavedOffset, target.bytesPerTile);
    if (place < 0 && !code)
        place = lowestIn(0, target.bytesPerTile);
    return place < 0 ? lowestIn(target.bytesPerTile, std::numeric_limits<std::int64_t>::max() / 2)
                     : place;
}

} // namespace

class PlacementTest : public QObject {
    Q_OBJECT

private slots:
    /// A long life can count for more than size; code comes first whatever its weight.
    void weightsDecideTheOrder() {
        Tile tile;
        tile.add(64, tile.life(0, 2));
        tile.add(16, tile.life(0, 12));
        tile.add(8, {}, MemoryCategory::VertexCode);
        const Interference interference(tile.classes);
        const Placed placed =
            placeOnTile(tile.requests, interference, smallTile(), {64.0, 160.0, 1.0});
        QCOMPARE(offsetOf(placed, 2), std::int64_t(0));
        QCOMPARE(offsetOf(placed, 1), std::int64_t(8));
        QCOMPARE(offsetOf(placed, 0), std::int64_t(24));
        QCOMPARE(offsetOf(tile.place(smallTile()), 0), std::int64_t(8));
    }

    void liveVariablesNeverShareAByte() {
        QVERIFY(holds("placement", 500, [] {
            const Target target = smallTile();
            const Tile tile = anyTile(*rc::gen::element<std::int64_t>(40, 900, 3000));
            const Placed placement = tile.place(target);
            RC_ASSERT(placement.size() == tile.requests.size());
            RC_ASSERT(
                std::is_sorted(placement.begin(), placement.end(),
                               [](const auto& a, const auto& b) { return a.offset < b.offset; }));
            for (std::size_t step = 0; step < steps; ++step) {
                std::set<std::int64_t> used;
                for (std::size_t i = 0; i < tile.requests.size(); ++i) {
                    const PlaceRequest& request = tile.requests[i];
                    const std::int64_t offset = offsetOf(placement, i);
                    RC_ASSERT(offset >= 0 && offset % 8 == 0);
                    if (tile.liveAt(request, step))
                        for (std::int64_t byte = 0; byte < request.bytes; ++byte)
                            RC_ASSERT(used.insert(offset + byte).second);
                    if (isCode(request.category))
                        RC_ASSERT(offset + request.bytes <= target.interleavedOffset ||
                                  offset >= target.bytesPerTile);
                }
            }
        }));
    }

    /// The lowest free place, whichever algorithm finds it.
    void firstFitLeavesNoLowerPlace() {
        QVERIFY(holds("lowest", 500, [] {
            const Target target = smallTile();
            Tile tile = anyTile(*rc::gen::element<std::int64_t>(40, 900, 3000));
            // Beyond what addresses of 32 bits reach.
            if (*rc::gen::arbitrary<bool>())
                for (PlaceRequest& request : tile.requests)
                    request.bytes <<= *rc::gen::element(0, 20, 34);
            const Placed placement = tile.place(target);
            const std::vector<std::size_t> order = orderOf(tile.requests);
            for (std::size_t i = 0; i < order.size(); ++i) {
                std::vector<std::size_t> before(order.begin(),
                                                order.begin() + static_cast<std::ptrdiff_t>(i));
                RC_ASSERT(offsetOf(placement, order[i]) ==
                          lowestPlace(tile, target, placement, before, order[i]));
            }
        }));
    }

    /// So many in a row that another way is taken.
    void firstFitAmongMany() {
        QVERIFY(holds("many", 20, [] {
            const Target target = smallTile();
            Tile tile;
            std::vector<LivenessClassId> lives;
            for (std::int32_t first = 0; first < 4; ++first)
                lives.push_back(
                    tile.life(first, static_cast<std::int32_t>(anyFrom(first + 1, 12))));
            for (std::int64_t i = anyFrom(100, 200); i > 0; --i)
                tile.add(anyFrom(1, 60),
                         anyFrom(0, 9) == 0 ? LivenessClassId() : *rc::gen::elementOf(lives));
            const Placed placement = tile.place(target);
            const std::vector<std::size_t> order = orderOf(tile.requests);
            for (std::size_t i = 0; i < order.size(); ++i) {
                const std::vector<std::size_t> before(
                    order.begin(), order.begin() + static_cast<std::ptrdiff_t>(i));
                RC_ASSERT(offsetOf(placement, order[i]) ==
                          lowestPlace(tile, target, placement, before, order[i]));
            }
        }));
    }

    void interferenceIsOverlapAtAStep() {
        QVERIFY(holds("interference", 300, [] {
            IdVector<LivenessClassId, LivenessClass> classes;
            std::vector<bool> there;
            for (std::int64_t i = anyFrom(0, 80); i > 0; --i) {
                LivenessClass made;
                std::int64_t at = 0;
                for (std::int64_t n = anyFrom(1, 3); n > 0; --n) {
                    const std::int64_t first = at + anyFrom(0, 5);
                    at = first + anyFrom(1, 5);
                    made.intervals.push_back({StepId(static_cast<std::int32_t>(first)),
                                              StepId(static_cast<std::int32_t>(at))});
                    ++at;
                }
                classes.add(std::move(made));
                there.push_back(*rc::gen::arbitrary<bool>());
            }
            const Interference interference(classes, there);
            for (std::size_t a = 0; a < classes.size(); ++a)
                for (std::size_t b = 0; b < classes.size(); ++b) {
                    if (!there[a] || !there[b])
                        continue;
                    const std::uint32_t number = interference.number(LivenessClassId(b));
                    const auto spans = interference.met(interference.number(LivenessClassId(a)));
                    const bool meets = std::any_of(spans.begin(), spans.end(), [&](auto span) {
                        return span.first <= number && number < span.end;
                    });
                    RC_ASSERT(meets ==
                              classes[LivenessClassId(a)].overlaps(classes[LivenessClassId(b)]));
                }
        }));
    }

    void accountsCountEveryUsedByteOnce() {
        QVERIFY(holds("accounts", 500, [] {
            const Target target = smallTile();
            const Tile tile = anyTile(*rc::gen::element<std::int64_t>(40, 900, 3000));
            const Placed placement = tile.place(target);
            const TileAccount account = tile.account(target, placement);
            std::set<std::int64_t> used;
            std::int64_t alwaysLive = 0;
            for (std::size_t i = 0; i < tile.requests.size(); ++i) {
                for (std::int64_t byte = 0; byte < tile.requests[i].bytes; ++byte)
                    used.insert(offsetOf(placement, i) + byte);
                alwaysLive += tile.requests[i].liveness.valid() ? 0 : tile.requests[i].bytes;
            }
            std::int64_t mostLive = 0;
            for (std::size_t step = 0; step < steps; ++step) {
                std::int64_t live = 0;
                for (const PlaceRequest& request : tile.requests)
                    if (request.liveness.valid() && tile.liveAt(request, step))
                        live += request.bytes;
                mostLive = std::max(mostLive, live);
            }
            const TileMemory& memory = account.memory;
            RC_ASSERT(memory.excludingGaps == static_cast<std::int64_t>(used.size()));
            RC_ASSERT(memory.includingGaps == (used.empty() ? 0 : *used.rbegin() + 1));
            RC_ASSERT(memory.alwaysLive == alwaysLive);
            RC_ASSERT(memory.maxNotAlwaysLive == mostLive);
            const auto count = [&](std::int64_t from, std::int64_t to) {
                return std::distance(used.lower_bound(from), used.lower_bound(to));
            };
            RC_ASSERT(memory.nonInterleaved == count(0, 2048));
            RC_ASSERT(memory.interleaved == count(2048, 4096));
            RC_ASSERT(memory.overflowed == count(4096, 1 << 30));
            std::int64_t categories = 0;
            std::map<MemoryCategory, std::int64_t> always;
            for (const auto& [key, bytes] : account.byCategory) {
                RC_ASSERT(bytes > 0);
                categories += bytes;
                if (!key.overlapped)
                    always[key.category] += bytes;
            }
            RC_ASSERT(categories == memory.excludingGaps);
            std::map<MemoryCategory, std::int64_t> expected;
            for (const PlaceRequest& request : tile.requests)
                if (!request.liveness.valid())
                    expected[request.category] += request.bytes;
            RC_ASSERT(always == expected);
        }));
    }

    void livesApartShareAddresses() {
        Tile tile;
        const LivenessClassId early = tile.life(0, 3), late = tile.life(3, 6),
                              both = tile.life(2, 4);
        tile.add(64, early);
        tile.add(48, late);
        tile.add(16, both);
        const Placed placement = tile.place(smallTile());
        QCOMPARE(offsetOf(placement, 0), 0);
        QCOMPARE(offsetOf(placement, 1), 0);
        QCOMPARE(offsetOf(placement, 2), 64);
        const TileAccount account = tile.account(smallTile(), placement);
        QCOMPARE(account.memory.excludingGaps, 80);
        QCOMPARE(account.memory.maxNotAlwaysLive, 80);
    }

    void keptApartInMemoryElements() {
        Target target = smallTile();
        target.elementBytes = 512; // four plain elements, two interleaved pairs
        Tile tile;
        const LivenessClassId life = tile.life(0, 3);
        tile.add(600, life);
        tile.add(40, life);
        tile.add(16, life);
        tile.requests[1].apartFrom = VariableId(0);
        const Placed placement = tile.place(target);
        QCOMPARE(offsetOf(placement, 0), 0);
        QCOMPARE(offsetOf(placement, 1), 1024); // after the second element
        QCOMPARE(offsetOf(placement, 2), 600);  // the gap is for others
        const TileAccount account = tile.account(target, placement);
        QCOMPARE(account.memory.includingGaps, 1064);
        QCOMPARE(account.memory.excludingGaps, 656);

        QVERIFY(holds("apart", 500, [&] {
            Tile any = anyTile(*rc::gen::element<std::int64_t>(40, 700));
            const auto count = static_cast<std::int64_t>(any.requests.size());
            for (PlaceRequest& request : any.requests)
                if (*rc::gen::arbitrary<bool>())
                    request.apartFrom =
                        VariableId(static_cast<std::int32_t>(anyFrom(0, count - 1)));
            const Placed placed = any.place(target);
            const auto element = [&](std::int64_t address) {
                return address < target.interleavedOffset ? address / 512 : address / 1024 + 1000;
            };
            for (std::size_t i = 0; i < any.requests.size(); ++i) {
                const VariableId other = any.requests[i].apartFrom;
                if (!other.valid() || other.index() == i)
                    continue;
                const std::int64_t a = offsetOf(placed, i), b = offsetOf(placed, other.index());
                const std::int64_t aLast = element(a + any.requests[i].bytes - 1);
                const std::int64_t bLast = element(b + any.requests[other.index()].bytes - 1);
                RC_ASSERT(aLast < element(b) || bLast < element(a));
            }
        }));
    }

    void wishesForInterleavedMemory() {
        Tile tile;
        tile.add(100, {}, MemoryCategory::Variable, true);
        tile.add(2000, {}, MemoryCategory::Variable, true);
        tile.add(40, {}, MemoryCategory::Variable);
        const Placed placement = tile.place(smallTile());
        QCOMPARE(offsetOf(placement, 1), 2048);
        // No room is left up there: elsewhere is better than nowhere.
        QCOMPARE(offsetOf(placement, 0), 0);
        QCOMPARE(offsetOf(placement, 2), 104);
    }

    /// State may lie elsewhere if need be, code may not: it comes first, however small.
    void codeComesBeforeState() {
        const Target target = smallTile();
        Tile tile;
        tile.add(target.interleavedOffset, {}, MemoryCategory::VertexInstanceState);
        tile.add(8, {}, MemoryCategory::ControlCode);
        const Placed placement = tile.place(target);
        QCOMPARE(offsetOf(placement, 1), std::int64_t(0));
        QVERIFY(offsetOf(placement, 0) >= 8);
        QVERIFY(offsetOf(placement, 0) + target.interleavedOffset <= target.bytesPerTile);
    }

    void codeThatFindsNoRoomOverflows() {
        Tile tile;
        tile.add(1500, {}, MemoryCategory::VertexCode);
        tile.add(1000, {}, MemoryCategory::ControlCode);
        const Placed placement = tile.place(smallTile());
        QCOMPARE(offsetOf(placement, 0), 0);
        QCOMPARE(offsetOf(placement, 1), 4096);
        QCOMPARE(tile.account(smallTile(), placement).memory.overflowed, 1000);
    }

    void whatFindsNoRoomLiesBeyondTheTile() {
        Tile tile;
        tile.add(4000, {});
        tile.add(200, {});
        tile.add(90, {});
        const Placed placement = tile.place(smallTile());
        QCOMPARE(offsetOf(placement, 1), 4096);
        QCOMPARE(offsetOf(placement, 2), 4000);
        const TileAccount account = tile.account(smallTile(), placement);
        QCOMPARE(account.memory.overflowed, 200);
        QCOMPARE(account.memory.includingGaps, 4296);
        QCOMPARE(account.memory.excludingGaps, 4290);
    }

    void moreThanCanBeCountedIsSaid() {
        Tile tile;
        for (int i = 0; i < 5; ++i)
            tile.add(std::int64_t{1} << 60, {});
        QVERIFY_EXCEPTION_THROWN(tile.place(smallTile()), UserError);
    }

    void anEmptyTile() {
        const Tile tile;
        const Placed placement = tile.place(smallTile());
        QVERIFY(placement.empty());
        QVERIFY(tile.account(smallTile(), placement).memory == TileMemory{});
    }
};

TILESCOPE_TEST(PlacementTest)

} // namespace placement_test

#include "placement_test.moc"
