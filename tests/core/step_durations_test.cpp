// How long the executions of a program take, counted by multiplication.
#include "core/trace/step_durations.h"

#include <QTest>
#include <map>

#include "tests/support/sample_pipeline.h"
#include "tests/support/sample_profile.h"
#include "tests/support/scale_profile.h"
#include "tests/support/test_main.h"

namespace step_durations_test {
using namespace tilescope;
using namespace tilescope::test;

class StepDurationsTest : public QObject {
    Q_OBJECT

    /// By looking at every step of the execution.
    static std::map<ProgramId, std::multimap<std::int64_t, std::int64_t>>
    oneByOne(const TraceIndex& trace) {
        std::map<ProgramId, std::multimap<std::int64_t, std::int64_t>> all;
        for (std::int64_t at = 0; at < trace.stepCount(); ++at) {
            const ExecutedStep step = trace.stepAt(at);
            std::int64_t cycles = 0;
            for (const StepOnIpu& on : step.ipus)
                cycles = std::max(cycles, on.cycles);
            if (step.program.valid())
                all[step.program].emplace(cycles, at);
        }
        return all;
    }
    static void check(const Profile& profile) {
        const TraceIndex trace(profile.trace, profile.info.target.ipus,
                               profile.info.target.tilesPerIpu);
        for (const auto& [program, executions] : oneByOne(trace)) {
            const StepDurations durations = stepDurations(trace, program);
            std::int64_t cycles = 0;
            for (const auto& [length, step] : executions)
                cycles += length;
            QCOMPARE(durations.count, static_cast<std::int64_t>(executions.size()));
            QCOMPARE(durations.cycles, cycles);
            QCOMPARE(durations.least(), executions.begin()->first);
            QCOMPARE(durations.most(), executions.rbegin()->first);
            std::int64_t counted = 0;
            for (const StepDurations::Bin& bin : durations.bins) {
                counted += bin.count;
                QVERIFY(bin.most - bin.least <= bin.most / 500);
            }
            QCOMPARE(counted, durations.count);
            // The longest is found, at its first execution.
            const StepDurations::Execution& longest = durations.longest.at(0);
            QCOMPARE(longest.cycles, executions.rbegin()->first);
            QCOMPARE(longest.step, executions.lower_bound(longest.cycles)->second);
        }
    }

private slots:
    void everyExecutionIsCounted() {
        check(sampleProfile({.ipus = 2}));
        check(samplePipelineRun());
        check(scaleProfile({.steps = 3000, .ipus = 2, .variables = 10, .tilesPerIpu = 8}));
    }

    void whatIsNeverExecutedHasNone() {
        const Profile profile = sampleProfile();
        const TraceIndex trace(profile.trace, 1, profile.info.target.tilesPerIpu);
        const StepDurations none = stepDurations(trace, ProgramId(1'000'000));
        QVERIFY(none.empty() && none.longest.empty());
        QCOMPARE(none.quantile(0.5), std::int64_t{0});
    }

    void quantilesAreOfTheExecutions() {
        StepDurations durations;
        durations.bins = {{10, 10, 98}, {20, 20, 1}, {500, 500, 1}};
        durations.count = 100;
        QCOMPARE(durations.quantile(0.5), std::int64_t{10});
        QCOMPARE(durations.quantile(0.99), std::int64_t{20});
        QCOMPARE(durations.quantile(1), std::int64_t{500});
    }
};

TILESCOPE_TEST(StepDurationsTest)

} // namespace step_durations_test

#include "step_durations_test.moc"
