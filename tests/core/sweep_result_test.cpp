// From the output of a run to the result of a point.
#include <QTest>

#include "core/sweep/point_result.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace sweep_result_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

std::string summary(bool fits) {
    const std::string time = fits ? R"("cycles": 10, "seconds": 0.5, "throughput": 2)"
                                  : R"("cycles": null, "seconds": null, "throughput": null)";
    return std::string(R"({"fits": )") + (fits ? "true" : "false") + R"(, "memory": {
        "maxTile": {"tile": 3, "includingGaps": 1, "excludingGaps": 2},
        "total": {"includingGaps": 3, "excludingGaps": 4},
        "alwaysLive": 5, "maxNotAlwaysLive": 6, "tilesOverLimit": 7}, )" +
           time + R"(, "messages": [{"severity": "warning", "text": "a"},
        {"severity": "info", "text": "b"}, {"severity": "warning", "text": "c"}]})";
}

} // namespace

class SweepResultTest : public QObject {
    Q_OBJECT

private slots:
    void aRunThatFits() {
        const PointResult result = resultOfRun(0, summary(true), "");
        QVERIFY(result.status == PointStatus::Fits);
        QVERIFY(result.memory == (PointMemory{1, 2, 3, 4, 5, 6, 7}));
        QVERIFY(result.time == (PointTime{10, 0.5, 2}));
        QCOMPARE(result.warnings, 2);
        QCOMPARE(text(result.message), "");
    }

    void aRunOutOfMemory() {
        const PointResult result =
            resultOfRun(1, summary(false), "a log line\ntilescope: error: Out of memory\n");
        QVERIFY(result.status == PointStatus::OutOfMemory);
        QCOMPARE(result.exitCode, 1);
        QVERIFY(result.memory);
        QVERIFY(!result.time);
        QCOMPARE(text(result.message), "Out of memory");
    }

    void whereTheProgramCameFrom() {
        QVERIFY(tookCompiledProgram(R"({"timings": {"cache": 0.1, "time": 0.2}})"));
        QVERIFY(!tookCompiledProgram(R"({"timings": {"cache": 0.1, "plan": 0.2}})"));
        QVERIFY(!tookCompiledProgram(R"({"timings": {"plan": 0.2}})"));
        QVERIFY(!tookCompiledProgram("no summary"));
    }

    void runsThatFailed_data() {
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QString>("out");
        QTest::addColumn<QString>("err");
        QTest::addColumn<QString>("message");
        QTest::newRow("user error") << 2 << ""
                                    << "note\ntilescope: error: no such option\nmore\n"
                                    << "no such option";
        QTest::newRow("crash") << 139 << ""
                               << ""
                               << "the run was ended by signal 11 (Segmentation fault)";
        QTest::newRow("killed") << 137 << ""
                                << ""
                                << "the run was ended by signal 9 (Killed); perhaps this computer "
                                   "has too little memory for it";
        QTest::newRow("abort") << 134 << ""
                               << "terminate called\n"
                               << "the run was ended by signal 6 (Aborted): terminate called";
        QTest::newRow("nothing") << 0 << ""
                                 << ""
                                 << "the run ended with status 0 and no result";
        QTest::newRow("half a summary") << 0 << R"({"fits": true, "memory": {}})"
                                        << ""
                                        << "the run ended with status 0 and no result";
        QTest::newRow("no JSON") << 1 << "Model mlp"
                                 << ""
                                 << "the run ended with status 1 and no result";
        QTest::newRow("another kind") << 0 << R"(["fits"])"
                                      << ""
                                      << "the run ended with status 0 and no result";
    }
    void runsThatFailed() {
        QFETCH(int, exitCode);
        QFETCH(QString, out);
        QFETCH(QString, err);
        const PointResult result = resultOfRun(exitCode, out.toStdString(), err.toStdString());
        QVERIFY(result.status == PointStatus::Error);
        QCOMPARE(result.exitCode, exitCode);
        QVERIFY(!result.memory && !result.time);
        QTEST(text(result.message), "message");
    }
};

TILESCOPE_TEST(SweepResultTest)

} // namespace sweep_result_test

#include "sweep_result_test.moc"
