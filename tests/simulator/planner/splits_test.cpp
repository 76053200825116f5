// Numbers of parts worth trying, and depths of reduction stages.
#include <QtTest>

#include "core/base/ceil_div.h"
#include "simulator/planner/planner.h"
#include "support/holds.h"
#include "tests/support/test_main.h"

namespace splits_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

std::vector<std::int64_t> stagesOf(std::int64_t depth) {
    ConvPlan plan;
    plan.splits.inChans = depth;
    return plan.reductionStages();
}

} // namespace

class SplitsTest : public QObject {
    Q_OBJECT

private slots:
    void eachLargestPartOnce() {
        QVERIFY(holds("distinct splits", 500, [] {
            const std::int64_t size = anyFrom(1, 3000);
            const std::int64_t most = anyFrom(1, 1500);
            std::vector<std::int64_t> expected;
            for (std::int64_t parts = 1; parts <= most; ++parts)
                if (parts == 1 || ceilDiv(size, parts) != ceilDiv(size, parts - 1))
                    expected.push_back(parts);
            RC_ASSERT(distinctSplits(size, most) == expected);
        }));
        QCOMPARE(distinctSplits(10, 100), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 10}));
        QCOMPARE(distinctSplits(0, 5), std::vector<std::int64_t>{1});
    }

    void reductionStages() {
        QVERIFY(stagesOf(1).empty());
        QCOMPARE(stagesOf(15), std::vector<std::int64_t>{15});
        QCOMPARE(stagesOf(16), (std::vector<std::int64_t>{4, 4}));
        QCOMPARE(stagesOf(124).size(), std::size_t(2));
        QCOMPARE(stagesOf(125), (std::vector<std::int64_t>{5, 5, 5}));
        for (std::int64_t depth = 2; depth <= 1472; ++depth) {
            std::int64_t covered = 1;
            for (const std::int64_t stage : stagesOf(depth)) {
                QVERIFY(stage > 1);
                covered *= stage;
            }
            QVERIFY2(covered >= depth, qPrintable(QString::number(depth)));
        }
    }

    /// The first of two stages leaves as many partials as make the fewest messages, of equal
    /// numbers the larger.
    void stagesHaveTheFewestMessages() {
        for (std::int64_t depth = 16; depth < 125; ++depth) {
            const auto messages = [&](std::int64_t left) {
                return static_cast<double>(left) +
                       static_cast<double>(depth) / static_cast<double>(left);
            };
            std::int64_t best = 1;
            for (std::int64_t left = 2; left < depth; ++left)
                if (messages(left) <= messages(best))
                    best = left;
            QCOMPARE(stagesOf(depth).front(), ceilDiv(depth, best));
        }
        QCOMPARE(stagesOf(20), (std::vector<std::int64_t>{4, 5}));
        QCOMPARE(stagesOf(30), (std::vector<std::int64_t>{5, 6}));
    }

    void inputsOfOutputs() {
        const FieldDim dim{10, 10, 3, 1, 1, 1};
        const auto range = [&](std::int64_t from, std::int64_t to) {
            const FieldRange r = inputRange(dim, {from, to}, {0, 3});
            return std::pair(r.begin, r.end);
        };
        QCOMPARE(range(0, 1), std::pair(std::int64_t(0), std::int64_t(2)));
        QCOMPARE(range(4, 6), std::pair(std::int64_t(3), std::int64_t(7)));
        QCOMPARE(range(9, 10), std::pair(std::int64_t(8), std::int64_t(10)));
        QCOMPARE(range(3, 3), std::pair(std::int64_t(0), std::int64_t(0)));
    }
};

TILESCOPE_TEST(SplitsTest)

} // namespace splits_test

#include "splits_test.moc"
