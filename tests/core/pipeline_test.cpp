// Pipelines in the file and in the analysis: round trip, damage, cycles, shares, better splits.
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <set>

#include "core/analysis/execution/pipeline.h"
#include "core/analysis/insights/insights.h"
#include "core/report/report.h"
#include "core/store/profile_reader.h"
#include "core/store/profile_writer.h"
#include "core/trace/trace_index.h"
#include "tests/support/compare_profile.h"
#include "tests/support/profile_sql.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_pipeline.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace pipeline_test {
using namespace tilescope;
using namespace tilescope::test;
namespace fs = std::filesystem;

class PipelineTest : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;
    const Profile p_ = samplePipeline();
    fs::path file(const char* name) const {
        return fs::path(directory_.path().toStdString()) / name;
    }
    static void execute(const fs::path& file, const char* sql) {
        QCOMPARE(text(changeProfile(file, sql)), "");
    }

private slots:
    void initTestCase() { writeProfile(p_, file("good.pop")); }

    void readsWhatWasWritten() {
        const ProfileReader reader(file("good.pop"));
        QVERIFY(reader.pipeline() == p_.pipeline);
        QCOMPARE(text(firstDifference(reader.load(), p_)), "");
    }

    void noneInAFileWithout() {
        writeProfile(sampleProfile(), file("single.pop"));
        QVERIFY(ProfileReader(file("single.pop")).pipeline().empty());
    }

    void noneInAnOlderFile() {
        fs::copy_file(file("good.pop"), file("old.pop"), fs::copy_options::overwrite_existing);
        execute(file("old.pop"), "DROP TABLE pipeline; PRAGMA user_version = 2");
        QVERIFY(ProfileReader(file("old.pop")).pipeline().empty());
    }

    /// Looking up each of its prefixes would take minutes.
    void namesOfManyLevelsAreReadAtOnce() {
        Profile deep = p_;
        std::string name = deep.pipeline.operations.front().name;
        constexpr int levels = 300'000;
        for (int i = 0; i < levels; ++i)
            name += "/a";
        deep.pipeline.operations.front().name = name;
        const PipelineReport report = pipelineReport(*ProfileView::of(deep));
        QCOMPARE(report.stages.size(), deep.pipeline.stages.size());
    }

    void damagedRows_data() {
        QTest::addColumn<QByteArray>("sql");
        QTest::addColumn<QString>("error");
        const QString refers = "damaged profile: a row refers to one that does not exist";
        QTest::newRow("ipu") << QByteArray("UPDATE pipeline_stages SET ipu = 2") << refers;
        QTest::newRow("forward") << QByteArray("UPDATE pipeline_stages SET forward_program = NULL")
                                 << refers;
        QTest::newRow("backward") << QByteArray("UPDATE pipeline_stages SET backward_program = -1")
                                  << "damaged profile: a row has an impossible id";
        QTest::newRow("fifo") << QByteArray("UPDATE pipeline_stages SET fifo_program = 9999")
                              << refers;
        QTest::newRow("buffer") << QByteArray("UPDATE pipeline_buffers SET variable = 9999")
                                << refers;
        QTest::newRow("buffer of no stage")
            << QByteArray("UPDATE pipeline_buffers SET stage = 7") << refers;
        QTest::newRow("slot program")
            << QByteArray("UPDATE pipeline_slot_programs SET program = 9999") << refers;
        QTest::newRow("operation's stage")
            << QByteArray("UPDATE pipeline_operations SET stage = 2") << refers;
        QTest::newRow("part") << QByteArray("UPDATE pipeline_slots SET part = 'coda'")
                              << "damaged profile: unknown name 'coda'";
        QTest::newRow("repeats") << QByteArray("UPDATE pipeline_slots SET repeats = -1")
                                 << "damaged profile: the pipeline's slots are impossible";
        QTest::newRow("hole") << QByteArray("DELETE FROM pipeline_stages WHERE stage = 0")
                              << "damaged profile: rows of pipeline_stages are missing";
        QTest::newRow("depth") << QByteArray("UPDATE pipeline_stages SET buffer_depth = -1")
                               << "damaged profile: a pipeline buffer has a depth below zero";
        QTest::newRow("count")
            << QByteArray("UPDATE pipeline SET micro_batches = 0")
            << "damaged profile: the pipeline has an impossible number of iterations";
    }
    void damagedRows() {
        QFETCH(QByteArray, sql);
        QFETCH(QString, error);
        fs::copy_file(file("good.pop"), file("bad.pop"), fs::copy_options::overwrite_existing);
        execute(file("bad.pop"), sql.constData());
        const QString said = userError([&] { (void)pipelineReport(ProfileView(file("bad.pop"))); });
        QVERIFY2(said.contains(error) && said.contains("bad.pop"), qPrintable(said));
    }

    // The published sources count differently: the report says which it follows.
    void theDepthSaysWhatItCounts() {
        const auto said = [&](const char* schedule) {
            Profile p = p_;
            p.pipeline.schedule = schedule;
            const Document document = stagesReport(*ProfileView::of(p), {});
            for (const Field& field : document.fields)
                if (field.key == "fifoDepthCounts")
                    return std::get<std::string>(field.value);
            return std::string();
        };
        QVERIFY(said("popart").starts_with("2 (N-1-i) + 1"));
        QVERIFY(said("grouped").starts_with("2 (N-1-i): "));
        QVERIFY(said("interleaved").starts_with("N-1-i: "));
        QVERIFY(said("sequential").starts_with("0: "));
    }

    void cyclesAndSharesByHand() {
        const PipelineReport r = pipelineReport(p_);
        QCOMPARE(r.stages.size(), std::size_t(2));
        QCOMPARE(r.stages[0].forwardCycles, 100);
        QCOMPARE(r.stages[0].backwardCycles, 200);
        QCOMPARE(r.stages[1].forwardCycles, 300);
        QCOMPARE(r.stages[1].backwardCycles, 400);
        QCOMPARE(r.stages[0].fifoDepth, 3);
        QCOMPARE(r.stages[0].fifoBytes, p_.variables[VariableId(0)].bytes.sum());
        QCOMPARE(r.longestStage, 1);
        QCOMPARE(r.rampUpSlots, 2);
        QCOMPARE(r.mainSlots, 2);
        QCOMPARE(r.rampDownSlots, 2);
        QCOMPARE(r.busySlots, 6);
        // Busy: 4 x 300 and 4 x 700 of 8000. Idle in slots of 100, 700, 2 x 700, 700 and 200
        // cycles.
        QCOMPARE(r.stages[0].occupancy, 1200.0 / 8000);
        QCOMPARE(r.stages[1].occupancy, 2800.0 / 8000);
        QCOMPARE(r.utilisation, 4000.0 / 16000);
        QCOMPARE(r.bubbleShare, (100.0 + 200) / 16000);
        QCOMPARE(r.imbalanceShare, (600.0 + 2 * 400 + 500) / 16000);
        QCOMPARE(r.utilisation + r.bubbleShare + r.imbalanceShare + r.overheadShare, 1.0);
        QCOMPARE(r.scheduleUtilisation, 4.0 / 5);
    }

    /// Two stages on one IPU run one after the other: none waits for the other, and the IPU has no
    /// empty slot.
    void stagesOfOneIpuAddUp() {
        Profile p = samplePipeline();
        p.pipeline.stages[1].ipu = IpuId(0);
        for (TraceBody& body : p.trace.bodies)
            for (TraceStep& step : body.steps)
                for (StepOnIpu& on : step.ipus)
                    on.ipu = IpuId(0);
        const PipelineReport r = pipelineReport(p);
        QCOMPARE(r.slotTimes.front().cycles, 100);
        QCOMPARE(r.slotTimes[2].cycles, 100 + 700 + 200);
        QCOMPARE(r.slotTimes[2].occupancy, 1.0);
        QCOMPARE(r.bubbleShare, 0.0);
        QCOMPARE(r.imbalanceShare, 0.0);
        QCOMPARE(r.scheduleUtilisation, 1.0);
        QVERIFY(r.better.split.empty());
    }

    void betterSplitByHand() {
        // a b | c takes 600 and 400 where a | b c takes 300 and 700.
        const BetterSplit better = pipelineReport(p_).better;
        QCOMPARE(better.split, (std::vector<std::string>{"c"}));
        QCOMPARE(better.stageCycles, (std::vector<std::int64_t>{600, 400}));
        QCOMPARE(better.longestCycles, 600);
        // Slots take 300, 400, 2 x 600, 400, 300 instead of 100, 700, 2 x 700, 700, 200.
        QCOMPARE(better.gainCycles, 3100 - 2600 - 0);
    }

    // Copies of what passes inside a block may cost more than even stages gain.
    void betterSplitsLieBetweenBlocks() {
        Profile p = samplePipeline();
        for (Operation& operation : p.operations)
            if (operation.name.starts_with("b"))
                operation.name = "c/" + operation.name;
        p.pipeline.operations[1].name = "c/b";
        QCOMPARE(pipelineReport(p).stages[1].cycles(), 700);
        QVERIFY(pipelineReport(p).better.split.empty());
        // Another block begins where the scope of the shortcut ends.
        p.pipeline.operations[1].name = "d/b";
        for (Operation& operation : p.operations)
            if (operation.name.starts_with("c/b"))
                operation.name.front() = 'd';
        QCOMPARE(pipelineReport(p).better.split, (std::vector<std::string>{"c"}));
    }

    void slotsHaveTheirCallsAndWhatFollowsThem() {
        const Profile p = samplePipelineRun();
        const PipelineReport r = pipelineReport(p);
        QCOMPARE(r.slotTimes.size(), std::size_t(5));
        std::set<ProgramId> calls;
        const char* const parents[] = {"fill", "fill", "innerLoop", "flush", "flush"};
        for (std::size_t i = 0; i < 5; ++i) {
            QCOMPARE(r.slotTimes[i].calls.size(), p.pipeline.slotList[i].programs.size());
            for (std::size_t j = 0; j < r.slotTimes[i].calls.size(); ++j) {
                const Program& call = p.programs[r.slotTimes[i].calls[j].call];
                QCOMPARE(call.target, p.pipeline.slotList[i].programs[j]);
                QCOMPARE(text(p.programs[call.parent].name), parents[i]);
                QVERIFY(calls.insert(r.slotTimes[i].calls[j].call).second);
            }
        }
        QCOMPARE(r.stages[0].updateCycles, 50);
        QCOMPARE(r.stages[1].updateCycles, 80);
        QCOMPARE(r.stages[1].recomputeCycles, 0);
    }

    void operationsThatRunAgainAreCounted() {
        Profile p = samplePipelineRun();
        // The backward pass of stage 0 runs the operation of its forward pass.
        const auto operationOf = [&](ProgramId function) -> OperationId& {
            return p.programs[p.programs[function].children.front()].operation;
        };
        operationOf(p.pipeline.stages[0].backward) = operationOf(p.pipeline.stages[0].forward);
        const PipelineReport r = pipelineReport(p);
        QCOMPARE(r.stages[0].backwardCycles, 200);
        QCOMPARE(r.stages[0].recomputeCycles, 200);
    }

    void firstExecutionOfACall() {
        const Profile p = samplePipelineRun();
        const TraceIndex index(p.trace, 2, 1472);
        const PipelineReport r = pipelineReport(p);
        const std::int64_t start = p.trace.runs.back().start;
        // F1 of the second slot runs beside F0, from 100 on.
        const auto second = index.findCall(r.slotTimes[1].calls[1].call);
        QVERIFY(second.has_value());
        QCOMPARE(second->range, (CycleRange{start + 100, start + 800}));
        // B0 of the main slot follows F0; of two repetitions the first counts.
        const auto main = index.findCall(r.slotTimes[2].calls[2].call);
        QVERIFY(main.has_value());
        QCOMPARE(main->range, (CycleRange{start + 900, start + 1100}));
        QVERIFY(!index.findCall(ProgramId(0)).has_value());
    }

    void flamesNameTheCallsAroundSteps() {
        const Profile p = samplePipelineRun();
        const TraceIndex index(p.trace, 2, 1472);
        const std::int64_t start = p.trace.runs.back().start;
        QStringList rows;
        for (const FlameSpan& box :
             flameRows(index, p.programs, IpuId(0), {start + 1, start + 2200}, 1))
            if (box.row > 0 && box.row < 3)
                rows << QString("%1 %2 %3-%4")
                            .arg(box.row)
                            .arg(text(box.name))
                            .arg(box.begin - start)
                            .arg(box.end - start);
        QCOMPARE(rows, (QStringList{"1 fill 0-200", "1 innerLoop 1 of 2 800-1100",
                                    "1 innerLoop 2 of 2 1500-1800", "2 main_stage0 0-100",
                                    "2 main_stage0 100-200", "2 main_stage0 800-900",
                                    "2 main_stage2 900-1100", "2 main_stage0 1500-1600",
                                    "2 main_stage2 1600-1800"}));
    }

    void insightsNameTheSplit() {
        bool found = false;
        Profile p = p_;
        p.info.options = {{"execution", "pipelined"},
                          {"ipus", "2"},
                          {"gradientAccumulation", "4"},
                          {"mode", "training"}};
        for (const Insight& insight : findInsights(p))
            if (insight.rule == "unbalancedStages") {
                found = true;
                QVERIFY(text(adviceText(insight)).contains("--split c"));
                QCOMPARE(text(insight.link.report), "pipeline");
            }
        QVERIFY(found);
    }
};

TILESCOPE_TEST(PipelineTest)

} // namespace pipeline_test

#include "pipeline_test.moc"
