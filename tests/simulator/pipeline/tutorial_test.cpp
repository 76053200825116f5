// The pipelining tutorial: mnist-cnn on four IPUs, pipelined and sharded.
#include <QtTest>
#include <algorithm>

#include "core/analysis/execution/pipeline.h"
#include "core/options/option_table.h"
#include "simulator/simulate.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace tutorial_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

Profile tutorial(Execution execution) {
    RunOptions options;
    setRunOptions(options, {{"mode", "training"},
                            {"ipus", "4"},
                            {"batchSize", "40"},
                            {"gradientAccumulation", "10"},
                            {"deviceIterations", "10"},
                            {"optimizer", "adamw"},
                            {"split", "B2,B3,B4"}});
    options.execution.scheme = execution;
    return simulateModel("mnist-cnn", options);
}

TraceBodyId calledBody(const Trace& trace, TraceBodyId from, const Profile& p,
                       const std::string& name) {
    for (const TraceCall& call : trace.bodies[from].calls)
        if (p.programs[call.program].name == name)
            return call.callee;
    return {};
}

bool isBelow(const Profile& p, ProgramId id, const std::string& name) {
    for (; id.valid(); id = p.programs[id].parent)
        if (p.programs[id].name == name)
            return true;
    return false;
}

} // namespace

class TutorialTest : public QObject {
    Q_OBJECT

private slots:
    void pipelinedFillsRunsAndDrains() {
        const Profile p = tutorial(Execution::Pipelined);
        QVERIFY(p.info.fits);
        const PipelineReport r = pipelineReport(p);
        QCOMPARE(r.iterations, 10);
        QCOMPARE(r.rampUpSlots, 6);
        QCOMPARE(r.mainSlots, 4);
        QCOMPARE(r.rampDownSlots, 6);
        QCOMPARE(r.slotTimes.front().programs, (std::vector<std::string>{"F0"}));
        QCOMPARE(r.slotTimes.back().programs, (std::vector<std::string>{"B0"}));
        // On each IPU forward comes before backward in the steady state.
        const auto steady =
            std::find_if(r.slotTimes.begin(), r.slotTimes.end(),
                         [](const auto& slot) { return slot.part == PipelinePart::Main; });
        QCOMPARE(steady->programs,
                 (std::vector<std::string>{"F0", "F1", "F2", "F3 B3", "B2", "B1", "B0"}));
        QCOMPARE(steady->repeats, 4);
    }

    void oneWeightUpdateForEachAccumulation() {
        const Profile p = tutorial(Execution::Pipelined);
        const Trace& trace = p.trace;
        const TraceBodyId loop = calledBody(trace, trace.runs.back().body, p, "outerloop");
        QVERIFY(loop.valid());
        for (const TraceCall& call : trace.bodies[trace.runs.back().body].calls)
            QCOMPARE(call.count, 10);
        // Once in the loop, after everything else.
        std::size_t updates = 0;
        bool updating = false;
        for (const TraceItem& item : trace.bodies[loop].items) {
            const bool isStep = item.step >= 0;
            const ProgramId program =
                isStep ? trace.bodies[loop].steps[static_cast<std::size_t>(item.step)].program
                       : trace.bodies[loop].calls[static_cast<std::size_t>(item.call)].program;
            if (!program.valid())
                continue;
            const bool update = isBelow(p, program, "VarUpdateFromAccumulator");
            QVERIFY(update || !updating);
            updates += update && !updating ? 1 : 0;
            updating = update;
        }
        QCOMPARE(updates, std::size_t(1));
        QVERIFY(updating);
    }

    /// Compute sets and exchanges of a micro-batch never run on two IPUs at the same time.
    void shardedWorksOnOneIpuAtATime() {
        const Profile p = tutorial(Execution::Sharded);
        QVERIFY(p.info.fits && p.pipeline.empty());
        const Trace& trace = p.trace;
        const TraceBodyId loop = calledBody(trace, trace.runs.back().body, p, "batchesPerStep");
        QVERIFY(loop.valid());
        const TraceBodyId micro = calledBody(trace, loop, p, "accumulationLoop");
        QVERIFY(micro.valid());
        struct Busy {
            std::int64_t from, to;
            IpuId ipu;
        };
        std::vector<Busy> busy;
        for (const TraceStep& step : trace.bodies[micro].steps)
            if (step.kind == ProgramKind::OnTileExecute || step.kind == ProgramKind::DoExchange)
                for (const StepOnIpu& on : step.ipus)
                    if (on.cycles > 0)
                        busy.push_back({on.start, on.start + on.cycles, on.ipu});
        std::sort(busy.begin(), busy.end(),
                  [](const Busy& a, const Busy& b) { return a.from < b.from; });
        QVERIFY(busy.size() > 50);
        std::size_t changes = 0;
        for (std::size_t i = 1; i < busy.size(); ++i) {
            if (busy[i].ipu == busy[i - 1].ipu)
                continue;
            ++changes;
            QVERIFY(busy[i].from >= busy[i - 1].to);
        }
        // Forward over three boundaries and back.
        QVERIFY(changes >= 6);
    }

    void pipelinedIsFasterThanSharded() {
        QVERIFY(tutorial(Execution::Pipelined).info.throughput >
                1.5 * tutorial(Execution::Sharded).info.throughput);
    }
};

TILESCOPE_TEST(TutorialTest)

} // namespace tutorial_test

#include "tutorial_test.moc"
