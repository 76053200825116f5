// The technical note on the available memory proportion, sentence by sentence, on a ResNeXt-50 that
// is simulated as the note runs it: inference of one Mk2 IPU in float, batches of 20. What does not
// come out is in the README.md of this folder.
#include <QtTest>

#include <algorithm>
#include <map>

#include "simulator/simulate.h"
#include "tests/support/test_main.h"

namespace technical_note_test {
using namespace tilescope;
using namespace tilescope::sim;

namespace {

constexpr std::int64_t batch = 20; // the note's

const Profile& run(double proportion) {
    static std::map<double, Profile> profiles;
    auto known = profiles.find(proportion);
    if (known == profiles.end()) {
        RunOptions options;
        options.batch.batchSize = batch;
        options.planning.availableMemoryProportion = proportion;
        known = profiles.emplace(proportion, simulateModel("resnext50_32x4d", options)).first;
    }
    return known->second;
}

std::int64_t plannerWarnings(const Profile& profile) {
    return std::count_if(
        profile.messages.begin(), profile.messages.end(), [](const Message& message) {
            return message.severity == Severity::Warning &&
                   message.text.find("convolution planner unable to meet memory target.") !=
                       std::string::npos;
        });
}

std::int64_t alwaysLive(const Profile& profile) {
    std::int64_t bytes = 0;
    for (const TileMemory& tile : profile.tileMemory)
        bytes += tile.alwaysLive;
    return bytes;
}

/// Bytes that are live at each step and not always.
std::vector<std::int64_t> liveBytes(const Profile& profile) {
    std::vector<std::int64_t> change(profile.steps.size() + 1, 0);
    for (const Variable& variable : profile.variables) {
        if (variable.alwaysLive || !variable.liveness.valid())
            continue;
        const std::int64_t bytes = variable.bytes.sum();
        for (const StepInterval& life : profile.livenessClasses[variable.liveness].intervals) {
            change[life.first.index()] += bytes;
            change[life.end.index()] -= bytes;
        }
    }
    for (std::size_t i = 1; i < change.size(); ++i)
        change[i] += change[i - 1];
    change.pop_back();
    return change;
}

std::int64_t peak(const Profile& profile) {
    const auto bytes = liveBytes(profile);
    return *std::max_element(bytes.begin(), bytes.end());
}

/// The fullest tile over the average.
double imbalance(const Profile& profile) {
    double sum = 0;
    double most = 0;
    for (const TileMemory& tile : profile.tileMemory) {
        const auto bytes = static_cast<double>(tile.excludingGaps);
        sum += bytes;
        most = std::max(most, bytes);
    }
    return most * static_cast<double>(profile.tileMemory.size()) / sum;
}

} // namespace

class TechnicalNoteTest : public QObject {
    Q_OBJECT
private slots:
    void atHighProportionsItRunsOutOfMemory() {
        QVERIFY(!run(0.8).info.fits);
        QVERIFY(!run(0.75).info.fits);
        QVERIFY(!run(0.8).info.hasExecution);
    }

    void thePeaksAreConvolutions() {
        const Profile& profile = run(0.8);
        const auto bytes = liveBytes(profile);
        std::vector<std::size_t> steps(bytes.size());
        for (std::size_t i = 0; i < steps.size(); ++i)
            steps[i] = i;
        std::sort(steps.begin(), steps.end(),
                  [&](std::size_t a, std::size_t b) { return bytes[a] > bytes[b]; });
        for (std::size_t i = 0; i < 8; ++i) {
            const Program& program = profile.programs[profile.steps[StepId(steps[i])]];
            QVERIFY2(program.name.find("/Conv_") != std::string::npos, program.name.c_str());
        }
    }

    void aLowerProportionLowersThePeaks() {
        QVERIFY(peak(run(0.2)) < peak(run(0.6)));
        QVERIFY(peak(run(0.6)) < peak(run(0.8)));
    }

    /// Published: always, as the proportion falls. Here it hardly falls to 0.6, and rises at tiny
    /// ones: plans of high proportions put activations in order before they broadcast them, and the
    /// code of that is always live.
    void andTinyOnesRaiseAlwaysLiveMemory() {
        QVERIFY(static_cast<double>(alwaysLive(run(0.6))) >
                0.96 * static_cast<double>(alwaysLive(run(0.8))));
        QVERIFY(alwaysLive(run(0.01)) > alwaysLive(run(0.3)));
        QVERIFY(alwaysLive(run(0.3)) > alwaysLive(run(0.2)));
    }

    void aQuarterOfAGigabyteIsAlwaysLive() {
        constexpr double published = 250e6; // at 0.8, as far as the picture can be read
        const double ratio = static_cast<double>(alwaysLive(run(0.8))) / published;
        QVERIFY2(ratio > 0.9 && ratio < 1.1, qPrintable(QString::number(ratio)));
    }

    void atAMiddleValueItFits() {
        QVERIFY(run(0.4).info.fits);
        QVERIFY(run(0.2).info.fits);
        QCOMPARE(plannerWarnings(run(0.2)), std::int64_t(0));
    }

    void tinyValuesCannotBeMet() {
        QVERIFY(plannerWarnings(run(0.01)) > 0);
        QVERIFY(plannerWarnings(run(0.005)) >= plannerWarnings(run(0.01)));
    }

    /// Published as identical; here one of 53 plans differs.
    void tinyValuesHardlyDiffer() {
        const double ratio = imbalance(run(0.01)) / imbalance(run(0.005));
        QVERIFY2(ratio > 0.99 && ratio < 1.01, qPrintable(QString::number(ratio)));
        QCOMPARE(peak(run(0.01)), peak(run(0.005)));
    }

    void andLeaveTheTilesOutOfBalance() {
        QVERIFY(imbalance(run(0.01)) > 1.5 * imbalance(run(0.2)));
    }

    /// On average there is room: a few tiles hold all slices of weights.
    void soThatTheyDoNotFit() {
        for (const double tiny : {0.01, 0.005}) {
            const Profile& profile = run(tiny);
            QVERIFY(!profile.info.fits);
            const auto over =
                std::count_if(profile.tileMemory.begin(), profile.tileMemory.end(),
                              [](const TileMemory& tile) { return tile.overflowed > 0; });
            QVERIFY2(over > 0 && over < 100, qPrintable(QString::number(over)));
        }
    }
};

TILESCOPE_TEST(TechnicalNoteTest, QCoreApplication)

} // namespace technical_note_test

#include "technical_note_test.moc"
