// `tilescope run` from a model to a profile, and its output.
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include "core/base/atomic_file.h"
#include "core/options/job.h"
#include "core/options/option_form.h"
#include "core/store/profile_reader.h"
#include "tests/app/cli_result.h"
#include "tests/support/compare_profile.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace run_test {
using namespace tilescope;
using namespace tilescope::test;

class RunTest : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;

private slots:
    void initTestCase() { QVERIFY(QDir::setCurrent(directory_.path())); }
    void init() {
        for (const char* variable :
             {"POPLAR_ENGINE_OPTIONS", "POPLAR_LOG_LEVEL", "POPLIBS_LOG_LEVEL"})
            qunsetenv(variable);
        QFile::remove("profile.pop");
    }

    void writesAProfileAndSaysWhatIsInIt() {
        const CliResult result = runCommand({"run", "mlp", "-o", "out", "--json"});
        QCOMPARE(result.err, "");
        QCOMPARE(result.status, 0);
        const QJsonObject summary = json(result);
        QCOMPARE(summary["fits"].toBool(), true);
        QCOMPARE(summary["profile"].toString(), "out/profile.pop");
        QCOMPARE(summary["target"].toString(), "mk2");
        const ProfileReader reader("out/profile.pop");
        QCOMPARE(summary["cycles"].toInteger(), reader.info().cycles);
        const QJsonObject memory = summary["memory"].toObject();
        QCOMPARE(memory["limitPerTile"].toInteger(), 638976);
        const TileId fullest(
            static_cast<std::int32_t>(memory["maxTile"].toObject()["tile"].toInteger()));
        QCOMPARE(memory["maxTile"].toObject()["includingGaps"].toInteger(),
                 reader.tileMemory()[fullest].includingGaps);
        QVERIFY(summary["timings"].toObject().contains("write"));
        QCOMPARE(json(runCommand({"info", "out", "--json"}))["memory"].toObject(), memory);
    }

    void maintainersSeeThePasses() {
        const CliResult result = runCommand({"run", "mlp", "--no-profile", "--pass-timing",
                                             "--pass-dump", "passes", "--pass-off", "outline"});
        QCOMPARE(result.status, 0);
        static const QRegularExpression line("^decompose +[0-9.]+ [mun]?s +[0-9]+ operations$",
                                             QRegularExpression::MultilineOption);
        QVERIFY2(line.match(result.err).hasMatch(), qPrintable(result.err));
        QVERIFY(!result.err.contains("outline"));
        const QStringList files = QDir("passes").entryList(QDir::Files, QDir::Name);
        QCOMPARE(files.size(), result.err.count('\n'));
        QCOMPARE(files.front(), "01 random numbers.txt");
        const CliResult refused =
            runCommand({"run", "mlp", "--no-profile", "--pass-off", "decompose"});
        QCOMPARE(refused.status, 2);
        QVERIFY(refused.err.contains("'decompose' is not a pass that can be left out"));
    }

    void everySectionHasFigures() {
        QCOMPARE(runCommand({"run", "mnist-cnn"}).status, 0);
        for (const char* section : {"memory", "liveness", "variables", "vertices", "exchanges",
                                    "programs", "operations", "trace", "pipeline", "insights"})
            for (const char* format : {"", "--json"}) {
                std::vector<std::string> arguments{"report", "profile.pop", section};
                if (*format != '\0')
                    arguments.emplace_back(format);
                const CliResult result = runCommand(arguments);
                QCOMPARE(result.err, "");
                QCOMPARE(result.status, 0);
                QVERIFY(!result.out.isEmpty());
                if (*format != '\0')
                    QVERIFY2(!json(result).isEmpty(), section);
            }
    }

    void outOfMemoryIsAWellFormedNo() {
        const CliResult result = runCommand({"run", "mlp", "--tiles-per-ipu", "4", "--json"});
        QCOMPARE(result.status, 1);
        QVERIFY2(QRegularExpression("^tilescope: error: Out of memory on tile \\d+: \\d+ bytes "
                                    "used but tiles only have 638976 bytes of memory\n$")
                     .match(result.err)
                     .hasMatch(),
                 qPrintable(result.err));
        QCOMPARE(json(result)["fits"].toBool(true), false);
        QVERIFY(json(result)["cycles"].isNull());
        QVERIFY(!ProfileReader("profile.pop").info().hasExecution);
    }

    void withoutAllowOutOfMemoryNoProfileIsWritten() {
        const CliResult result =
            runCommand({"run", "mlp", "--tiles-per-ipu", "4", "--engine-options",
                        R"({"debug.allowOutOfMemory": "false"})"});
        QCOMPARE(result.status, 1);
        QVERIFY(!QFile::exists("profile.pop"));
    }

    void environmentJobAndFlagsComeInThisOrder() {
        qputenv("POPLAR_ENGINE_OPTIONS",
                R"({"autoReport.directory": "report", "prng.seed": "1", "debug.trace": "a"})");
        writeFileAtomically("job.json", R"({"model": "mlp", "batchSize": 2, "target": "mk1",
            "engineOptions": {"prng.seed": 2, "debug.trace": "b"}})");
        const CliResult result =
            runCommand({"run", "job.json", "--batch-size", "3", "--engine-options",
                        R"({"debug.trace": "c"})", "--json"});
        QCOMPARE(result.status, 0);
        const QJsonObject summary = json(result);
        QCOMPARE(summary["profile"].toString(), "report/profile.pop");
        QCOMPARE(summary["target"].toString(), "mk1");
        QCOMPARE(summary["batchSize"].toInteger(), 3);
        const QJsonObject engine = summary["engineOptions"].toObject();
        QCOMPARE(engine["prng.seed"].toString(), "2");
        QCOMPARE(engine["debug.trace"].toString(), "c");
    }

    void aJobIsItsFlags_data() {
        QTest::addColumn<QString>("job");
        for (const char* job : {"tutorial_pipelined", "tutorial_phased", "tutorial_sharded",
                                "tutorial_grouped", "tutorial_recompute", "resnet50_host_bound"})
            QTest::newRow(job) << QStringLiteral(TILESCOPE_SOURCE_DIR "/resources/jobs/%1.json")
                                      .arg(QString::fromLatin1(job));
    }
    void aJobIsItsFlags() {
        QFETCH(QString, job);
        const std::string file = job.toStdString();
        const Job read = readJob(file);
        QCOMPARE(runCommand({"run", file, "-o", "job"}).status, 0);
        const CliResult flags = runCommand(runArguments(read.model, read.options, "flags"));
        QCOMPARE(flags.err, "");
        QCOMPARE(flags.status, 0);
        QCOMPARE(text(firstDifference(withoutTimes(ProfileReader("job/profile.pop").load()),
                                      withoutTimes(ProfileReader("flags/profile.pop").load()))),
                 "");
    }

    void jobsFindModelsBesideThem() {
        QVERIFY(QDir().mkpath("jobs"));
        QCOMPARE(runCommand({"zoo", "export", "mlp", "jobs/net.onnx"}).status, 0);
        writeFileAtomically("jobs/job.json", R"({"model": "net.onnx"})");
        const CliResult result = runCommand({"run", "jobs/job.json", "-o", "jobs", "--json"});
        QCOMPARE(result.err, "");
        QCOMPARE(result.status, 0);
    }

    /// A run may write into a folder with the name of its model, and again.
    void builtInModelsComeBeforeFolders() {
        for (int i = 0; i < 2; ++i) {
            const CliResult result = runCommand({"run", "mlp", "-o", "mlp", "--json"});
            QCOMPARE(result.err, "");
            QCOMPARE(result.status, 0);
        }
        QVERIFY(QFile::exists("mlp/profile.pop"));
    }

    void warningsAreLoggedAsLoudAsTheEnvironmentSays() {
        const std::vector<std::string> arguments{"run", "mlp", "--engine-options",
                                                 R"({"no.such.option": "x"})"};
        QCOMPARE(runCommand(arguments).err, "");
        qputenv("POPLAR_LOG_LEVEL", "WARN");
        const QString log = runCommand(arguments).err;
        QVERIFY2(QRegularExpression("^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z "
                                    "PO:ENGINE +\\d+\\.\\d+ W: .*no\\.such\\.option.*\n$")
                     .match(log)
                     .hasMatch(),
                 qPrintable(log));
        qputenv("POPLAR_LOG_LEVEL", "LOUD");
        const CliResult wrong = runCommand(arguments);
        QCOMPARE(wrong.status, 2);
        QCOMPARE(wrong.err, "tilescope: error: environment variable POPLAR_LOG_LEVEL: 'LOUD' is "
                            "not one of OFF, ERR, WARN, INFO, DEBUG, TRACE.\n");
    }

    /// With no option but the proportion.
    void thePlannersWarningIsTheTechnicalNotes() {
        const std::vector<std::string> arguments{"run", "mlp", "--available-memory-proportion",
                                                 "0.000001"};
        QCOMPARE(runCommand(arguments).err, "");
        qputenv("POPLIBS_LOG_LEVEL", "WARN");
        const QString log = runCommand(arguments).err;
        QVERIFY2(
            QRegularExpression("^\\S+Z PL:POPLIN +\\d+\\.\\d+ W: Warning: convolution planner "
                               "unable to meet memory target\\. Optimising for minimum memory\\.")
                .match(log)
                .hasMatch(),
            qPrintable(log));
    }

    void progressIsForTerminals() {
        QCOMPARE(runCommand({"run", "mlp"}).err, "");
        QVERIFY(runCommand({"run", "mlp"}, true).err.endsWith("\r\x1b[K"));
    }

    // For other programs, such as the window: lines, each once, and the last phase.
    void progressAsLinesOnDemand() {
        const QStringList lines =
            runCommand({"run", "mlp", "--progress"}).err.split('\n', Qt::SkipEmptyParts);
        QVERIFY(lines.size() >= 3);
        int before = -1;
        static const QRegularExpression line("^progress: (\\d+) % (\\w.*)$");
        for (const QString& text : lines) {
            const auto match = line.match(text);
            QVERIFY2(match.hasMatch(), qPrintable(text));
            QVERIFY(match.captured(1).toInt() >= before);
            before = match.captured(1).toInt();
        }
        QCOMPARE(QSet<QString>(lines.begin(), lines.end()).size(), lines.size());
    }

    void aWatchingProgramReadsWhichOptionIsWrong() {
        const QString err = runCommand({"run", "mlp", "--ipus", "4", "--progress"}).err;
        QVERIFY2(err.startsWith("option: execution\ntilescope: error: option execution ("),
                 qPrintable(err));
        QVERIFY(!runCommand({"run", "mlp", "--ipus", "4"}).err.contains("option: "));
    }

    void modelsThatCannotBeReadAreTheUsersErrors() {
        const CliResult result = runCommand({"run", "missing.onnx"});
        QCOMPARE(result.status, 2);
        QVERIFY2(result.err.startsWith("tilescope: error: ") && result.err.contains("missing.onnx"),
                 qPrintable(result.err));
        QVERIFY(!QFile::exists("profile.pop"));
        const CliResult name = runCommand({"run", "resnt50"});
        QCOMPARE(name.status, 2);
        QCOMPARE(name.err,
                 "tilescope: error: there is no file and no built-in model 'resnt50'. Did "
                 "you mean 'resnet50'? 'tilescope models' lists the built-in models.\n");
    }
};

TILESCOPE_TEST(RunTest, QCoreApplication)

} // namespace run_test

#include "run_test.moc"
