// Curves of a training on MNIST's digits: one replica and sixteen learn the same.
#include <QtTest>
#include <cmath>
#include <map>

#include "simulator/values/training.h"
#include "tests/support/run_options_of.h"
#include "tests/support/test_main.h"

namespace curves_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

/// Two epochs with 400 samples an update, as in Graphcore's tutorial.
std::vector<EpochResult> curveOf(const std::map<std::string, std::string>& more) {
    std::map<std::string, std::string> options{{"mode", "training"},       {"compute", "on"},
                                               {"data", TILESCOPE_DIGITS}, {"epochs", "2"},
                                               {"batchSize", "25"},        {"optimizer", "adamw"}};
    options.insert(more.begin(), more.end());
    return trainModel("mnist-tutorial", optionsOf(options)).epochs;
}

} // namespace

class CurvesTest : public QObject {
    Q_OBJECT

private slots:
    void oneReplicaAndSixteenLearnTheSame() {
        const auto one = curveOf({{"gradientAccumulation", "16"}});
        const auto sixteen = curveOf({{"replicas", "16"}});
        QCOMPARE(one.size(), sixteen.size());
        for (std::size_t i = 0; i < one.size(); ++i) {
            QCOMPARE(one[i].updates, static_cast<std::int64_t>(20 * (i + 1)));
            QCOMPARE(sixteen[i].updates, one[i].updates);
            // Sums of sixteen gradients in another order, over forty updates.
            constexpr double rounding = 1e-3;
            QVERIFY(std::fabs(sixteen[i].loss - one[i].loss) < rounding * one[i].loss);
            QVERIFY(std::fabs(*sixteen[i].evalLoss - *one[i].evalLoss) <
                    rounding * *one[i].evalLoss);
            QVERIFY(std::fabs(*sixteen[i].evalAccuracy - *one[i].evalAccuracy) < 2e-3);
        }
        QVERIFY(one[1].loss < one[0].loss / 2);
        QVERIFY(*one[1].evalAccuracy > 0.85);
    }

    /// A schedule that ends at zero moves the weights less in the second epoch.
    void aScheduleIsFollowed() {
        const auto plain = curveOf({{"gradientAccumulation", "16"}});
        const auto cosine =
            curveOf({{"gradientAccumulation", "16"}, {"learningRateSchedule", "warmup:10,cosine"}});
        QCOMPARE(plain[1].learningRate, 0.001);
        // Of update 39 of 40, 29 of 30 after the warm-up.
        const double share = (1 + std::cos(M_PI * 29 / 30)) / 2;
        QVERIFY(std::fabs(cosine[1].learningRate - 0.001 * share) < 1e-12);
        QVERIFY(cosine[0].loss > plain[0].loss);
    }
};

TILESCOPE_TEST(CurvesTest)

} // namespace curves_test

#include "curves_test.moc"
