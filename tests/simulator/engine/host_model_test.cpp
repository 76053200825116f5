// The host's pace: waits of requests, and loops that are never unrolled against the same program
// written out.
#include <QtTest>

#include "core/trace/trace_index.h"
#include "simulator/engine/timing.h"
#include "simulator/lowering/program/builder.h"
#include "simulator/simulate.h"
#include "support/graph_builder.h"
#include "support/holds.h"
#include "support/invariants.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace host_model_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

constexpr std::int64_t latency = 50;

Target simpleTarget() {
    Target target = targetPreset("mk2");
    target.tilesPerIpu = 2;
    target.internalSyncCycles = 3;
    target.externalSyncCycles = 7;
    target.clockHz = 1e9;
    target.hostBytesPerSecond = 1e9; // a byte a cycle
    return target;
}

/// A loop around inputs and computation, or that loop written out.
struct Loop {
    std::vector<std::int64_t> inputBytes; ///< each followed by
    std::vector<std::int64_t> compute;    ///< so many cycles
    std::int64_t count = 1, outer = 1;
    std::int64_t update = 0; ///< cycles after each inner loop
};

class LoopProgram {
public:
    explicit LoopProgram(const Loop& loop)
        : loop_(loop) {
        for (std::size_t i = 0; i < loop.inputBytes.size(); ++i)
            streams_.push_back(builder_.stream("h2d_" + std::to_string(i), true,
                                               TileSeries(TileId(0), 1, loop.inputBytes[i])));
    }

    Trace timed(bool writtenOut, const Feeding& feeding) {
        builder_.beginControlProgram("main");
        // Written out or not, the control program begins with something other than a stream.
        compute(1);
        outerLoop(writtenOut);
        builder_.end();
        lowered_.profile.info.target = target_;
        return timeProgram(lowered_.profile, target_, feeding);
    }

    [[nodiscard]] const Target& target() const { return target_; }
    [[nodiscard]] const Profile& profile() const { return lowered_.profile; }

private:
    void outerLoop(bool writtenOut) {
        if (!writtenOut)
            builder_.beginRepeat("outer", loop_.outer);
        for (std::int64_t i = 0; i < (writtenOut ? loop_.outer : 1); ++i) {
            if (!writtenOut)
                builder_.beginRepeat("inner", loop_.count);
            for (std::int64_t k = 0; k < (writtenOut ? loop_.count : 1); ++k)
                body();
            if (!writtenOut)
                builder_.end();
            if (loop_.update > 0)
                exchangeLike(loop_.update);
        }
        if (!writtenOut)
            builder_.end();
    }
    void body() {
        for (std::size_t i = 0; i < streams_.size(); ++i) {
            builder_.streamCopy(streams_[i], {});
            compute(loop_.compute[i]);
        }
    }
    void compute(std::int64_t cycles) {
        builder_.execute("work", TileSeries(TileId(0), 2, cycles), {}, {});
    }
    /// Takes cycles and a sync wherever it is, as an update that exchanges does.
    void exchangeLike(std::int64_t cycles) {
        Movement movement;
        movement.received = TileSeries(TileId(1), 1, 4);
        movement.sent = TileSeries(TileId(0), 1, 4);
        movement.cycles = TileSeries(TileId(1), 1, cycles);
        builder_.exchange("update", std::move(movement), {});
    }

    Loop loop_;
    Target target_ = simpleTarget();
    LoweredProgram lowered_;
    ProgramBuilder builder_{target_, lowered_};
    std::vector<StreamId> streams_;
};

struct Outcome {
    std::int64_t cycles = 0;
    std::vector<std::int64_t> begins; ///< start and length of each wait for the host
    std::size_t bodies = 0;
    friend bool operator==(const Outcome& a, const Outcome& b) {
        return a.cycles == b.cycles && a.begins == b.begins;
    }
};

Outcome outcome(const Loop& loop, bool writtenOut, const Feeding& feeding) {
    LoopProgram program(loop);
    const Trace trace = program.timed(writtenOut, feeding);
    const TraceIndex index(trace, 1, program.target().tilesPerIpu);
    Outcome result{trace.runs[0].cycles, {}, trace.bodies.size()};
    for (std::int64_t i = 0; i < index.stepCount() && i < 20'000; ++i)
        if (const ExecutedStep step = index.stepAt(i); step.kind == ProgramKind::StreamCopyBegin)
            result.begins.insert(result.begins.end(), {step.ipus[0].start, step.ipus[0].cycles});
    return result;
}

Feeding pace(std::int64_t fill, std::int32_t depth) {
    return {{fill, latency, depth}, 0, false};
}

/// Waits alone.
std::vector<std::int64_t> waits(const Loop& loop, const Feeding& feeding) {
    const Outcome result = outcome(loop, false, feeding);
    std::vector<std::int64_t> lengths;
    for (std::size_t i = 1; i < result.begins.size(); i += 2)
        lengths.push_back(result.begins[i] - simpleTarget().externalSyncCycles);
    return lengths;
}

using Waits = std::vector<std::int64_t>;

} // namespace

class HostModelTest : public QObject {
    Q_OBJECT

private slots:
    void aFastHostAnswersAfterItsLatency() {
        QCOMPARE(waits({{100}, {1000}, 4}, pace(0, 1)), (Waits{50, 50, 50, 50}));
        // Filled while the IPU computes.
        QCOMPARE(waits({{100}, {1000}, 4}, pace(900, 1)), (Waits{50, 50, 50, 50}));
    }

    void atDepthOneTheHostFillsBetweenTransfers() {
        // From the end of a transfer to the next request: End 7, sync 3, compute 1000.
        const std::int64_t between = 7 + 3 + 1000 + 7;
        const std::int64_t late = 50 + 3000 - (between - 7);
        QCOMPARE(waits({{100}, {1000}, 4}, pace(3000, 1)), (Waits{50, late, late, late}));
    }

    void aHostAheadCostsNoLatency() {
        QCOMPARE(waits({{100}, {1000}, 5}, pace(0, 2)), (Waits{0, 0, 0, 0, 0}));
        QCOMPARE(waits({{100}, {1000}, 5}, pace(1000, 3)), (Waits{0, 0, 0, 0, 0}));
    }

    /// The first `depth` batches are ready; then the host's rate is the rate of all.
    void aSlowHostDecidesTheRate() {
        const Loop loop{{100}, {1000}, 1'000'000};
        const std::int64_t fill = 2000;
        for (const std::int32_t depth : {2, 3, 5}) {
            const Outcome result = outcome(loop, false, pace(fill, depth));
            const std::int64_t least = (loop.count - depth) * fill;
            QVERIFY2(result.cycles >= least && result.cycles < least + 20 * fill,
                     qPrintable(QString::number(result.cycles)));
            QVERIFY(result.bodies < 12);
        }
        // At depth 1 the latency and the transfer are between two fillings.
        Loop twice = loop;
        twice.count *= 2;
        QCOMPARE(outcome(twice, false, pace(fill, 1)).cycles -
                     outcome(loop, false, pace(fill, 1)).cycles,
                 loop.count * (fill + 50 + 7 + 100));
    }

    /// Buffers that a long latency empties all at once are refilled together: a turn of
    /// repetitions.
    void aLatencyLongerThanAllBuffersComesInTurns() {
        const Loop loop{{1}, {10}, 30'000};
        const Outcome result = outcome(loop, false, pace(1, 3));
        QVERIFY(result.bodies < 20);
        QVERIFY(outcome({{1}, {10}, 301}, false, pace(1, 3)) ==
                outcome({{1}, {10}, 301}, true, pace(1, 3)));
    }

    void turnsWithinALoopAreAlike() {
        const Loop loop{{1}, {10}, 301, 100'000, 10};
        LoopProgram program(loop);
        const Trace trace = program.timed(false, pace(1, 3));
        QVERIFY2(trace.bodies.size() < 60, qPrintable(QString::number(trace.bodies.size())));
        const Loop few{{1}, {10}, 31, 30, 10};
        QVERIFY(outcome(few, false, pace(1, 3)) == outcome(few, true, pace(1, 3)));
    }

    /// Why a prefetch depth of 3 is best: one more batch that is ready makes up for a late one, and
    /// a fourth has nothing left to do.
    void jitterIsWhatDepthIsFor() {
        const auto cycles = [](std::int32_t depth, double jitter) {
            Feeding feeding = pace(850, depth);
            feeding.pace.jitter = jitter;
            return outcome({{100}, {1000}, 80'000}, false, feeding).cycles;
        };
        QCOMPARE(cycles(2, 0), cycles(3, 0));
        QVERIFY(cycles(1, 2) > cycles(2, 2) * 1.01);
        QVERIFY(cycles(2, 2) > cycles(3, 2) * 1.01);
        QVERIFY(cycles(3, 2) < cycles(4, 2) * 1.001);
        // The mean stays: a slow host decides the rate whatever it does between.
        Feeding slow = pace(7000, 4);
        const std::int64_t even = outcome({{100}, {1000}, 8000}, false, slow).cycles;
        slow.pace.jitter = 3;
        const std::int64_t uneven = outcome({{100}, {1000}, 8000}, false, slow).cycles;
        QVERIFY(std::abs(static_cast<double>(uneven) / static_cast<double>(even) - 1) < 0.01);
    }

    void aLoopWithJitterIsThatLoopWrittenOut() {
        for (const std::int32_t depth : {1, 2, 3, 5}) {
            Feeding feeding = pace(950, depth);
            feeding.pace.jitter = 2.5;
            const Loop loop{{100}, {1000}, 53, 4, 70};
            QVERIFY(outcome(loop, false, feeding) == outcome(loop, true, feeding));
        }
    }

    void otherStreamsKeepTheirLatency() {
        const Feeding slow = pace(5000, 4);
        LoweredProgram lowered;
        const Target target = simpleTarget();
        ProgramBuilder b(target, lowered);
        b.beginControlProgram("weightsFromHost");
        b.streamCopy("weights", true, TileSeries(TileId(0), 1, 10), {});
        b.streamCopy("anchor_d2h_y", false, TileSeries(TileId(0), 1, 10), {});
        b.end();
        const Trace trace = timeProgram(lowered.profile, target, slow);
        QCOMPARE(trace.bodies[TraceBodyId(0)].steps[0].ipus[0].cycles, 7 + latency);
        QCOMPARE(trace.bodies[TraceBodyId(0)].steps[3].ipus[0].cycles, 7 + latency);
    }

    void instancesShareTheReplicas() {
        RunOptions options;
        options.replication.replicas = 8;
        options.host.hostRate = 1000;
        const Target target = simpleTarget();
        QCOMPARE(hostPace(options, target, 5).fillCycles, 5 * 8 * 1'000'000);
        options.host.instances = 4;
        QCOMPARE(hostPace(options, target, 5).fillCycles, 5 * 2 * 1'000'000);
        options.host.prefetchDepth = 3;
        QCOMPARE(hostPace(options, target, 5).depth, 3);
        options.engine.given["exchange.enablePrefetch"] = "false";
        QCOMPARE(hostPace(options, target, 5).depth, 1);
    }

    void aRunOfDecadesIsRefused() {
        RunOptions options;
        options.host.hostRate = 1e-3;
        options.batch.deviceIterations = 1'000'000;
        const QString error = userError([&] { hostPace(options, simpleTarget(), 1'000'000); });
        QCOMPARE(error, "option hostRate (--host-rate): at 0.001 samples a second the 1000000 "
                        "micro-batches of a run take 31709792 years; give a higher rate, or fewer "
                        "--device-iterations");
        options.batch.deviceIterations = 1;
        QCOMPARE(hostPace(options, simpleTarget(), 1).fillCycles, 1'000'000'000'000);
    }

    /// A loop gives the same steps as if written out, whatever the pace.
    void anyLoopIsAsWrittenOut() {
        QVERIFY(holds("loops as written out", 300, [] {
            Loop loop;
            const std::int64_t inputs = anyFrom(1, 2);
            for (std::int64_t i = 0; i < inputs; ++i) {
                loop.inputBytes.push_back(anyFrom(1, 300));
                loop.compute.push_back(anyFrom(1, 600));
            }
            loop.count = anyFrom(1, 40);
            loop.outer = anyFrom(1, 6);
            loop.update = anyFrom(0, 1) * anyFrom(10, 3000);
            const Feeding feeding =
                pace(anyFrom(0, 1500), static_cast<std::int32_t>(anyFrom(1, 5)));
            RC_ASSERT(outcome(loop, false, feeding) == outcome(loop, true, feeding));
        }));
    }

    /// However many calls its repetitions are in the trace, a Repeat is executed as often as it is.
    void aRepeatIsCountedOnce() {
        for (const Loop& loop : {Loop{{100}, {1000}, 50, 4, 10}, Loop{{1}, {10}, 301, 4, 10}}) {
            for (const std::int64_t fill : {1, 3000}) {
                LoopProgram program(loop);
                const Trace trace = program.timed(false, pace(fill, 3));
                if (fill > loop.compute[0])
                    QVERIFY(trace.bodies.size() > 3);
                const Profile& profile = program.profile();
                const auto executed = TraceIndex(trace, 1, 2).executions(profile.programs.size());
                for (std::size_t i = 0; i < executed.size(); ++i) {
                    const Program& node = profile.programs[ProgramId(i)];
                    if (node.kind == ProgramKind::Repeat)
                        QCOMPARE(executed[i].count, node.name == "outer" ? 1 : loop.outer);
                    if (node.kind == ProgramKind::StreamCopyMid)
                        QCOMPARE(executed[i].count, loop.outer * loop.count);
                }
            }
        }
    }

    /// Stages wait for the one that waits for the host, and the profile is sound.
    void aPipelineGoesAtTheHostsRate() {
        GraphBuilder g;
        TensorId x = g.input({4, 64});
        for (const char* stage : {"a", "b"})
            x = g.matMul(std::string(stage) + "/fc", x, g.weight({64, 64}));
        const Graph graph = g.finish({x});
        RunOptions options;
        options.machine.target.ipus = 2;
        options.machine.target.tilesPerIpu = 8;
        options.execution.scheme = Execution::Pipelined;
        options.execution.split = {"b"};
        options.batch.deviceIterations = 2000;
        for (const std::int32_t depth : {1, 3}) {
            options.host.prefetchDepth = depth;
            options.host.hostRate = 0;
            const double freely = simulate(graph, options).info.throughput;
            options.host.hostRate = freely / 3;
            const Profile slow = simulate(graph, options);
            const std::string wrong = complaints(slow);
            QVERIFY2(wrong.empty(), wrong.c_str());
            QVERIFY(slow.trace.bodies.size() < 60);
            const double share = slow.info.throughput / options.host.hostRate;
            QVERIFY2(share > (depth == 1 ? 0.5 : 0.99) && share < 1.01,
                     qPrintable(QString::number(share)));
        }
    }

    /// Work grows with the number of different repetitions, not with their number.
    void aMillionRepetitionsAreAFewBodies() {
        QVERIFY(holds("few bodies", 100, [] {
            const Loop loop{{anyFrom(1, 300)}, {anyFrom(1, 600)}, 1'000'000'000};
            LoopProgram program(loop);
            const auto depth = static_cast<std::int32_t>(anyFrom(1, 5));
            const Trace trace = program.timed(false, pace(anyFrom(0, 1500), depth));
            RC_ASSERT(trace.bodies.size() < std::size_t(30));
        }));
    }
};

TILESCOPE_TEST(HostModelTest)

} // namespace host_model_test

#include "host_model_test.moc"
