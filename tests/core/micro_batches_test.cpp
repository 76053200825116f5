// Which micro-batch each call of a pipeline works on, and where it runs.
#include <QTest>
#include <limits>

#include "core/analysis/execution/micro_batches.h"
#include "core/trace/trace_index.h"
#include "tests/support/sample_pipeline.h"
#include "tests/support/test_main.h"

namespace micro_batches_test {
using namespace tilescope;
using namespace tilescope::test;

class MicroBatchesTest : public QObject {
    Q_OBJECT
    const Profile p_ = samplePipelineRun();
    const MicroBatches batches_{p_.pipeline, p_.programs};
    const TraceIndex trace_{p_.trace, p_.info.target.ipus, p_.info.target.tilesPerIpu};
    const std::int64_t begin_ = p_.trace.runs.back().start;

private slots:
    void theNthCallOfAStageHasTheNthMicroBatch() {
        const auto calls = microBatchCalls(p_.pipeline, p_.programs);
        QCOMPARE(calls.size(), std::size_t(5));
        const auto first = [&](std::size_t slot, std::size_t call) {
            return calls[slot][call].first;
        };
        QCOMPARE(first(0, 0), 1); // F0
        QCOMPARE(first(1, 0), 2); // F0 F1B1
        QCOMPARE(first(1, 1), 1);
        QCOMPARE(first(2, 0), 3); // twice F0 F1B1 B0
        QCOMPARE(first(2, 1), 2);
        QCOMPARE(first(2, 2), 1);
        QCOMPARE(calls[2][0].in(1), 4);
        QCOMPARE(first(3, 0), 4); // F1B1 B0
        QCOMPARE(first(3, 1), 3);
        QCOMPARE(first(4, 0), 4); // B0
    }

    void aMicroBatchIsFollowedThroughTheStages() {
        const auto runs = batches_.runsOf(3, trace_, {0, trace_.totalCycles()}, 8);
        QCOMPARE(runs.size(), std::size_t(3));
        const auto is = [&](std::size_t at, std::int64_t from, std::int64_t to,
                            std::int32_t stage) {
            return runs[at].range == CycleRange{begin_ + from, begin_ + to} &&
                   runs[at].part.stage == stage && runs[at].part.number == 3;
        };
        QVERIFY(is(0, 800, 900, 0));
        QVERIFY(is(1, 1500, 2200, 1));
        QVERIFY(runs[1].part.forward && runs[1].part.backward);
        QVERIFY(is(2, 2200, 2400, 0));
        QVERIFY(batches_.runsOf(5, trace_, {0, trace_.totalCycles()}, 8).empty());
        QVERIFY(batches_.runsOf(0, trace_, {0, trace_.totalCycles()}, 8).empty());
    }

    void everyStepKnowsItsMicroBatch() {
        std::int64_t known = 0;
        for (std::int64_t i = 0; i < trace_.stepCount(); ++i) {
            const ExecutedStep step = trace_.stepAt(i);
            const auto part = batches_.partOf(step);
            if (!part)
                continue;
            ++known;
            bool within = false;
            for (const auto& run : batches_.runsOf(part->number, trace_, {0, 1'000'000}, 8))
                within = within || (run.part.stage == part->stage &&
                                    step.ipus.front().start >= run.range.begin &&
                                    step.ipus.front().start < run.range.end);
            QVERIFY2(within, qPrintable(QString::number(i)));
            if (part->stage == 1 && step.program.valid())
                QCOMPARE(part->backward, step.program >= p_.pipeline.stages[1].backwardFrom);
        }
        // F0 and B0 have two steps, F1 and B1 together eight.
        QCOMPARE(known, std::int64_t{4} * (2 + 2 + 8));
    }

    void hostileCountsDoNoHarm() {
        Profile p = p_;
        p.pipeline.slotList[2].repeats = std::numeric_limits<std::int64_t>::max();
        p.pipeline.microBatches = std::numeric_limits<std::int64_t>::max();
        const MicroBatches batches(p.pipeline, p.programs);
        QVERIFY(
            batches.runsOf(std::numeric_limits<std::int64_t>::max(), trace_, {0, 8000}, 8).size() <
            9);
        QVERIFY(
            batches.runsOf(std::numeric_limits<std::int64_t>::min(), trace_, {0, 8000}, 8).empty());
    }
};

TILESCOPE_TEST(MicroBatchesTest)

} // namespace micro_batches_test

#include "micro_batches_test.moc"
