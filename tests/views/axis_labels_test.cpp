// Units and distances of axis ticks.
#include <QtTest>

#include "tests/support/test_main.h"
#include "views/execution/cycle_range_text.h"
#include "views/plot/axes/axis_labels.h"
#include "views/session/time_texts.h"

namespace axis_labels_test {
using namespace tilescope;
using namespace tilescope::views;

class AxisLabelsTest : public QObject {
    Q_OBJECT
private slots:
    void bytes_data() {
        QTest::addColumn<double>("step");
        QTest::addColumn<int>("units");
        QTest::addColumn<QString>("labels");
        QTest::newRow("binary") << 131072.0 << int(ByteUnits::Binary) << "0|128 KiB|256 KiB";
        QTest::newRow("binary, small") << 256.0 << int(ByteUnits::Binary) << "0|256 B|512 B";
        QTest::newRow("binary, parts of a unit")
            << 524288.0 << int(ByteUnits::Binary) << "0|0.5 MiB|1.0 MiB";
        QTest::newRow("decimal") << 200000.0 << int(ByteUnits::Si) << "0|200 kB|400 kB";
        QTest::newRow("decimal, parts") << 500000.0 << int(ByteUnits::Si) << "0|0.5 MB|1.0 MB";
        QTest::newRow("plain") << 200000.0 << int(ByteUnits::Plain) << "0|200,000 B|400,000 B";
    }
    void bytes() {
        QFETCH(double, step);
        QFETCH(int, units);
        QFETCH(QString, labels);
        const QVector<QString> made =
            byteLabels({0, step, 2 * step}, step, static_cast<ByteUnits>(units));
        QCOMPARE(QStringList(made.begin(), made.end()).join('|').replace(QChar(0x00a0), ' '),
                 labels);
    }

    void decadesAreNumbersUntilTheyAreLong() {
        const QVector<QString> made = decadeLabels({-4, -2, 0, 3, 6, 7});
        QCOMPARE(QStringList(made.begin(), made.end()).join('|'),
                 QString::fromUtf8("10\u207b\u2074|0.01|1|1,000|1,000,000|10\u2077"));
    }

    void binaryStepsArePowersOfTwo() {
        for (const double span : {10.0, 638976.0, 1e9, 3.7e11}) {
            const double step = byteTickStep(span, 5, ByteUnits::Binary);
            QCOMPARE(std::exp2(std::round(std::log2(step))), step);
            QVERIFY(span / step >= 3);
            QVERIFY(span / step <= 8 || step == 1);
        }
    }

    void wholeNumbersHaveNoFractions() {
        QCOMPARE(integerTickStep(3, 10), 1.0);
        QCOMPARE(integerTickStep(1472, 10), 200.0);
    }

    // Far into a long run neighbours differ in the last of many digits.
    void neighboursAlwaysDiffer() {
        for (const double from : {1.377e6, 9.1e9})
            for (const double step : {1.0, 5.0, 20.0, 1e4}) {
                const QVector<QString> made =
                    countLabels({from, from + step, from + 2 * step}, step);
                QVERIFY2(made[0] != made[1] && made[1] != made[2], qPrintable(made[1]));
            }
        const QVector<QString> times = timeLabels({1.03950e-3, 1.03951e-3, 1.03952e-3}, 1e-8);
        QVERIFY2(times[0] != times[1] && times[1] != times[2], qPrintable(times[1]));
    }

    void counts() {
        QCOMPARE(countLabels({0, 5000}, 5000).back(), QStringLiteral("5,000"));
        QCOMPARE(countLabels({0, 2500000}, 2500000).back().replace(QChar(0x00a0), ' '),
                 QStringLiteral("2.5 M"));
    }

    void times() {
        const auto label = [](double seconds, double step) {
            return timeLabels({0, seconds}, step).back().replace(QChar(0x00a0), ' ');
        };
        QCOMPARE(label(0.0015, 0.0005), QStringLiteral("1.5 ms"));
        QCOMPARE(label(2e-5, 1e-5), QStringLiteral("20 µs"));
        QCOMPARE(label(3, 1), QStringLiteral("3 s"));
        QCOMPARE(label(4e-8, 2e-8), QStringLiteral("40 ns"));
    }

    void numbersHaveTheDigitsOfTheirStep() {
        const auto labels = [](const QVector<QString>& made) {
            return QStringList(made.begin(), made.end()).join('|').replace(QChar(0x00a0), ' ');
        };
        QCOMPARE(labels(numberLabels({0, 0.0002, 0.0004}, 0.0002)), "0|0.0002|0.0004");
        QCOMPARE(labels(numberLabels({0.5, 1}, 0.5)), "0.5|1.0");
        QCOMPARE(labels(numberLabels({2000, 4000}, 2000)), "2,000|4,000");
        QCOMPARE(labels(numberLabels({0, 5e-9}, 5e-9)), "0|5e-09");
        // The same minus sign everywhere in the window.
        const QChar minus(0x2212);
        QCOMPARE(labels(numberLabels({-2000, -0.5e-9}, 2000)), minus + QString("2,000|0"));
        QCOMPARE(labels(countLabels({-5000}, 5000)), minus + QString("5,000"));
        QCOMPARE(labels(timeLabels({-0.0015}, 0.0005)), minus + QString("1.5 ms"));
        QCOMPARE(countText(-5000), minus + QString("5,000"));
        QCOMPARE(durationText(-0.0015), minus + QString("1.50 ms"));
        QCOMPARE(labels(shareLabels({0, 0.25, 0.5}, 0.25)), "0 %|25 %|50 %");
        QCOMPARE(labels(shareLabels({0.97, 0.975}, 0.005)), "97.0 %|97.5 %");
    }

    void powersHaveRaisedExponents() {
        QCOMPARE(powerText(2, -24), QStringLiteral("2\u207b\u00b2\u2074"));
        QCOMPARE(powerText(10, 0), QStringLiteral("10\u2070"));
        QCOMPARE(powerText(2, 15), QStringLiteral("2\u00b9\u2075"));
    }

    void aTickNearZeroIsZero() {
        QCOMPARE(countLabels({1e-12, 1}, 1).front(), QStringLiteral("0"));
    }

    void rangesOfCycles_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<qint64>("from");
        QTest::addColumn<qint64>("to");
        const QString dash(QChar(0x2013));
        QTest::newRow("cycles") << "12000-34000" << qint64(12000) << qint64(34000);
        QTest::newRow("as shown") << "12,000 " + dash + " 34,000 cycles" << qint64(12000)
                                  << qint64(34000);
        QTest::newRow("dots") << " 5 .. 7 " << qint64(5) << qint64(7);
        QTest::newRow("time") << "1.5 ms to 2 ms" << qint64(1'500'000) << qint64(2'000'000);
        QTest::newRow("one unit") << "1.5-2 MS" << qint64(1'500'000) << qint64(2'000'000);
        QTest::newRow("two units") << "500us-1ms" << qint64(500'000) << qint64(1'000'000);
        QTest::newRow("micro") << QString::fromUtf8("1 \xc2\xb5s - 3 \xc2\xb5s") << qint64(1000)
                               << qint64(3000);
        QTest::newRow("below zero") << "-3000 - 500" << qint64(-3000) << qint64(500);
        QTest::newRow("below zero, as shown")
            << QChar(0x2212) + QString("3,000 ") + dash + " 500 cycles" << qint64(-3000)
            << qint64(500);
        for (const char* const wrong : {"", "5", "7-5", "a-b", "1-2 h", "-", "5-", "1 - 2 - 3"})
            QTest::newRow(wrong) << wrong << qint64(0) << qint64(0);
    }
    void rangesOfCycles() {
        QFETCH(QString, text);
        QFETCH(qint64, from);
        QFETCH(qint64, to);
        const auto range = parseCycleRange(text, 1e9);
        QCOMPARE(range.has_value(), to > 0);
        if (range) {
            QCOMPARE(range->begin, from);
            QCOMPARE(range->end, to);
        }
    }
    void timeNeedsAClock() {
        QVERIFY(!parseCycleRange("1-2 ms", 0));
        QVERIFY(parseCycleRange("1-2", 0));
        QCOMPARE(parseCycleRange("0-1e9", 0), std::optional<CycleRange>());
        QVERIFY(parseCycleRange("0-99999999999999999999999", 0)->end > 0);
    }

    void cyclesWithAndWithoutClock() {
        QCOMPARE(cyclesText(34655, 0), QStringLiteral("34,655 cycles"));
        QCOMPARE(cyclesText(1325, 1.325e9), QStringLiteral("1,325 cycles (1.00 µs)"));
    }
};

TILESCOPE_TEST(AxisLabelsTest, QCoreApplication)

} // namespace axis_labels_test

#include "axis_labels_test.moc"
