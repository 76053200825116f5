// The planner's estimate of a plan against the steps of the program it is lowered to.
#include <algorithm>

#include <QtTest>

#include "simulator/planner/plan_table.h"
#include "simulator/transforms/decompose.h"
#include "support/any_problem.h"
#include "support/graph_builder.h"
#include "support/holds.h"
#include "support/program_text.h"

using namespace tilescope;
using namespace tilescope::sim;

namespace {

/// Cycles of an operation's compute sets and exchanges, each as long as its busiest tile, by what
/// they do.
struct Measured {
    std::int64_t convolve = 0, reduce = 0, copies = 0, exchange = 0, slices = 0;
    std::int64_t steps = 0; ///< copies and exchanges
    [[nodiscard]] std::int64_t total() const {
        return convolve + reduce + copies + exchange + slices;
    }
};

void measure(const Profile& profile, ProgramId id, std::int64_t times, Measured& sum) {
    const Program& program = profile.programs[id];
    if (program.kind == ProgramKind::Repeat)
        times *= program.count;
    for (const ProgramId child : program.children)
        measure(profile, child, times, sum);
    if (program.target.valid())
        measure(profile, program.target, times, sum);
    if (!program.operation.valid())
        return;
    if (program.exchange.valid()) {
        sum.exchange += times * profile.exchanges[program.exchange].cycles.max().value;
        sum.steps += times;
    }
    if (!program.computeSet.valid())
        return;
    const ComputeSet& set = profile.computeSets[program.computeSet];
    const std::int64_t cycles = times * set.cycles.max().value;
    if (set.name.ends_with("/Convolve"))
        sum.convolve += cycles;
    else if (set.name.find("/Reduce") != std::string::npos || set.name.ends_with("/Cast"))
        sum.reduce += cycles;
    else if (set.name.find("erial") != std::string::npos)
        sum.slices += cycles;
    else {
        sum.copies += cycles;
        sum.steps += times;
    }
}

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

} // namespace

class EstimateTest : public QObject {
    Q_OBJECT

private slots:
    void estimateMeetsProgram() {
        QVERIFY(holds("estimates", 120, [] {
            const ConvProblem problem = anyProblem(300);
            RunOptions options;
            options.target = targetPreset(*rc::gen::element<std::string>("mk1", "mk2"));
            options.partialsType =
                problem.partialType == DataType::Half ? Precision::Half : Precision::Float;
            options.availableMemoryProportion = *rc::gen::element(0.6, 0.6, 0.02);
            const auto tiles = static_cast<std::int32_t>(anyFrom(4, 400));
            options.target.tilesPerIpu = tiles;
            const Graph graph = graphOf(problem);
            const PlanTable table(graph, options);
            const LoweredProgram lowered = lowerOn(graph, options, tiles);
            Measured m;
            for (const ProgramId root : lowered.profile.controlPrograms)
                measure(lowered.profile, root, 1, m);
            const ConvPlan& plan = table.planOf(OpId(0));
            const ConvCost& c = plan.cost;
            if (std::getenv("DUMP"))
                std::fprintf(stderr,
                             "R %.2f est %ld mea %ld | conv %ld/%ld red %ld/%ld ex %ld/%ld "
                             "rearr %ld/%ld serial %ld/%ld steps %ld | %s | %s\n",
                             double(m.total()) / double(c.cycles()), c.cycles(), m.total(),
                             c.compute, m.convolve, c.reduce, m.reduce, c.exchange, m.exchange,
                             c.rearrange, m.copies, c.serial, m.slices, m.steps,
                             describe(problem).c_str(), plan.toJson().c_str());
            RC_ASSERT(m.total() > 0);
        }));
    }
};

QTEST_APPLESS_MAIN(EstimateTest)
#include "estimate_test.moc"
