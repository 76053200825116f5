// Curves of a training on MNIST's digits: one replica and sixteen learn the same.
#include <QtTest>
#include <cmath>
#include <map>

#include "simulator/values/training.h"
#include "tests/simulator/values/few_digits.h"
#include "tests/support/run_options_of.h"
#include "tests/support/test_main.h"

namespace curves_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

/// Three epochs of five updates with 400 samples each, as many as in Graphcore's tutorial.
std::vector<EpochResult> curveOf(const std::map<std::string, std::string>& more) {
    std::map<std::string, std::string> options = more;
    options.insert({{"mode", "training"},
                    {"compute", "on"},
                    {"data", fewDigits()},
                    {"epochs", "3"},
                    {"batchSize", "25"},
                    {"optimizer", "adamw"}});
    return trainModel("mnist-tutorial", optionsOf(options)).epochs;
}

} // namespace

class CurvesTest : public QObject {
    Q_OBJECT

    std::vector<EpochResult> plain_;
    /// Of one replica, at a constant learning rate.
    const std::vector<EpochResult>& plain() {
        if (plain_.empty())
            plain_ = curveOf({{"gradientAccumulation", "16"}});
        return plain_;
    }

private slots:
    void oneReplicaAndSixteenLearnTheSame() {
        const auto& one = plain();
        const auto sixteen = curveOf({{"replicas", "16"}});
        QCOMPARE(one.size(), sixteen.size());
        for (std::size_t i = 0; i < one.size(); ++i) {
            QCOMPARE(one[i].updates, static_cast<std::int64_t>(5 * (i + 1)));
            QCOMPARE(sixteen[i].updates, one[i].updates);
            // Sums of sixteen gradients in another order, over fifteen updates.
            constexpr double rounding = 1e-3;
            QVERIFY(std::fabs(sixteen[i].loss - one[i].loss) < rounding * one[i].loss);
            QVERIFY(std::fabs(*sixteen[i].evalLoss - *one[i].evalLoss) <
                    rounding * *one[i].evalLoss);
            QVERIFY(std::fabs(*sixteen[i].evalAccuracy - *one[i].evalAccuracy) < 2e-3);
        }
        QVERIFY2(one[2].loss < 0.75 * one[0].loss, qPrintable(QString::number(one[2].loss)));
        QVERIFY2(*one[2].evalAccuracy > 0.5, qPrintable(QString::number(*one[2].evalAccuracy)));
    }

    /// A schedule that ends at zero moves the weights less in the last epoch.
    void aScheduleIsFollowed() {
        const auto cosine =
            curveOf({{"gradientAccumulation", "16"}, {"learningRateSchedule", "warmup:5,cosine"}});
        QCOMPARE(plain()[2].learningRate, 0.001);
        // Of update 14 of 15, 9 of 10 after the warm-up.
        const double share = (1 + std::cos(M_PI * 9 / 10)) / 2;
        QVERIFY(std::fabs(cosine[2].learningRate - 0.001 * share) < 1e-12);
        QVERIFY(cosine[0].loss > plain()[0].loss);
    }

    /// Also within a call, which has several updates.
    void aScheduleIsFollowedWithinACall() {
        const std::map<std::string, std::string> halving{{"gradientAccumulation", "16"},
                                                         {"learningRateSchedule", "step:1:0.5"},
                                                         {"epochs", "1"}};
        auto together = halving;
        together["deviceIterations"] = "5";
        const auto one = curveOf(halving), five = curveOf(together);
        QCOMPARE(one.size(), five.size());
        for (std::size_t i = 0; i < one.size(); ++i) {
            QCOMPARE(five[i].loss, one[i].loss);
            QCOMPARE(five[i].learningRate, one[i].learningRate);
        }
    }
};

TILESCOPE_TEST(CurvesTest)

} // namespace curves_test

#include "curves_test.moc"
