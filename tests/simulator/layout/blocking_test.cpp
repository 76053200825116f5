// Blocks, digits, copies and shares.
#include <algorithm>
#include <set>

#include <QtTest>

#include "core/base/error.h"
#include "simulator/layout/interval_sums.h"
#include "simulator/layout/tile_walk.h"
#include "simulator/layout/traffic.h"
#include "support/holds.h"
#include "tests/support/test_main.h"

namespace blocking_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

BlockSharing anySharing(std::int64_t mostGrain) {
    return {anyFrom(1, mostGrain), anyFrom(0, 3), anyFrom(1, 4), *rc::gen::arbitrary<bool>()};
}

} // namespace

class BlockingTest : public QObject {
    Q_OBJECT

private slots:
    void evenBlocksCoverInOrder() {
        QVERIFY(holds("even blocks", 500, [] {
            const std::int64_t size = anyFrom(0, 200);
            const std::int64_t parts = anyFrom(1, 40);
            const std::int64_t grain = anyFrom(1, 9);
            const std::vector<Interval> blocks = evenBlocks(size, parts, grain);
            RC_ASSERT(blocks.size() == static_cast<std::size_t>(parts));
            std::int64_t at = 0;
            for (const Interval& block : blocks) {
                RC_ASSERT(block.begin == at);
                RC_ASSERT(block.end >= block.begin);
                RC_ASSERT(block.end == size || block.end % grain == 0);
                at = block.end;
            }
            RC_ASSERT(at == size);
            // Whole grains differ by at most one; only the last block may be cut short.
            for (std::size_t i = 0; i + 1 < blocks.size(); ++i)
                RC_ASSERT(std::abs(blocks[i].size() - blocks[0].size()) <= grain);
        }));
    }

    void largerBlocksComeLast() {
        QCOMPARE(evenBlocks(10, 3), (std::vector<Interval>{{0, 3}, {3, 6}, {6, 10}}));
        QCOMPARE(evenBlocks(10, 2, 4), (std::vector<Interval>{{0, 4}, {4, 10}}));
        QCOMPARE(evenBlocks(2, 4), (std::vector<Interval>{{0, 0}, {0, 1}, {1, 1}, {1, 2}}));
    }

    void digitsGiveTilesAndBlocks() {
        Blocking blocking;
        blocking.dims = {{{0}, 6, evenBlocks(6, 6), {{2, 1}, {3, 4}}}, // digits 2 (fast) and 3
                         {{1}, 4, evenBlocks(4, 2), {{2, 2}}}};
        blocking.firstTile = 100;
        QCOMPARE(blocking.tiles(), 12);
        std::vector<std::int32_t> index(2);
        blocking.blockIndex(7, index);
        QCOMPARE(index, (std::vector<std::int32_t>{1, 1})); // 7 = 1 + 6 * 1
        // Block 1 of six is fast digit 1, slow digit 0; block 1 of two is two tiles on.
        QCOMPARE(blocking.tileOf(7), 100 + 1 + 2);
        blocking.blockIndex(5, index);
        QCOMPARE(index, (std::vector<std::int32_t>{5, 0}));
        QCOMPARE(blocking.tileOf(5), 100 + 1 + 2 * 4);
        std::set<std::int32_t> tiles;
        for (std::int32_t nth = 0; nth < blocking.tiles(); ++nth)
            tiles.insert(blocking.tileOf(nth));
        QCOMPARE(tiles.size(), std::size_t(12));
        QCOMPARE(blocking.elements().sum(), 24);
        QCOMPARE(blocking.largestBlock(), 2);
    }

    void copiesHoldAllOrShare() {
        Blocking blocking;
        blocking.dims = {{{0}, 10, evenBlocks(10, 2), {{2, 1}}}};
        blocking.copies = {{3, 2}};
        QCOMPARE(blocking.tiles(), 6);
        QCOMPARE(blocking.copyCount(), 3);
        QCOMPARE(blocking.elements().sum(), 30);
        blocking.copiesShare = true;
        QCOMPARE(blocking.elements().sum(), 10);
        blocking.sharing.grain = 4; // five elements are two grains: nothing for one of three
        QCOMPARE(blocking.elements().toDense(6), (std::vector<std::int64_t>{0, 0, 4, 4, 1, 1}));
    }

    /// Less than there are tiles for is on the first of them, or on the last, and each slice of it
    /// on the same.
    void littleIsSharedByFewTiles() {
        Blocking blocking;
        blocking.dims = {{{0}, 12, evenBlocks(12, 1), {{1, 1}}}};
        blocking.copies = {{5, 1}};
        blocking.copiesShare = true;
        blocking.sharing = {4, 1, 1, false};
        QCOMPARE(blocking.elements().toDense(5), (std::vector<std::int64_t>{4, 4, 4, 0, 0}));
        QCOMPARE(blocking.sharing.holders(12, 5), std::int64_t(3));
        blocking.sharing.slices = 3;
        QCOMPARE(blocking.elements().toDense(5), (std::vector<std::int64_t>{12, 0, 0, 0, 0}));
        blocking.sharing.fromLast = true;
        QCOMPARE(blocking.elements().toDense(5), (std::vector<std::int64_t>{0, 0, 0, 0, 12}));
        blocking.sharing = {1, 3, 1, false}; // twelve grains, three of them at least on a tile
        QCOMPARE(blocking.elements().toDense(5), (std::vector<std::int64_t>{3, 3, 3, 3, 0}));
    }

    void sharesOfACopyAddUpToItsBlock() {
        QVERIFY(holds("shares", 300, [] {
            Blocking blocking;
            const std::int64_t size = anyFrom(1, 100);
            const auto parts = static_cast<std::int32_t>(anyFrom(1, 6));
            blocking.dims = {{{0}, size, evenBlocks(size, parts), {{parts, 1}}}};
            blocking.copies = {{static_cast<std::int32_t>(anyFrom(1, 7)), parts}};
            blocking.copiesShare = true;
            blocking.sharing = anySharing(8);
            RC_ASSERT(blocking.elements().sum() == size);
            const auto& blocks = blocking.dims[0].blocks;
            for (std::int32_t block = 0; block < parts; ++block) {
                std::int64_t sum = 0;
                for (std::int32_t copy = 0; copy < blocking.copyCount(); ++copy)
                    sum += blocking.shareOf(block + copy * parts,
                                            blocks[static_cast<std::size_t>(block)].size());
                RC_ASSERT(sum == blocks[static_cast<std::size_t>(block)].size());
            }
        }));
    }

    /// The odometer against divisions for each tile.
    void walksAsTilesAreNumbered() {
        QVERIFY(holds("walk", 300, [] {
            Blocking blocking;
            std::int32_t stride = 1;
            const auto anyDigit = [&] {
                const TileDigit digit{static_cast<std::int32_t>(anyFrom(1, 4)), stride};
                stride *= digit.count;
                return digit;
            };
            for (std::int64_t d = anyFrom(0, 3); d > 0; --d) {
                BlockedDim dim;
                dim.size = anyFrom(0, 30);
                std::int64_t blocks = 1;
                for (std::int64_t n = anyFrom(1, 2); n > 0; --n) {
                    dim.digits.push_back(anyDigit());
                    blocks *= dim.digits.back().count;
                }
                dim.blocks = evenBlocks(dim.size, blocks);
                blocking.dims.push_back(std::move(dim));
            }
            for (std::int64_t n = anyFrom(0, 2); n > 0; --n)
                blocking.copies.push_back(anyDigit());
            blocking.copiesShare = *rc::gen::arbitrary<bool>();
            blocking.sharing = anySharing(5);
            blocking.firstTile = static_cast<std::int32_t>(anyFrom(0, 9));
            TileWalk walk(blocking);
            const TileSeries elements = blocking.elements();
            std::vector<std::int32_t> index(blocking.dims.size());
            std::int32_t last = -1;
            for (std::int32_t nth = 0; nth < blocking.tiles(); ++nth, walk.next()) {
                RC_ASSERT(!walk.done());
                blocking.blockIndex(nth, index);
                RC_ASSERT(std::equal(index.begin(), index.end(), walk.index().begin()));
                RC_ASSERT(walk.tile() == blocking.tileOf(nth));
                std::int64_t block = 1;
                for (std::size_t d = 0; d < index.size(); ++d)
                    block *= blocking.dims[d].blocks[static_cast<std::size_t>(index[d])].size();
                RC_ASSERT(walk.block() == block);
                RC_ASSERT(walk.share() == blocking.shareOf(nth, block));
                RC_ASSERT(elements.at(TileId(walk.tile())) == walk.share());
                last = std::max(last, walk.tile());
            }
            RC_ASSERT(walk.done());
            RC_ASSERT(walk.end() == last + 1);
        }));
    }

    void digitsThatDoNotFitAreAnError() {
        Blocking blocking;
        blocking.dims = {{{0}, 10, evenBlocks(10, 3), {{2, 1}}}};
        QVERIFY_EXCEPTION_THROWN(blocking.elements(), InternalError);
        blocking.dims = {{{0}, 10, evenBlocks(10, 2), {{2, 0}}}}; // both on one tile
        QVERIFY_EXCEPTION_THROWN(blocking.elements(), InternalError);
    }

    void sumsOverIntervals() {
        QVERIFY(holds("interval sums", 500, [] {
            std::vector<Interval> intervals(static_cast<std::size_t>(anyFrom(0, 12)));
            for (Interval& interval : intervals)
                interval = {anyFrom(0, 40), anyFrom(0, 40)}; // may overlap or be empty
            const IntervalSums sums(intervals);
            const Interval range{anyFrom(0, 40), anyFrom(0, 40)};
            std::int64_t elements = 0;
            std::int64_t touched = 0;
            for (const Interval& interval : intervals) {
                elements += intersect(interval, range).size();
                touched += intersect(interval, range).size() > 0 ? 1 : 0;
            }
            RC_ASSERT(sums.elementsIn(range) == elements);
            RC_ASSERT(sums.touchedBy(range) == touched);
        }));
    }

    void sharingOutLosesNothing() {
        QVERIFY(holds("shareOut", 300, [] {
            std::vector<std::int64_t> weights(static_cast<std::size_t>(anyFrom(1, 20)));
            for (std::int64_t& weight : weights)
                weight = anyFrom(0, 1'000'000'000'000);
            const std::int64_t total = anyFrom(0, 1'000'000'000'000);
            const TileSeries series = TileSeries::fromDense(weights);
            const TileSeries shares = shareOut(total, series);
            RC_ASSERT(shares.sum() == (series.empty() ? 0 : total));
            for (const TileRun& run : shares.runs()) {
                RC_ASSERT(run.value > 0);
                RC_ASSERT(series.at(TileId(run.first)) > 0);
            }
        }));
    }
};

TILESCOPE_TEST(BlockingTest)

} // namespace blocking_test

#include "blocking_test.moc"
