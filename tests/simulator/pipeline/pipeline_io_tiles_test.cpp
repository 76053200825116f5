// Transfers of a pipeline by I/O tiles: in which slot they are, what runs beside them, that it
// pays.
#include <QtTest>
#include <algorithm>

#include "core/base/error.h"
#include "core/trace/trace_index.h"
#include "simulator/simulate.h"
#include "support/graph_builder.h"
#include "support/invariants.h"
#include "support/pipelined_layers.h"
#include "support/program_text.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace pipeline_io_tiles_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

constexpr std::int32_t computeTiles = 16;
constexpr std::int32_t ioTiles = 32;

Graph layers(int count) {
    return equalLayers(count, 64, 64);
}

RunOptions pipelined(Schedule schedule, int stages, std::int64_t microBatches, bool training) {
    RunOptions options = pipelinedLayers(schedule, stages, microBatches, training);
    options.machine.target.tilesPerIpu = computeTiles + ioTiles;
    options.machine.ioTiles = ioTiles;
    options.host.exchangeStrategy = ExchangeStrategy::OverlapInnerLoop;
    // These models compute for less time than a host takes to answer.
    options.machine.target.hostLatencySeconds = 0;
    options.machine.target.externalSyncCycles = 10;
    return options;
}

/// StreamCopyMid steps of an IPU in the main run.
struct Beside {
    int transfers = 0;
    int working = 0;   ///< of these, those that the other tiles work beside
    int computing = 0; ///< a compute set is among that work
};

Beside besideOf(const Profile& profile, IpuId ipu) {
    const TraceIndex trace(profile.trace, profile.info.target.ipus,
                           profile.info.target.tilesPerIpu);
    const TraceRun& run = trace.runs().back();
    const auto spans = trace.spans(ipu, {run.start, run.start + run.cycles}, 1);
    Beside result;
    for (const TraceSpan& transfer : spans) {
        if (transfer.kind != ProgramKind::StreamCopyMid || transfer.run == 0)
            continue;
        ++result.transfers;
        const auto meets = [&](const TraceSpan& other, bool anyWork) {
            const bool works = other.kind == ProgramKind::OnTileExecute ||
                               (anyWork && (other.kind == ProgramKind::DoExchange ||
                                            other.kind == ProgramKind::Sync));
            return works && other.begin < transfer.end && transfer.begin < other.end;
        };
        result.working += std::any_of(spans.begin(), spans.end(),
                                      [&](const auto& other) { return meets(other, true); });
        result.computing += std::any_of(spans.begin(), spans.end(),
                                        [&](const auto& other) { return meets(other, false); });
    }
    return result;
}

TraceSums sumsOf(const Profile& profile, IpuId ipu) {
    const TraceIndex trace(profile.trace, profile.info.target.ipus,
                           profile.info.target.tilesPerIpu);
    const TraceRun& run = trace.runs().back();
    return trace.statistics(ipu, {run.start, run.start + run.cycles}).sums;
}

void expectSound(const Profile& profile) {
    const std::string wrong = complaints(profile);
    QVERIFY2(wrong.empty(), wrong.c_str());
}

/// The control program "outer" without what operations do.
QString outline(const Profile& profile) {
    QStringList kept;
    bool inside = false;
    for (const QString& line : text(programText(profile)).split('\n')) {
        if (!line.startsWith(' '))
            inside = line == "Sequence outer";
        if (inside && !line.contains("WriteUndef"))
            kept << line.section(':', 0, 0);
    }
    return kept.join('\n');
}

using enum ExchangeStrategy;

} // namespace

class PipelineIoTilesTest : public QObject {
    Q_OBJECT

private slots:
    void inputsComeASlotBeforeAndResultsLeaveASlotAfter() {
        const Profile profile = simulate(layers(2), pipelined(Schedule::Grouped, 2, 9, false));
        expectSound(profile);
        QCOMPARE(outline(profile), QString(R"(Sequence outer
  Sequence Init
  Sequence inner
    Sequence fill
      StreamCopy h2d_x0
      Call IoTileCopyIn_stage0 of IoTileCopyIn_stage0
      StreamCopy h2d_x0
      Call main_stage0 of main_stage0
      Call ipuCopies of ipuCopies
      Call IoTileCopyIn_stage0 of IoTileCopyIn_stage0
      StreamCopy h2d_x0
      Call main_stage0 of main_stage0
      Call main_stage1 of main_stage1
      Call ipuCopies of ipuCopies
    Repeat innerLoop x6
      Sequence innerLoop
        Call IoTileCopyOut_stage1 of IoTileCopyOut_stage1
        Call IoTileCopyIn_stage0 of IoTileCopyIn_stage0
        StreamCopy anchor_d2h_s1/relu:0
        StreamCopy h2d_x0
        Call main_stage0 of main_stage0
        Call main_stage1 of main_stage1
        Call ipuCopies of ipuCopies
    Sequence flush
      Call IoTileCopyOut_stage1 of IoTileCopyOut_stage1
      Call IoTileCopyIn_stage0 of IoTileCopyIn_stage0
      StreamCopy anchor_d2h_s1/relu
      Call main_stage0 of main_stage0
      Call main_stage1 of main_stage1
      Call ipuCopies of ipuCopies
      Call IoTileCopyOut_stage1 of IoTileCopyOut_stage1
      StreamCopy anchor_d2h_s1/relu
      Call main_stage1 of main_stage1
      Call ipuCopies of ipuCopies
      Call IoTileCopyOut_stage1 of IoTileCopyOut_stage1
      StreamCopy anchor_d2h_s1/relu)")
                                       .replace("s1/relu:0", "s1/relu"));
    }

    void theyRunBesideOtherMicroBatches_data() {
        QTest::addColumn<Schedule>("schedule");
        QTest::addColumn<int>("stages");
        QTest::addColumn<int>("count");
        QTest::addColumn<bool>("training");
        for (const Schedule schedule : {Schedule::PopArt, Schedule::Grouped})
            for (const int stages : {2, 3, 4})
                for (const bool training : {false, true}) {
                    const int least = 2 + (!training                      ? stages
                                           : schedule == Schedule::PopArt ? 2 * stages - 1
                                                                          : 2 * stages);
                    for (const int count : {least, least + 3})
                        QTest::addRow("%s, %d stages, %d, %s",
                                      std::string(toString(schedule)).c_str(), stages, count,
                                      training ? "training" : "inference")
                            << schedule << stages << count << training;
                }
    }
    void theyRunBesideOtherMicroBatches() {
        QFETCH(Schedule, schedule);
        QFETCH(int, stages);
        QFETCH(int, count);
        QFETCH(bool, training);
        const Graph graph = layers(stages);
        RunOptions options = pipelined(schedule, stages, count, training);
        const Profile overlapped = simulate(graph, options);
        expectSound(overlapped);
        options.host.exchangeStrategy = JustInTime;
        if (schedule == Schedule::Grouped) // which takes no other count without overlap
            (training ? options.batch.gradientAccumulation : options.batch.deviceIterations) =
                (count + 2 * stages - 1) / (2 * stages) * (2 * stages);
        const Profile inTime = simulate(graph, options);
        expectSound(inTime);
        const IpuId first(0);
        const IpuId last(stages - 1);
        // All inputs but the first come beside the programs of the slot before; labels as well.
        const Beside inputs = besideOf(overlapped, first);
        QCOMPARE(inputs.transfers, count);
        QCOMPARE(inputs.computing, count - 1);
        const Beside results = besideOf(overlapped, last);
        QCOMPARE(results.transfers, training ? 2 * count : count);
        QVERIFY(results.working >= (training ? 2 * (count - 1) : count - 1));
        // Labels and a loss are so few bytes that they may fall between two compute sets.
        QVERIFY(training || results.computing == count - 1);
        for (const IpuId ipu : {first, last})
            QCOMPARE(besideOf(inTime, ipu).working, 0);
        if (schedule != Schedule::PopArt)
            return;
        QVERIFY(overlapped.info.cycles < inTime.info.cycles);
        for (const IpuId ipu : {first, last}) {
            const TraceSums a = sumsOf(overlapped, ipu);
            const TraceSums b = sumsOf(inTime, ipu);
            QCOMPARE(a.hostBytesIn, b.hostBytesIn);
            QCOMPARE(a.hostBytesOut, b.hostBytesOut);
            QCOMPARE(a.compute(), b.compute());
        }
    }

    void goWithOtherOptions() {
        RunOptions options = pipelined(Schedule::Grouped, 2, 8, true);
        options.batch.deviceIterations = 3;
        options.training.optimizer = Optimizer::Momentum;
        options.memory.recompute = Recompute::Pipeline;
        options.replication.replicas = 2;
        options.memory.offload = {OffChip::Optimizer};
        expectSound(simulate(layers(2), options));
        // A host that is late, and stages that come back to an IPU.
        options = pipelined(Schedule::PopArt, 2, 9, false);
        options.execution.split = {"s1", "s2"};
        options.execution.deviceMapping = {0, 1, 0};
        options.host.hostRate = 1e6;
        options.host.hostJitter = 0.5;
        options.host.prefetchDepth = 2;
        expectSound(simulate(layers(3), options));
    }

    void aSlotMoreAtEachEndNeedsMoreMicroBatches() {
        QCOMPARE(userError([] {
                     static_cast<void>(
                         simulate(layers(2), pipelined(Schedule::Grouped, 2, 4, true)));
                 }),
                 "option gradientAccumulation (--gradient-accumulation): a grouped pipeline of 2 "
                 "stages whose transfers run beside other micro-batches needs at least 6 "
                 "micro-batches; 4 were asked for, 6 would do");
        expectSound(simulate(layers(2), pipelined(Schedule::Grouped, 2, 7, true)));
    }
};

TILESCOPE_TEST(PipelineIoTilesTest)

} // namespace pipeline_io_tiles_test

#include "pipeline_io_tiles_test.moc"
