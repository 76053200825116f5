// Calibration gives back the constants that a profile was made with, and offers no others.
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "core/base/atomic_file.h"
#include "tests/app/cli_result.h"
#include "tests/support/test_main.h"

namespace calibrate_test {
using namespace tilescope;
using namespace tilescope::test;

class CalibrateTest : public QObject {
    Q_OBJECT
    QTemporaryDir folder_;

    [[nodiscard]] std::string path(const char* name) const {
        return folder_.filePath(QString::fromUtf8(name)).toStdString();
    }
    void simulate(const char* name, std::vector<std::string> words) const {
        words.insert(words.begin(), "run");
        words.insert(words.end(), {"-o", path(name)});
        const CliResult result = runCommand(words);
        QVERIFY2(result.status == 0, qPrintable(result.err));
    }
    static std::vector<std::string> model(const std::string& target) {
        return {"mnist-tutorial",
                "--mode",
                "training",
                "--device-iterations",
                "4",
                "--tiles-per-ipu",
                "200",
                "--optimizer",
                "adamw",
                "--offload",
                "optimizer",
                "--target",
                target};
    }

private slots:
    void initTestCase() { simulate("simulated", model("mk2")); }

    void changedConstantsAreGivenBack_data() {
        QTest::addColumn<QString>("constants");
        QTest::addRow("all") << R"("internalSyncCycles": 171, "externalSyncCycles": 731,
            "hostBytesPerSecond": 6.1e9, "hostLatencySeconds": 9e-6)";
        QTest::addRow("one") << R"("internalSyncCycles": 101)";
        QTest::addRow("the host's") << R"("hostBytesPerSecond": 2e9)";
        QTest::addRow("streaming memory")
            << R"("streamingMemoryBytesPerSecond": 7.5e9, "externalSyncCycles": 810)";
    }
    void changedConstantsAreGivenBack() {
        QFETCH(const QString, constants);
        const QString contents =
            QStringLiteral(R"({"base": "mk2", "constants": {%1}})").arg(constants);
        writeFileAtomically(path("real.json"), contents.toStdString());
        simulate("measured", model(path("real.json")));
        const CliResult result = runCommand({"calibrate", path("measured"), path("simulated"),
                                             "--json", "-o", path("fitted.json")});
        QVERIFY2(result.status == 0, qPrintable(result.err));
        QVERIFY(json(result)["matched"].toDouble() > 0.99);
        const auto constantsOf = [](const QByteArray& text) {
            return QJsonDocument::fromJson(text).object()["constants"].toObject();
        };
        const QJsonObject real = constantsOf(contents.toUtf8());
        const QByteArray written = QByteArray::fromStdString(readFile(path("fitted.json")));
        const QJsonObject fitted = constantsOf(written);
        QCOMPARE(fitted.keys(), real.keys());
        for (const QString& name : real.keys())
            QVERIFY2(std::abs(fitted[name].toDouble() / real[name].toDouble() - 1) < 0.02,
                     qPrintable(name));
        // People read it in the unit that suits it.
        const QString said = runCommand({"calibrate", path("measured"), path("simulated")}).out;
        QVERIFY2(!real.contains("hostLatencySeconds") || said.contains("9.00 us"),
                 qPrintable(said));
        // It is a target, with which the measured times are simulated.
        simulate("again", model(path("fitted.json")));
        const auto cycles = [this](const char* name) {
            return json(runCommand({"info", path(name), "--json"}))["cycles"].toDouble();
        };
        QVERIFY(std::abs(cycles("again") / cycles("measured") - 1) < 0.01);
    }

    void theSameMachineHasNothingToFit() {
        const CliResult result =
            runCommand({"calibrate", path("simulated"), path("simulated"), "--json"});
        QCOMPARE(result.status, 0);
        const QJsonArray constants = json(result)["constants"].toArray();
        QVERIFY(constants.size() >= 3);
        for (const QJsonValue& constant : constants)
            QVERIFY(!constant["differs"].toBool());
        for (const QJsonValue& kind : json(result)["kinds"].toArray())
            QCOMPARE(kind["ratio"].toDouble(), 1.0);
        const CliResult none = runCommand(
            {"calibrate", path("simulated"), path("simulated"), "-o", path("none.json")});
        QCOMPARE(none.status, 2);
        QVERIFY(none.err.contains("no constant that can be fitted differs"));
    }

    void anotherModelIsNoMeasurement() {
        simulate("other", {"mlp", "--tiles-per-ipu", "200"});
        const CliResult result = runCommand({"calibrate", path("other"), path("simulated")});
        QCOMPARE(result.status, 1);
        QVERIFY2(result.out.contains("No constants are fitted"), qPrintable(result.out));
    }

    void wrongInputIsRefused() {
        QVERIFY(runCommand({"calibrate", path("simulated"), path("simulated"), "-o", "x.txt"})
                    .err.contains("must end in .json"));
        QVERIFY(runCommand({"run", "mnist-tutorial", "--target", path("no.json")})
                    .err.contains("no.json"));
    }
};

TILESCOPE_TEST(CalibrateTest)

} // namespace calibrate_test

#include "calibrate_test.moc"
