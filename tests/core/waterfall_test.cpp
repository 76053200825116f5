// From one run's cycles to another's: the steps add up, whatever the two runs are.
#include "core/analysis/compare/waterfall.h"

#include <QTest>
#include <cmath>
#include <random>

#include "core/report/waterfall_table.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace waterfall_test {
using namespace tilescope;
using namespace tilescope::test;

class WaterfallTest : public QObject {
    Q_OBJECT

    static RunLosses run(std::vector<std::pair<LossKind, double>> kinds) {
        RunLosses losses;
        double sum = 0;
        for (const auto& [kind, cycles] : kinds) {
            losses.byKind[static_cast<std::size_t>(kind)] = cycles;
            losses.places[static_cast<std::size_t>(kind)] = "conv1";
            sum += cycles;
        }
        losses.cycles = std::llround(sum);
        return losses;
    }
    static std::int64_t sumOf(const Waterfall& waterfall) {
        std::int64_t sum = 0;
        for (const WaterfallStep& step : waterfall.steps)
            sum += step.difference();
        return sum;
    }

private slots:
    void theLargestStepIsFirstAndSmallOnesAreFolded() {
        const Waterfall waterfall = waterfallOf(
            run({{LossKind::Exchange, 1000}, {LossKind::Host, 500}, {LossKind::Sync, 7}}), 4,
            run({{LossKind::Exchange, 400}, {LossKind::Host, 1300}, {LossKind::Sync, 10}}), 4);
        QCOMPARE(waterfall.before, 1507);
        QCOMPARE(waterfall.after, 1710);
        QVERIFY(!waterfall.perSample);
        QCOMPARE(waterfall.steps.size(), std::size_t(3));
        QVERIFY(waterfall.steps[0].kind == LossKind::Host);
        QCOMPARE(waterfall.steps[0].difference(), 800);
        QVERIFY(waterfall.steps[1].kind == LossKind::Exchange);
        QCOMPARE(waterfall.steps[1].difference(), -600);
        QVERIFY(!waterfall.steps[2].kind);
        QCOMPARE(waterfall.steps[2].difference(), 3);
        const Table table = waterfallTable(waterfall);
        QCOMPARE(table.rows.size(), std::size_t(3));
        QCOMPARE(std::get<std::int64_t>(table.rows[0].cells[table.columnOf("cycles")]), 2307);
        QCOMPARE(std::get<std::int64_t>(table.rows[2].cells[table.columnOf("cycles")]), 1710);
    }

    void otherNumbersOfSamplesAreDivided() {
        const Waterfall waterfall =
            waterfallOf(run({{LossKind::Exchange, 1000}}), 4, run({{LossKind::Exchange, 1600}}), 8);
        QVERIFY(waterfall.perSample);
        QCOMPARE(waterfall.before, 250);
        QCOMPARE(waterfall.after, 200);
        QCOMPARE(waterfall.steps.size(), std::size_t(1));
        QCOMPARE(waterfall.steps[0].difference(), -50);
    }

    // On the basis of runs cycles are those of runs, on that of samples those of samples.
    void theBasisIsWhatIsAskedFor() {
        const WaterfallParts parts{run({{LossKind::Exchange, 1000}}),
                                   run({{LossKind::Exchange, 1600}}), 4, 8};
        const Waterfall ofRun = parts.on(WaterfallBasis::Run);
        QVERIFY(!ofRun.perSample);
        QCOMPARE(ofRun.before, 1000);
        QCOMPARE(ofRun.after, 1600);
        QVERIFY(parts.on(WaterfallBasis::Sample).perSample);
        const WaterfallParts same{parts.source, parts.target, 4, 4};
        QCOMPARE(same.on(WaterfallBasis::Sample).after, 400);
        QCOMPARE(same.on(WaterfallBasis::SampleIfRunsDiffer).after, 1600);
    }

    void stepsAddUpForAnyRuns() {
        std::mt19937_64 random(20);
        std::uniform_real_distribution<double> size(0, 24);
        for (int i = 0; i < 2000; ++i) {
            const auto any = [&] {
                std::vector<std::pair<LossKind, double>> kinds;
                for (const LossKind kind : lossKinds)
                    if (kind != LossKind::Memory && random() % 3 > 0)
                        kinds.emplace_back(kind, std::exp2(size(random)));
                return run(kinds);
            };
            const RunLosses a = any();
            const RunLosses b = any();
            const double samples = static_cast<double>(1 + random() % 16);
            const Waterfall waterfall =
                waterfallOf(a, samples, b, static_cast<double>(1 + random() % 16));
            QCOMPARE(sumOf(waterfall), waterfall.after - waterfall.before);
            QVERIFY(waterfallOf(a, samples, a, samples).steps.empty());
            double changes = 0;
            for (const WaterfallStep& step : waterfall.steps)
                changes += std::abs(static_cast<double>(step.difference()));
            // Only small steps are folded: each kind a hundredth at most, half a cycle per side.
            for (const WaterfallStep& step : waterfall.steps)
                if (!step.kind)
                    QVERIFY(std::abs(static_cast<double>(step.difference())) <=
                            0.01 * 13 * changes / (1 - 0.13) + 2 + 13);
        }
    }

    void lossesOfARunAreThoseOfInsights() {
        const Profile sample = sampleProfile({.ipus = 2});
        const auto profile = ProfileView::of(sample);
        const RunLosses losses = runLosses(*profile).value();
        double sum = 0;
        for (const double cycles : losses.byKind)
            sum += cycles;
        QVERIFY(std::abs(sum - static_cast<double>(losses.cycles)) <
                0.005 * static_cast<double>(losses.cycles));
        for (const Loss& loss : findLosses(*profile))
            if (loss.kind != LossKind::Memory)
                QCOMPARE(
                    std::int64_t{std::llround(losses.byKind[static_cast<std::size_t>(loss.kind)])},
                    loss.cycles);
    }

    void profilesHaveOneIfBothRan() {
        const Profile source = sampleProfile();
        const Profile target = sampleProfile({.changed = true});
        const Profile large = sampleProfile({.tooLarge = true});
        const auto a = ProfileView::of(source);
        const Waterfall waterfall = waterfallBetween(*a, *ProfileView::of(target)).value();
        QCOMPARE(sumOf(waterfall), waterfall.after - waterfall.before);
        QVERIFY(!waterfall.steps.empty());
        QVERIFY(waterfallBetween(*a, *a).value().steps.empty());
        QVERIFY(!waterfallBetween(*a, *ProfileView::of(large)));
        QCOMPARE(waterfallTable(std::nullopt).rows.size(), std::size_t(0));
    }
};

TILESCOPE_TEST(WaterfallTest)

} // namespace waterfall_test

#include "waterfall_test.moc"
