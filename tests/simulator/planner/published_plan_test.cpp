// Plans that the fullest tiles of published convolutions show: beyond the start of interleaved
// memory these have the sums of the largest part, and 24 bytes.
#include <QtTest>

#include "simulator/planner/planner.h"
#include "tests/support/test_main.h"

namespace published_plan_test {
using namespace tilescope;
using namespace tilescope::sim;

namespace {

constexpr std::int64_t batch = 4; // of all rows

/// A 1x1 convolution of a field of `size` squared positions.
ConvProblem pointwise(std::int64_t size, std::int64_t inChans, std::int64_t outChans,
                      TrainingPass pass) {
    ConvProblem problem;
    problem.batch = batch;
    problem.inChans = inChans;
    problem.outChans = outChans;
    problem.inType = problem.outType = DataType::Half;
    problem.partialType = DataType::Float;
    problem.pass = pass;
    FieldDim dim;
    dim.in = dim.out = size;
    problem.field = {dim, dim};
    return problem;
}

/// The gradient of its weights: examples are channels, input channels examples, positions a kernel.
ConvProblem weightsGradient(const ConvProblem& forward) {
    ConvProblem problem = forward;
    problem.pass = TrainingPass::TrainingUpdate;
    std::swap(problem.batch, problem.inChans);
    for (FieldDim& dim : problem.field) {
        dim.kernel = dim.out;
        dim.out = 1;
    }
    return problem;
}

std::int64_t sumsOf(const ConvPlan& plan) {
    return plan.tileSizes().partialElements();
}

} // namespace

class PublishedPlanTest : public QObject {
    Q_OBJECT

private slots:
    /// 217,752 bytes with 512 and 128 channels either way round: 74 rows of 16 channels. Their
    /// reduction has 240 sums in its first stage, which ReduceAdd takes as one input.
    void updatesWhoseSumsAreWholeVectors() {
        for (const auto& [in, out] : {std::pair(512, 128), std::pair(128, 512)}) {
            const ConvPlan plan = planConv(
                targetPreset("mk2"),
                weightsGradient(pointwise(28, in, out, TrainingPass::TrainingForward)), 0.6);
            QCOMPARE(sumsOf(plan), 74 * 16);
            QCOMPARE(plan.splits.inChans, 25);
            QCOMPARE(plan.transform.swapOperands, in < out);
        }
    }

    /// 137,368 bytes with 512 and 2048 channels: the forward pass has no groups of 8 channels,
    /// which the backward pass could not read as they are. Where such a convolution is the backward
    /// pass, it has: 140,504 bytes, 98 rows of 24 channels.
    void forwardPassesSuitTheBackwardPass() {
        const auto planned = [](TrainingPass pass) {
            return planConv(targetPreset("mk1"), pointwise(7, 512, 2048, pass), 0.6);
        };
        QCOMPARE(planned(TrainingPass::TrainingForward).grains.outChans, 16);
        QVERIFY(sumsOf(planned(TrainingPass::TrainingForward)) <= 98 * 16);
        QCOMPARE(planned(TrainingPass::TrainingBackward).grains.outChans, 8);
        QCOMPARE(sumsOf(planned(TrainingPass::TrainingBackward)), 98 * 24);
    }
};

TILESCOPE_TEST(PublishedPlanTest)

} // namespace published_plan_test

#include "published_plan_test.moc"
