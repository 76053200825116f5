// Transfers with the host by I/O tiles: places of data, movements, and overlap.
#include <QtTest>
#include <algorithm>

#include "core/trace/trace_index.h"
#include "simulator/simulate.h"
#include "support/graph_builder.h"
#include "support/invariants.h"
#include "support/program_text.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace io_tiles_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

constexpr std::int32_t computeTiles = 16;
constexpr std::int32_t ioTiles = 32;

Graph convolutions() {
    GraphBuilder g;
    const TensorId x = g.input({2, 16, 24, 24});
    const TensorId a = g.unary("a/relu", ElementwiseFunction::Relu, g.conv("a/conv", x, 16, 3));
    return g.finish({g.unary("b/relu", ElementwiseFunction::Relu, g.conv("b/conv", a, 16, 3))});
}

Graph classifier() {
    GraphBuilder g;
    const TensorId x = g.input({8, 64});
    const TensorId hidden =
        g.unary("relu", ElementwiseFunction::Relu, g.matMul("fc1", x, g.weight({64, 64})));
    return g.finish({g.matMul("fc2", hidden, g.weight({64, 16}))});
}

RunOptions options(ExchangeStrategy strategy, std::int64_t iterations) {
    RunOptions made;
    made.machine.target.tilesPerIpu = computeTiles + ioTiles;
    made.machine.ioTiles = ioTiles;
    made.host.exchangeStrategy = strategy;
    made.batch.deviceIterations = iterations;
    // These models compute for less time than a host takes to answer.
    made.machine.target.hostLatencySeconds = 0;
    made.machine.target.externalSyncCycles = 10;
    return made;
}

RunOptions training(ExchangeStrategy strategy, std::int64_t iterations, std::int64_t accumulation) {
    RunOptions made = options(strategy, iterations);
    made.batch.mode = "training";
    made.batch.gradientAccumulation = accumulation;
    made.training.optimizer = Optimizer::Momentum;
    return made;
}

struct Overlap {
    std::int64_t transfers = 0; ///< StreamCopyMid steps of the main run
    std::int64_t beside = 0;    ///< of these, those that the other tiles work beside
    bool compute = false;       ///< a compute set is among that work
};

Overlap overlapOf(const Profile& profile) {
    const TraceIndex trace(profile.trace, 1, profile.info.target.tilesPerIpu);
    const TraceRun& run = trace.runs().back();
    const auto spans = trace.spans(IpuId(0), {run.start, run.start + run.cycles}, 1);
    Overlap result;
    for (const TraceSpan& transfer : spans) {
        if (transfer.kind != ProgramKind::StreamCopyMid || transfer.run == 0)
            continue;
        ++result.transfers;
        bool beside = false;
        for (const TraceSpan& other : spans) {
            const bool works = other.kind == ProgramKind::OnTileExecute ||
                               other.kind == ProgramKind::DoExchange ||
                               other.kind == ProgramKind::Sync;
            if (!works || other.begin >= transfer.end || transfer.begin >= other.end)
                continue;
            beside = true;
            result.compute |= other.kind == ProgramKind::OnTileExecute;
        }
        result.beside += beside;
    }
    return result;
}

TraceSums sumsOf(const Profile& profile) {
    const TraceIndex trace(profile.trace, 1, profile.info.target.tilesPerIpu);
    const TraceRun& run = trace.runs().back();
    return trace.statistics(IpuId(0), {run.start, run.start + run.cycles}).sums;
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
        if (inside)
            kept << line.section(':', 0, 0);
    }
    return kept.join('\n');
}

using enum ExchangeStrategy;

} // namespace

class IoTilesTest : public QObject {
    Q_OBJECT

private slots:
    void justInTimeGoesThroughIoTiles() {
        const Profile profile = simulate(convolutions(), options(JustInTime, 3));
        expectSound(profile);
        const Overlap overlap = overlapOf(profile);
        QCOMPARE(overlap.transfers, 6);
        QCOMPARE(overlap.beside, 0);
        const QString program = text(programText(profile));
        const auto load = program.indexOf("StreamCopy h2d_x0: -> ST_x0");
        const auto in = program.indexOf(": IO_x0 -> x0");
        const auto first = program.indexOf("OnTileExecute");
        const auto out = program.indexOf(": b/relu:0 -> IO_b/relu:0");
        const auto store = program.indexOf("StreamCopy anchor_d2h_b/relu:0: ST_b/relu:0 ->");
        QVERIFY2(0 < load && load < in && in < first && first < out && out < store,
                 qPrintable(program));
    }

    void theLoopIsTakenApart() {
        const Profile profile = simulate(classifier(), options(OverlapInnerLoop, 10));
        expectSound(profile);
        QCOMPARE(outline(profile), QString(R"(Sequence outer
  StreamCopy h2d_x0
  Call IoTileCopyIn of IoTileCopyIn
  StreamCopy h2d_x0
  Call microBatch of microBatch
  Call IoTileCopyOut of IoTileCopyOut
  Repeat batchesPerStep x8
    Sequence batchesPerStep
      Call IoTileCopyIn of IoTileCopyIn
      StreamCopy h2d_x0
      StreamCopy anchor_d2h_fc2
      Call microBatch of microBatch
      Call IoTileCopyOut of IoTileCopyOut
  Call IoTileCopyIn of IoTileCopyIn
  StreamCopy anchor_d2h_fc2
  Call microBatch of microBatch
  Call IoTileCopyOut of IoTileCopyOut
  StreamCopy anchor_d2h_fc2)"));
    }

    /// As many transfers, the same bytes; which of them overlap, and that it pays.
    void overlap_data() {
        QTest::addColumn<RunOptions>("run");
        QTest::addColumn<int>("beside"); // transfers that the other tiles work beside
        const auto row = [](const char* name, const RunOptions& run, int beside) {
            QTest::newRow(name) << run << beside;
        };
        for (const ExchangeStrategy strategy : {OverlapInnerLoop, OverlapLoops}) {
            const bool inner = strategy == OverlapInnerLoop;
            // Every load but the first, every store but the last.
            row(inner ? "inference, inner" : "inference, loops", options(strategy, 6), 5 + 5);
            row(inner ? "1, inner" : "1, loops", options(strategy, 1), 0);
            row(inner ? "2, inner" : "2, loops", options(strategy, 2), 2);
            // Data and labels come, the loss goes: its last store runs beside the weight update.
            row(inner ? "training, inner" : "training, loops", training(strategy, 3, 4),
                inner ? 3 * (3 * 2 + 3 + 1) : 11 * 2 + 12);
            row(inner ? "two updates, inner" : "two updates, loops", training(strategy, 2, 2),
                inner ? 2 * (2 + 1 + 1) : 3 * 2 + 4);
            row(inner ? "one of two, inner" : "one of two, loops", training(strategy, 1, 2), 2 + 2);
            // The weights are updated in each micro-batch.
            row(inner ? "no accumulation, inner" : "no accumulation, loops",
                training(strategy, 5, 1), 4 * 2 + 4);
        }
    }
    void overlap() {
        QFETCH(RunOptions, run);
        QFETCH(int, beside);
        for (const Graph& graph : {convolutions(), classifier()}) {
            if (run.isTraining() && graph.outputs.size() == 1 && graph.ops.size() > 3)
                continue; // its loss would be a picture
            const Profile overlapped = simulate(graph, run);
            expectSound(overlapped);
            RunOptions plain = run;
            plain.host.exchangeStrategy = JustInTime;
            const Profile inTime = simulate(graph, plain);
            expectSound(inTime);
            const Overlap found = overlapOf(overlapped);
            if (graph.ops.size() > 3)
                QCOMPARE(found.compute, beside > 0);
            QCOMPARE(found.transfers, overlapOf(inTime).transfers);
            QCOMPARE(found.beside, beside);
            const TraceSums a = sumsOf(overlapped);
            const TraceSums b = sumsOf(inTime);
            QCOMPARE(a.hostBytesIn, b.hostBytesIn);
            QCOMPARE(a.hostBytesOut, b.hostBytesOut);
            QCOMPARE(a.compute(), b.compute());
            if (beside > 0)
                QVERIFY(overlapped.info.cycles < inTime.info.cycles);
            RunOptions without = plain;
            without.machine.ioTiles = 0;
            without.machine.target.tilesPerIpu = computeTiles;
            const TraceSums c = sumsOf(simulate(graph, without));
            QCOMPARE(b.hostBytesIn, c.hostBytesIn);
            QCOMPARE(b.hostBytesOut, c.hostBytesOut);
            QCOMPARE(b.compute(), c.compute());
        }
    }

    /// A host that is slower than the device is waited for beside the computation.
    void theHostIsWaitedForBesideComputation() {
        RunOptions slow = options(OverlapInnerLoop, 1000);
        const double seconds = simulate(convolutions(), slow).info.seconds() / 1000;
        slow.host.hostRate = 2 / (seconds * 3); // samples; a micro-batch has two
        slow.host.prefetchDepth = 3;
        const Profile overlapped = simulate(convolutions(), slow);
        expectSound(overlapped);
        const double each = overlapped.info.seconds() / 1000;
        QVERIFY2(each > 2.95 * seconds && each < 3.05 * seconds, qPrintable(QString::number(each)));
        QVERIFY(overlapped.trace.bodies.size() < 40);
    }

    /// Operations that spread over a whole chip leave the I/O tiles alone.
    void operationsOfAWholeChipKeepOffIoTiles() {
        GraphBuilder g;
        const TensorId x = g.input({1, 128, 768});
        const TensorId sum = g.reduce("sum", ReduceFunction::Add, x, {2});
        const TensorId all = g.reduce("all", ReduceFunction::Max, x, {0, 1, 2});
        const TensorId product = g.matMul("fc", x, g.weight({768, 768}));
        const TensorId soft = g.softmax("softmax", g.transpose("turn", product, {0, 2, 1}));
        const Graph graph = g.finish({sum, all, soft});
        RunOptions run;
        run.machine.ioTiles = 64;
        run.batch.deviceIterations = 5;
        run.host.exchangeStrategy = OverlapInnerLoop;
        const Profile profile = simulate(graph, run);
        expectSound(profile);
        QVERIFY(overlapOf(profile).compute);
    }

    /// Collectives and streaming memory have their copies beside those of the host.
    void goesWithReplicasAndOffloading() {
        for (const ExchangeStrategy strategy : {JustInTime, OverlapInnerLoop, OverlapLoops}) {
            RunOptions run = training(strategy, 3, 4);
            run.replication.replicas = 4;
            run.memory.offload = {OffChip::Optimizer};
            expectSound(simulate(classifier(), run));
            run.replication.replicatedTensorSharding = true;
            run.memory.recompute = Recompute::All;
            expectSound(simulate(classifier(), run));
        }
    }

    /// A stream's tensor and the program's, of the same bytes on the same tiles, and both at once
    /// where one is copied to the other.
    void eachTensorIsOnIoTilesTwice() {
        const Profile profile = simulate(classifier(), options(OverlapLoops, 10));
        const auto liveAt = [&](const Variable& variable, std::size_t step) {
            const auto& lives = profile.livenessClasses[variable.liveness].intervals;
            return std::any_of(lives.begin(), lives.end(), [&](const StepInterval& life) {
                return life.first.index() <= step && step < life.end.index();
            });
        };
        int pairs = 0;
        for (const Variable& streamed : profile.variables)
            for (const Variable& there : profile.variables) {
                if (!streamed.name.starts_with("ST_") || !there.name.starts_with("IO_") ||
                    streamed.name.substr(3) != there.name.substr(3))
                    continue;
                ++pairs;
                QVERIFY(streamed.bytes == there.bytes);
                int together = 0;
                int apart = 0;
                for (std::size_t step = 0; step < profile.steps.size(); ++step) {
                    together += liveAt(streamed, step) && liveAt(there, step) ? 1 : 0;
                    apart += liveAt(streamed, step) != liveAt(there, step) ? 1 : 0;
                }
                QVERIFY(together > 0 && apart > 0);
            }
        QCOMPARE(pairs, 2);
    }

    void tooMuchForIoTilesIsNoticed() {
        GraphBuilder g;
        // 32 tiles have 20 MB, and the input is there twice.
        const TensorId x = g.input({1, 32, 320, 320});
        const Graph graph = g.finish({g.reduce("sum", ReduceFunction::Add, x, {1, 2, 3})});
        RunOptions run;
        run.machine.ioTiles = ioTiles;
        const Profile profile = simulate(graph, run);
        QVERIFY(!profile.info.fits);
        const std::int32_t first = run.machine.target.tilesPerIpu - ioTiles;
        const QString message = text(outOfMemoryText(profile));
        const int tile = message.section("on tile ", 1).section(':', 0, 0).toInt();
        QVERIFY2(tile >= first, qPrintable(message));
    }
};

TILESCOPE_TEST(IoTilesTest)

} // namespace io_tiles_test

#include "io_tiles_test.moc"
