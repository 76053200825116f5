// When each step runs: syncs before compute sets and exchanges, loops as one call, IPUs side by
// side.
#include <QtTest>

#include "simulator/engine/timing.h"
#include "simulator/lowering/program/builder.h"
#include "tests/support/test_main.h"

namespace timing_test {
using namespace tilescope;
using namespace tilescope::sim;

namespace {

Target twoTiles(std::int32_t ipus = 1) {
    Target target = targetPreset("mk2");
    target.tilesPerIpu = 2;
    target.ipus = ipus;
    // Most of these tests look at the steps between the syncs.
    target.internalSyncCycles = 0;
    target.externalSyncCycles = 0;
    return target;
}

/// Programs with given cycles, in a control program.
struct TimedProgram {
    Target target;
    LoweredProgram lowered;
    ProgramBuilder builder{target, lowered};

    explicit TimedProgram(Target t)
        : target(std::move(t)) {
        builder.beginControlProgram("main");
    }

    void execute(const std::string& name, std::vector<std::int64_t> cycles) {
        builder.execute(name, TileSeries::fromDense(cycles), {}, {});
    }
    void exchange(const std::string& name, std::int64_t bytes) {
        const VariableId from = builder.variable(name + "/from", MemoryCategory::Variable,
                                                 TileSeries(TileId(0), 1, bytes));
        Traffic traffic;
        traffic.total = bytes;
        traffic.sent = TileSeries(TileId(0), 1, bytes);
        traffic.received = TileSeries(TileId(1), 1, bytes);
        traffic.messages = TileSeries(TileId(1), 1, 1);
        Movement movement;
        movement.add(target, traffic, 1, 4);
        builder.exchange(name, std::move(movement), {{from}, {}});
    }
    Trace time() {
        lowered.profile.info.target = target;
        return timeProgram(lowered.profile, target);
    }
};

/// "Sync 0+126, DoExchange 126+5" of the first IPU; syncs of no length are left out.
std::string text(const TraceBody& body, std::size_t ipu = 0) {
    std::string result;
    for (const TraceItem& item : body.items) {
        if (item.step >= 0) {
            const TraceStep& step = body.steps[static_cast<std::size_t>(item.step)];
            if (step.kind == ProgramKind::Sync && step.ipus[ipu].cycles == 0)
                continue;
        }
        if (!result.empty())
            result += ", ";
        if (item.call >= 0) {
            const TraceCall& call = body.calls[static_cast<std::size_t>(item.call)];
            const CallOnIpu& on = call.ipus[ipu];
            result += "call " + std::to_string(on.start) + "+" + std::to_string(call.count) + "*" +
                      std::to_string(on.period);
            continue;
        }
        const TraceStep& step = body.steps[static_cast<std::size_t>(item.step)];
        const StepOnIpu& on = step.ipus[ipu];
        result += std::string(toString(step.kind)) + " " + std::to_string(on.start) + "+" +
                  std::to_string(on.cycles);
    }
    return result;
}

} // namespace

class TimingTest : public QObject {
    Q_OBJECT

private slots:
    void oneAfterTheOther() {
        TimedProgram p(twoTiles());
        p.execute("a", {10, 30});
        p.execute("b", {7, 0});
        p.builder.end();
        const Trace trace = p.time();
        QCOMPARE(trace.bodies.size(), std::size_t(1));
        QCOMPARE(text(trace.bodies[TraceBodyId(0)]),
                 std::string("OnTileExecute 0+30, OnTileExecute 30+7"));
        const StepOnIpu& first = trace.bodies[TraceBodyId(0)].steps[1].ipus[0];
        QCOMPARE(first.activeTiles, 2);
        QCOMPARE(first.activeCycles, 40);
        QCOMPARE(trace.runs.size(), std::size_t(1));
        QCOMPARE(trace.runs[0].name, std::string("Engine::run #0 (main)"));
        QCOMPARE(trace.runs[0].cycles, 37);
    }

    void computeSetsAndExchangesWaitForAllTiles() {
        Target target = twoTiles();
        target.internalSyncCycles = 126;
        target.externalSyncCycles = 600;
        TimedProgram p(target);
        p.execute("a", {10, 30});
        p.exchange("x", 400);
        p.builder.end();
        const Trace trace = p.time();
        // The first waits for the host.
        QCOMPARE(text(trace.bodies[TraceBodyId(0)]),
                 std::string("Sync 0+600, OnTileExecute 600+30, Sync 630+126, DoExchange 756+100"));
        const StepOnIpu& on = trace.bodies[TraceBodyId(0)].steps[3].ipus[0];
        QCOMPARE(on.bytesIn, 400);
        QCOMPARE(on.bytesOut, 400);
    }

    void computeSetsWithoutAnExchangeBetweenDoNotWait() {
        Target target = twoTiles();
        target.internalSyncCycles = 126;
        TimedProgram p(target);
        p.execute("a", {10, 30});
        p.execute("b", {5, 5});
        p.exchange("x", 400);
        p.execute("c", {1, 1});
        p.builder.end();
        QCOMPARE(text(p.time().bodies[TraceBodyId(0)]),
                 std::string("OnTileExecute 0+30, OnTileExecute 30+5, Sync 35+126, "
                             "DoExchange 161+100, Sync 261+126, OnTileExecute 387+1"));
    }

    void aLoopThatStartsAProgramWaitsForTheHostOnce() {
        Target target = twoTiles();
        target.externalSyncCycles = 600;
        TimedProgram p(target);
        p.builder.beginRepeat("loop", 3);
        p.execute("body", {5, 9});
        p.builder.end();
        p.builder.end();
        const Trace trace = p.time();
        QCOMPARE(trace.runs[0].cycles, 600 + 3 * 9);
        QCOMPARE(text(trace.bodies.back()), std::string("Sync 0+600, call 600+3*9"));
    }

    void undefinedWritesTakeNoTime() {
        TimedProgram p(twoTiles());
        p.builder.writeUndef("v", p.builder.variable("v", MemoryCategory::Variable, {}));
        p.execute("a", {5, 5});
        p.builder.end();
        QCOMPARE(text(p.time().bodies[TraceBodyId(0)]), std::string("OnTileExecute 0+5"));
    }

    void aLoopIsOneCall() {
        for (const std::int64_t count : {std::int64_t(2), std::int64_t(1'000'000)}) {
            TimedProgram p(twoTiles());
            p.execute("before", {3, 3});
            p.builder.beginRepeat("loop", count);
            p.execute("body", {5, 9});
            p.builder.end();
            p.execute("after", {1, 1});
            p.builder.end();
            const Trace trace = p.time();
            QCOMPARE(trace.bodies.size(), std::size_t(2));
            const std::string end = std::to_string(3 + 9 * count);
            QCOMPARE(text(trace.bodies.back()), "OnTileExecute 0+3, call 3+" +
                                                    std::to_string(count) + "*9, OnTileExecute " +
                                                    end + "+1");
            QCOMPARE(text(trace.bodies[TraceBodyId(0)]), std::string("OnTileExecute 0+9"));
            QCOMPARE(trace.runs[0].cycles, 3 + 9 * count + 1);
        }
    }

    void aLoopOfOneIterationIsNotACall() {
        TimedProgram p(twoTiles());
        p.builder.beginRepeat("loop", 1);
        p.execute("body", {5, 9});
        p.builder.end();
        p.builder.end();
        const Trace trace = p.time();
        QCOMPARE(text(trace.bodies[TraceBodyId(0)]), std::string("OnTileExecute 0+9"));
    }

    void aFunctionIsTimedOnce() {
        TimedProgram p(twoTiles());
        Profile& profile = p.lowered.profile;
        p.execute("before", {2, 2});
        p.builder.end();
        // Functions are beside the control programs.
        p.builder.beginControlProgram("function");
        p.execute("work", {4, 6});
        p.builder.end();
        const ProgramId function = profile.controlPrograms.back();
        profile.controlPrograms.pop_back();
        profile.functions.push_back(function);
        for (int i = 0; i < 2; ++i) {
            Program call;
            call.kind = ProgramKind::Call;
            call.parent = profile.controlPrograms[0];
            call.target = function;
            const ProgramId id = profile.programs.add(std::move(call));
            profile.programs[profile.controlPrograms[0]].children.push_back(id);
        }
        const Trace trace = p.time();
        QCOMPARE(trace.bodies.size(), std::size_t(2));
        QCOMPARE(text(trace.bodies.back()),
                 std::string("OnTileExecute 0+2, call 2+1*6, call 8+1*6"));
    }

    void ipusRunSideBySide() {
        TimedProgram p(twoTiles(2));
        p.execute("a", {10, 30, 5, 5});
        p.execute("b", {1, 1, 40, 2});
        p.builder.end();
        const Trace trace = p.time();
        const TraceBody& body = trace.bodies[TraceBodyId(0)];
        QCOMPARE(text(body, 0), std::string("OnTileExecute 0+30, OnTileExecute 30+1"));
        QCOMPARE(text(body, 1), std::string("OnTileExecute 0+5, OnTileExecute 5+40"));
        QCOMPARE(trace.runs[0].cycles, 45);
    }

    void streamsTakeTheHostsTime() {
        Target target = twoTiles();
        target.externalSyncCycles = 600;
        target.hostBytesPerSecond = 16e9;
        TimedProgram p(target);
        const VariableId v =
            p.builder.variable("v", MemoryCategory::Variable, TileSeries(TileId(0), 2, 8000));
        p.builder.streamCopy("in", true, TileSeries(TileId(0), 2, 8000), {v});
        p.builder.end();
        const Trace trace = p.time();
        const TraceBody& body = trace.bodies[TraceBodyId(0)];
        QCOMPARE(body.steps.size(), std::size_t(3));
        QVERIFY(body.steps[0].kind == ProgramKind::StreamCopyBegin);
        const StepOnIpu& mid = body.steps[1].ipus[0];
        QCOMPARE(mid.bytesIn, 16'000);
        QCOMPARE(mid.bytesOut, 0);
        QCOMPARE(mid.cycles, 1325); // 1 us at 16 GB/s
        QCOMPARE(body.steps[2].ipus[0].cycles, p.target.externalSyncCycles);
    }

    void runsFollowEachOther() {
        TimedProgram p(twoTiles());
        p.execute("a", {4, 4});
        p.builder.end();
        p.builder.beginControlProgram("second");
        p.execute("b", {6, 6});
        p.builder.end();
        const Trace trace = p.time();
        QCOMPARE(trace.runs.size(), std::size_t(2));
        QCOMPARE(trace.runs[1].start, 4);
        QCOMPARE(trace.runs[1].cycles, 6);
    }
};

TILESCOPE_TEST(TimingTest)

} // namespace timing_test

#include "timing_test.moc"
