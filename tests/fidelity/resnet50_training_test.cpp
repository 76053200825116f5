// One replica of Graphcore's ResNet-50 submission to MLPerf Training v1.1 (POD16), in the size it
// was run: images a second against the published rate of one of its 16 IPUs.
#include <QtTest>

#include <algorithm>
#include <filesystem>

#include "core/options/job.h"
#include "core/options/option_table.h"
#include "simulator/simulate.h"
#include "tests/support/test_main.h"

namespace resnet50_training_test {
using namespace tilescope;
using namespace tilescope::sim;

namespace {

// mlcommons/training_results_v1.1, Graphcore's result logs: 1,281,167 images in the median epoch
// make 29,469 images/s on 16 IPUs, with the host, the sum over replicas and LARS.
constexpr double publishedImagesPerSecond = 29'469.0 / 16;
constexpr double tolerance = 1.3;

Job job() {
    const std::filesystem::path jobs = TILESCOPE_SOURCE_DIR "/resources/jobs";
    return readJob(jobs / "resnet50_training.json");
}

RunOptions published() {
    RunOptions options;
    setRunOptions(options, job().options);
    return options;
}

const Profile& replica() {
    static const Profile profile = simulateModel(job().model, published());
    return profile;
}

std::int64_t fullestTile(const Profile& profile) {
    std::int64_t most = 0;
    for (const TileMemory& tile : profile.tileMemory)
        most = std::max(most, tile.includingGaps);
    return most;
}

} // namespace

class Resnet50TrainingTest : public QObject {
    Q_OBJECT
private slots:
    void theJobIsThePublishedConfiguration() {
        const RunOptions options = published();
        QCOMPARE(options.batch.batchSize.value_or(1), std::int64_t(20));
        QCOMPARE(options.batch.gradientAccumulation, std::int64_t(10));
        QCOMPARE(options.planning.availableMemoryProportion, 0.15);
        QCOMPARE(options.memory.checkpoints.size(), std::size_t(6));
    }

    void theReplicaFits() {
        QVERIFY2(replica().info.fits, outOfMemoryText(replica()).c_str());
        QVERIFY(replica().info.hasExecution);
    }

    void itsRateIsNearThePublishedOne() {
        const double ratio = replica().info.throughput / publishedImagesPerSecond;
        QVERIFY2(ratio < tolerance && ratio > 1 / tolerance, qPrintable(QString::number(ratio)));
    }

    /// The published list of checkpoints is there because nothing else fits.
    void withoutRecomputationItDoesNotFit() {
        RunOptions options = published();
        options.memory.recompute = Recompute::None;
        options.memory.checkpoints.clear();
        const Profile profile = simulateModel(job().model, options);
        QVERIFY(!profile.info.fits);
        QVERIFY(fullestTile(profile) > fullestTile(replica()));
    }
};

TILESCOPE_TEST(Resnet50TrainingTest, QCoreApplication)

} // namespace resnet50_training_test

#include "resnet50_training_test.moc"
