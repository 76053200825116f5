// The host's lanes against the trace that they are derived from, step by step.
#include "core/analysis/hosts/host_timeline.h"

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>

#include "core/profile/host.h"
#include "core/store/profile_writer.h"
#include "core/trace/lanes.h"
#include "tests/support/profile_sql.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace host_timeline_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

TraceIndex indexOf(const Profile& p) {
    return {p.trace, p.info.target.ipus, p.info.target.tilesPerIpu};
}

HostTimeline timelineOf(const Profile& p) {
    return {p.hostSpans, indexOf(p), HostCopies(p.trace, p.info.target, p.programs, p.streams),
            p.info.target};
}

/// Of all steps one by one: cycles of an IPU in a run by kind, of streams with the host.
struct Counted {
    std::int64_t begin = 0;
    std::int64_t others = 0;
    std::int64_t copies = 0;
};
Counted countedCopies(const Profile& p, IpuId ipu, std::int32_t run) {
    const TraceIndex index = indexOf(p);
    Counted counted;
    for (std::int64_t i = 0; i < index.stepCount(); ++i) {
        const ExecutedStep step = index.stepAt(i);
        if (step.run != run || !step.program.valid() || !p.programs[step.program].stream.valid() ||
            p.streams[p.programs[step.program].stream].remoteBuffer.valid())
            continue;
        const bool begins = step.kind == ProgramKind::StreamCopyBegin;
        counted.copies += begins ? 1 : 0;
        for (const StepOnIpu& on : step.ipus)
            if (on.ipu == ipu)
                (begins ? counted.begin : counted.others) += on.cycles;
    }
    return counted;
}

std::int64_t cyclesOf(const HostLane& lane, HostWork work) {
    std::int64_t cycles = 0;
    for (const HostBox& box : lane.boxes)
        if (box.work == work)
            cycles += box.cycles.cycles();
    return cycles;
}

/// A stream of the sample's input becomes one with a remote buffer.
Profile withRemoteInput() {
    Profile p = sampleProfile();
    p.remoteBuffers.add({"buffer", "half", "[4]", 1, 8});
    for (Stream& stream : p.streams)
        if (stream.name.find("input") != std::string::npos)
            stream.remoteBuffer = RemoteBufferId(std::int32_t{0});
    return p;
}

} // namespace

class HostTimelineTest : public QObject {
    Q_OBJECT

private slots:
    void whatWasBeforeEndsAtCycleZero() {
        const Profile p = sampleProfile();
        const HostTimeline host = timelineOf(p);
        QCOMPARE(host.before().size(), std::size_t{2});
        QCOMPARE(host.before()[0].name, std::string(compilationLane));
        QCOMPARE(host.before()[1].name, std::string(loadingLane));
        const HostSpan& last = p.hostSpans.back();
        const double seconds = last.start + last.seconds;
        QCOMPARE(host.firstCycle(), -std::llround(seconds * p.info.target.clockHz));
        QCOMPARE(host.before()[0].boxes.front().cycles.begin, host.firstCycle());
        QCOMPARE(host.before()[1].boxes.back().cycles.end, std::int64_t{0});
        for (std::size_t i = 1; i < host.before()[0].boxes.size(); ++i)
            QCOMPARE(host.before()[0].boxes[i].cycles.begin,
                     host.before()[0].boxes[i - 1].cycles.end);
    }

    void withoutSpansNothingIsBefore() {
        Profile p = sampleProfile();
        p.hostSpans.clear();
        const HostTimeline host = timelineOf(p);
        QVERIFY(host.before().empty());
        QCOMPARE(host.firstCycle(), std::int64_t{0});
        QCOMPARE(host.sums(p.programs.size()).front().name, std::string(engineLane));
    }

    void overlappingSpansFollowEachOther() {
        Profile p = sampleProfile();
        p.hostSpans = {{std::string(compilationLane), "a", 0, 0.002},
                       {std::string(compilationLane), "b", 0.001, 0.0005},
                       {std::string(compilationLane), "c", 0.001, 0.002}};
        const std::vector<HostBox> boxes = timelineOf(p).before()[0].boxes;
        QCOMPARE(boxes[1].cycles.begin, boxes[0].cycles.end);
        QCOMPARE(boxes[1].cycles.cycles(), std::int64_t{0});
        QCOMPARE(boxes[2].cycles.begin, boxes[0].cycles.end);
        QCOMPARE(boxes[2].cycles.end, std::int64_t{0});
    }

    void waitsAddUpToTheSteps_data() {
        QTest::addColumn<int>("ipus");
        QTest::newRow("one IPU") << 1;
        QTest::newRow("two IPUs") << 2;
    }
    void waitsAddUpToTheSteps() {
        QFETCH(int, ipus);
        const Profile p = sampleProfile({.ipus = ipus});
        const std::vector<HostWaits> waits = timelineOf(p).waits();
        QCOMPARE(waits.size(), p.trace.runs.size() * static_cast<std::size_t>(ipus));
        for (const HostWaits& w : waits) {
            const Counted counted = countedCopies(p, w.ipu, w.run);
            QCOMPARE(w.ipuWaits, counted.begin);
            QCOMPARE(w.callbacks, counted.others);
            QCOMPARE(w.cycles, p.trace.runs[static_cast<std::size_t>(w.run)].cycles);
            QCOMPARE(w.ipuWaits + w.callbacks + w.hostWaits, w.cycles);
            QVERIFY(w.ipuWaits > 0 && w.hostWaits > 0);
        }
    }

    // Unrolled, the lane covers the runs without a gap.
    void theLaneCoversTheRuns() {
        const Profile p = sampleProfile();
        const HostTimeline host = timelineOf(p);
        const TraceIndex index = indexOf(p);
        const HostLane lane = host.callbacks({0, index.totalCycles()}, 1);
        std::int64_t end = 0;
        for (const HostBox& box : lane.boxes) {
            QCOMPARE(box.cycles.begin, end);
            QVERIFY(box.whole);
            end = box.cycles.end;
        }
        QCOMPARE(end, index.totalCycles());
        std::int64_t waits = 0;
        for (std::int32_t run = 0; run < 2; ++run)
            waits += countedCopies(p, IpuId(0), run).begin;
        QCOMPARE(cyclesOf(lane, HostWork::IpuWaits), waits);
        // A sync between a transfer and its end belongs to the callback.
        QVERIFY(cyclesOf(lane, HostWork::Callback) >=
                countedCopies(p, IpuId(0), 0).others + countedCopies(p, IpuId(0), 1).others);
        QCOMPARE(lane.boxes[1].work, HostWork::IpuWaits);
        QCOMPARE(lane.boxes[2].work, HostWork::Callback);
        for (const std::size_t box : {1, 2})
            QCOMPARE(lane.boxes[box].name, p.streams[StreamId(std::int32_t{0})].name);
    }

    // At any resolution, the boxes of each state are as long as its steps.
    void mergedCopiesKeepTheirLength() {
        const Profile p = sampleProfile({.repeats = 5000});
        const HostTimeline host = timelineOf(p);
        const CycleRange all{0, indexOf(p).totalCycles()};
        const HostLane fine = host.callbacks(all, 1);
        const HostLane coarse = host.callbacks(all, all.cycles() / 100);
        QVERIFY(fine.boxes.size() > 20'000);
        QVERIFY(coarse.boxes.size() < 1000);
        for (const HostWork work : {HostWork::IpuWaits, HostWork::Callback, HostWork::HostWaits}) {
            const auto exact = static_cast<double>(cyclesOf(fine, work));
            const auto drawn = static_cast<double>(cyclesOf(coarse, work));
            QVERIFY2(std::abs(drawn - exact) < 0.02 * static_cast<double>(all.cycles()),
                     qPrintable(QString("%1 of %2").arg(drawn).arg(exact)));
        }
        QVERIFY(cyclesOf(coarse, HostWork::IpuWaits) > 0);
    }

    void aWaitThatTheRangeCutsIsToldToBeLonger() {
        const Profile p = sampleProfile();
        const HostTimeline host = timelineOf(p);
        const HostLane all = host.callbacks({0, indexOf(p).totalCycles()}, 1);
        const auto longest = std::max_element(
            all.boxes.begin(), all.boxes.end(), [](const HostBox& a, const HostBox& b) {
                return (a.work == HostWork::HostWaits ? a.cycles.cycles() : 0) <
                       (b.work == HostWork::HostWaits ? b.cycles.cycles() : 0);
            });
        QVERIFY(longest->cycles.cycles() > 100);
        const std::int64_t middle = (longest->cycles.begin + longest->cycles.end) / 2;
        const HostLane part = host.callbacks({middle, middle + 10}, 1);
        QCOMPARE(part.boxes.size(), std::size_t{1});
        QCOMPARE(part.boxes[0].work, HostWork::HostWaits);
        QVERIFY(!part.boxes[0].whole);
        const HostLane around =
            host.callbacks({longest->cycles.begin - 1, longest->cycles.end + 1}, 1);
        QVERIFY(std::find(around.boxes.begin(), around.boxes.end(), *longest) !=
                around.boxes.end());
    }

    void copiesOfTwoIpusThatOverlapAreOneBox() {
        const Profile p = sampleProfile();
        const HostTimeline host = timelineOf(p);
        const auto programOf = [&](ProgramKind kind) {
            for (const auto& [program, part] : host.copies().programs())
                if (part.kind == kind)
                    return program;
            return ProgramId();
        };
        const auto span = [&](std::int64_t begin, std::int64_t end, ProgramKind kind) {
            return TraceSpan{begin, end, kind, programOf(kind), 0, 1, 0, {}, {}};
        };
        using enum ProgramKind;
        // The second IPU waits while the first one's data moves, and goes on moving its own.
        const HostLane lane =
            host.callbacks({span(0, 10, StreamCopyBegin), span(10, 30, StreamCopyMid),
                            span(5, 15, StreamCopyBegin), span(20, 50, StreamCopyMid)},
                           {0, 60});
        QCOMPARE(lane.boxes.size(), std::size_t{3});
        QCOMPARE(lane.boxes[0].work, HostWork::IpuWaits);
        QCOMPARE(lane.boxes[0].cycles, (CycleRange{0, 10}));
        QCOMPARE(lane.boxes[1].work, HostWork::Callback);
        QCOMPARE(lane.boxes[1].cycles, (CycleRange{10, 50}));
        QCOMPARE(lane.boxes[2].work, HostWork::HostWaits);
        QCOMPARE(lane.boxes[2].cycles, (CycleRange{50, 60}));
    }

    void streamsOfRemoteBuffersAreNotTheHosts() {
        const Profile p = withRemoteInput();
        const std::vector<HostWaits> waits = timelineOf(p).waits();
        const std::vector<HostWaits> before = timelineOf(sampleProfile()).waits();
        const Counted counted = countedCopies(p, IpuId(0), 1);
        QCOMPARE(waits[1].ipuWaits, counted.begin);
        QVERIFY(waits[1].ipuWaits < before[1].ipuWaits);
        QVERIFY(waits[1].hostWaits > before[1].hostWaits);
    }

    void lanesAreSummedUp() {
        const Profile p = sampleProfile();
        const std::vector<HostLaneSum> sums = timelineOf(p).sums(p.programs.size());
        QCOMPARE(sums.size(), std::size_t{4});
        QCOMPARE(sums[0].spans, std::int64_t{3});
        QCOMPARE(sums[2].name, std::string(engineLane));
        QCOMPARE(sums[2].spans, std::int64_t{2});
        QCOMPARE(sums[3].name, std::string(callbacksLane));
        const Counted first = countedCopies(p, IpuId(0), 0);
        const Counted second = countedCopies(p, IpuId(0), 1);
        QCOMPARE(sums[3].spans, first.copies + second.copies);
        const auto seconds = [&](std::int64_t cycles) {
            return static_cast<double>(cycles) / p.info.target.clockHz;
        };
        QCOMPARE(sums[3].seconds,
                 seconds(first.begin + first.others + second.begin + second.others));
        const HostLane lane = timelineOf(p).callbacks({0, indexOf(p).totalCycles()}, 1);
        const auto copy = std::find_if(lane.boxes.begin(), lane.boxes.end(), [](const HostBox& b) {
            return b.work == HostWork::IpuWaits;
        });
        QCOMPARE(sums[3].firstStart, seconds(copy->cycles.begin));
        QCOMPARE(sums[3].lastEnd, seconds(indexOf(p).totalCycles()));
    }

    // The file of a long trace has an index of its stream copies; an older file has none.
    void aLongTraceSaysTheSame() {
        QTemporaryDir folder;
        const std::filesystem::path file =
            std::filesystem::path(folder.path().toStdString()) / "long.pop";
        Profile p = sampleProfile();
        // Steps of a body of its own make the trace long; the sample's stay as they are.
        TraceBody filler;
        filler.name = "filler";
        constexpr std::int32_t steps = 200'000;
        for (std::int32_t i = 0; i < steps; ++i) {
            filler.items.push_back({i, -1});
            filler.steps.push_back(
                {ProgramKind::Sync, ProgramId(), {{IpuId(0), i, 1, 0, 0, 0, 0}}});
        }
        const TraceRun& last = p.trace.runs.back();
        const std::int64_t start = last.start + last.cycles;
        p.trace.runs.push_back(
            {"Engine::run #2 (filler)", p.trace.bodies.add(std::move(filler)), start, steps});
        writeProfile(p, file);
        const ProfileReader reader(file);
        const TraceIndex index = reader.traceIndex();
        QVERIFY(index.lanes().inPages());
        const HostTimeline paged(reader, index, p.programs, p.streams);
        const HostTimeline whole = timelineOf(p);
        QVERIFY(paged.copies().known());
        const CycleRange range{0, index.totalCycles()};
        for (const std::int64_t minimum : {std::int64_t{1}, range.cycles() / 100})
            QCOMPARE(paged.callbacks(range, minimum).boxes, whole.callbacks(range, minimum).boxes);
        const auto waits = paged.waits();
        const auto expected = whole.waits();
        for (std::size_t i = 0; i < expected.size(); ++i) {
            QCOMPARE(waits[i].ipuWaits, expected[i].ipuWaits);
            QCOMPARE(waits[i].hostWaits, expected[i].hostWaits);
        }
        QCOMPARE(paged.copies().extent(), whole.copies().extent());
        const std::filesystem::path old = file.parent_path() / "old.pop";
        writeProfile(p, old);
        QCOMPARE(text(changeProfile(old, "DROP INDEX trace_stream_steps; "
                                         "PRAGMA user_version = 5")),
                 "");
        const ProfileReader older(old);
        const HostTimeline unknown(older, older.traceIndex(), p.programs, p.streams);
        QVERIFY(!unknown.copies().known());
        QVERIFY(unknown.waits().empty());
        QCOMPARE(unknown.sums(p.programs.size()).size(), std::size_t{1});
    }
};

TILESCOPE_TEST(HostTimelineTest)

} // namespace host_timeline_test

#include "host_timeline_test.moc"
