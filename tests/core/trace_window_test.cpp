#include "core/trace/trace_index.h"

#include <QTest>
#include <limits>
#include <set>

#include "tests/support/qt_text.h"
#include "tests/support/sample_profile.h"
#include "tests/support/sample_trace.h"
#include "tests/support/test_main.h"

namespace trace_window_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

/// All steps of an IPU one by one, by following every call: what the index must agree with.
class Unrolled {
public:
    Unrolled(const Trace& trace, IpuId ipu)
        : trace_(trace)
        , ipu_(ipu) {
        for (std::size_t run = 0; run < trace.runs.size(); ++run)
            body(trace.runs[run].body, trace.runs[run].start, static_cast<std::int32_t>(run));
    }
    std::vector<TraceSpan> spans;

    [[nodiscard]] std::vector<TraceSpan> within(CycleRange range) const {
        std::vector<TraceSpan> found;
        for (const TraceSpan& span : spans)
            if (span.begin < range.end && span.end > range.begin)
                found.push_back(span);
        return found;
    }

private:
    void body(TraceBodyId id, std::int64_t base, std::int32_t run) {
        const TraceBody& b = trace_.bodies[id];
        for (const TraceItem& item : b.items) {
            if (item.step >= 0) {
                const TraceStep& step = b.steps[static_cast<std::size_t>(item.step)];
                const StepOnIpu& on = step.ipus.at(ipu_.index());
                spans.push_back({base + on.start,
                                 base + on.start + on.cycles,
                                 step.kind,
                                 step.program,
                                 static_cast<std::int64_t>(spans.size()),
                                 1,
                                 run,
                                 {},
                                 {}});
                continue;
            }
            const TraceCall& call = b.calls[static_cast<std::size_t>(item.call)];
            const CallOnIpu& on = call.ipus.at(ipu_.index());
            for (std::int64_t k = 0; k < call.count; ++k)
                body(call.callee, base + on.start + k * on.period, run);
        }
    }
    const Trace& trace_;
    IpuId ipu_;
};

void addStep(TraceBody& body, ProgramKind kind, std::int64_t start, std::int64_t cycles,
             ProgramId program = {}) {
    StepOnIpu on;
    on.ipu = IpuId(0);
    on.start = start;
    on.cycles = cycles;
    TraceStep step;
    step.kind = kind;
    step.program = program;
    step.ipus = {on};
    body.items.push_back({static_cast<std::int32_t>(body.steps.size()), -1});
    body.steps.push_back(step);
}

void addCall(TraceBody& body, TraceBodyId callee, std::int64_t start, std::int64_t count,
             std::int64_t period, ProgramId program = {}) {
    TraceCall call;
    call.callee = callee;
    call.program = program;
    call.count = count;
    call.ipus = {{IpuId(0), start, period}};
    body.items.push_back({-1, static_cast<std::int32_t>(body.calls.size())});
    body.calls.push_back(call);
}

} // namespace

class TraceWindowTest : public QObject {
    Q_OBJECT

    const Profile p_ = sampleProfile({.ipus = 2});
    const TraceIndex index_{p_.trace, 2, 1472};

private slots:
    void knowsItsLength() {
        QCOMPARE(index_.totalCycles(), p_.trace.runs[1].start + p_.trace.runs[1].cycles);
        QCOMPARE(index_.stepCount(),
                 static_cast<std::int64_t>(Unrolled(p_.trace, IpuId(0)).spans.size()));
        QVERIFY(TraceIndex({}, 1, 1472).empty());
        QCOMPARE(TraceIndex({}, 1, 1472).totalCycles(), 0);
    }

    void windowsAgreeWithTheUnrolledTrace() {
        const std::int64_t total = index_.totalCycles();
        for (const std::int32_t ipu : {0, 1}) {
            const Unrolled unrolled(p_.trace, IpuId(ipu));
            for (std::int64_t begin = -1000; begin < total; begin += total / 37)
                for (const std::int64_t width :
                     {std::int64_t{1}, std::int64_t{777}, total / 5, 2 * total}) {
                    const CycleRange range{begin, begin + width};
                    QCOMPARE(index_.spans(IpuId(ipu), range, 1), unrolled.within(range));
                }
        }
    }

    void mergedSpansCoverTheSameSteps() {
        const CycleRange all{0, index_.totalCycles()};
        const Unrolled unrolled(p_.trace, IpuId(0));
        for (const std::int64_t minimum : {200, 3000, 30000, 1000000, 100000000}) {
            const auto spans = index_.spans(IpuId(0), all, minimum);
            std::int64_t next = 0;
            std::int64_t end = 0;
            for (const TraceSpan& span : spans) {
                QCOMPARE(span.firstStep, next);
                QVERIFY(span.begin >= end);
                const auto last = static_cast<std::size_t>(span.firstStep + span.steps - 1);
                QCOMPARE(span.begin, unrolled.spans[static_cast<std::size_t>(next)].begin);
                QCOMPARE(span.end, unrolled.spans[last].end);
                QCOMPARE(span.program.valid(), !span.merged() && span.kind != ProgramKind::Sync);
                next += span.steps;
                end = span.end;
            }
            QCOMPARE(next, index_.stepCount());
            QVERIFY(static_cast<std::int64_t>(spans.size()) <= 4 * (all.cycles() / minimum) + 8);
        }
    }

    void statisticsAgreeWithTheUnrolledTrace() {
        const std::int64_t total = index_.totalCycles();
        const Unrolled unrolled(p_.trace, IpuId(1));
        for (std::int64_t begin = 0; begin < total; begin += total / 23)
            for (const std::int64_t width : {std::int64_t{500}, total / 7, total}) {
                const CycleRange range{begin, begin + width};
                const TraceStatistics statistics = index_.statistics(IpuId(1), range);
                std::int64_t compute = 0;
                std::int64_t host = 0;
                for (const TraceSpan& span : unrolled.within(range)) {
                    const std::int64_t cycles =
                        std::min(range.end, span.end) - std::max(range.begin, span.begin);
                    if (span.kind == ProgramKind::OnTileExecute)
                        compute += cycles;
                    if (span.kind == ProgramKind::StreamCopyMid)
                        host += cycles;
                }
                QCOMPARE(statistics.sums.compute(), compute);
                QCOMPARE(statistics.sums.cycles(ProgramKind::StreamCopyMid), host);
            }
    }

    void sumsOfAWholeRun() {
        const TraceRun& run = p_.trace.runs[1];
        const TraceStatistics s = index_.statistics(IpuId(0), {run.start, run.start + run.cycles});
        QCOMPARE(s.sums.compute(), 10 * (12000 + 1500 + 2 * (4000 + 900) + 700));
        QCOMPARE(s.sums.hostBytesIn, 10 * 736 * sample::inputBytes);
        QCOMPARE(s.sums.hostBytesOut, 10 * 16 * 128);
        QCOMPARE(s.sums.exchangeBytesIn, 10 * 1472 * (4096 + 2 * (2048 + 512)));
        QCOMPARE(s.sums.globalBytesIn, 10 * 1472 * 1024);
        QCOMPARE(s.sums.total(), run.cycles);
        QCOMPARE(s.idle(), 0);
        QVERIFY(s.tileBalance > 0 && s.tileBalance < 1);
    }

    void findsStepsByIndexAndTime() {
        const Unrolled unrolled(p_.trace, IpuId(1));
        for (const TraceSpan& span : unrolled.spans) {
            const ExecutedStep step = index_.stepAt(span.firstStep);
            QCOMPARE(step.ipus[1].start, span.begin);
            QVERIFY(step.kind == span.kind);
            QCOMPARE(step.program, span.program);
            if (span.end > span.begin)
                QCOMPARE(index_.stepAtCycle(IpuId(1), span.begin), span.firstStep);
        }
        QCOMPARE(index_.stepAtCycle(IpuId(0), index_.totalCycles()), -1);
        const ExecutedStep last = index_.stepAt(index_.stepCount() - 1);
        QCOMPARE(last.callers.size(), std::size_t(1));
        QCOMPARE(userError([&] { (void)index_.stepAt(index_.stepCount()); }),
                 QString("there is no executed step %1: steps are 0 to %2")
                     .arg(index_.stepCount())
                     .arg(index_.stepCount() - 1));
        QCOMPARE(userError([] { (void)TraceIndex({}, 1, 4).stepAt(0); }),
                 "the profile has no executed steps");
    }

    void findsExecutionsOfAProgram() {
        const Unrolled unrolled(p_.trace, IpuId(0));
        const ProgramId wanted = p_.programs[p_.functions[0]].children[1];
        std::vector<std::int64_t> expected;
        for (const TraceSpan& span : unrolled.spans)
            if (span.program == wanted)
                expected.push_back(span.firstStep);
        QCOMPARE(expected.size(), std::size_t(20));
        std::vector<std::int64_t> forward;
        for (auto at = index_.findProgram(wanted, -1); at >= 0; at = index_.findProgram(wanted, at))
            forward.push_back(at);
        QCOMPARE(forward, expected);
        std::vector<std::int64_t> backward;
        for (auto at = index_.findProgram(wanted, index_.stepCount(), false); at >= 0;
             at = index_.findProgram(wanted, at, false))
            backward.insert(backward.begin(), at);
        QCOMPARE(backward, expected);
        QCOMPARE(index_.findProgram(ProgramId(9999), -1), -1);
    }

    void aMillionRepetitionsAreArithmetic() {
        const Profile p = sampleProfile({.repeats = 1'000'000});
        const TraceIndex index(p.trace, 1, 1472);
        QCOMPARE(index.stepCount(), 5 + 27'000'000);
        const CycleRange all{0, index.totalCycles()};
        const auto overview = index.spans(IpuId(0), all, all.cycles() / 1000);
        QVERIFY(overview.size() > 900 && overview.size() < 2100);
        const TraceStatistics s = index.statistics(IpuId(0), {1, all.end - 1});
        QCOMPARE(s.sums.compute(), 1'000'000LL * (12000 + 1500 + 2 * (4000 + 900) + 700));
        const ExecutedStep late = index.stepAt(20'000'005);
        QCOMPARE(index.stepAtCycle(IpuId(0), late.ipus[0].start), 20'000'005);
        QVERIFY(
            index.spans(IpuId(0), {late.ipus[0].start, late.ipus[0].start + 500'000}, 1).size() <
            100);
    }

    void absurdNamesDoNotMakeAbsurdRows() {
        IdVector<ProgramId, Program> programs = p_.programs;
        for (Program& program : programs)
            for (int i = 0; i < 20'000; ++i)
                program.name += "/x";
        const TraceRun& run = p_.trace.runs[1];
        for (const FlameSpan& box :
             flameRows(index_, programs, IpuId(0), {run.start, run.start + 1000}, 1))
            QVERIFY2(box.row < 500, qPrintable(QString::number(box.row)));
    }

    void flameRowsShareNames() {
        const TraceRun& run = p_.trace.runs[1];
        const auto rows =
            flameRows(index_, p_.programs, IpuId(0), {run.start, run.start + run.cycles / 10}, 1);
        QCOMPARE(rows[0].row, 0);
        QCOMPARE(text(rows[0].name), "Engine::run #1 (main)");
        std::vector<std::string> second;
        std::int64_t end = 0;
        for (const FlameSpan& box : rows)
            if (box.row == 2) {
                second.push_back(box.name);
                QVERIFY(box.begin >= end);
                end = box.end;
            }
        QCOMPARE(second, (std::vector<std::string>{"Sync", "copyFromHost", "Sync", "conv1", "relu1",
                                                   "layer1", "layer1", "Sync", "prob", "Sync",
                                                   "copyToHost"}));
    }

    void exchangesStandUnderTheirOperation() {
        IdVector<ProgramId, Program> programs;
        Trace trace;
        TraceBody& body = trace.bodies[trace.bodies.add({})];
        const auto step = [&](ProgramKind kind, const char* name) {
            Program program;
            program.kind = kind;
            program.name = name;
            addStep(body, kind, 100 * static_cast<std::int64_t>(body.steps.size()), 100,
                    programs.add(program));
        };
        const ProgramKind exchange = ProgramKind::DoExchange;
        const ProgramKind compute = ProgramKind::OnTileExecute;
        step(exchange, "copy7_Copy_a/out_to_l/conv/Convolve/acts/ExchangePre");
        step(compute, "l/conv/Convolve");
        step(exchange, "cs11_l/conv/Reduce/ExchangePre");
        step(compute, "l/conv/Reduce");
        step(exchange, "copy8_l/conv/call(1)/callInputs/ExchangePre");
        step(compute, "csv_1/copy_to_host");
        trace.runs.push_back({"run", TraceBodyId(0), 0, 600});
        QStringList boxes;
        for (const FlameSpan& box :
             flameRows(TraceIndex(trace, 1, 4), programs, IpuId(0), {0, 600}, 1))
            boxes << QString("%1 %2 %3 %4-%5")
                         .arg(box.row)
                         .arg(box.leaf ? "step" : "group", text(box.name))
                         .arg(box.begin)
                         .arg(box.end);
        QCOMPARE(boxes,
                 QStringList(
                     {"0 group run 0-600", "1 group l 0-500", "1 group csv_1 500-600",
                      "2 group conv 0-500", "2 step copy_to_host 500-600", "3 group Convolve 0-100",
                      "3 step Convolve 100-200", "3 step cs11_l/conv/Reduce/ExchangePre 200-300",
                      "3 step Reduce 300-400", "3 group call(1) 400-500", "4 group acts 0-100",
                      "4 step copy8_l/conv/call(1)/callInputs/ExchangePre 400-500",
                      "5 step copy7_Copy_a/out_to_l/conv/Convolve/acts/ExchangePre 0-100"}));
    }

    void callsAndRepeatsAreUnderTheScopesOfTheirNames() {
        IdVector<ProgramId, Program> programs;
        const auto program = [&](ProgramKind kind, const char* name) {
            Program added;
            added.kind = kind;
            added.name = name;
            return programs.add(added);
        };
        Trace trace;
        const TraceBodyId callee = trace.bodies.add({});
        const TraceBodyId main = trace.bodies.add({});
        addStep(trace.bodies[callee], ProgramKind::OnTileExecute, 0, 100,
                program(ProgramKind::OnTileExecute, "l/0/conv/Convolve"));
        addStep(trace.bodies[main], ProgramKind::OnTileExecute, 0, 100,
                program(ProgramKind::OnTileExecute, "l/2/relu"));
        addCall(trace.bodies[main], callee, 100, 1, 0,
                program(ProgramKind::Call, "l/2/call_subgraph(6)"));
        const TraceBodyId loop = trace.bodies.add({});
        addStep(trace.bodies[loop], ProgramKind::OnTileExecute, 0, 50,
                program(ProgramKind::OnTileExecute, "l/2/conv/Convolve"));
        const ProgramId repeat = program(ProgramKind::Repeat, "l/2/conv/serial");
        programs[repeat].count = 2;
        addCall(trace.bodies[main], loop, 200, 2, 50, repeat);
        trace.runs.push_back({"run", main, 0, 300});
        QStringList boxes;
        for (const FlameSpan& box :
             flameRows(TraceIndex(trace, 1, 4), programs, IpuId(0), {0, 300}, 1))
            if (box.row < 6 && (box.row < 4 || box.begin >= 200))
                boxes << QString("%1 %2 %3-%4")
                             .arg(box.row)
                             .arg(text(box.name))
                             .arg(box.begin)
                             .arg(box.end);
        QCOMPARE(boxes, QStringList({"0 run 0-300", "1 l 0-300", "2 2 0-300", "3 relu 0-100",
                                     "3 call_subgraph(6) 100-200", "3 conv 200-300",
                                     "4 serial 1 of 2 200-250", "4 serial 2 of 2 250-300",
                                     "5 Convolve 200-250", "5 Convolve 250-300"}));
    }

    void overlappedCyclesAreWhatIsCountedTwice() {
        Trace trace;
        const TraceBodyId callee = trace.bodies.add({});
        const TraceBodyId main = trace.bodies.add({});
        addStep(trace.bodies[callee], ProgramKind::OnTileExecute, 0, 40);
        addStep(trace.bodies[callee], ProgramKind::DoExchange, 50, 30);
        TraceBody& body = trace.bodies[main];
        addStep(body, ProgramKind::StreamCopyMid, 5, 25);
        addCall(body, callee, 10, 7, 100);
        addStep(body, ProgramKind::StreamCopyMid, 30, 150); // beside the first two calls
        addStep(body, ProgramKind::StreamCopyEnd, 175, 20);
        addStep(body, ProgramKind::OnTileExecute, 800, 50);
        trace.runs.push_back({"run", main, 3, 860});
        const Unrolled unrolled(trace, IpuId(0));
        const TraceIndex index(trace, 1, 4);
        for (std::int64_t from = 0; from < 870; from += 13)
            for (std::int64_t to = from + 1; to < 880; to += 29) {
                std::set<std::int64_t> busy;
                std::int64_t total = 0;
                for (const TraceSpan& span : unrolled.within({from, to}))
                    for (std::int64_t c = std::max(from, span.begin); c < std::min(to, span.end);
                         ++c, ++total)
                        busy.insert(c);
                const TraceStatistics s = index.statistics(IpuId(0), {from, to});
                QCOMPARE(s.sums.total(), total);
                QCOMPARE(s.overlapped, total - static_cast<std::int64_t>(busy.size()));
                QCOMPARE(s.sums.total() - s.overlapped + s.idle(), s.cycles);
            }
        QCOMPARE(index_.statistics(IpuId(0), {0, index_.totalCycles()}).overlapped,
                 std::int64_t{0});
    }

    void refusesDamagedTraces_data() {
        QTest::addColumn<int>("damage");
        QTest::addColumn<QString>("error");
        QTest::newRow("calls itself")
            << 0 << "damaged profile: the trace has a body that calls itself";
        QTest::newRow("no such callee")
            << 1 << "damaged profile: the trace calls a body that does not exist";
        QTest::newRow("negative count")
            << 2 << "damaged profile: the trace repeats a body less than zero times";
        QTest::newRow("too many steps")
            << 3 << "damaged profile: the trace executes an impossible number of steps";
        QTest::newRow("too late") << 4
                                  << "damaged profile: the trace has a step at an impossible time";
        QTest::newRow("no such IPU") << 5 << "damaged profile: the trace names IPU 7 of 2";
        QTest::newRow("no such run body")
            << 6 << "damaged profile: the trace runs a body that does not exist";
        QTest::newRow("repetitions on top of each other")
            << 7 << "damaged profile: the trace repeats a body before it can have ended";
    }
    void refusesDamagedTraces() {
        QFETCH(int, damage);
        QFETCH(QString, error);
        Trace trace = p_.trace;
        const TraceBodyId main = trace.runs[1].body;
        TraceCall& call = trace.bodies[main].calls.at(0);
        constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
        switch (damage) {
        case 0:
            call.callee = main;
            break;
        case 1:
            call.callee = TraceBodyId(99);
            break;
        case 2:
            call.count = -1;
            break;
        case 3:
            call.count = huge;
            break;
        case 4:
            trace.bodies[trace.runs[0].body].steps[0].ipus[0].start = huge;
            break;
        case 5:
            call.ipus[0].ipu = IpuId(7);
            break;
        case 6:
            trace.runs[0].body = TraceBodyId(99);
            break;
        default:
            call.ipus[0].period = 1;
        }
        QCOMPARE(userError([&] { const TraceIndex index(trace, 2, 1472); }), error);
    }
};

TILESCOPE_TEST(TraceWindowTest)

} // namespace trace_window_test

#include "trace_window_test.moc"
