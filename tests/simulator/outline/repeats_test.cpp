// Repeated parts against a search by comparing everything with everything.
#include <map>
#include <set>

#include <QtTest>

#include "simulator/outline/repeats.h"
#include "support/holds.h"
#include "tests/support/test_main.h"

namespace repeats_test {
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

using Letters = std::vector<std::int32_t>;
using Places = std::set<std::int32_t>;

std::map<Letters, Places> foundIn(const Letters& letters) {
    std::map<Letters, Places> found;
    const Repeats repeats(letters);
    repeats.forEach([&](const Repeat& repeat) {
        const auto begin = letters.begin() + repeat.firstStart;
        Places& places = found[Letters(begin, begin + repeat.length)];
        for (std::int32_t start = -1; (start = repeats.startFrom(repeat, start + 1)) >= 0;)
            places.insert(start);
        QCOMPARE(*places.begin(), repeat.firstStart);
        QCOMPARE(*places.rbegin(), repeat.lastStart);
    });
    return found;
}

/// Parts with two or more places that have different neighbours on both sides.
std::map<Letters, Places> maximalRepeats(const Letters& letters) {
    std::map<Letters, Places> all;
    const auto size = static_cast<std::int32_t>(letters.size());
    for (std::int32_t start = 0; start < size; ++start)
        for (std::int32_t end = start + 1; end <= size; ++end)
            all[Letters(letters.begin() + start, letters.begin() + end)].insert(start);
    std::erase_if(all, [&](const auto& entry) {
        const auto& [part, places] = entry;
        const auto length = static_cast<std::int32_t>(part.size());
        Places before, after;
        for (const std::int32_t place : places) {
            before.insert(place == 0 ? -1 : letters[static_cast<std::size_t>(place - 1)]);
            after.insert(
                place + length == size ? -1 : letters[static_cast<std::size_t>(place + length)]);
        }
        return places.size() < 2 || before.size() < 2 || after.size() < 2;
    });
    return all;
}

} // namespace

class RepeatsTest : public QObject {
    Q_OBJECT

private slots:
    void aWord() {
        const Letters banana{1, 0, 2, 0, 2, 0};
        const std::map<Letters, Places> expected{{{0}, {1, 3, 5}}, {{0, 2, 0}, {1, 3}}};
        QVERIFY(foundIn(banana) == expected);
    }

    void nothing() {
        QVERIFY(foundIn({}).empty());
        QVERIFY(foundIn({7}).empty());
        QVERIFY(foundIn({7, 8, 9}).empty());
    }

    void anySequence() {
        QVERIFY(holds("maximal repeats", 500, [] {
            Letters letters(static_cast<std::size_t>(anyFrom(0, 24)));
            const auto kinds = anyFrom(1, 4);
            for (std::int32_t& letter : letters)
                letter = static_cast<std::int32_t>(anyFrom(0, kinds - 1));
            RC_ASSERT(foundIn(letters) == maximalRepeats(letters));
        }));
    }
};

TILESCOPE_TEST(RepeatsTest)

} // namespace repeats_test

#include "repeats_test.moc"
