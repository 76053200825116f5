// The three passes of a dense layer: planned together, and run as two programs of a tool.
#include <set>

#include <QtTest>

#include "simulator/operations/operations.h"
#include "simulator/planner/dense_plan.h"
#include "simulator/planner/transform.h"
#include "support/any_problem.h"
#include "support/holds.h"
#include "tests/support/test_main.h"

namespace dense_plan_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

ConvProblem layer(std::int64_t batch, std::int64_t inputs, std::int64_t outputs,
                  DataType type = DataType::Half) {
    ConvProblem forward;
    forward.matMul = true;
    forward.pass = TrainingPass::TrainingForward;
    FieldDim rows;
    rows.in = rows.out = batch;
    forward.field = {rows};
    forward.inChans = inputs;
    forward.outChans = outputs;
    forward.inType = forward.outType = type;
    forward.partialType = DataType::Float;
    return forward;
}

std::int64_t cyclesOf(const DensePlans& plans) {
    std::int64_t cycles = 0;
    for (const ConvPlan& plan : plans)
        cycles += plan.cost.cycles();
    return cycles;
}

/// The first layer of a few whose plan is joint.
std::optional<std::pair<ConvProblem, DensePlans>> anyJointLayer() {
    for (const std::int64_t batch : {1, 4, 8, 16})
        for (const std::int64_t outputs : {1000, 1024, 64, 5}) {
            const ConvProblem forward = layer(batch, 1000, outputs);
            DensePlans plans = planDense(targetPreset("mk2"), forward, 0.6);
            if (plans.front().joint)
                return std::pair(forward, std::move(plans));
        }
    return std::nullopt;
}

} // namespace

class DensePlanTest : public QObject {
    Q_OBJECT

private slots:
    void passesOfALayer() {
        const ConvProblem forward = layer(7, 30, 50);
        for (std::size_t pass = 0; pass < 3; ++pass) {
            const ConvProblem one = densePass(forward, pass);
            QVERIFY(isDensePass(one));
            QCOMPARE(densePassIndex(one), pass);
            QVERIFY(denseForward(one) == forward);
            QCOMPARE(one.macs(), forward.macs());
        }
        const ConvProblem update = densePass(forward, 2);
        QCOMPARE(update.field.front().out, 30);
        QCOMPARE(update.inChans, 7);
        QCOMPARE(update.outChans, 50);
    }

    /// 16 samples are one pass of AMP.
    void sumsOfOnePassHaveTheTypeOfTheResult() {
        for (const auto& [name, units] : {std::pair("mk1", 8), std::pair("mk2", 16)}) {
            const Target target = targetPreset(name);
            const DensePlans plans = planDense(target, layer(16, 2048, 4096), 0.6);
            QVERIFY(plans.back().joint);
            QVERIFY(plans.back().problem.partialType == DataType::Half);
            QCOMPARE(plans.back().convUnits, units);
            QVERIFY(plans.front().problem.partialType == DataType::Float);
            QVERIFY(planDense(target, layer(32, 2048, 4096), 0.6).back().problem.partialType ==
                    DataType::Float);
        }
    }

    /// Whatever is chosen is no slower than plans of their own, and keeps to the same bound.
    void neverWorseThanApart() {
        QVERIFY(holds("dense layers", 30, [] {
            Target target = targetPreset(*rc::gen::element<std::string>("mk1", "mk2"));
            target.tilesPerIpu = static_cast<std::int32_t>(*rc::gen::inRange(1, 200));
            const ConvProblem forward = layer(*rc::gen::inRange<std::int64_t>(1, 60),
                                              *rc::gen::inRange<std::int64_t>(1, 400),
                                              *rc::gen::inRange<std::int64_t>(1, 400),
                                              *rc::gen::element(DataType::Half, DataType::Float));
            const double proportion = *rc::gen::element(0.6, 0.05, 0.01);
            const DensePlans plans = planDense(target, forward, proportion);
            DensePlans apart;
            bool fits = true;
            for (std::size_t pass = 0; pass < 3; ++pass) {
                apart[pass] = planConv(target, densePass(forward, pass), proportion);
                fits = fits && apart[pass].withinMemoryTarget;
                RC_ASSERT(plans[pass].joint == plans.front().joint);
                RC_ASSERT(plans[pass].splits.tiles() <= target.tilesPerIpu);
            }
            if (fits)
                RC_ASSERT(cyclesOf(plans) <= cyclesOf(apart));
            if (!plans.front().joint)
                return;
            for (const ConvPlan& plan : plans)
                RC_ASSERT(plan.cost.tempBytes <= memoryBound(target, proportion));
        }));
    }

    /// In a joint plan each weight is on one tile, which has it in all passes.
    void jointPlansKeepWeights() {
        const auto joint = anyJointLayer();
        QVERIFY(joint.has_value());
        const auto& [forward, backward, update] = joint->second;
        QCOMPARE(forward.splits.outChans, 1);
        QCOMPARE(backward.splits.field, std::vector<std::int64_t>{forward.splits.inChans});
        QCOMPARE(backward.splits.inChans, forward.splits.field.front());
        QCOMPARE(update.splits.outChans, forward.splits.inChans);
        QCOMPARE(update.splits.field, forward.splits.field);
        QCOMPARE(forward.splits.tiles(), update.splits.tiles());
    }

    /// HMAC's groups of input channels: the narrowest of each number of groups, of whole words, and
    /// in joint plans of what the update's units write.
    void groupingsOfHmac() {
        QVERIFY(holds("numbers of channels", 100, [] {
            const Target target = targetPreset("mk1");
            const DataType type = *rc::gen::element(DataType::Half, DataType::Float);
            const ConvProblem problem = layer(4, *rc::gen::inRange<std::int64_t>(1, 300), 5, type);
            const std::int64_t multiple = *rc::gen::element<std::int64_t>(1, 8, 16);
            const std::int64_t word = type == DataType::Half ? 2 : 1;
            std::set<std::int64_t> expected;
            std::int64_t groupsBefore = 0;
            for (std::int64_t width = 1; width <= problem.inChans + word - 1; ++width) {
                const std::int64_t groups = (problem.inChans + width - 1) / width;
                if (width % word != 0 || (width != 1 && width % multiple != 0) ||
                    groups == groupsBefore)
                    continue;
                expected.insert(width);
                groupsBefore = width == 1 && multiple > 1 ? 0 : groups;
            }
            std::set<std::int64_t> found;
            for (const MethodCandidate& candidate : hmacCandidates(target, problem, multiple))
                RC_ASSERT(found.insert(candidate.grains.inChans).second);
            RC_ASSERT(found == expected);
        }));
    }

    /// With one sample no pass has the units, whose partials alone lie in interleaved memory;
    /// others keep operands in different elements.
    void memoryOfVertices() {
        const auto fullest = [](std::int64_t batch) {
            OperationOptions options;
            options.target = targetPreset("mk1");
            return runOperation(graphOf(FullyConnectedLayer{batch, 1000, 1000, 1, false, false},
                                        DataType::Half),
                                options)
                .maxTileMemory;
        };
        const Target target = targetPreset("mk1");
        QVERIFY(fullest(1) > target.elementBytes);
        QVERIFY(fullest(1) < target.interleavedOffset);
        QVERIFY(fullest(16) > target.interleavedOffset);
    }

    /// A tool runs the backward and update products as a second program.
    void toolsStartTwice() {
        OperationOptions options;
        options.target = targetPreset("mk2");
        Profile profile;
        const OperationResult result =
            runOperation(graphOf(FullyConnectedLayer{16, 64, 64, 1, false, false}, DataType::Half),
                         options, &profile);
        QCOMPARE(profile.info.cycles, result.cycles);
        const auto moreForSlowHost = [&](bool inferenceOnly) {
            const Graph graph =
                graphOf(FullyConnectedLayer{16, 64, 64, 1, false, inferenceOnly}, DataType::Half);
            options.target = targetPreset("mk2");
            const std::int64_t before = runOperation(graph, options).cycles;
            options.target.externalSyncCycles += 1000;
            return runOperation(graph, options).cycles - before;
        };
        QCOMPARE(moreForSlowHost(false), 2000);
        QCOMPARE(moreForSlowHost(true), 1000);
    }
};

TILESCOPE_TEST(DensePlanTest)

} // namespace dense_plan_test

#include "dense_plan_test.moc"
