// Merged spans: what they show of the steps in them, and that panning does not change them.
#include <QTest>
#include <algorithm>
#include <map>
#include <numeric>

#include "core/trace/exchange_rate.h"
#include "core/trace/trace_index.h"
#include "tests/support/sample_profile.h"
#include "tests/support/sample_trace.h"
#include "tests/support/scale_profile.h"
#include "tests/support/test_main.h"

namespace trace_merge_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

void addStep(TraceBody& body, ProgramKind kind, std::int64_t start, std::int64_t cycles) {
    StepOnIpu on;
    on.ipu = IpuId(0);
    on.start = start;
    on.cycles = cycles;
    TraceStep step;
    step.kind = kind;
    step.ipus = {on};
    body.items.push_back({static_cast<std::int32_t>(body.steps.size()), -1});
    body.steps.push_back(step);
}

void addCall(TraceBody& body, TraceBodyId callee, std::int64_t start, std::int64_t count,
             std::int64_t period) {
    TraceCall call;
    call.callee = callee;
    call.count = count;
    call.ipus = {{IpuId(0), start, period}};
    body.items.push_back({-1, static_cast<std::int32_t>(body.calls.size())});
    body.calls.push_back(call);
}

std::int64_t addLoopBody(Trace& trace) {
    const TraceBodyId id = trace.bodies.add({});
    TraceBody& body = trace.bodies[id];
    std::int64_t at = 0;
    const auto step = [&](ProgramKind kind, std::int64_t cycles) {
        addStep(body, kind, at, cycles);
        at += cycles;
    };
    for (const std::int64_t part : {31, 17, 53}) {
        step(ProgramKind::Sync, 7);
        step(ProgramKind::DoExchange, part);
        step(ProgramKind::OnTileExecute, 2 * part);
    }
    return at;
}

/// Equal bodies one after the other: repeated, or called each for itself.
Trace equalLoops(std::int64_t count, bool repeated) {
    Trace trace;
    const std::int64_t period = addLoopBody(trace);
    const TraceBodyId main = trace.bodies.add({});
    if (repeated)
        addCall(trace.bodies[main], TraceBodyId(0), 0, count, period);
    for (std::int64_t i = 0; !repeated && i < count; ++i)
        addCall(trace.bodies[main], TraceBodyId(0), i * period, 1, period);
    trace.runs.push_back({"run", main, 0, count * period});
    return trace;
}

double shareOf(const TraceSpan& span, ProgramKind kind) {
    return span.merged() ? span.shares[static_cast<std::size_t>(kind)] / 255.0
                         : static_cast<double>(span.kind == kind);
}

/// The cycles of a kind that spans say a range has.
double cyclesOf(const std::vector<TraceSpan>& spans, CycleRange range, ProgramKind kind) {
    double cycles = 0;
    for (const TraceSpan& span : spans) {
        const std::int64_t within =
            std::min(span.end, range.end) - std::max(span.begin, range.begin);
        if (within > 0)
            cycles += static_cast<double>(within) * shareOf(span, kind);
    }
    return cycles;
}

/// Spans within a range, without those at its ends.
std::vector<TraceSpan> inner(const std::vector<TraceSpan>& spans, CycleRange range) {
    std::vector<TraceSpan> kept;
    for (const TraceSpan& span : spans)
        if (span.begin >= range.begin && span.end <= range.end)
            kept.push_back(span);
    return kept;
}

} // namespace

class TraceMergeTest : public QObject {
    Q_OBJECT

private slots:
    void equalLoopsAreMergedIntoEqualMixtures_data() {
        QTest::addColumn<bool>("repeated");
        QTest::newRow("repeat") << true;
        QTest::newRow("calls") << false;
    }
    // At any pixel width, each pixel has the same mixture of kinds as the whole.
    void equalLoopsAreMergedIntoEqualMixtures() {
        QFETCH(bool, repeated);
        const TraceIndex index(equalLoops(184, repeated), 1, 4);
        const CycleRange all{0, index.totalCycles()};
        const TraceSums sums = index.statistics(IpuId(0), all).sums;
        for (const std::int64_t minimum : {400, 700, 1000, 1301, 5000}) {
            const auto spans = index.spans(IpuId(0), all, minimum);
            QVERIFY(spans.size() > 10 || minimum > 1301);
            for (const TraceSpan& span : spans)
                for (const ProgramKind kind : {ProgramKind::OnTileExecute, ProgramKind::Sync}) {
                    const double expected =
                        static_cast<double>(sums.cycles(kind)) / static_cast<double>(sums.total());
                    QVERIFY2(std::abs(shareOf(span, kind) - expected) < 0.01,
                             qPrintable(QString::number(shareOf(span, kind))));
                }
        }
    }

    void mergedSpansKeepTheCyclesOfEachKind() {
        const TraceIndex index(equalLoops(50, false), 1, 4);
        const CycleRange all{0, index.totalCycles()};
        const TraceSums sums = index.statistics(IpuId(0), all).sums;
        for (const std::int64_t minimum : {20, 60, 150, 400, 3000}) {
            const auto spans = index.spans(IpuId(0), all, minimum);
            for (const ProgramKind kind :
                 {ProgramKind::OnTileExecute, ProgramKind::DoExchange, ProgramKind::Sync}) {
                const auto expected = static_cast<double>(sums.cycles(kind));
                QVERIFY(std::abs(cyclesOf(spans, all, kind) - expected) < 0.04 * expected);
            }
        }
    }

    void idleTimeIsNoShare() {
        Trace trace;
        TraceBody& body = trace.bodies[trace.bodies.add({})];
        addStep(body, ProgramKind::OnTileExecute, 0, 10);
        addStep(body, ProgramKind::DoExchange, 80, 20);
        trace.runs.push_back({"run", TraceBodyId(0), 0, 100});
        const auto spans = TraceIndex(trace, 1, 4).spans(IpuId(0), {0, 100}, 1000);
        QCOMPARE(spans.size(), std::size_t(1));
        QCOMPARE(qRound(100 * shareOf(spans[0], ProgramKind::OnTileExecute)), 10);
        QCOMPARE(qRound(100 * shareOf(spans[0], ProgramKind::DoExchange)), 20);
        const int all = std::accumulate(spans[0].shares.begin(), spans[0].shares.end(), 0);
        QVERIFY(all < 80);
    }

    void mergedStepsKeepTheBoxesAroundThem() {
        const Profile p = sampleProfile({.ipus = 2});
        const TraceIndex index(p.trace, 2, 1472);
        const TraceRun& run = p.trace.runs[1];
        const CycleRange range{run.start, run.start + run.cycles / 10};
        const auto boxesOf = [&](std::int64_t minimum) {
            std::map<std::string, int> boxes;
            for (const FlameSpan& box : flameRows(index, p.programs, IpuId(0), range, minimum))
                if (box.row == 2)
                    ++boxes[box.name];
            return boxes;
        };
        // It is called twice; the shorter steps are too narrow to be drawn alone.
        QCOMPARE(boxesOf(1).at("layer1"), 2);
        int merged = 0;
        for (const std::int64_t minimum : {1000, 1500, 3000}) {
            QCOMPARE(boxesOf(minimum)["layer1"], 2);
            merged += boxesOf(minimum)[""];
        }
        QVERIFY(merged >= 1);
    }

    void theLargestRateIsThatOfAnExchange() {
        Trace trace;
        TraceBody& body = trace.bodies[trace.bodies.add({})];
        addStep(body, ProgramKind::DoExchange, 0, 10);
        addStep(body, ProgramKind::GlobalExchange, 10, 100);
        addStep(body, ProgramKind::StreamCopyMid, 110, 1);
        for (TraceStep& step : body.steps)
            step.ipus[0].bytesIn = 250;
        trace.runs.push_back({"run", TraceBodyId(0), 0, 111});
        QCOMPARE(largestExchangeRate(TraceIndex(trace, 1, 4), 1), 25.0);
        QCOMPARE(largestExchangeRate(TraceIndex({}, 1, 4), 1), 0.0);
    }

    void panningMovesSpansWithoutChangingThem_data() {
        QTest::addColumn<int>("which");
        QTest::newRow("repeat") << 0;
        QTest::newRow("calls") << 1;
        QTest::newRow("sample") << 2;
        QTest::newRow("long, in memory") << 3;
    }
    void panningMovesSpansWithoutChangingThem() {
        QFETCH(int, which);
        Trace trace;
        std::int32_t ipus = 1;
        if (which < 2)
            trace = equalLoops(184, which == 0);
        else if (which == 2)
            trace = sampleProfile({.repeats = 500}).trace;
        else {
            ScaleOptions options;
            options.steps = 50'000;
            options.variables = 40;
            options.tilesPerIpu = 16;
            options.ipus = ipus = 2;
            trace = scaleProfile(options).trace;
        }
        const TraceIndex index(trace, ipus, 1472);
        const std::int64_t width = index.totalCycles() / 9;
        const std::int64_t begin = index.totalCycles() / 3;
        for (const std::int64_t minimum : {width / 1000, width / 200, width / 37}) {
            const CycleRange range{begin, begin + width};
            const CycleRange common{begin + width / 4, begin + width / 2};
            const auto before = inner(index.spans(IpuId(0), range, minimum), common);
            QVERIFY(!before.empty());
            for (const std::int64_t by : {std::int64_t(1), minimum / 3, minimum, width / 5}) {
                const CycleRange panned{range.begin + by, range.end + by};
                QCOMPARE(inner(index.spans(IpuId(0), panned, minimum), common).size(),
                         before.size());
                QVERIFY(inner(index.spans(IpuId(0), panned, minimum), common) == before);
            }
        }
    }
};

TILESCOPE_TEST(TraceMergeTest)

} // namespace trace_merge_test

#include "trace_merge_test.moc"
