// Steps of two profiles on one axis.
#include "core/analysis/compare/step_alignment.h"

#include <QTest>
#include <random>

#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace step_alignment_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

using Keys = std::vector<std::int32_t>;

/// "0 1 2": a place for each step.
QString placesOf(const Keys& places) {
    QStringList words;
    for (const std::int32_t place : places)
        words << QString::number(place);
    return words.join(' ');
}

/// Every step has one place of its own side, in order, on the axis; places without any are none.
bool isProper(const StepAlignment& aligned, std::size_t source, std::size_t target) {
    std::vector<bool> used(static_cast<std::size_t>(aligned.places), false);
    for (const Keys* side : {&aligned.source, &aligned.target})
        for (std::size_t i = 0; i < side->size(); ++i) {
            const std::int32_t place = (*side)[i];
            if (place < 0 || place >= aligned.places || (i > 0 && place <= (*side)[i - 1]))
                return false;
            used[static_cast<std::size_t>(place)] = true;
        }
    return aligned.source.size() == source && aligned.target.size() == target &&
           std::find(used.begin(), used.end(), false) == used.end();
}

Keys randomKeys(std::mt19937& random, std::size_t size, std::uint32_t kinds) {
    Keys keys;
    while (keys.size() < size) {
        const auto key = static_cast<std::int32_t>(random() % (kinds + 1)) - 1;
        for (std::uint32_t i = 0; i <= random() % 4; ++i)
            keys.push_back(key);
    }
    return keys;
}

} // namespace

class StepAlignmentTest : public QObject {
    Q_OBJECT
private slots:
    void anOperationIsAsWideAsTheLonger() {
        const StepAlignment aligned = alignSteps(Keys{7, 7, 8, 9}, Keys{7, 8, 8, 8, 9});
        QCOMPARE(placesOf(aligned.source), QStringLiteral("0 1 2 5"));
        QCOMPARE(placesOf(aligned.target), QStringLiteral("0 2 3 4 5"));
        QCOMPARE(aligned.places, 6);
        QCOMPARE(aligned.sourceMatched, std::size_t(4));
        QCOMPARE(aligned.targetMatched, std::size_t(5));
        QVERIFY(aligned.mostlyMatched());
    }

    void whatOneSideHasLeavesAGap() {
        const StepAlignment aligned = alignSteps(Keys{1, 5, 2}, Keys{1, 6, 6, 2});
        QCOMPARE(placesOf(aligned.source), QStringLiteral("0 1 4"));
        QCOMPARE(placesOf(aligned.target), QStringLiteral("0 2 3 4"));
    }

    void unknownStepsNeverStandTogether() {
        const StepAlignment aligned = alignSteps(Keys{-1, -1}, Keys{-1, -1, -1});
        QCOMPARE(placesOf(aligned.source), QStringLiteral("0 1"));
        QCOMPARE(placesOf(aligned.target), QStringLiteral("2 3 4"));
        QVERIFY(!aligned.mostlyMatched());
    }

    void whatCrossesStaysApart() {
        // Either 2 or 3 can be aligned with its counterpart, not both.
        const StepAlignment aligned = alignSteps(Keys{1, 2, 3, 4}, Keys{1, 3, 2, 4});
        QCOMPARE(aligned.places, 5);
        QCOMPARE(aligned.sourceMatched, std::size_t(3));
    }

    // The first 1 of the source has no counterpart; by occurrence all would be off by one.
    void aRepetitionThatOneLacksIsFound() {
        const StepAlignment aligned = alignSteps(Keys{1, 2, 1, 3, 1, 4}, Keys{2, 1, 3, 1, 4});
        QCOMPARE(placesOf(aligned.target), QStringLiteral("1 2 3 4 5"));
        QCOMPARE(aligned.targetMatched, std::size_t(5));
    }

    void everyStepHasOnePlaceInOrder() {
        std::mt19937 random(5);
        for (int i = 0; i < 300; ++i) {
            const std::uint32_t kinds = 1 + random() % 30;
            const Keys source = randomKeys(random, random() % 60, kinds);
            const Keys target = randomKeys(random, random() % 60, kinds);
            const StepAlignment aligned = alignSteps(source, target);
            QVERIFY(isProper(aligned, source.size(), target.size()));
            // Steps at the same place belong to the same operation.
            std::map<std::int32_t, std::int32_t> keyAt;
            for (std::size_t s = 0; s < source.size(); ++s)
                keyAt[aligned.source[s]] = source[s];
            for (std::size_t t = 0; t < target.size(); ++t)
                if (const auto at = keyAt.find(aligned.target[t]); at != keyAt.end())
                    QCOMPARE(at->second, target[t]);
        }
    }

    void aProgramWithItselfIsTheIdentity() {
        std::mt19937 random(6);
        for (int i = 0; i < 100; ++i) {
            Keys keys = randomKeys(random, random() % 80, 12);
            for (std::int32_t& key : keys)
                key = std::abs(key);
            const StepAlignment aligned = alignSteps(keys, keys);
            QCOMPARE(aligned.places, static_cast<std::int32_t>(keys.size()));
            QCOMPARE(aligned.source, aligned.target);
            QCOMPARE(aligned.sourceMatched, keys.size());
        }
    }

    void profilesAreAlignedByTheirOperations() {
        const ProfilePair same(ProfileView::of(a_), ProfileView::of(a_));
        const StepKeys keys = stepKeys(same);
        QCOMPARE(keys.source.size(), a_.steps.size());
        const StepAlignment itself = alignSteps(keys.source, keys.target);
        QCOMPARE(itself.places, static_cast<std::int32_t>(a_.steps.size()));
        QCOMPARE(itself.source, itself.target);
        QVERIFY(itself.mostlyMatched());
        const ProfilePair pair(ProfileView::of(a_), ProfileView::of(b_));
        const StepKeys two = stepKeys(pair);
        const StepAlignment aligned = alignSteps(two.source, two.target);
        QVERIFY(isProper(aligned, a_.steps.size(), b_.steps.size()));
        QVERIFY(aligned.mostlyMatched());
    }

private:
    const Profile a_ = sampleProfile();
    const Profile b_ = sampleProfile({.ipus = 2, .changed = true});
};

TILESCOPE_TEST(StepAlignmentTest)

} // namespace step_alignment_test

#include "step_alignment_test.moc"
