// How many elements a copy between two orders can move at a time.
#include <algorithm>

#include <QtTest>

#include "support/element_sets.h"
#include "support/holds.h"
#include "tests/support/test_main.h"

namespace contiguous_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

const std::vector<OrderLevel> rowMajor{{0, 0}, {1, 0}, {2, 0}};

/// The longest run (by doubling) of which every aligned piece of one order is one of the other.
bool movesInRunsOf(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to,
                   std::int64_t run) {
    std::vector<std::int64_t> placeInFrom(from.size());
    for (std::size_t i = 0; i < from.size(); ++i)
        placeInFrom[static_cast<std::size_t>(from[i])] = static_cast<std::int64_t>(i);
    const auto step = static_cast<std::size_t>(run);
    for (std::size_t at = 0; at + step <= to.size(); at += step)
        for (std::size_t i = 1; i < step; ++i)
            if (placeInFrom[static_cast<std::size_t>(to[at + i])] !=
                placeInFrom[static_cast<std::size_t>(to[at])] + static_cast<std::int64_t>(i))
                return false;
    return to.size() % step == 0;
}

std::vector<OrderLevel> anyOrder() {
    std::vector<OrderLevel> order = rowMajor;
    for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1],
                  order[static_cast<std::size_t>(anyFrom(0, static_cast<std::int64_t>(i) - 1))]);
    if (*rc::gen::arbitrary<bool>())
        order.push_back({static_cast<int>(anyFrom(0, 2)), *rc::gen::element<std::int64_t>(2, 4)});
    return order;
}

} // namespace

class ContiguousTest : public QObject {
    Q_OBJECT

private slots:
    void equalOrdersMoveAtOnce() {
        QCOMPARE(contiguousElements(rowMajor, rowMajor, {2, 3, 4}, {2, 3, 4}), 24);
    }

    void transposesMoveElements() {
        QCOMPARE(contiguousElements(rowMajor, {{0, 0}, {2, 0}, {1, 0}}, {2, 3, 4}, {2, 3, 4}), 1);
        // Unless the dimensions that change places have one index on the tile.
        QCOMPARE(contiguousElements(rowMajor, {{0, 0}, {2, 0}, {1, 0}}, {2, 3, 1}, {2, 3, 1}), 6);
    }

    /// Groups matter only where something lies between the parts of a dimension.
    void equalSequences() {
        const std::vector<OrderLevel> eights{{0, 0}, {1, 0}, {0, 8}};
        const std::vector<OrderLevel> sixteens{{0, 0}, {1, 0}, {0, 16}};
        QVERIFY(isSameSequence(eights, eights, {16, 3}));
        QVERIFY(!isSameSequence(eights, sixteens, {16, 3}));
        QVERIFY(isSameSequence(eights, sixteens, {8, 3}));
        QVERIFY(isSameSequence(eights, sixteens, {16, 1}));
        QVERIFY(isSameSequence(eights, sixteens, {12, 1}));
        QVERIFY(!isSameSequence(rowMajor, {{0, 0}, {2, 0}, {1, 0}}, {2, 3, 4}));
    }

    /// A tile takes one index of a dimension of which the source tile holds several.
    void whatIsNotTakenLiesBetween() {
        QCOMPARE(contiguousElements(rowMajor, {{0, 0}, {2, 0}, {1, 0}}, {2, 3, 1}, {2, 3, 4}), 1);
        QCOMPARE(contiguousElements(rowMajor, rowMajor, {2, 3, 2}, {2, 3, 4}), 2);
        QCOMPARE(contiguousElements(rowMajor, rowMajor, {2, 1, 4}, {2, 3, 4}), 4);
    }

    void groupsBoundTheRun() {
        const std::vector<OrderLevel> grouped{{2, 0}, {0, 0}, {1, 0}, {2, 4}};
        QCOMPARE(contiguousElements(rowMajor, grouped, {2, 3, 16}, {2, 3, 16}), 4);
        QCOMPARE(contiguousElements(grouped, grouped, {2, 3, 16}, {2, 3, 16}), 2 * 3 * 16);
    }

    void neverMoreThanBothOrdersAllow() {
        QVERIFY(holds("contiguous", 500, [] {
            Storage storage = linearStorage({anyFrom(0, 1) * 3 + 1, 4, 8}, 4, 1);
            const auto from = anyOrder();
            const auto to = anyOrder();
            const std::vector<int> identity{0, 1, 2};
            const std::int64_t run =
                contiguousElements(from, to, storage.atomSizes, storage.atomSizes);
            RC_ASSERT(run >= 1);
            RC_ASSERT(movesInRunsOf(enumerate(from, storage, identity),
                                    enumerate(to, storage, identity), run));
        }));
    }

    void blocksBoundTheRun() {
        Blocking blocking;
        blocking.dims = {{{0, 1}, 12, evenBlocks(12, 3), {{3, 1}}},
                         {{2}, 4, evenBlocks(4, 2), {{2, 3}}}};
        // Four of twelve indices: all of the inner atom (of 3) and two of the outer.
        QCOMPARE(blockSizes(blocking, {4, 3, 4}), (std::vector<std::int64_t>{2, 3, 2}));
    }
};

TILESCOPE_TEST(ContiguousTest)

} // namespace contiguous_test

#include "contiguous_test.moc"
