#include "core/sweep/trials.h"

#include <QTest>

#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace trials_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

ProfileInfo before(bool fits = true) {
    ProfileInfo info;
    info.cycles = 1000;
    info.throughput = 100;
    info.fits = fits;
    return info;
}

PointResult timed(double throughput) {
    PointResult result;
    result.status = PointStatus::Fits;
    result.time = PointTime{500, 1, throughput};
    return result;
}

Trial trial(std::int64_t gain, PointResult result, bool fits = true) {
    Advice advice{"batchSize", Advice::Direction::Raise, "8", "4", "", gain};
    return trialOf(before(fits), advice, std::move(result));
}

} // namespace

class TrialsTest : public QObject {
    Q_OBJECT

private slots:
    void judgesPredictions_data() {
        QTest::addColumn<int>("gain");
        QTest::addColumn<double>("throughput");
        QTest::addColumn<QString>("verdict");
        QTest::newRow("as predicted") << 200 << 125.0 << "asPredicted";
        QTest::newRow("half of it") << 390 << 125.0 << "asPredicted";
        QTest::newRow("a little more") << 170 << 125.0 << "asPredicted";
        QTest::newRow("more") << 54 << 119.6 << "more";
        QTest::newRow("less") << 600 << 125.0 << "less";
        QTest::newRow("none") << 200 << 100.0 << "wrong";
        QTest::newRow("slower") << 200 << 50.0 << "wrong";
        QTest::newRow("not predicted") << 0 << 125.0 << "faster";
        QTest::newRow("nothing") << 0 << 100.0 << "noGain";
    }
    void judgesPredictions() {
        QFETCH(int, gain);
        QFETCH(double, throughput);
        QFETCH(QString, verdict);
        QCOMPARE(text(toString(trial(gain, timed(throughput)).verdict)), verdict);
    }

    void gainsAreOfASamplesTime() {
        const Trial t = trial(200, timed(125));
        QCOMPARE(t.predicted, 0.2);
        QCOMPARE(t.gained, 1 - 100.0 / 125.0);
    }

    void fittingIsTheGainWhereItDidNotFit() {
        QVERIFY(trial(0, timed(10), false).verdict == TrialVerdict::Fits);
        PointResult large;
        large.status = PointStatus::OutOfMemory;
        QVERIFY(trial(0, large, false).verdict == TrialVerdict::OutOfMemory);
        QVERIFY(trial(0, large, true).verdict == TrialVerdict::OutOfMemory);
        QVERIFY(trial(200, {}).verdict == TrialVerdict::Failed);
    }

    void bestFirst() {
        PointResult large;
        large.status = PointStatus::OutOfMemory;
        const Table table =
            trialsTable({trial(0, {}), trial(0, large), trial(0, timed(90)), trial(0, timed(200))});
        const std::size_t verdict = table.columnOf("verdict");
        QStringList order;
        for (const Row& row : table.rows)
            order << text(std::get<std::string>(row.cells[verdict]));
        QCOMPARE(order, (QStringList{"faster", "noGain", "outOfMemory", "failed"}));
    }

    void namesAllOptions() {
        Advice advice{"ioTiles", Advice::Direction::Raise, "32", "0", "", 0};
        QCOMPARE(text(changeOf(advice)), "--io-tiles 32");
        advice.with["exchangeStrategy"] = "overlap-inner-loop";
        QCOMPARE(text(changeOf(advice)), "--io-tiles 32 --exchange-strategy overlap-inner-loop");
    }
};

} // namespace trials_test

TILESCOPE_TEST(trials_test::TrialsTest)
#include "trials_test.moc"
