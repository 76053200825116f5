// The arguments of --vary, and the grid that its axes span.
#include <QTest>

#include "core/sweep/grid.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace sweep_axis_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

QString valuesOf(const std::string& axis) {
    QStringList values;
    for (const std::string& value : parseAxis(axis).values)
        values << text(value);
    return values.join(' ');
}

SweepGrid gridOf(const std::vector<std::string>& axes) {
    std::vector<SweepAxis> parsed;
    for (const std::string& axis : axes)
        parsed.push_back(parseAxis(axis));
    return SweepGrid(std::move(parsed));
}

} // namespace

class SweepAxisTest : public QObject {
    Q_OBJECT

private slots:
    void rangesAndListsBecomeValues_data() {
        QTest::addColumn<QString>("axis");
        QTest::addColumn<QString>("values");
        QTest::newRow("integers") << "batchSize=2:8:2"
                                  << "2 4 6 8";
        QTest::newRow("last not met") << "batchSize=1:6:2"
                                      << "1 3 5";
        QTest::newRow("one value") << "batchSize=4:4:1"
                                   << "4";
        QTest::newRow("downwards") << "batchSize=6:2:-2"
                                   << "6 4 2";
        QTest::newRow("no float noise") << "availableMemoryProportion=0.1:0.9:0.1"
                                        << "0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9";
        QTest::newRow("mixed digits") << "availableMemoryProportion=0:1:0.25"
                                      << "0 0.25 0.5 0.75 1";
        QTest::newRow("small") << "availableMemoryProportion=0.005:0.015:0.005"
                               << "0.005 0.01 0.015";
        QTest::newRow("list") << "availableMemoryProportion=0.30,0.6,1.0"
                              << "0.3 0.6 1";
        QTest::newRow("by IPU") << "availableMemoryProportion=ipu0=0.3,0.6"
                                << "ipu0=0.3 0.6";
        QTest::newRow("choices") << "precision=half,float"
                                 << "half float";
        QTest::newRow("flag") << "--batch-size=1,2"
                              << "1 2";
        QTest::newRow("flag without dashes") << "batch-size=3"
                                             << "3";
        QTest::newRow("names with colons") << "split=a::b,c"
                                           << "a::b c";
    }
    void rangesAndListsBecomeValues() {
        QFETCH(QString, axis);
        QFETCH(QString, values);
        QCOMPARE(valuesOf(axis.toStdString()), values);
    }

    void theKeyIsThatOfTheTable() {
        QCOMPARE(text(parseAxis("available-memory-proportion=0.5").key),
                 "availableMemoryProportion");
    }

    void wrongAxesSayWhatToDo_data() {
        QTest::addColumn<QString>("axis");
        QTest::addColumn<QString>("error");
        const auto row = [](const char* axis, const char* error) {
            QTest::newRow(axis) << axis << QString("option --vary") + error;
        };
        row("batchSize",
            ": 'batchSize' is not KEY=A:B:STEP or KEY=V1,V2, such as batchSize=2:24:2");
        row("=1:2:1", ": '=1:2:1' is not KEY=A:B:STEP or KEY=V1,V2, such as batchSize=2:24:2");
        row("batchsize=1:2:1", ": unknown key 'batchsize'. Did you mean 'batchSize'? 'tilescope "
                               "schema --job' lists the keys.");
        row("batchSize=", " batchSize: there are no values; write batchSize=A:B:STEP");
        row("batchSize=1,,2", " batchSize: '1,,2' has an empty value; write batchSize=A:B:STEP");
        row("batchSize=1:8", " batchSize: '1:8' is not a range; write first, last and step as "
                             "A:B:STEP, or list the values as V1,V2,V3");
        row("batchSize=1:8:0", " batchSize: the step of '1:8:0' is 0; it must lead from 1 to 8");
        row("batchSize=8:1:2", " batchSize: the range '8:1:2' is empty: a step of 2 never leads "
                               "from 8 to 1; write 1:8:2");
        row("batchSize=1:8:-1", " batchSize: the range '1:8:-1' is empty: a step of -1 never leads "
                                "from 1 to 8; write 8:1:-1");
        row("batchSize=a:b:c", " batchSize: 'a' in 'a:b:c' is not a decimal number such as 0.25");
        row("batchSize=1:9999999999:1",
            " batchSize: '9999999999' in '1:9999999999:1' is not a decimal number such as 0.25");
        row("batchSize=1:1e3:1", " batchSize: '1e3' in '1:1e3:1' is not a decimal number such as "
                                 "0.25");
        row("batchSize=1:200000:1", " batchSize: the range '1:200000:1' has 200000 values; a sweep "
                                    "has at most 100000 points, take a larger step");
        row("precision=1:3:1", " precision: '1:3:1' is a range, but the option is not a number; "
                               "list its values: precision=float,half");
        row("batchSize=1,1", " batchSize: the value 1 occurs twice; leave one out");
        row("availableMemoryProportion=0.3,0.30",
            " availableMemoryProportion: the value 0.3 occurs twice; leave one out");
        row("engineOptions={}",
            " engineOptions: a JSON object cannot be varied; make a sweep for each");
    }
    void wrongAxesSayWhatToDo() {
        QFETCH(QString, axis);
        QFETCH(QString, error);
        QCOMPARE(userError([&] { parseAxis(axis.toStdString()); }), error);
    }

    void theLastAxisChangesFastest() {
        const SweepGrid grid = gridOf(
            {"batchSize=1,2", "precision=float,half", "availableMemoryProportion=0.1,0.2,0.3"});
        QCOMPARE(grid.size(), std::size_t{12});
        QCOMPARE(text(grid.nameOf(0)),
                 "batchSize=1, precision=float, availableMemoryProportion=0.1");
        QCOMPARE(text(grid.nameOf(1)),
                 "batchSize=1, precision=float, availableMemoryProportion=0.2");
        QCOMPARE(text(grid.nameOf(3)),
                 "batchSize=1, precision=half, availableMemoryProportion=0.1");
        QCOMPARE(text(grid.nameOf(11)),
                 "batchSize=2, precision=half, availableMemoryProportion=0.3");
    }

    void gridsThatCannotBe() {
        QCOMPARE(userError([] { SweepGrid({}); }),
                 "a sweep needs an option to vary: --vary KEY=A:B:STEP, such as --vary "
                 "batchSize=2:24:2");
        QCOMPARE(userError([] {
                     gridOf({"batchSize=1,2", "batch-size=3"});
                 }),
                 "option --vary batchSize: the key is varied twice; put all its values into one "
                 "--vary");
        QCOMPARE(userError([] {
                     gridOf({"batchSize=1:1000:1", "deviceIterations=1:101:1"});
                 }),
                 "option --vary batchSize: with its 1000 values the sweep has more than 100000 "
                 "points; take larger steps or fewer axes");
        QCOMPARE(gridOf({"batchSize=1:1000:1", "deviceIterations=1:100:1"}).size(),
                 mostSweepPoints);
    }

    void pointsOverrideTheJob() {
        const SweepGrid grid = gridOf({"batchSize=1,2"});
        const OptionValues options =
            optionsAt(grid, 1, {{"batchSize", "7"}, {"precision", "half"}});
        QCOMPARE(options, (OptionValues{{"batchSize", "2"}, {"precision", "half"}}));
    }

    void everyValueMustBePossibleSomewhere() {
        // Only Mk2 has 1472 tiles, so this is a grid with an impossible corner.
        checkPoints(gridOf({"target=mk1,mk2", "tilesPerIpu=1216,1472"}), {});
        QCOMPARE(userError([] {
                     checkPoints(gridOf({"target=mk1", "tilesPerIpu=1472"}), {});
                 }),
                 "option tilesPerIpu (--tiles-per-ipu): '1472' is not a whole number from 4 to "
                 "1216");
        QCOMPARE(userError([] { checkPoints(gridOf({"batchSize=0:4:1"}), {}); }),
                 "option batchSize (--batch-size): '0' is not a whole number from 1 to 1000000");
        QCOMPARE(userError([] { checkPoints(gridOf({"batchSize=1:2:0.5"}), {}); }),
                 "option batchSize (--batch-size): '1.5' is not a whole number from 1 to 1000000");
        QCOMPARE(userError([] {
                     checkPoints(gridOf({"batchSize=1"}), {{"precision", "hlf"}});
                 }),
                 "option precision (--precision): 'hlf' is not one of float, half. Did you mean "
                 "'half'?");
    }

    void oneJobHasOneSpelling() {
        const SweepGrid grid = gridOf({"batchSize=1,2"});
        QCOMPARE(fixedOptions(grid, {{"target", "mk2"},
                                     {"batchSize", "7"},
                                     {"availableMemoryProportion", "0.50"}}),
                 (OptionValues{{"availableMemoryProportion", "0.5"}}));
    }
};

TILESCOPE_TEST(SweepAxisTest)

} // namespace sweep_axis_test

#include "sweep_axis_test.moc"
