// Connectionist temporal classification: the plan, the loops and their memory.
#include <QtTest>

#include "simulator/cost/ctc.h"
#include "simulator/operations/operations.h"
#include "simulator/simulate.h"
#include "support/invariants.h"
#include "tests/support/test_main.h"

namespace ctc_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

struct Simulated {
    OperationResult result;
    Profile profile;
};

template <class Tool> Simulated run(const Tool& tool) {
    Simulated made;
    made.result = runOperation(graphOf(tool, DataType::Float), {}, &made.profile);
    return made;
}

std::string complaints(const Profile& profile) {
    std::string all;
    for (const std::string& line : brokenInvariants(profile))
        all += line + "\n";
    return all;
}

std::vector<std::int64_t> repeatCounts(const Profile& profile) {
    std::vector<std::int64_t> counts;
    for (const Program& program : profile.programs)
        if (program.kind == ProgramKind::Repeat && program.count > 1)
            counts.push_back(program.count);
    return counts;
}

const CtcLossTool speech{4, 300, 60, 32, true};

} // namespace

class CtcTest : public QObject {
    Q_OBJECT

private slots:
    // popnn's own estimates (PerformanceEstimation.hpp): 44 cycles a symbol with its blank for
    // alpha, 40 more for the gradient; 17 for the last blank.
    void cyclesOfTheVertices() {
        QCOMPARE(ctcAlphaCycles(1, false), std::int64_t(44));
        QCOMPARE(ctcAlphaCycles(3, true), std::int64_t(3 * 44 + 17));
        QCOMPARE(ctcGradientCycles(1, false), std::int64_t(84));
        QCOMPARE(ctcGradientCycles(3, true), std::int64_t(3 * 84 + 2 * 17));
    }

    void thePlanUsesTheTilesAndLeavesNoPartEmpty() {
        const Target mk2 = targetPreset("mk2");
        const CtcLossProblem problem{4, 300, 60, 32, 4, 4};
        const CtcLossPlan plan = planCtcLoss(mk2, problem, 0.6);
        QVERIFY(plan.tiles() <= mk2.tilesPerIpu);
        QCOMPARE(plan.batch, std::int64_t(4));
        QVERIFY(plan.time * plan.label > 16);
        const std::int64_t each = (problem.time + plan.time - 1) / plan.time;
        QVERIFY(each * (plan.time - 1) < problem.time);
        QVERIFY(double(plan.tempBytes) < 0.6 * double(mk2.bytesPerTile));
        // Less memory takes more parts or more time, never a plan that does not fit.
        const CtcLossPlan small = planCtcLoss(mk2, problem, 0.001);
        QVERIFY(small.tempBytes <= plan.tempBytes);
        QVERIFY(small.cycles >= plan.cycles);
    }

    // Alpha and beta meet in the middle: both loops run over half of the time partitions.
    void twoLoopsOverTheTime() {
        const Simulated made = run(speech);
        const auto counts = repeatCounts(made.profile);
        QCOMPARE(counts.size(), std::size_t(2));
        QCOMPARE(counts[0], counts[1]);
        QVERIFY(counts[0] >= speech.time / 2 && counts[0] <= speech.time);
        QCOMPARE(complaints(made.profile), std::string());
    }

    // What vertices read of their neighbours comes in one exchange a step.
    void oneExchangeAStep() {
        const Simulated made = run(speech);
        for (const Program& program : made.profile.programs)
            if (program.kind == ProgramKind::Repeat && program.count > 1) {
                const Program& body = made.profile.programs[program.children.front()];
                QCOMPARE(body.children.size(), std::size_t(2));
                QVERIFY(made.profile.programs[body.children.front()].kind ==
                        ProgramKind::DoExchange);
            }
    }

    // Tiles that the plan leaves out take part in the sum over the parts of the label.
    void gradientsAreSummedOnAllTiles() {
        const CtcLossTool tool{1, 375, 200, 36, true};
        const Simulated made = run(tool);
        const Target mk2 = targetPreset("mk2");
        const CtcLossPlan plan = planCtcLoss(mk2, {1, 375, 200, 36, 4, 4}, 0.6);
        QVERIFY(plan.tiles() < mk2.tilesPerIpu / 2);
        std::int64_t busiest = 0;
        std::int32_t tiles = 0;
        for (const ComputeSet& set : made.profile.computeSets)
            if (set.name.find("ReduceStage0") != std::string::npos) {
                tiles = std::max(tiles, set.cycles.tilesUsed());
                busiest = std::max(busiest, set.cycles.max().value);
            }
        QVERIFY(tiles > mk2.tilesPerIpu * 3 / 4);
        QVERIFY(busiest < 100'000);
    }

    // The input lies as the plan wants it before the softmax reads it: whole rows of classes.
    void theSoftmaxMovesNothing() {
        const Simulated made = run(speech);
        for (const Exchange& exchange : made.profile.exchanges)
            QVERIFY2(exchange.name.find("logSoftmax") == std::string::npos, exchange.name.c_str());
    }

    void resultsOfAnotherType() {
        CtcLossTool half = speech;
        half.outType = DataType::Half;
        const Simulated made = run(half);
        QCOMPARE(complaints(made.profile), std::string());
        const auto bytesOf = [](const Profile& profile) {
            for (const Variable& variable : profile.variables)
                if (variable.name == "ctcLoss" && variable.shape == "[300,4,32]")
                    return variable.bytes.sum();
            return std::int64_t{0};
        };
        QVERIFY(bytesOf(made.profile) > 0);
        QCOMPARE(2 * bytesOf(made.profile), bytesOf(run(speech).profile));
    }

    void longerSequencesTakeLonger() {
        CtcLossTool twice = speech;
        twice.time *= 2;
        const Simulated once = run(speech);
        const Simulated longer = run(twice);
        QVERIFY(longer.result.cycles > once.result.cycles * 3 / 2);
        QVERIFY(longer.result.totalMemory > once.result.totalMemory);
        // The program stays as small, whatever the plan.
        QVERIFY(longer.profile.programs.size() < 2 * once.profile.programs.size());
    }

    void theDecoderLoopsOverTheTime() {
        const CtcBeamSearchTool tool{2, 50, 8, 2, 30, false};
        const Simulated made = run(tool);
        QCOMPARE(repeatCounts(made.profile), std::vector<std::int64_t>{50});
        QCOMPARE(complaints(made.profile), std::string());
        CtcBeamSearchTool wide = tool;
        wide.beamWidth = 32;
        QVERIFY(run(wide).result.cycles > made.result.cycles);
    }

    // From 20 classes on candidates are sorted in two stages.
    void manyClassesAreSortedInTwoStages() {
        const Target mk2 = targetPreset("mk2");
        QCOMPARE(planCtcBeamSearch(mk2, 1, 19, 4).sort.size(), std::size_t(1));
        QCOMPARE(planCtcBeamSearch(mk2, 1, 20, 4).sort.size(), std::size_t(2));
        QCOMPARE(planCtcBeamSearch(mk2, 1, 20, 4).sort[0].groups, std::int64_t(4));
    }
};

TILESCOPE_TEST(CtcTest)

} // namespace ctc_test

#include "ctc_test.moc"
