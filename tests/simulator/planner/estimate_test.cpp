// The planner's estimate of a plan against the steps of the program it is lowered to.
#include <algorithm>

#include <QtTest>

#include "simulator/planner/plan_table.h"
#include "simulator/transforms/decompose.h"
#include "support/any_problem.h"
#include "support/graph_builder.h"
#include "support/holds.h"
#include "support/plan_steps.h"
#include "support/program_text.h"
#include "tests/support/test_main.h"

namespace estimate_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

Graph graphOf(const ConvProblem& p) {
    GraphBuilder b(p.inType);
    if (p.matMul) {
        const std::int64_t rows = p.field[0].out;
        const TensorId left = b.input({p.groups, rows, p.inChans});
        const TensorId right = b.weight({p.groups, p.inChans, p.outChans});
        return b.finish(
            {b.add("op", MatMulAttributes{}, {left, right}, {p.groups, rows, p.outChans})});
    }
    ConvAttributes conv;
    conv.groups = p.groups;
    Shape in{p.batch, p.groups * p.inChans};
    Shape weights{p.groups * p.outChans, p.inChans};
    Shape out{p.batch, p.groups * p.outChans};
    for (const FieldDim& dim : p.field) {
        conv.kernel.push_back(dim.kernel);
        conv.strides.push_back(dim.stride);
        conv.dilations.push_back(dim.dilation);
        conv.padsBegin.push_back(dim.padBegin);
        conv.padsEnd.push_back(dim.padBegin);
        in.push_back(dim.in);
        weights.push_back(dim.kernel);
        out.push_back(dim.out);
    }
    return b.finish({b.add("op", conv, {b.input(in), b.weight(weights)}, out)});
}

// The same formula of the same sizes; but a piece that is smaller than the largest can take longer:
// with fewer kernel rows than one pass of ConvPartialnx1 takes, passes have a lower filter height.
constexpr double computeFactor = 2;
// The last slice of a loop may have less than the others, and its tiles other parts of it.
constexpr double serialFactor = 2;
// A tile's outputs that do not fill vectors take the vertex with many inputs, which needs twice the
// cycles of the other.
constexpr double reduceFactor = 2.5;
// A sender of uneven shares can be busier than the receivers that the estimate looks at, and what a
// tile needs can lie on it by chance.
constexpr double exchangeFactor = 2;
constexpr std::int64_t shortExchange = 700; // cycles

bool within(std::int64_t measured, std::int64_t estimated, double factor) {
    const auto a = static_cast<double>(measured);
    const auto b = static_cast<double>(estimated);
    return a <= b * factor && b <= a * factor;
}

} // namespace

class EstimateTest : public QObject {
    Q_OBJECT

private slots:
    void estimateMeetsProgram() {
        QVERIFY(holds("estimates", 120, [] {
            const ConvProblem problem = anyProblem(300);
            RunOptions options;
            options.machine.target = targetPreset(*rc::gen::element<std::string>("mk1", "mk2"));
            options.planning.partialsType =
                problem.partialType == DataType::Half ? Precision::Half : Precision::Float;
            options.planning.availableMemoryProportion = *rc::gen::element(0.6, 0.6, 0.02);
            const auto tiles = static_cast<std::int32_t>(anyFrom(4, 400));
            options.machine.target.tilesPerIpu = tiles;
            const Graph graph = graphOf(problem);
            const PlanTable table(graph, options.machine, options.planning);
            const LoweredProgram lowered = lowerOn(graph, options, tiles);
            const PlanSteps steps = planStepsOf(lowered.profile).front();
            RC_LOG() << describe(problem) << "\n" << table.planOf(OpId(0)).toJson() << "\n";
            const auto agree = [&](std::size_t term, double factor, std::int64_t slack) {
                const std::int64_t timed = steps.timed.cycles[term];
                const std::int64_t estimated = steps.estimated.cycles[term];
                RC_LOG() << PlanTerms::names[term] << " " << estimated << "/" << timed << "\n";
                RC_ASSERT(std::abs(timed - estimated) <= slack || within(timed, estimated, factor));
            };
            agree(0, computeFactor, 0);
            // Groups that do not fill 64 bits stay together in pairs, so that tiles have the parts
            // of others. HMAC's may have hundreds of channels: then that is what is exchanged most.
            const ConvPlan& plan = table.planOf(OpId(0));
            const std::int64_t groupBytes = plan.grains.inChans * bytesOf(problem.inType);
            if (plan.method != ConvMethod::Hmac || groupBytes % 8 == 0)
                agree(1, exchangeFactor, shortExchange);
            agree(2, reduceFactor, 0);
            agree(3, serialFactor, 0);
            agree(4, 1, 0);
        }));
    }
};

TILESCOPE_TEST(EstimateTest)

} // namespace estimate_test

#include "estimate_test.moc"
