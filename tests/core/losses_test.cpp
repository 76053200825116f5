#include "core/analysis/insights/losses.h"

#include <QTest>
#include <algorithm>
#include <numeric>

#include "tests/support/qt_text.h"
#include "tests/support/sample_pipeline.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace losses_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

std::vector<Loss> lossesOf(const Profile& profile) {
    return findLosses(*ProfileView::of(profile));
}

const Loss* find(const std::vector<Loss>& losses, LossKind kind) {
    for (const Loss& loss : losses)
        if (loss.kind == kind)
            return &loss;
    return nullptr;
}

/// The largest deviation of any IPU's losses from the run's cycles.
std::int64_t missing(const std::vector<Loss>& losses, std::int64_t run, std::int32_t ipus) {
    std::int64_t most = 0;
    for (std::int32_t ipu = 0; ipu < ipus; ++ipu) {
        std::int64_t sum = 0;
        for (const Loss& loss : losses)
            if (loss.kind != LossKind::Memory)
                sum += loss.byIpu.at(static_cast<std::size_t>(ipu));
        most = std::max(most, std::abs(run - sum));
    }
    return most;
}

/// The rows of the list, all IPUs together.
std::int64_t sumOf(const std::vector<Loss>& losses) {
    return std::accumulate(losses.begin(), losses.end(), std::int64_t{0},
                           [](std::int64_t sum, const Loss& l) { return sum + l.cycles; });
}

} // namespace

class LossesTest : public QObject {
    Q_OBJECT

private slots:
    void addUpToTheRun_data() {
        QTest::addColumn<Profile>("profile");
        QTest::newRow("one IPU") << sampleProfile();
        QTest::newRow("two IPUs") << sampleProfile({.ipus = 2});
        QTest::newRow("strided copy") << sampleProfile({.withCopy = true});
        QTest::newRow("pipeline") << samplePipelineRun();
    }
    void addUpToTheRun() {
        QFETCH(Profile, profile);
        const std::vector<Loss> losses = lossesOf(profile);
        const std::int64_t run = profile.trace.runs.back().cycles;
        QVERIFY(run > 0 && losses.size() > 3);
        QCOMPARE(missing(losses, run, profile.info.target.ipus), std::int64_t{0});
        QCOMPARE(sumOf(losses), run);
        const double shares =
            std::accumulate(losses.begin(), losses.end(), 0.0,
                            [](double sum, const Loss& l) { return sum + l.share; });
        QVERIFY2(std::abs(shares - 1) < 0.005, qPrintable(QString::number(shares)));
    }

    void largestFirst() {
        const std::vector<Loss> losses = lossesOf(samplePipelineRun());
        QVERIFY(std::is_sorted(losses.begin(), losses.end(),
                               [](const Loss& a, const Loss& b) { return a.cycles > b.cycles; }));
        for (const Loss& loss : losses) {
            QVERIFY(loss.cycles > 0);
            QVERIFY(!loss.cause.empty());
            QVERIFY(std::is_sorted(
                loss.places.begin(), loss.places.end(),
                [](const LossPlace& a, const LossPlace& b) { return a.cycles > b.cycles; }));
        }
    }

    void copiesAreTheirOwn() {
        const std::vector<Loss> without = lossesOf(sampleProfile());
        QVERIFY(find(without, LossKind::Copies) == nullptr);
        const std::vector<Loss> with = lossesOf(sampleProfile({.withCopy = true}));
        const Loss* copies = find(with, LossKind::Copies);
        QVERIFY(copies != nullptr);
        // The copy is in the repeated body: ten times.
        QCOMPARE(copies->cycles, 10 * sample::copyCycles);
        QCOMPARE(text(copies->place), "conv1");
    }

    void whatDoesNotFitIsFirst() {
        const std::vector<Loss> losses = lossesOf(sampleProfile({.tooLarge = true}));
        QCOMPARE(losses.size(), std::size_t(1));
        const Loss& memory = losses.front();
        QVERIFY(memory.kind == LossKind::Memory);
        QVERIFY(memory.bytes > 0 && memory.cycles == 0);
        QCOMPARE(memory.ipu.value(), 0);
        QCOMPARE(text(memory.place), "tile 0");
        QVERIFY(!memory.remedies.empty());
        QVERIFY(!suggestionsOf(losses).empty());
    }

    void waitsOfAPipelineAreTold() {
        const std::vector<Loss> losses = lossesOf(samplePipelineRun());
        // Stage 1 has nothing to run in the first slot (100 cycles) and the last (200); stage 0
        // waits 600, 400, 400 and 500 cycles for it in those between.
        const Loss* bubbles = find(losses, LossKind::Bubbles);
        const Loss* imbalance = find(losses, LossKind::StageImbalance);
        QVERIFY(bubbles != nullptr && imbalance != nullptr);
        QCOMPARE(bubbles->byIpu, (std::vector<std::int64_t>{0, 300}));
        QCOMPARE(imbalance->byIpu, (std::vector<std::int64_t>{1900, 0}));
        QCOMPARE(text(imbalance->place), "stage 1");
    }

    // An option may act against several losses; it is tried once.
    void suggestsEachChangeOnce() {
        for (const Profile& profile : {sampleProfile(), samplePipelineRun()}) {
            const std::vector<Advice> suggestions = suggestionsOf(lossesOf(profile));
            for (std::size_t i = 0; i < suggestions.size(); ++i) {
                QVERIFY(!suggestions[i].value.empty());
                QVERIFY(suggestions[i].option != Advice::model);
                for (std::size_t j = 0; j < i; ++j)
                    QVERIFY(suggestions[i].option != suggestions[j].option ||
                            suggestions[i].value != suggestions[j].value);
            }
        }
    }

    // Options that conflict with others of the run are not suggested.
    void suggestsNothingThatARunRefuses() {
        Profile p = samplePipelineRun();
        p.info.options["execution"] = "pipelined";
        p.info.options["ioTiles"] = "0";
        p.info.options["outputMode"] = "final";
        for (const Advice& advice : suggestionsOf(lossesOf(p)))
            QVERIFY(advice.option != "ioTiles");
    }
};

} // namespace losses_test

TILESCOPE_TEST(losses_test::LossesTest)
#include "losses_test.moc"
