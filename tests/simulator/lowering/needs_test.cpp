// What an operand has to have of a dimension that it shares in part.
#include <algorithm>
#include <set>

#include <QtTest>

#include "simulator/lowering/movement/views.h"
#include "support/holds.h"
#include "tests/support/test_main.h"

namespace needs_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

struct Case {
    std::vector<SharedAtom> atoms;
    Interval block;
};

Case anyCase() {
    Case made;
    std::int64_t size = 1;
    for (std::int64_t left = anyFrom(1, 5); left > 0; --left) {
        made.atoms.push_back({anyFrom(1, 5), anyFrom(0, 1) == 1});
        size *= made.atoms.back().size;
    }
    made.block.begin = anyFrom(0, size - 1);
    made.block.end = anyFrom(made.block.begin + 1, size);
    return made;
}

/// The index over shared atoms of an index over all.
std::int64_t sharedIndex(std::int64_t index, const std::vector<SharedAtom>& atoms) {
    std::int64_t made = 0;
    std::int64_t stride = 1;
    for (auto atom = atoms.rbegin(); atom != atoms.rend(); ++atom) {
        if (atom->shared) {
            made += index % atom->size * stride;
            stride *= atom->size;
        }
        index /= atom->size;
    }
    return made;
}

/// Element by element.
std::set<std::int64_t> touched(const Case& c) {
    std::set<std::int64_t> made;
    for (std::int64_t i = c.block.begin; i < c.block.end; ++i)
        made.insert(sharedIndex(i, c.atoms));
    return made;
}

std::size_t missingRuns(const std::vector<SharedAtom>& atoms) {
    std::size_t runs = 0;
    bool before = true;
    for (const SharedAtom& atom : atoms) {
        if (atom.size == 1)
            continue;
        runs += before && !atom.shared ? 1 : 0;
        before = atom.shared;
    }
    return runs;
}

} // namespace

class NeedsTest : public QObject {
    Q_OBJECT

private slots:
    void broadcastOverTheLastAtoms() {
        // Rows [5, 13) of 4 columns each, of which an operand has one value a row.
        QCOMPARE(projected({5, 13}, {{8, true}, {4, false}}), (Interval{1, 4}));
    }

    void broadcastOverTheFirstAtoms() {
        // A bias of 8: 3 elements within a row, then 3 over the end of one, then a whole row.
        const std::vector<SharedAtom> atoms{{4, false}, {8, true}};
        QCOMPARE(projected({10, 13}, atoms), (Interval{2, 5}));
        QCOMPARE(projected({14, 17}, atoms), (Interval{0, 8}));
        QCOMPARE(projected({8, 16}, atoms), (Interval{0, 8}));
    }

    void nothingStaysNothing() {
        QCOMPARE(projected({3, 3}, {{4, false}, {8, true}}).size(), std::int64_t(0));
    }

    void asCountedElementByElement() {
        QVERIFY(holds("need of a block", 2000, [] {
            const Case c = anyCase();
            const std::set<std::int64_t> exact = touched(c);
            const Interval need = projected(c.block, c.atoms);
            RC_ASSERT(need.begin <= *exact.begin());
            RC_ASSERT(need.end > *exact.rbegin());
            if (missingRuns(c.atoms) <= 1) {
                RC_ASSERT(need.begin == *exact.begin());
                RC_ASSERT(need.end == *exact.rbegin() + 1);
            }
        }));
    }
};

TILESCOPE_TEST(NeedsTest)

} // namespace needs_test

#include "needs_test.moc"
