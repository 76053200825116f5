// Where what a step works on comes from, and where its result goes.
#include "core/analysis/execution/flows.h"

#include <QTest>

#include "tests/support/sample_pipeline.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace flows_test {
using namespace tilescope;
using namespace tilescope::test;

class FlowsTest : public QObject {
    Q_OBJECT

    static std::int64_t firstOf(const TraceIndex& trace, ProgramKind kind) {
        for (std::int64_t at = 0; at < trace.stepCount(); ++at)
            if (trace.stepAt(at).kind == kind)
                return at;
        return -1;
    }

private slots:
    /// F3 on stage 0, F3 B3 on stage 1, B3 on stage 0.
    void aStageLeadsToTheNext() {
        const Profile sample = samplePipelineRun();
        const auto profile = ProfileView::of(sample);
        const auto trace = profile->trace();
        const auto batches = microBatchesOf(*profile, {});
        const auto way = batches->runsOf(3, *trace, {0, trace->totalCycles()}, 8);
        const auto flowsAt = [&](std::size_t at) {
            const std::int64_t step = trace->stepAtCycle(way[at].ipu, way[at].range.begin);
            return flowsOf(*profile, trace->stepAt(step)).list;
        };
        const std::vector<Flow> first = flowsAt(0);
        QCOMPARE(first.size(), std::size_t{2});
        QCOMPARE(first[0].kind, FlowKind::Stage);
        QCOMPARE(first[0].from.cycles, way[0].range);
        QCOMPARE(first[0].to.cycles, way[1].range);
        QVERIFY(first[0].to.step >= 0);
        QCOMPARE(first[1].kind, FlowKind::Backward); // its activations
        QCOMPARE(first[1].to.cycles, way[2].range);
        const std::vector<Flow> last = flowsAt(2);
        QCOMPARE(last.size(), std::size_t{2});
        QCOMPARE(last[0].from.cycles, way[1].range);
        QCOMPARE(last[1].from.cycles, way[0].range);
    }

    void anExchangeHasSenderAndReceiver() {
        const Profile sample = sampleProfile({.ipus = 2});
        const auto profile = ProfileView::of(sample);
        ExecutedStep step;
        step.kind = ProgramKind::GlobalExchange;
        step.ipus = {{IpuId(0), 10, 5, 0, 0, 0, 400}, {IpuId(1), 12, 3, 0, 0, 400, 0}};
        const Flows flows = flowsOf(*profile, step);
        QCOMPARE(flows.list.size(), std::size_t{1});
        QCOMPARE(flows.list[0].from.ipu, IpuId(0));
        QCOMPARE(flows.list[0].to.ipu, IpuId(1));
        QCOMPARE(flows.list[0].bytes, std::int64_t{400});
        // All with all: who sends to whom is not known.
        for (StepOnIpu& on : step.ipus)
            on.bytesIn = on.bytesOut = 400;
        QVERIFY(flowsOf(*profile, step).isCollective);
        QVERIFY(flowsOf(*profile, step).list.empty());
    }

    void aStreamCopyLeadsToTheHost() {
        const Profile sample = sampleProfile();
        const auto profile = ProfileView::of(sample);
        const auto trace = profile->trace();
        const std::int64_t at = firstOf(*trace, ProgramKind::StreamCopyMid);
        QVERIFY(at >= 0);
        const ExecutedStep step = trace->stepAt(at);
        const std::vector<Flow> flows = flowsOf(*profile, step).list;
        QCOMPARE(flows.size(), std::size_t{1});
        QCOMPARE(flows[0].kind, FlowKind::Stream);
        const StreamId stream = (*profile->programs())[step.program].stream;
        QCOMPARE(flows[0].from.ipu.valid(), !(*profile->streams())[stream].toDevice);
        QCOMPARE(flows[0].to.ipu.valid(), (*profile->streams())[stream].toDevice);
        QVERIFY(flowsOf(*profile, ExecutedStep()).list.empty());
    }
};

TILESCOPE_TEST(FlowsTest)

} // namespace flows_test

#include "flows_test.moc"
