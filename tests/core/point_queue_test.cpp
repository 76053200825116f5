// Which points a sweep's workers get.
#include <QTest>
#include <set>

#include "core/sweep/point_queue.h"
#include "tests/support/test_main.h"

namespace point_queue_test {
using namespace tilescope;

namespace {

using Points = std::vector<std::size_t>;

SweepGrid grid() {
    return SweepGrid({parseAxis("availableMemoryProportion=0.2,0.4,0.6"),
                      parseAxis("batchSize=1,2"), parseAxis("relaxMemoryTarget=on,off")});
}

bool isShared(const std::string& key) {
    return key != "batchSize";
}

} // namespace

class PointQueueTest : public QObject {
    Q_OBJECT

private slots:
    void groupsShareWhatTheirAxesLeave() {
        Points all(grid().size());
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i] = i;
        const auto groups = groupsOf(grid(), all, isShared);
        QCOMPARE(groups.size(), std::size_t{2});
        QCOMPARE(groups[0], (Points{0, 1, 4, 5, 8, 9}));
        QCOMPARE(groups[1], (Points{2, 3, 6, 7, 10, 11}));
        // Of points that are left over from before, too.
        QCOMPARE(groupsOf(grid(), {3, 8, 11}, isShared), (std::vector<Points>{{3, 11}, {8}}));
        const auto alone = groupsOf(grid(), all, [](const std::string&) { return false; });
        QCOMPARE(alone.size(), all.size());
    }

    void aTakerStaysWithItsGroup() {
        PointQueue queue({{0, 1, 2, 3, 4}, {10, 11}, {20}});
        QCOMPARE(*queue.next({0, 0}), std::size_t{0});
        QCOMPARE(*queue.next({0, 1}), std::size_t{10});
        QCOMPARE(*queue.next({0, 0}), std::size_t{1});
        QCOMPARE(*queue.next({0, 1}), std::size_t{11});
        QCOMPARE(*queue.next({0, 1}), std::size_t{20});
        // All groups are begun: the one that has most is shared, from its end.
        QCOMPARE(*queue.next({1, 1}), std::size_t{4});
        QCOMPARE(*queue.next({0, 0}), std::size_t{2});
        QCOMPARE(*queue.next({0, 1}), std::size_t{3});
        QVERIFY(!queue.next({0, 0}));
        QVERIFY(!queue.next({2, 0}));
    }

    void everyPointIsTakenOnce() {
        PointQueue queue({{0, 1, 2}, {3}, {4, 5, 6, 7, 8}, {}});
        std::set<std::size_t> taken;
        std::size_t count = 0;
        for (std::size_t taker = 0;; taker = (taker + 1) % 3) {
            const auto point = queue.next({taker, 0});
            if (!point)
                break;
            taken.insert(*point);
            ++count;
        }
        QCOMPARE(count, std::size_t{9});
        QCOMPARE(taken.size(), std::size_t{9});
    }

    void noPointsAreNoGroups() {
        PointQueue queue({});
        QVERIFY(!queue.next({0, 0}));
    }
};

TILESCOPE_TEST(PointQueueTest)

} // namespace point_queue_test

#include "point_queue_test.moc"
