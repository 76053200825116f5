#include "core/analysis/liveness/liveness.h"

#include <QTemporaryDir>
#include <QTest>

#include "core/store/profile_reader.h"
#include "core/store/profile_writer.h"
#include "tests/support/profile_sql.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace liveness_test {
using namespace tilescope;
using namespace tilescope::test;

class LivenessTest : public QObject {
    Q_OBJECT

    const Profile p_ = sampleProfile();
    LivenessSeries of(const TileSelection& selection) const {
        return livenessOf(p_.info.target, p_.variables, p_.livenessClasses, p_.steps.size(),
                          selection);
    }
    StepId stepNamed(std::string_view name) const {
        const auto names = stepNames(p_.programs, p_.steps);
        for (std::size_t i = 0; i < names.size(); ++i)
            if (names[i] == name)
                return StepId(i);
        return {};
    }

private slots:
    void peakIsWherePartialsAndActivationsLive() {
        const LivenessSeries all = of(TileSelection::all());
        const std::int64_t partials = 1472 * sample::partialsBytes;
        const std::int64_t activations = 736 * sample::conv1OutBytes + 736 * 1024;
        QCOMPARE(all.maxNotAlwaysLive(), partials + activations);
        QCOMPARE(all.peakStep, stepNamed("OnTileExecute (layer1/conv/Convolve)"));
        QCOMPARE(all.peak(), all.alwaysLive + all.maxNotAlwaysLive());
    }

    void oneTileHasItsOwnCurve() {
        const LivenessSeries first = of(TileSelection::ofTile(TileId(0)));
        const LivenessSeries last = of(TileSelection::ofTile(TileId(1471)));
        QCOMPARE(first.alwaysLive, p_.tileMemory[TileId(0)].alwaysLive);
        QCOMPARE(first.maxNotAlwaysLive(), sample::partialsBytes + sample::conv1OutBytes);
        QCOMPARE(last.maxNotAlwaysLive(), sample::partialsBytes + 1024);
        QCOMPARE(last.maxNotAlwaysLive(), p_.tileMemory[TileId(1471)].maxNotAlwaysLive);
    }

    void theFilesCurveIsTheSame() {
        const QTemporaryDir directory;
        const auto file = std::filesystem::path(directory.path().toStdString()) / "p.pop";
        const Profile two = sampleProfile({.ipus = 2});
        writeProfile(two, file);
        const ProfileReader reader(file);
        for (const TileSelection& selection :
             {TileSelection::all(), TileSelection::ofIpu(IpuId(1))}) {
            const LivenessSeries quick = livenessFromCurve(reader.livenessCurve(), two.info.target,
                                                           two.tileMemory, selection);
            const LivenessSeries full = livenessOf(
                two.info.target, two.variables, two.livenessClasses, two.steps.size(), selection);
            QCOMPARE(quick.notAlwaysLive, full.notAlwaysLive);
            QCOMPARE(quick.alwaysLive, full.alwaysLive);
            QCOMPARE(quick.peakStep, full.peakStep);
        }
        QVERIFY_EXCEPTION_THROWN((void)livenessFromCurve(reader.livenessCurve(), two.info.target,
                                                         two.tileMemory,
                                                         TileSelection::ofTile(TileId(0))),
                                 InternalError);
    }

    void listsVariablesOfAStep() {
        const StepId step = stepNamed("OnTileExecute (conv1/Convolve)");
        const auto live = notAlwaysLiveVariables(p_.info.target, p_.variables, p_.livenessClasses,
                                                 p_.steps.size(), step, TileSelection::all());
        QCOMPARE(live.size(), std::size_t(2));
        QCOMPARE(text(live[0].name), "conv1/out");
        QCOMPARE(live[0].bytes, 736 * sample::conv1OutBytes + 736 * 1024);
        QCOMPARE(text(live[1].name), "input");
        QCOMPARE(totalBytes(live), of(TileSelection::all()).notAlwaysLive[step.index()]);
        // The input lies on the first half of the tiles only.
        QCOMPARE(notAlwaysLiveVariables(p_.info.target, p_.variables, p_.livenessClasses,
                                        p_.steps.size(), step, TileSelection::ofTile(TileId(1000)))
                     .size(),
                 std::size_t(1));
    }

    void listsAlwaysLiveVariables() {
        const auto always =
            alwaysLiveVariables(p_.info.target, p_.variables, TileSelection::ofTile(TileId(3)));
        QCOMPARE(text(always.front().name), "conv1/weights");
        QCOMPARE(totalBytes(always), p_.tileMemory[TileId(3)].alwaysLive);
    }

    void refusesStepsThatAreNotThere() {
        const auto error = [&](std::size_t steps, std::int32_t step) {
            return userError([&] {
                (void)notAlwaysLiveVariables(p_.info.target, p_.variables, p_.livenessClasses,
                                             steps, StepId(step), TileSelection::all());
            });
        };
        QCOMPARE(error(17, 17), "there is no step 17: steps are 0 to 16");
        QCOMPARE(error(0, 0), "the program has no steps");
    }

    void onlyStepsWithBytesTakeMemory() {
        const std::vector<std::int64_t> bytes{0, 0, 5, 0, 7, 0};
        StepBytes ipu(bytes);
        QCOMPARE(ipu.heldSteps(), std::size_t{3});
        QCOMPARE(ipu.all(), bytes);
        StepBytes again(bytes.size());
        QCOMPARE(again.heldSteps(), std::size_t{0});
        again.set(2, 5);
        again.set(4, 7);
        for (std::size_t step = 0; step < bytes.size(); ++step)
            QCOMPARE(again[step], ipu[step]);
        QVERIFY_THROWS_EXCEPTION(InternalError, again.set(1, 3));
        QVERIFY_THROWS_EXCEPTION(InternalError, again.set(6, 3));
        QVERIFY(StepBytes(std::vector<std::int64_t>(4, 0)).all() ==
                std::vector<std::int64_t>(4, 0));
    }

    /// SQLite stores a text in such a column, and sorts it after all numbers.
    void aStepThatIsNoNumberIsDamage() {
        const QTemporaryDir directory;
        const std::string file = directory.filePath("p.pop").toStdString();
        writeProfile(sampleProfile(), file);
        QVERIFY(ProfileReader(file).livenessCurve().byIpu.at(0).heldSteps() > 1);
        QCOMPARE(changeProfile(file, "UPDATE liveness_by_ipu SET step = 'abc' WHERE step = "
                                     "(SELECT max(step) FROM liveness_by_ipu)"),
                 std::string());
        const QString error = userError([&] { (void)ProfileReader(file).livenessCurve(); });
        QVERIFY2(error.contains("not a number"), qPrintable(error));
    }

    void refusesDamagedLiveness() {
        Profile p = sampleProfile();
        p.livenessClasses[LivenessClassId(0)].intervals.back().end = StepId(500);
        QCOMPARE(userError([&] {
                     (void)livenessOf(p.info.target, p.variables, p.livenessClasses, p.steps.size(),
                                      TileSelection::all());
                 }),
                 "damaged profile: variable 'input' is live at a step that does not exist");
    }
};

TILESCOPE_TEST(LivenessTest)

} // namespace liveness_test

#include "liveness_test.moc"
