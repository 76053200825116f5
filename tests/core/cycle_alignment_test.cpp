// Executions of two profiles on one axis of cycles.
#include "core/analysis/compare/cycle_alignment.h"

#include <QTest>
#include <random>

#include "tests/support/random_repeats.h"
#include "tests/support/sample_pipeline.h"
#include "tests/support/sample_profile.h"
#include "tests/support/sample_trace.h"
#include "tests/support/test_main.h"

namespace cycle_alignment_test {
using namespace tilescope;

namespace {

ProfilePair pairOf(Profile source, Profile target) {
    const auto view = [](Profile profile) {
        return std::make_shared<const ProfileView>(
            std::make_shared<const Profile>(std::move(profile)));
    };
    return ProfilePair(view(std::move(source)), view(std::move(target)));
}

/// One operation takes longer.
Profile slower(Profile profile, const std::string& operation, std::int64_t times) {
    for (std::size_t i = 0; i < profile.computeSets.size(); ++i) {
        ComputeSet& set = profile.computeSets[ComputeSetId(i)];
        if (set.operation.valid() && profile.operations[set.operation].name == operation)
            set.cycles = set.cycles.scaled(times);
    }
    profile.trace = {};
    test::traceExecution(profile);
    return profile;
}

std::int64_t firstBegin(const ProfileView& profile, const std::string& operation) {
    const auto trace = profile.trace({});
    const auto programs = profile.programs({});
    for (std::int64_t at = 0; at < trace->stepCount(); ++at) {
        const ExecutedStep step = trace->stepAt(at);
        if (!step.program.valid())
            continue;
        const OperationId id = (*programs)[step.program].operation;
        if (id.valid() && (*profile.operations({}))[id].name == operation)
            return step.ipus.front().start;
    }
    return -1;
}

} // namespace

class CycleAlignmentTest : public QObject {
    Q_OBJECT
    /// Both maps ascend, and each is the other's inverse wherever a side has cycles.
    static void isProper(const CycleAlignment& aligned, const ProfilePair& pair,
                         std::uint32_t seed) {
        std::mt19937 random(seed);
        for (const bool target : {false, true}) {
            const auto& profile = target ? pair.target : pair.source;
            const std::int64_t length = profile->trace({})->totalCycles();
            QVERIFY(aligned.length() >= length);
            std::vector<std::int64_t> cycles{0, 1, length - 1};
            for (int i = 0; i < 300; ++i)
                cycles.push_back(static_cast<std::int64_t>(random()) % length);
            std::sort(cycles.begin(), cycles.end());
            std::int64_t last = -1;
            for (const std::int64_t cycle : cycles) {
                const std::int64_t place = aligned.placeOf(cycle, target);
                QVERIFY(place >= last && place >= cycle && place <= aligned.length());
                last = place;
                QCOMPARE(aligned.cycleAt(place, target), cycle);
            }
            last = -1;
            for (std::int64_t i = 0; i < 300; ++i) {
                const std::int64_t cycle = aligned.cycleAt(aligned.length() * i / 300, target);
                QVERIFY(cycle >= last && cycle <= length);
                last = cycle;
            }
        }
    }

private slots:
    void anExecutionIsItsOwnCounterpart() {
        const ProfilePair pair = pairOf(test::sampleProfile(), test::sampleProfile());
        const CycleAlignment aligned = alignCycles(pair);
        QCOMPARE(aligned.length(), pair.source->trace({})->totalCycles());
        QCOMPARE(aligned.matched(), 1.0);
        for (std::int64_t cycle = 0; cycle < aligned.length(); cycle += 997)
            QCOMPARE(aligned.placeOf(cycle, cycle % 2 == 0), cycle);
    }

    void equalOperationsBeginTogether() {
        const ProfilePair pair =
            pairOf(test::sampleProfile(), slower(test::sampleProfile(), "conv1", 3));
        const CycleAlignment aligned = alignCycles(pair);
        QCOMPARE(aligned.length(), pair.target->trace({})->totalCycles());
        for (const char* name : {"conv1", "relu1", "layer1/conv", "prob"})
            QCOMPARE(aligned.placeOf(firstBegin(*pair.source, name), false),
                     aligned.placeOf(firstBegin(*pair.target, name), true));
        // The repetitions, which grow by what conv1 takes longer, each begin together too.
        const auto source = pair.source->trace({});
        const auto target = pair.target->trace({});
        QCOMPARE(source->stepCount(), target->stepCount());
        for (std::int64_t at = 0; at < source->stepCount(); ++at) {
            const ExecutedStep step = source->stepAt(at);
            const StepOnIpu& on = step.ipus.front();
            if (!step.program.valid())
                continue;
            const CycleRange places = aligned.placesOf({on.start, on.start + on.cycles}, false);
            QCOMPARE(places.cycles(), on.cycles); // nothing is stretched
            QCOMPARE(aligned.cyclesAt(places, false).begin, on.start);
        }
        isProper(aligned, pair, 1);
    }

    void otherModelsAndCountsAreAligned() {
        const ProfilePair pair =
            pairOf(test::sampleProfile({.ipus = 2, .repeats = 10}),
                   test::sampleProfile({.ipus = 2, .repeats = 4, .changed = true}));
        const CycleAlignment aligned = alignCycles(pair);
        QVERIFY(aligned.matched() > 0.5);
        isProper(aligned, pair, 2);
    }

    void slotsOfAPipelineAreAligned() {
        const ProfilePair pair = pairOf(test::samplePipelineRun(2), test::samplePipelineRun(5));
        const CycleAlignment aligned = alignCycles(pair);
        QVERIFY(aligned.matched() > 0.5);
        isProper(aligned, pair, 3);
    }

    void randomExecutionsAreAligned() {
        for (std::uint32_t seed = 1; seed <= 20; ++seed) {
            const ProfilePair pair = pairOf(test::randomRepeats(seed),
                                            test::randomRepeats(seed % 3 == 0 ? seed : seed + 1));
            isProper(alignCycles(pair), pair, seed);
        }
    }
};

TILESCOPE_TEST(CycleAlignmentTest)

} // namespace cycle_alignment_test

#include "cycle_alignment_test.moc"
