// Machines of users in files.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include "core/base/atomic_file.h"
#include "core/options/job.h"
#include "core/options/option_table.h"
#include "core/options/run_options.h"
#include "core/target/target_file.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace target_file_test {
using namespace tilescope;
using namespace tilescope::test;

class TargetFileTest : public QObject {
    Q_OBJECT
    QTemporaryDir folder_;

    [[nodiscard]] std::string file(const std::string& contents) const {
        const std::string name = folder_.filePath(QStringLiteral("pod.json")).toStdString();
        writeFileAtomically(name, contents);
        return name;
    }

private slots:
    void isAPresetWithOtherConstants() {
        const std::string name = file(R"({"base": "bow", "name": "my pod", "fitted": 1,
            "constants": {"internalSyncCycles": 150, "hostLatencySeconds": 0}})");
        const Target target = namedTarget(name);
        QCOMPARE(target.internalSyncCycles, 150);
        QCOMPARE(target.hostLatencySeconds, 0.0);
        QCOMPARE(target.clockHz, targetPreset("bow").clockHz);
        QCOMPARE(text(target.name), text(name));
        QCOMPARE(text(machineName(target)), "my pod");
        QCOMPARE(text(machineName(targetPreset("bow"))), "bow");
        QVERIFY(namedTarget("mk2") == targetPreset("mk2"));
    }

    void isWrittenAndReadAgain() {
        Target target = targetPreset("mk2");
        target.externalSyncCycles = 811;
        target.hostBytesPerSecond = 1.25e9;
        const Target read =
            namedTarget(file(targetFileText(targetPreset("mk2"), target, "a \"pod\"", {})));
        QCOMPARE(read.externalSyncCycles, 811);
        QCOMPARE(read.hostBytesPerSecond, 1.25e9);
        QCOMPARE(read.internalSyncCycles, target.internalSyncCycles);
        QCOMPARE(text(read.description), "a \"pod\"");
    }

    void isAnOption() {
        RunOptions options;
        const std::string name =
            file(R"({"base": "mk2", "constants": {"internalSyncCycles": 150}})");
        setRunOptions(options, {{"target", name}, {"tilesPerIpu", "100"}});
        QCOMPARE(options.machine.target.internalSyncCycles, 150);
        QCOMPARE(options.machine.target.tilesPerIpu, 100);
        validate(options);
        QCOMPARE(text(findOption("target")->get(options)), text(name));
    }

    // What the schema allows can be read, up to the last number.
    void theSchemaIsWhatIsRead() {
        const QJsonObject schema =
            QJsonDocument::fromJson(QByteArray::fromStdString(targetFileSchema())).object();
        QCOMPARE(schema["required"].toArray(), QJsonArray{"base"});
        const QJsonObject properties = schema["properties"].toObject();
        QCOMPARE(properties["base"]["enum"].toArray().size(),
                 static_cast<qsizetype>(targetPresets().size()));
        const QJsonObject constants = properties["constants"]["properties"].toObject();
        QVERIFY(constants.size() >= 8 && constants.contains("hostBytesPerSecond"));
        for (const QString& name : constants.keys()) {
            const double most = constants[name]["maximum"].toDouble();
            const auto with = [&](double value) {
                return file(QStringLiteral(R"({"base": "mk2", "constants": {"%1": %2}})")
                                .arg(name)
                                .arg(value, 0, 'g', 17)
                                .toStdString());
            };
            (void)namedTarget(with(most));
            QVERIFY(userError([&] { (void)namedTarget(with(most * 1.01)); }).contains(name));
            const bool mayBeZero = constants[name].toObject().contains("minimum");
            QCOMPARE(userError([&] { (void)namedTarget(with(0)); }) == "no error", mayBeZero);
        }
    }

    // As the model is.
    void isRelativeToItsJob() {
        (void)file(R"({"base": "mk2", "constants": {"internalSyncCycles": 150}})");
        const Job job = parseJob(R"({"model": "mlp", "target": "pod.json"})", "job.json",
                                 folder_.path().toStdString());
        RunOptions options;
        setRunOptions(options, job.options);
        QCOMPARE(options.machine.target.internalSyncCycles, 150);
    }

    void mistakesAreNamed_data() {
        QTest::addColumn<QString>("contents");
        QTest::addColumn<QString>("error");
        const auto row = [](const char* contents, const char* error) {
            QTest::addRow("%s", contents) << contents << error;
        };
        row("[", "is not a JSON object");
        row("{}", "key 'base'");
        row(R"({"base": "mk3"})", "unknown target 'mk3'");
        row(R"({"base": "mk2", "constants": 1})", "key 'constants'");
        row(R"({"base": "mk2", "constants": {"tilesPerIpu": 3}})", "'tilesPerIpu'");
        row(R"({"base": "mk2", "constants": {"internalSyncCycle": 3}})", "internalSyncCycles");
        row(R"({"base": "mk2", "constants": {"internalSyncCycles": -3}})", "from 0, up to 1000000");
        row(R"({"base": "mk2", "constants": {"clockHz": 0}})", "above 0");
        row(R"({"base": "mk2", "constants": {"clockHz": "x"}})", "above 0");
        row(R"({"base": "mk2", "name": 3})", "key 'name'");
    }
    void mistakesAreNamed() {
        QFETCH(const QString, contents);
        QFETCH(const QString, error);
        const std::string name = file(contents.toStdString());
        const QString said = userError([&] { (void)namedTarget(name); });
        QVERIFY2(said.contains(error) && said.contains(text(name)), qPrintable(said));
    }
};

TILESCOPE_TEST(TargetFileTest)

} // namespace target_file_test

#include "target_file_test.moc"
