// Micro-batches of the tutorial's pipeline in every schedule: each passes all stages once, forward
// in their order and backward in the other.
#include <QtTest>
#include <map>
#include <set>

#include "core/analysis/execution/micro_batches.h"
#include "core/options/option_table.h"
#include "core/trace/trace_index.h"
#include "simulator/simulate.h"
#include "tests/support/test_main.h"

namespace micro_batches_test {
using namespace tilescope;
using namespace tilescope::sim;

namespace {

Profile tutorial(const std::string& schedule, const std::string& mode) {
    RunOptions options;
    const bool training = mode == "training";
    setRunOptions(options, {{"mode", mode},
                            {"ipus", "4"},
                            {"batchSize", "2"},
                            {"execution", "pipelined"},
                            {"schedule", schedule},
                            {"deviceIterations", training ? "3" : "16"},
                            {"split", "B2,B3,B4"}});
    if (training)
        setRunOptions(options, {{"gradientAccumulation", "16"}});
    return simulateModel("mnist-cnn", options);
}

} // namespace

class MicroBatchesTest : public QObject {
    Q_OBJECT

private slots:
    void eachPassesEveryStageOnce_data() {
        QTest::addColumn<std::string>("schedule");
        QTest::addColumn<std::string>("mode");
        for (const char* schedule : {"popart", "grouped", "interleaved", "sequential"})
            for (const char* mode : {"training", "inference"})
                QTest::addRow("%s %s", schedule, mode)
                    << std::string(schedule) << std::string(mode);
    }
    void eachPassesEveryStageOnce() {
        QFETCH(std::string, schedule);
        QFETCH(std::string, mode);
        const Profile p = tutorial(schedule, mode);
        const MicroBatches batches(p.pipeline, p.programs);
        const TraceIndex trace(p.trace, p.info.target.ipus, p.info.target.tilesPerIpu);
        QCOMPARE(batches.count(), std::int64_t{16});
        for (std::int64_t number = 1; number <= batches.count(); ++number) {
            std::map<std::int64_t, std::vector<MicroBatchRun>> ways;
            for (const MicroBatchRun& run :
                 batches.runsOf(number, trace, {0, trace.totalCycles()}, 100))
                ways[run.part.iteration].push_back(run);
            QCOMPARE(static_cast<std::int64_t>(ways.size()), batches.iterations());
            for (const auto& [iteration, way] : ways)
                verifyWay(way, mode == "training");
        }
        verifySteps(batches, trace);
    }

private:
    static void verifyWay(const std::vector<MicroBatchRun>& way, bool trains) {
        std::vector<int> forward;
        std::vector<int> backward;
        for (std::size_t i = 0; i < way.size(); ++i) {
            if (way[i].part.forward)
                forward.push_back(way[i].part.stage);
            if (way[i].part.backward)
                backward.push_back(way[i].part.stage);
            QVERIFY(i == 0 || way[i - 1].range.end <= way[i].range.begin);
        }
        QCOMPARE(forward, (std::vector{0, 1, 2, 3}));
        QCOMPARE(backward, trains ? (std::vector{3, 2, 1, 0}) : std::vector<int>());
    }
    /// The two ways of asking agree.
    static void verifySteps(const MicroBatches& batches, const TraceIndex& trace) {
        std::set<std::int64_t> seen;
        constexpr std::int64_t stride = 37; // some steps of each part
        for (std::int64_t i = 0; i < trace.stepCount(); i += stride) {
            const ExecutedStep step = trace.stepAt(i);
            const auto part = batches.partOf(step);
            if (!part || step.ipus.empty())
                continue;
            seen.insert(part->number);
            const std::int64_t at = step.ipus.front().start;
            bool within = false;
            for (const MicroBatchRun& run : batches.runsOf(part->number, trace, {at, at}, 1))
                within = within ||
                         (run.part.stage == part->stage && run.part.iteration == part->iteration &&
                          at >= run.range.begin && at < run.range.end);
            QVERIFY2(within, qPrintable(QString::number(i)));
        }
        QCOMPARE(static_cast<std::int64_t>(seen.size()), batches.count());
    }
};

TILESCOPE_TEST(MicroBatchesTest)

} // namespace micro_batches_test

#include "micro_batches_test.moc"
