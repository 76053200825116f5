// Traffic between two blockings against sets of elements.
#include <algorithm>
#include <numeric>

#include <QtTest>

#include "simulator/layout/traffic_table.h"
#include "support/element_sets.h"
#include "support/holds.h"
#include "tests/support/test_main.h"

namespace traffic_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

using AtomRuns = std::vector<std::vector<int>>;

/// Cuts in blocks at random places; a need's blocks may overlap and leave gaps.
BlockedDim anyDim(const std::vector<int>& atoms, const std::vector<std::int64_t>& sizes,
                  bool disjoint) {
    BlockedDim dim;
    dim.atoms = atoms;
    for (const int atom : atoms)
        dim.size *= sizes[static_cast<std::size_t>(atom)];
    const std::int64_t parts = anyFrom(1, 4);
    dim.blocks = evenBlocks(dim.size, parts);
    if (!disjoint)
        for (Interval& block : dim.blocks) {
            block.begin = anyFrom(0, dim.size);
            block.end = anyFrom(block.begin, dim.size);
        }
    dim.digits = {{static_cast<std::int32_t>(parts), 1}};
    return dim;
}

/// A blocking whose tiles are numbered in a random order of dimensions.
Blocking anyBlocking(const AtomRuns& runs, const std::vector<std::int64_t>& sizes, bool stored) {
    Blocking blocking;
    for (const std::vector<int>& atoms : runs)
        blocking.dims.push_back(anyDim(atoms, sizes, stored));
    if (!stored)
        blocking.copies = {{static_cast<std::int32_t>(anyFrom(1, 3)), 1}};
    blocking.firstTile = static_cast<std::int32_t>(anyFrom(0, 3));
    std::vector<TileDigit*> digits;
    for (BlockedDim& dim : blocking.dims)
        digits.push_back(dim.digits.data());
    for (TileDigit& digit : blocking.copies)
        digits.push_back(&digit);
    for (std::size_t i = digits.size(); i > 1; --i)
        std::swap(digits[i - 1],
                  digits[static_cast<std::size_t>(anyFrom(0, static_cast<std::int64_t>(i) - 1))]);
    std::int32_t stride = 1;
    for (TileDigit* digit : digits) {
        digit->stride = stride;
        stride *= digit->count;
    }
    return blocking;
}

std::vector<std::int64_t> anySizes(std::size_t atoms) {
    std::vector<std::int64_t> sizes(atoms);
    for (std::int64_t& size : sizes)
        size = anyFrom(1, 6);
    return sizes;
}

struct Oracle {
    std::map<std::int32_t, ElementSet> stored, needed;

    Oracle(const Blocking& from, const Blocking& to, const std::vector<std::int64_t>& sizes)
        : stored(elementsByTile(from, sizes))
        , needed(elementsByTile(to, sizes)) {}

    std::int64_t common(const ElementSet& a, const ElementSet& b) const {
        return std::count_if(a.begin(), a.end(), [&](const Element& e) { return b.contains(e); });
    }
    std::int64_t local(std::int32_t tile) const {
        const auto have = stored.find(tile);
        const auto want = needed.find(tile);
        return have == stored.end() || want == needed.end() ? 0
                                                            : common(have->second, want->second);
    }
    std::int64_t received(std::int32_t tile) const {
        const auto want = needed.find(tile);
        return want == needed.end() ? 0
                                    : static_cast<std::int64_t>(want->second.size()) - local(tile);
    }
    std::int64_t sent(std::int32_t tile) const {
        const auto have = stored.find(tile);
        if (have == stored.end())
            return 0;
        std::int64_t sum = -local(tile);
        for (const auto& [other, wanted] : needed)
            sum += common(have->second, wanted);
        return sum;
    }
    std::int64_t sources(std::int32_t tile) const {
        std::int64_t count = 0;
        for (const auto& [other, held] : stored)
            count += other != tile && needed.contains(tile) && common(held, needed.at(tile)) > 0;
        return count;
    }
};

constexpr std::int32_t mostTiles = 300;

void checkReceived(const Blocking& stored, const Blocking& needed,
                   const std::vector<std::int64_t>& sizes, bool exactSenders) {
    const Oracle oracle(stored, needed, sizes);
    const Traffic traffic = trafficBetween(stored, needed, sizes);
    const TileSeries local = localElements(stored, needed, sizes);
    for (std::int32_t tile = 0; tile < mostTiles; ++tile) {
        RC_ASSERT(local.at(TileId(tile)) == oracle.local(tile));
        RC_ASSERT(traffic.received.at(TileId(tile)) == oracle.received(tile));
        if (exactSenders) {
            RC_ASSERT(traffic.sent.at(TileId(tile)) == oracle.sent(tile));
            RC_ASSERT(traffic.messages.at(TileId(tile)) >=
                      std::min(oracle.sources(tile), oracle.received(tile)));
        }
        RC_ASSERT(traffic.sent.at(TileId(tile)) >= 0);
        RC_ASSERT(traffic.messages.at(TileId(tile)) >= 0);
        RC_ASSERT((traffic.messages.at(TileId(tile)) > 0) == (oracle.received(tile) > 0));
    }
    RC_ASSERT(traffic.sent.sum() == traffic.received.sum());
    RC_ASSERT(traffic.total == traffic.received.sum());
}

} // namespace

class TrafficTest : public QObject {
    Q_OBJECT

private slots:
    void equalCuts() {
        QVERIFY(holds("same atoms", 300, [] {
            const auto sizes = anySizes(3);
            const AtomRuns runs{{0}, {1, 2}};
            checkReceived(anyBlocking(runs, sizes, true), anyBlocking(runs, sizes, false), sizes,
                          true);
        }));
    }

    void storedFlat() {
        QVERIFY(holds("stored flat", 300, [] {
            const auto sizes = anySizes(3);
            checkReceived(anyBlocking({{0, 1, 2}}, sizes, true),
                          anyBlocking({{1}, {0}, {2}}, sizes, false), sizes, false);
        }));
    }

    void neededFlat() {
        QVERIFY(holds("needed flat", 300, [] {
            const auto sizes = anySizes(3);
            checkReceived(anyBlocking({{2}, {0, 1}}, sizes, true),
                          anyBlocking({{0, 1, 2}}, sizes, false), sizes, false);
        }));
    }

    void crossingCutsConserveWhatMoves() {
        QVERIFY(holds("crossing", 300, [] {
            const auto sizes = anySizes(4);
            const Blocking stored = anyBlocking({{0, 1}, {2, 3}}, sizes, true);
            const Blocking needed = anyBlocking({{1, 2}, {0}, {3}}, sizes, false);
            const Oracle oracle(stored, needed, sizes);
            const Traffic traffic = trafficBetween(stored, needed, sizes);
            RC_ASSERT(traffic.sent.sum() == traffic.received.sum());
            RC_ASSERT(traffic.total == traffic.received.sum());
            for (std::int32_t tile = 0; tile < mostTiles; ++tile) {
                const auto wanted = oracle.needed.contains(tile)
                                        ? static_cast<std::int64_t>(oracle.needed.at(tile).size())
                                        : 0;
                RC_ASSERT(traffic.received.at(TileId(tile)) >= 0);
                RC_ASSERT(traffic.received.at(TileId(tile)) <= wanted);
                RC_ASSERT(traffic.sent.at(TileId(tile)) >= 0);
            }
        }));
    }

    /// Every tile needs a whole block of which it already has its share, whatever the sizes.
    void aSharedBlockIsLocalInPart() {
        QVERIFY(holds("broadcast of shares", 300, [] {
            const std::int64_t size = anyFrom(1, 2000);
            const auto sharers = static_cast<std::int32_t>(anyFrom(1, 100));
            Blocking stored;
            stored.dims = {{{0}, size, {{0, size}}, {{1, 1}}}};
            stored.copies = {{sharers, 1}};
            Blocking needed = stored;
            stored.copiesShare = true;
            const std::vector<std::int64_t> sizes{size};
            RC_ASSERT(localElements(stored, needed, sizes) == stored.elements());
            const Traffic traffic = trafficBetween(stored, needed, sizes);
            RC_ASSERT(traffic.received.sum() == size * (sharers - 1));
            RC_ASSERT(traffic.sent.sum() == size * (sharers - 1));
        }));
    }

    void whatLiesRightDoesNotMove() {
        QVERIFY(holds("in place", 100, [] {
            const auto sizes = anySizes(2);
            const Blocking stored = anyBlocking({{0}, {1}}, sizes, true);
            RC_ASSERT(trafficBetween(stored, stored, sizes).total == 0);
        }));
    }

    void aTableKnowsWhatItWasAsked() {
        QVERIFY(holds("table", 100, [] {
            TrafficTable table;
            const auto sizes = anySizes(3);
            std::vector<Blocking> blockings;
            for (int i = 0; i < 4; ++i)
                blockings.push_back(anyBlocking({{0}, {1, 2}}, sizes, true));
            for (int again = 0; again < 2; ++again)
                for (const Blocking& stored : blockings)
                    for (const Blocking& needed : blockings) {
                        const Traffic& known = table.between(stored, needed, sizes);
                        const Traffic made = trafficBetween(stored, needed, sizes);
                        RC_ASSERT(known.received == made.received);
                        RC_ASSERT(known.sent == made.sent);
                        RC_ASSERT(known.messages == made.messages);
                        RC_ASSERT(known.total == made.total);
                    }
            RC_ASSERT(table.size() <= 16U);
        }));
    }

    void aTableKnowsWhatTilesHold() {
        // More blockings than are kept, each asked about next to others that take its place.
        QVERIFY(holds("held elements", 20, [] {
            TrafficTable table;
            std::vector<Blocking> blockings;
            for (int i = 0; i < 100; ++i)
                blockings.push_back(anyBlocking({{0}, {1, 2}}, anySizes(3), true));
            for (int again = 0; again < 2; ++again)
                for (const Blocking& blocking : blockings) {
                    RC_ASSERT(table.elementsOf(blocking) == blocking.elements());
                    RC_ASSERT(table.elementsOf(blockings.front()) == blockings.front().elements());
                }
        }));
    }

    void aScatterBySize() {
        // One tile has 12 elements, four tiles want three each.
        Blocking stored;
        stored.dims = {{{0}, 12, {{0, 12}}, {{1, 1}}}};
        Blocking needed;
        needed.dims = {{{0}, 12, evenBlocks(12, 4), {{4, 1}}}};
        const Traffic traffic = trafficBetween(stored, needed, std::vector<std::int64_t>{12});
        QCOMPARE(traffic.total, 9);
        QCOMPARE(traffic.sent.toDense(4), (std::vector<std::int64_t>{9, 0, 0, 0}));
        QCOMPARE(traffic.received.toDense(4), (std::vector<std::int64_t>{0, 3, 3, 3}));
        QCOMPARE(traffic.messages.toDense(4), (std::vector<std::int64_t>{0, 1, 1, 1}));
    }
};

TILESCOPE_TEST(TrafficTest)

} // namespace traffic_test

#include "traffic_test.moc"
