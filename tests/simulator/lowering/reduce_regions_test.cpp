// Which results runs of elements go to, against counting them one by one.
#include <map>

#include <QtTest>

#include "simulator/lowering/operations/reduce_regions.h"
#include "support/holds.h"
#include "tests/support/test_main.h"

namespace reduce_regions_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

/// Result of an element: the kept part of its index.
std::int64_t resultOf(const ReduceLevels& levels, std::int64_t element) {
    const std::int64_t column = element / levels.inner % levels.columns;
    const std::int64_t group = element / levels.group() % levels.keptAbove;
    return group * levels.columns + column;
}

} // namespace

class ReduceRegionsTest : public QObject {
    Q_OBJECT

private slots:
    void levels() {
        const ReduceLevels columns = reduceLevels({4, 3136, 8}, {false, true, false});
        QCOMPARE(columns.inner, 1);
        QCOMPARE(columns.columns, 8);
        QCOMPARE(columns.rows, 3136);
        QCOMPARE(columns.keptAbove, 4);
        const ReduceLevels inner =
            reduceLevels({16, 256, 8, 1, 4}, {false, true, false, false, true});
        QCOMPARE(inner.inner, 4);
        QCOMPARE(inner.columns, 8);
        QCOMPARE(inner.rows, 256);
    }

    void resultsOfRuns() {
        QVERIFY(holds("regions", 500, [] {
            ReduceLevels levels;
            levels.columns = anyFrom(1, 12);
            levels.rows = anyFrom(1, 9);
            levels.keptAbove = anyFrom(1, 5);
            const std::int64_t size = levels.group() * levels.keptAbove;
            const std::int64_t begin = anyFrom(0, size - 1);
            const std::int64_t end = anyFrom(begin + 1, size);
            std::map<std::int64_t, std::int64_t> expected;
            for (std::int64_t element = begin; element < end; ++element)
                ++expected[resultOf(levels, element)];
            const TileReductions tile = ReduceRegions(levels).next({begin, end});
            RC_ASSERT(tile.results() == static_cast<std::int64_t>(expected.size()));
            std::int64_t inputs = 0;
            for (const RegionReduction& region : tile.regions)
                inputs += region.inputs();
            RC_ASSERT(inputs == end - begin);
        }));
    }

    void rowsThatBeginElsewhereAreRotated() {
        const ReduceLevels levels{1, 8, 100, 4};
        ReduceRegions inOrder(levels);
        for (std::int64_t at = 0; at < 400; at += 40)
            QCOMPARE(inOrder.next({at, at + 40}).rotated, 0);
        // All begin in the middle of a row: that order is as good as any.
        ReduceRegions shifted(levels);
        for (std::int64_t at = 4; at < 400; at += 40)
            QCOMPARE(shifted.next({at, at + 40}).rotated, 0);
        ReduceRegions mixed(levels);
        QCOMPARE(mixed.next({0, 40}).rotated, 0);
        QCOMPARE(mixed.next({40, 84}).rotated, 0); // half rows: two regions, each in order
        QCOMPARE(mixed.next({84, 124}).rotated, 8);
    }
};

TILESCOPE_TEST(ReduceRegionsTest)

} // namespace reduce_regions_test

#include "reduce_regions_test.moc"
