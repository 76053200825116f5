// The schedules as pure functions, against the published formulas and examples.
#include <QTest>
#include <map>
#include <set>

#include "simulator/schedule/pipeline_schedule.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace pipeline_schedule_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

/// All slots in the order in which they run.
std::vector<Slot> unrolled(const PipelineSchedule& schedule) {
    std::vector<Slot> all = schedule.rampUp;
    for (std::int64_t i = 0; i < schedule.mainRepeats; ++i)
        all.insert(all.end(), schedule.main.begin(), schedule.main.end());
    all.insert(all.end(), schedule.rampDown.begin(), schedule.rampDown.end());
    return all;
}

/// "F0 | F1 | F2 B0" of what a stage runs in each slot.
QString laneOf(const PipelineSchedule& schedule, std::int32_t stage) {
    std::map<std::int32_t, int> next;
    QStringList cells;
    for (const Slot& slot : unrolled(schedule)) {
        QStringList cell;
        for (const std::int32_t p : slot) {
            const bool forward = p == schedule.forwardProgram(stage);
            const bool backward = p == schedule.backwardProgram(stage);
            if (!forward && !backward)
                continue;
            const int micro = next[p]++;
            cell << (forward && backward ? QString("F%1B%1").arg(micro)
                     : forward           ? QString("F%1").arg(micro)
                                         : QString("B%1").arg(micro));
        }
        cells << (cell.isEmpty() ? "-" : cell.join(" "));
    }
    return cells.join(" | ");
}

} // namespace

class PipelineScheduleTest : public QObject {
    Q_OBJECT

private slots:
    /// The example of PopART's notes on pipelining: three stages, five micro-batches.
    void popartExample() {
        const PipelineSchedule schedule(Schedule::PopArt, 3, true, 5);
        QCOMPARE(laneOf(schedule, 0), "F0 | F1 | F2 | F3 | F4 B0 | B1 | B2 | B3 | B4");
        QCOMPARE(laneOf(schedule, 1), "- | F0 | F1 | F2 B0 | F3 B1 | F4 B2 | B3 | B4 | -");
        QCOMPARE(laneOf(schedule, 2), "- | - | F0B0 | F1B1 | F2B2 | F3B3 | F4B4 | - | -");
    }

    /// TensorFlow's grouped schedule with overlapped I/O: a slot more at each end, any count from
    /// 2N + 2 on.
    void transfersBesidePrograms() {
        constexpr auto beside = HostTransfers::Beside;
        const PipelineSchedule schedule(Schedule::Grouped, 2, true, 6, beside);
        QCOMPARE(laneOf(schedule, 0),
                 "- | F0 | F1 | F2 | F3 B0 | F4 B1 | F5 B2 | B3 | B4 | B5 | -");
        for (const int n : {1, 2, 5})
            for (const bool training : {false, true}) {
                QCOMPARE(microBatchRule(Schedule::Grouped, n, training, beside).least,
                         (training ? 2 * n : n) + 2);
                QCOMPARE(microBatchRule(Schedule::Grouped, n, training, beside).multipleOf, 1);
            }
        for (const Schedule kind : {Schedule::PopArt, Schedule::Grouped})
            for (const int count : {10, 11, 20}) {
                const PipelineSchedule s(kind, 4, true, count, beside);
                QCOMPARE(s.mainRepeats, count - s.programs - 1);
                QCOMPARE(s.busySlots(), count + s.programs - 1);
                QCOMPARE(unrolled(s).size(), static_cast<std::size_t>(s.busySlots() + 2));
            }
    }

    void countsOfEverySchedule_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("stages");
        QTest::addColumn<int>("count");
        for (const int n : {1, 2, 3, 4, 8})
            for (const int times : {1, 2, 5})
                for (const int kind : {0, 1, 2, 3}) {
                    const auto schedule = static_cast<Schedule>(kind);
                    const std::int64_t least = microBatchRule(schedule, n, true).least;
                    QTest::addRow("%s n%d x%d", std::string(toString(schedule)).c_str(), n, times)
                        << kind << n << static_cast<int>(least * times);
                }
    }
    void countsOfEverySchedule() {
        QFETCH(int, kind);
        QFETCH(int, stages);
        QFETCH(int, count);
        const std::int64_t n = stages;
        const std::int64_t g = count;
        const PipelineSchedule s(static_cast<Schedule>(kind), stages, true, count);
        switch (s.kind) {
        case Schedule::PopArt:
            QCOMPARE(s.busySlots(), g + 2 * n - 2);
            QCOMPARE(s.mainRepeats, g - (2 * n - 2));
            break;
        case Schedule::Grouped:
            QCOMPARE(s.busySlots(), g + 2 * n - 1);
            QCOMPARE(static_cast<std::int64_t>(s.rampUp.size()), 2 * n);
            QCOMPARE(s.mainRepeats, (g / (2 * n) - 1) * 2 * n);
            break;
        case Schedule::Interleaved:
            QCOMPARE(s.busySlots(), 2 * g + 2 * n - 2);
            QCOMPARE(static_cast<std::int64_t>(s.rampUp.size()), 2 * n);
            QCOMPARE(s.mainRepeats, g / n - 1);
            break;
        case Schedule::Sequential:
            QCOMPARE(s.busySlots(), 2 * n * g);
            break;
        }
    }

    /// Whatever the schedule: every micro-batch passes every program once, in order, and never two
    /// programs of it in one slot.
    void everyMicroBatchPassesInOrder_data() { countsOfEverySchedule_data(); }
    void everyMicroBatchPassesInOrder() {
        QFETCH(int, kind);
        QFETCH(int, stages);
        QFETCH(int, count);
        for (const bool training : {true, false}) {
            const auto rule = microBatchRule(static_cast<Schedule>(kind), stages, training);
            const std::int64_t micro = training ? count : rule.least * 3;
            const PipelineSchedule s(static_cast<Schedule>(kind), stages, training, micro);
            std::map<std::int32_t, std::vector<std::size_t>> ran;
            const std::vector<Slot> all = unrolled(s);
            for (std::size_t t = 0; t < all.size(); ++t)
                for (const std::int32_t p : all[t])
                    ran[p].push_back(t);
            QCOMPARE(ran.size(), static_cast<std::size_t>(s.programs));
            for (std::int32_t p = 0; p < s.programs; ++p) {
                QCOMPARE(ran[p].size(), static_cast<std::size_t>(micro));
                for (std::size_t m = 0; p > 0 && m < ran[p].size(); ++m)
                    QVERIFY(ran[p][m] > ran[p - 1][m]);
            }
        }
    }

    /// The buffer of a stage holds the micro-batches between its forward and its backward.
    void buffersHoldWhatIsUnderWay() {
        const auto depths = [](Schedule kind, int stages) {
            QList<qint64> list;
            const PipelineSchedule s(kind, stages, true, microBatchRule(kind, stages, true).least);
            for (std::int32_t i = 0; i < stages; ++i)
                list << s.bufferDepth(i);
            return list;
        };
        QCOMPARE(depths(Schedule::PopArt, 4), (QList<qint64>{7, 5, 3, 0}));
        QCOMPARE(depths(Schedule::Grouped, 4), (QList<qint64>{6, 4, 2, 0}));
        QCOMPARE(depths(Schedule::Interleaved, 4), (QList<qint64>{3, 2, 1, 0}));
        QCOMPARE(depths(Schedule::Sequential, 4), (QList<qint64>{0, 0, 0, 0}));
        QCOMPARE(depths(Schedule::PopArt, 1), (QList<qint64>{0}));
    }

    /// Between any two programs of an IPU: PopART's getStashSize counts both, TensorFlow's FIFO the
    /// slots between.
    void rowsBetweenProgramsOfOneIpu() {
        const auto rows = [](Schedule kind, std::int32_t from, std::int32_t to) {
            const std::int64_t least = microBatchRule(kind, 5, true).least;
            return PipelineSchedule(kind, 5, true, least).rowsBetween(from, to);
        };
        // The forward of stage 0 and that of stage 4, which comes back to its IPU.
        QCOMPARE(rows(Schedule::PopArt, 0, 4), 5);
        QCOMPARE(rows(Schedule::Grouped, 0, 4), 3);
        QCOMPARE(rows(Schedule::Sequential, 0, 4), 0);
        QCOMPARE(rows(Schedule::PopArt, 4, 4), 0);
        for (const Schedule kind : {Schedule::PopArt, Schedule::Grouped, Schedule::Interleaved})
            for (std::int32_t stage = 0; stage < 5; ++stage) {
                const PipelineSchedule s(kind, 5, true, microBatchRule(kind, 5, true).least);
                QCOMPARE(s.rowsBetween(s.forwardProgram(stage), s.backwardProgram(stage)),
                         s.bufferDepth(stage));
                QCOMPARE(s.stageOf(s.forwardProgram(stage)), stage);
                QCOMPARE(s.stageOf(s.backwardProgram(stage)), stage);
            }
    }

    /// Interleaved runs one stage an IPU and slot; the others put them one after the other.
    void stagesThatComeBackToAnIpu() {
        const auto error = [](Schedule kind, const std::vector<std::int32_t>& mapping) {
            std::vector<IpuId> ipus;
            for (const std::int32_t ipu : mapping)
                ipus.emplace_back(ipu);
            return userError([&] { checkDeviceMapping(kind, ipus, true); });
        };
        QCOMPARE(error(Schedule::PopArt, {0, 1, 2, 3, 0}), "no error");
        QCOMPARE(error(Schedule::Grouped, {0, 1, 2, 3, 0}), "no error");
        QCOMPARE(error(Schedule::Interleaved, {0, 1, 2, 3}), "no error");
        QCOMPARE(error(Schedule::Interleaved, {}), "no error"); // everything is one stage
        QCOMPARE(error(Schedule::Interleaved, {0, 1, 2, 3, 0}),
                 "option deviceMapping (--device-mapping): in an interleaved pipeline an IPU runs "
                 "one stage at a time, but stages 0 and 4 would run on IPU 0 in the same slot; "
                 "choose --schedule grouped or popart, or another IPU for one");
    }

    void publishedUtilisation() {
        const auto share = [](std::int64_t g) {
            return PipelineSchedule(Schedule::PopArt, 4, true, g).utilisation();
        };
        QCOMPARE(qRound(share(8) * 1000), 727);
        QCOMPARE(qRound(share(16) * 1000), 842);
        QCOMPARE(qRound(share(64) * 1000), 955);
        QCOMPARE(qRound(share(512) * 1000), 994);
        QCOMPARE(PipelineSchedule(Schedule::Sequential, 4, true, 8).utilisation(), 0.25);
    }

    void refusesCounts() {
        const auto error = [](Schedule kind, bool training, std::int64_t count) {
            return userError([&] { checkMicroBatches(kind, 4, training, count); });
        };
        QCOMPARE(error(Schedule::PopArt, true, 6),
                 "option gradientAccumulation (--gradient-accumulation): a popart pipeline of 4 "
                 "stages needs at least 7 micro-batches; 6 were asked for, 7 would do");
        QCOMPARE(error(Schedule::Grouped, true, 12),
                 "option gradientAccumulation (--gradient-accumulation): a grouped pipeline of 4 "
                 "stages needs at least 8 micro-batches, a multiple of 8; 12 were asked for, 16 "
                 "would do");
        QCOMPARE(
            error(Schedule::Interleaved, true, 3),
            "option gradientAccumulation (--gradient-accumulation): an interleaved pipeline of "
            "4 stages needs at least 4 micro-batches, a multiple of 4; 3 were asked for, 4 "
            "would do");
        QVERIFY(error(Schedule::PopArt, false, 3).contains("deviceIterations"));
        QCOMPARE(error(Schedule::PopArt, true, 7), "no error");
        QCOMPARE(error(Schedule::Sequential, true, 1), "no error");
    }
};

TILESCOPE_TEST(PipelineScheduleTest)

} // namespace pipeline_schedule_test

#include "pipeline_schedule_test.moc"
