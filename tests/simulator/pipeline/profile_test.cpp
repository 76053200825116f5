// Pipelines in the profile against the published schedules.
#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <map>

#include "core/analysis/execution/pipeline.h"
#include "core/base/error.h"
#include "core/store/profile_reader.h"
#include "core/store/profile_writer.h"
#include "simulator/schedule/pipeline_schedule.h"
#include "simulator/simulate.h"
#include "support/graph_builder.h"
#include "support/invariants.h"
#include "support/pipelined_layers.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace profile_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

Graph layers(int count) {
    return equalLayers(count, 4, 16);
}

/// How often a program is executed in a body, with everything that it calls.
std::int64_t executions(const Trace& trace, TraceBodyId body, ProgramId function) {
    std::int64_t count = 0;
    for (const TraceCall& call : trace.bodies[body].calls)
        count += call.count * ((trace.bodies[call.callee].program == function ? 1 : 0) +
                               executions(trace, call.callee, function));
    return count;
}

} // namespace

class PipelineProfileTest : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;

    PipelineReport reportOf(const Graph& graph, const RunOptions& options) {
        const std::filesystem::path file = directory_.path().toStdString() + "/p.pop";
        const Profile profile = simulate(graph, options);
        // Without streams the inputs are not written.
        const std::string wrong = options.host.ignoreData ? "" : complaints(profile);
        if (!wrong.empty())
            throw InternalError(wrong);
        writeProfile(profile, file);
        return pipelineReport(ProfileView(file));
    }

private slots:
    void everySchedule_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("stages");
        QTest::addColumn<int>("count");
        for (const int n : {2, 3, 4, 8})
            for (const int kind : {0, 1, 2, 3})
                for (const int times : {1, 3}) {
                    const auto schedule = static_cast<Schedule>(kind);
                    // From the facts, not from the code under test.
                    const int least = schedule == Schedule::PopArt        ? 2 * n - 1
                                      : schedule == Schedule::Grouped     ? 2 * n
                                      : schedule == Schedule::Interleaved ? n
                                                                          : 1;
                    if (least * times == 1)
                        continue; // one micro-batch accumulates nothing
                    QTest::addRow("%s n%d g%d", std::string(toString(schedule)).c_str(), n,
                                  least * times)
                        << kind << n << least * times;
                }
    }
    void everySchedule() {
        QFETCH(int, kind);
        QFETCH(int, stages);
        QFETCH(int, count);
        const auto schedule = static_cast<Schedule>(kind);
        const std::int64_t n = stages;
        const std::int64_t g = count;
        const PipelineReport r =
            reportOf(layers(stages), pipelinedLayers(schedule, stages, count, true));
        QCOMPARE(text(r.schedule), text(toString(schedule)));
        QCOMPARE(r.microBatches, g);
        QCOMPARE(r.stages.size(), static_cast<std::size_t>(n));
        const bool interleaved = schedule == Schedule::Interleaved;
        switch (schedule) {
        case Schedule::PopArt:
            QCOMPARE(r.rampUpSlots, 2 * n - 2);
            QCOMPARE(r.mainSlots, g - (2 * n - 2));
            QCOMPARE(r.rampDownSlots, 2 * n - 2);
            QCOMPARE(r.busySlots, g + 2 * n - 2);
            break;
        case Schedule::Grouped:
        case Schedule::Interleaved:
            QCOMPARE(r.rampUpSlots, 2 * n);
            QCOMPARE(r.mainSlots, interleaved ? (g / n - 1) * 2 * n : (g / (2 * n) - 1) * 2 * n);
            QCOMPARE(r.rampDownSlots, 2 * n);
            QCOMPARE(r.busySlots, interleaved ? 2 * g + 2 * n - 2 : g + 2 * n - 1);
            break;
        case Schedule::Sequential:
            QCOMPARE(r.rampUpSlots, 0);
            QCOMPARE(r.mainSlots, 2 * n * g);
            QCOMPARE(r.rampDownSlots, 0);
            QCOMPARE(r.busySlots, 2 * n * g);
            break;
        }
        const double expected = schedule == Schedule::Sequential
                                    ? 1.0 / static_cast<double>(n)
                                    : static_cast<double>(g) / static_cast<double>(g + n - 1);
        QVERIFY(qAbs(r.scheduleUtilisation - expected) < 1e-12);
        QVERIFY(r.utilisation > 0 && r.utilisation < 1);
        QVERIFY(qAbs(r.utilisation + r.bubbleShare + r.imbalanceShare + r.overheadShare - 1) <
                1e-9);
        for (std::int64_t i = 0; i < n; ++i) {
            const PipelineStage& stage = r.stages[static_cast<std::size_t>(i)];
            const std::int64_t after = n - 1 - i;
            const std::int64_t depth = schedule == Schedule::PopArt
                                           ? (after == 0 ? 0 : 2 * after + 1)
                                       : schedule == Schedule::Grouped ? 2 * after
                                       : interleaved                   ? after
                                                                       : 0;
            QCOMPARE(stage.fifoDepth, depth);
            QCOMPARE(stage.ipu, IpuId(static_cast<std::int32_t>(i)));
            QVERIFY(stage.forwardCycles > 0 && stage.backwardCycles > 0);
            QCOMPARE(stage.fifoBytes > 0, depth > 0);
            QCOMPARE(depth == 0 ? 0 : stage.fifoBytes % depth, 0);
        }
    }

    void tooFewMicroBatches_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("count");
        QTest::newRow("popart") << 0 << 6;
        QTest::newRow("grouped") << 1 << 7;
        QTest::newRow("grouped, no multiple") << 1 << 12;
        QTest::newRow("interleaved") << 2 << 3;
        QTest::newRow("interleaved, no multiple") << 2 << 6;
    }
    void tooFewMicroBatches() {
        QFETCH(int, kind);
        QFETCH(int, count);
        const QString error = userError([&] {
            (void)simulate(layers(4), pipelinedLayers(static_cast<Schedule>(kind), 4, count, true));
        });
        QVERIFY2(error.startsWith("option gradientAccumulation (--gradient-accumulation)") &&
                     error.contains("would do"),
                 qPrintable(error));
    }

    void inferenceHasNoBackward() {
        for (const Schedule schedule :
             {Schedule::PopArt, Schedule::Grouped, Schedule::Interleaved, Schedule::Sequential}) {
            const PipelineReport r = reportOf(layers(3), pipelinedLayers(schedule, 3, 6, false));
            for (const PipelineStage& stage : r.stages) {
                QCOMPARE(stage.backwardCycles, 0);
                QCOMPARE(stage.fifoDepth, 0);
                QCOMPARE(stage.fifoBytes, 0);
            }
            const double expected = schedule == Schedule::Sequential ? 1.0 / 3 : 6.0 / 8;
            QVERIFY(qAbs(r.scheduleUtilisation - expected) < 1e-12);
        }
    }

    /// Each micro-batch runs each stage once forward and once backward, whatever the schedule.
    void theTraceRunsEveryStageOncePerMicroBatch() {
        for (const Schedule schedule :
             {Schedule::PopArt, Schedule::Grouped, Schedule::Interleaved, Schedule::Sequential}) {
            RunOptions options = pipelinedLayers(schedule, 3, 12, true);
            options.batch.deviceIterations = 7;
            const Profile p = simulate(layers(3), options);
            for (const StageRecord& stage : p.pipeline.stages)
                for (const ProgramId function : {stage.forward, stage.backward})
                    QCOMPARE(executions(p.trace, p.trace.runs.back().body, function), 7 * 12);
        }
    }

    /// The last stage back on the IPU of the first: slots, depths and minimum are those of three
    /// stages, time and occupancy those of two IPUs.
    void aStageComesBackToAnIpu() {
        for (const Schedule schedule :
             {Schedule::PopArt, Schedule::Grouped, Schedule::Sequential}) {
            RunOptions options = pipelinedLayers(schedule, 3, 12, true);
            options.machine.target.ipus = 2;
            options.execution.deviceMapping = {0, 1, 0};
            const PipelineReport r = reportOf(layers(3), options);
            const PipelineSchedule plan(schedule, 3, true, 12);
            QCOMPARE(r.stages.size(), std::size_t(3));
            QCOMPARE(r.stages[2].ipu, IpuId(0));
            QCOMPARE(r.busySlots, plan.busySlots());
            for (std::int32_t i = 0; i < 3; ++i)
                QCOMPARE(r.stages[static_cast<std::size_t>(i)].fifoDepth, plan.bufferDepth(i));
            QVERIFY(r.stages[0].occupancy + r.stages[2].occupancy < 1);
            QVERIFY(qAbs(r.utilisation + r.bubbleShare + r.imbalanceShare + r.overheadShare - 1) <
                    1e-9);
            for (const PipelineSlotTime& slot : r.slotTimes)
                QVERIFY(slot.occupancy <= 1);
            options.batch.gradientAccumulation = schedule == Schedule::PopArt ? 4 : 5;
            if (schedule != Schedule::Sequential)
                QVERIFY(userError([&] {
                            (void)simulate(layers(3), options);
                        }).contains("pipeline of 3 stages"));
        }
    }

    void sequentialCopiesOnlyWhatIsNew() {
        const Profile p = simulate(layers(4), pipelinedLayers(Schedule::Sequential, 4, 8, true));
        std::int64_t copies = 0;
        for (const ProgramId function : p.functions)
            if (p.programs[function].name.starts_with("ipuCopies") &&
                !p.programs[function].children.empty())
                copies += executions(p.trace, p.trace.runs.back().body, function);
        // Activations pass on three times and gradients come back three times.
        QCOMPARE(copies, 8 * 6);
    }

    void sayWhichSplitDoesNotExist() {
        RunOptions options = pipelinedLayers(Schedule::PopArt, 3, 5, true);
        options.execution.split = {"s1", "t2"};
        QVERIFY(userError([&] { (void)simulate(layers(3), options); })
                    .startsWith("option split (--split): the model has no operation or scope "
                                "'t2'"));
        options.execution.split = {"s2", "s1"};
        QVERIFY(userError([&] {
                    (void)simulate(layers(3), options);
                }).contains("name the splits in the order of the model"));
        options.execution.split = {"s1"};
        QVERIFY(userError([&] {
                    (void)simulate(layers(3), options);
                }).contains("give 2 names or --ipus 2"));
        options = pipelinedLayers(Schedule::PopArt, 3, 5, true);
        options.execution.split.clear();
        options.machine.target.ipus = 64;
        QVERIFY(userError([&] {
                    (void)simulate(layers(3), options);
                }).startsWith("option ipus (--ipus): the model has 6 operations, too few"));
        options = pipelinedLayers(Schedule::PopArt, 3, 5, true);
        options.memory.recompute = Recompute::Standard;
        options.memory.checkpoints = {"nowhere"};
        QVERIFY(userError([&] {
                    (void)simulate(layers(3), options);
                }).startsWith("option checkpoint (--checkpoint): "));
    }

    /// A suggested split, tried, is faster by about as much as was promised.
    void theBetterSplitIsBetter() {
        const Graph model = layers(8);
        RunOptions options = pipelinedLayers(Schedule::PopArt, 2, 16, true);
        options.outline.enabled = false; // a function split over two stages would be two
        options.execution.split = {"s6"};
        options.host.ignoreData = true;
        const PipelineReport before = reportOf(model, options);
        QCOMPARE(before.better.split.size(), std::size_t(1));
        options.execution.split = before.better.split;
        const PipelineReport after = reportOf(model, options);
        const auto longest = [](const PipelineReport& r) {
            return r.stages[static_cast<std::size_t>(r.longestStage)].cycles();
        };
        QVERIFY(longest(after) < longest(before));
        QVERIFY(qAbs(static_cast<double>(longest(after) - before.better.longestCycles)) <
                0.2 * static_cast<double>(longest(after)));
    }
};

TILESCOPE_TEST(PipelineProfileTest)

} // namespace profile_test

#include "profile_test.moc"
