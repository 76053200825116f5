// `tilescope sweep` as a process: real runs, resuming, refusals, interruption.
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>
#include <algorithm>
#include <csignal>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/store/profile_reader.h"
#include "core/sweep/sweep_store.h"
#include "tests/support/compare_profile.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace sweep_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

const QStringList mlpGrid{"mlp", "--vary", "batchSize=1:3:1", "--vary",
                          "availableMemoryProportion=0.3,0.6"};
const QString program = test::programPath("tilescope");

struct Result {
    int status = 0;
    QString out;
    QString err;
    QJsonObject json() const { return QJsonDocument::fromJson(out.toUtf8()).object(); }
};

Result call(const QStringList& arguments) {
    QProcess process;
    process.start(program, arguments);
    process.waitForFinished(-1);
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
}

/// Completed points; none while the file is being created.
std::ptrdiff_t doneSoFar() {
    try {
        const SweepResults results = readSweep("out/sweep.db");
        return std::count_if(results.points.begin(), results.points.end(),
                             [](const auto& point) { return point.has_value(); });
    } catch (const UserError&) {
        return 0;
    }
}

Result sweep(const QStringList& arguments) {
    return call(QStringList{"sweep", "-o", "out"} + arguments);
}

} // namespace

class SweepTest : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;

private slots:
    void initTestCase() {
        for (const char* variable :
             {"POPLAR_ENGINE_OPTIONS", "POPLAR_LOG_LEVEL", "POPLIBS_LOG_LEVEL"})
            qunsetenv(variable);
    }
    void init() {
        QVERIFY(QDir::setCurrent(directory_.path()));
        QDir("out").removeRecursively();
    }

    void aGridOfRuns() {
        const Result result = sweep(mlpGrid + QStringList{"--json", "--jobs", "2"});
        QCOMPARE(result.err, "");
        QCOMPARE(result.status, 0);
        const QJsonObject json = result.json();
        QCOMPARE(json["simulated"].toInt(), 6);
        QCOMPARE(json["fits"].toInt(), 6);
        const QJsonArray points = json["points"].toArray();
        QCOMPARE(points.size(), 6);
        const QJsonObject point = points[3].toObject();
        QCOMPARE(point["batchSize"].toInt(), 2);
        QCOMPARE(point["availableMemoryProportion"].toDouble(), 0.6);
        const QJsonObject run = call({"run", "mlp", "--batch-size", "2", "--json"}).json();
        const QJsonObject memory = run["memory"].toObject();
        QCOMPARE(point["cycles"], run["cycles"]);
        QCOMPARE(point["seconds"], run["seconds"]);
        QCOMPARE(point["throughput"], run["throughput"]);
        QCOMPARE(point["alwaysLive"], memory["alwaysLive"]);
        QCOMPARE(point["maxNotAlwaysLive"], memory["maxNotAlwaysLive"]);
        QCOMPARE(point["maxTileIncludingGaps"], memory["maxTile"].toObject()["includingGaps"]);
        QCOMPARE(point["totalExcludingGaps"], memory["total"].toObject()["excludingGaps"]);
        QVERIFY(point["profile"].isNull());
        // Nothing but the database is left.
        QCOMPARE(QDir("out").entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden),
                 QStringList{"sweep.db"});
    }

    void pointsAreWhatSingleRunsAre() {
        const QStringList grid{"mnist-cnn", "--vary", "availableMemoryProportion=0.002,0.05,0.9",
                               "--vary", "batchSize=1,4"};
        QCOMPARE(sweep(grid + QStringList{"--keep-profiles", "--jobs", "1"}).status, 0);
        int point = 0;
        for (const char* proportion : {"0.002", "0.05", "0.9"})
            for (const char* batch : {"1", "4"}) {
                QCOMPARE(call({"run", "mnist-cnn", "--available-memory-proportion", proportion,
                               "--batch-size", batch, "-o", "alone"})
                             .status,
                         0);
                const QString directory =
                    QString("out/%1_availableMemoryProportion=%2_batchSize=%3")
                        .arg(point++)
                        .arg(proportion, batch);
                QCOMPARE(text(firstDifference(
                             withoutTimes(
                                 ProfileReader(directory.toStdString() + "/profile.pop").load()),
                             withoutTimes(ProfileReader("alone/profile.pop").load()))),
                         "");
            }
    }

    void aKilledWorkerCostsNothing() {
        QProcess process;
        process.start(program, {"sweep", "-o", "out", "mlp", "--vary", "batchSize=1:60:1", "--jobs",
                                "1", "--json"});
        const auto workers = [&] {
            QFile file(QStringLiteral("/proc/%1/task/%1/children").arg(process.processId()));
            return file.open(QIODevice::ReadOnly)
                       ? QString::fromLatin1(file.readAll()).split(' ', Qt::SkipEmptyParts)
                       : QStringList();
        };
        // The worker has completed points, so the current one is simulated again.
        while (doneSoFar() < 3 && !process.waitForFinished(1)) {
        }
        QCOMPARE(workers().size(), 1);
        ::kill(static_cast<pid_t>(workers()[0].toLongLong()), SIGKILL);
        process.waitForFinished(-1);
        QCOMPARE(process.exitCode(), 0);
        const QJsonObject json = QJsonDocument::fromJson(process.readAllStandardOutput()).object();
        QCOMPARE(json["fits"].toInt(), 60);
    }

    void aSecondCallSkipsWhatIsDone() {
        QCOMPARE(sweep(mlpGrid).status, 0);
        const Result again = sweep(mlpGrid + QStringList{"--json"});
        QCOMPARE(again.status, 0);
        QCOMPARE(again.err, "tilescope: 6 of 6 points are done already\n");
        QCOMPARE(again.json()["simulated"].toInt(-1), 0);
        QCOMPARE(again.json()["skipped"].toInt(), 6);
        {
            const Database db(DatabaseOrigin{.file = "out/sweep.db"}, Database::Mode::Create);
            db.execute("DELETE FROM points WHERE id IN (1, 4)");
        }
        const Result rest = sweep(mlpGrid + QStringList{"--json"});
        QCOMPARE(rest.json()["simulated"].toInt(), 2);
        QCOMPARE(rest.json()["points"], again.json()["points"]);
    }

    void pointsOfTheCacheAreNotCompiled() {
        const QStringList cache{"--executable-cache", "cache", "--json"};
        QDir("cache").removeRecursively();
        // A separate run leaves a program that the sweep finds.
        QCOMPARE(call({"run", "mlp", "--batch-size", "2", "--no-profile", "--executable-cache",
                       "cache", "--available-memory-proportion", "0.3"})
                     .status,
                 0);
        const Result first = sweep(mlpGrid + cache);
        QCOMPARE(first.err, "");
        QCOMPARE(first.json()["notCompiled"].toInt(-1), 1);
        // The cache is not part of the identity of the results.
        const Result again = sweep(mlpGrid + QStringList{"--json"});
        QCOMPARE(again.json()["skipped"].toInt(), 6);
        QCOMPARE(again.json()["points"], first.json()["points"]);
        QDir("out").removeRecursively();
        const Result second = sweep(mlpGrid + cache);
        QCOMPARE(second.json()["notCompiled"].toInt(), 6);
        QCOMPARE(second.json()["points"], first.json()["points"]);
        QDir("out").removeRecursively();
        const Result shown = sweep(mlpGrid + QStringList{"--executable-cache", "cache"});
        QVERIFY2(shown.out.contains("had the programs of 6 of 6 simulated points"),
                 qPrintable(shown.out));
        QDir("out").removeRecursively();
        QCOMPARE(sweep(mlpGrid + QStringList{"--json"}).json()["points"], first.json()["points"]);
    }

    void sweepsMayShareACache() {
        QDir("cache").removeRecursively();
        const QStringList grid{"mlp",    "--vary", "batchSize=1:12:1",   "--json",
                               "--jobs", "2",      "--executable-cache", "cache"};
        QProcess other;
        other.start(program, QStringList{"sweep", "-o", "other"} + grid);
        const Result mine = sweep(grid);
        other.waitForFinished(-1);
        QCOMPARE(other.exitCode(), 0);
        QCOMPARE(mine.status, 0);
        const QJsonObject theirs = QJsonDocument::fromJson(other.readAllStandardOutput()).object();
        QCOMPARE(mine.json()["fits"].toInt(), 12);
        QCOMPARE(mine.json()["points"], theirs["points"]);
        // One file per program, nothing half written.
        const QStringList files =
            QDir("cache").entryList(QDir::Files | QDir::Hidden | QDir::NoDotAndDotDot);
        QCOMPARE(files.size(), 12);
        QVERIFY(files.filter(".pop").size() == 12);
        QDir("other").removeRecursively();
        QDir("out").removeRecursively();
        QCOMPARE(sweep(grid).json()["notCompiled"].toInt(), 12);
    }

    void anotherGridOrJobIsRefused() {
        QCOMPARE(sweep(mlpGrid).status, 0);
        const QStringList other{"mlp", "--vary", "batchSize=1:2:1"};
        const Result grid = sweep(other);
        QCOMPARE(grid.status, 2);
        QCOMPARE(grid.err, "tilescope: error: 'out/sweep.db' holds another sweep: it varies "
                           "batchSize, availableMemoryProportion, not batchSize. Use another "
                           "directory, or --force to replace its results.\n");
        const Result job = sweep(mlpGrid + QStringList{"--precision", "half"});
        QCOMPARE(job.status, 2);
        QVERIFY(job.err.contains("option precision is not set there and half now"));
        qputenv("POPLAR_ENGINE_OPTIONS", R"({"prng.seed": "1"})");
        QVERIFY(sweep(mlpGrid).err.contains("option engineOptions is not set there"));
        qunsetenv("POPLAR_ENGINE_OPTIONS");
        const Result forced = sweep(other + QStringList{"--force", "--json"});
        QCOMPARE(forced.status, 0);
        QCOMPARE(forced.json()["simulated"].toInt(), 2);
    }

    void aJobFileAndItsOtherSpellingAreOneSweep() {
        writeFileAtomically("job.json",
                            R"({"model": "mlp", "target": "bow", "replicatedTensorSharding": false,
                                "engineOptions": {"debug.trace": "a b"}})");
        const QStringList axis{"--vary", "batchSize=1,2"};
        const Result first = sweep(QStringList{"job.json"} + axis);
        QCOMPARE(first.err, "");
        QCOMPARE(first.status, 0);
        const Result same = sweep(QStringList{"mlp", "--target", "bow", "--engine-options",
                                              R"({"debug.trace": "a b"})", "--json"} +
                                  axis);
        QCOMPARE(same.status, 0);
        QCOMPARE(same.json()["skipped"].toInt(), 2);
    }

    void aModelThatChangedIsAnotherOne() {
        QCOMPARE(call({"zoo", "export", "mlp", "net.onnx"}).status, 0);
        const QStringList axis{"--vary", "batchSize=1"};
        QCOMPARE(sweep(QStringList{"net.onnx"} + axis).status, 0);
        QVERIFY(QFile::copy("net.onnx", "copy.onnx"));
        QCOMPARE(sweep(QStringList{"copy.onnx"} + axis).err,
                 "tilescope: 1 of 1 points are done already\n");
        QCOMPARE(call({"zoo", "export", "mnist-cnn", "net.onnx"}).status, 0);
        QVERIFY(sweep(QStringList{"net.onnx"} + axis)
                    .err.contains("the model 'net.onnx' has changed since"));
    }

    void pointsThatFailDoNotStopTheOthers() {
        // Mk1 has no 1472 tiles; four tiles are too few for the model.
        const QStringList grid{"mlp", "--vary", "target=mk1,mk2", "--vary",
                               "tilesPerIpu=4,1216,1472"};
        const Result result = sweep(grid + QStringList{"--csv"});
        QCOMPARE(result.status, 1);
        QCOMPARE(result.err, "tilescope: error: 1 of 6 points failed; --retry-errors simulates "
                             "them again\n");
        const QStringList lines = result.out.trimmed().split('\n');
        QCOMPARE(lines.size(), 7);
        QVERIFY(lines[0].startsWith("target,tilesPerIpu,status,exitCode,throughput,"));
        QVERIFY(lines[1].startsWith("mk1,4,oom,1,,,,"));
        QVERIFY(lines[2].startsWith("mk1,1216,fits,0,"));
        QVERIFY(lines[3].startsWith("mk1,1472,error,2,,,,,"));
        QVERIFY(lines[3].contains("'1472' is not a whole number from 4 to 1216"));
        const Result text = sweep(grid);
        QCOMPARE(text.status, 1);
        QVERIFY(text.out.contains("6: 3 fit, 2 out of memory, 1 failed"));
        QVERIFY(text.out.contains("Points that failed"));
        const Result retry = sweep(grid + QStringList{"--retry-errors", "--json"});
        QCOMPARE(retry.status, 1);
        QCOMPARE(retry.json()["simulated"].toInt(), 1);
    }

    void outOfMemoryIsAResult() {
        const Result result = sweep({"mlp", "--vary", "tilesPerIpu=4,8"});
        QCOMPARE(result.status, 0);
        QCOMPARE(result.err, "");
        QVERIFY(result.out.contains("OOM"));
    }

    void twoAxesMakeAMatrix() {
        const QStringList lines = sweep(mlpGrid).out.trimmed().split('\n');
        const auto heading = lines.indexOf("Samples per second by batchSize (down) and "
                                           "availableMemoryProportion (across)");
        QVERIFY(heading >= 0);
        QCOMPARE(lines[heading + 1].simplified(), "batchSize 0.3 0.6");
        QCOMPARE(lines.size(), heading + 5);
        QVERIFY(lines[heading + 4].simplified().startsWith("3 "));
    }

    void profilesAreKeptOnDemand() {
        const QStringList grid{"mlp", "--vary", "tilesPerIpu=4,1472"};
        QCOMPARE(sweep(grid).status, 0);
        const Result kept = sweep(grid + QStringList{"--keep-profiles", "--json"});
        QCOMPARE(kept.status, 0);
        QCOMPARE(kept.json()["simulated"].toInt(), 2);
        const QJsonObject point = kept.json()["points"].toArray()[1].toObject();
        QCOMPARE(point["profile"].toString(), "1_tilesPerIpu=1472/profile.pop");
        const ProfileReader reader("out/1_tilesPerIpu=1472/profile.pop");
        QCOMPARE(reader.info().cycles, point["cycles"].toInteger());
        QVERIFY(QFile::exists("out/0_tilesPerIpu=4/profile.pop"));
        QCOMPARE(sweep(grid + QStringList{"--keep-profiles"}).err,
                 "tilescope: 2 of 2 points are done already\n");
    }

    void theHeatMapHasACellForEachPoint() {
        const Result result = sweep({"mlp", "--vary", "tilesPerIpu=4,1216,1472", "--vary",
                                     "target=mk1,mk2", "--heat-map", "map.svg"});
        QCOMPARE(result.status, 1);
        QFile file("map.svg");
        QVERIFY(file.open(QIODevice::ReadOnly));
        QXmlStreamReader xml(&file);
        int cells = 0;
        QStringList texts;
        while (!xml.atEnd()) {
            xml.readNext();
            if (xml.isStartElement() && xml.attributes().value("class") == u"cell")
                ++cells;
            if (xml.isStartElement() && xml.name() == u"text")
                texts << xml.readElementText();
        }
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QCOMPARE(cells, 6);
        for (const char* expected : {"tilesPerIpu", "target", "mk1", "1472", "OOM", "error",
                                     "samples/s", "mlp: throughput by tilesPerIpu and target"})
            QVERIFY2(texts.contains(expected), expected);
    }

    void interruptionKeepsWhatIsDone() {
        QStringList grid{"mlp", "--vary", "batchSize=1:2000:1", "--jobs", "2", "--keep-profiles"};
        QProcess process;
        process.start(program, QStringList{"sweep", "-o", "out"} + grid);
        // The second wave of points has begun when the first profile is there.
        while (!QFile::exists("out/0000_batchSize=1/profile.pop") && !process.waitForFinished(1)) {
        }
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        process.waitForFinished(-1);
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 128 + SIGINT);
        const QString err = QString::fromUtf8(process.readAllStandardError());
        QVERIFY2(err.contains("the same command resumes from there"), qPrintable(err));
        const SweepResults results = readSweep("out/sweep.db");
        const auto done = std::count_if(results.points.begin(), results.points.end(),
                                        [](const auto& point) { return point.has_value(); });
        QVERIFY(err.contains(QString("after %1 of 2000 points").arg(done)));
        for (const auto& point : results.points)
            if (point)
                QVERIFY(point->status == PointStatus::Fits);
        // Interrupted runs left nothing half written.
        for (const QString& name : QDir("out").entryList(QDir::Dirs | QDir::NoDotAndDotDot))
            QCOMPARE(QDir("out/" + name).entryList(QDir::Files | QDir::Hidden),
                     QStringList{"profile.pop"});
    }

    void anEndedRunLeavesNothingHalfWritten() {
        // The folder exists while a profile is written, and briefly before, to check that it can
        // be.
        constexpr int rounds = 10;
        for (int round = 0; round < rounds; ++round) {
            QProcess process;
            process.start(program, {"run", "mlp", "-o", "ended"});
            while (!QFile::exists("ended") && !process.waitForFinished(0)) {
            }
            process.terminate();
            process.waitForFinished(-1);
            const QStringList left = QDir("ended").entryList(QDir::Files | QDir::Hidden);
            if (process.exitStatus() == QProcess::CrashExit)
                QVERIFY2(left.isEmpty() || left == QStringList{"profile.pop"},
                         qPrintable(left.join(' ')));
            QCOMPARE(QFile::exists("ended"), !left.isEmpty());
            QDir("ended").removeRecursively();
        }
    }

    void anIgnoredInterruptStaysIgnored() {
        QProcess process;
        process.start("sh", {"-c", "trap '' INT; exec \"$0\" \"$@\"", program, "sweep", "-o", "out",
                             "mlp", "--vary", "batchSize=1:20:1"});
        while (!QFile::exists("out/sweep.db") && !process.waitForFinished(1)) {
        }
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        process.waitForFinished(-1);
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 0);
    }

    /// Errors in a file's options name that file, those in axes the command line.
    void aWrongOptionOfAJobNamesTheJob() {
        writeFileAtomically("job.json", R"({"model": "mlp", "learningRate": -5})");
        const Result ofJob = sweep({"job.json", "--vary", "batchSize=1,2"});
        QCOMPARE(ofJob.status, 2);
        QVERIFY2(ofJob.err.contains("job.json: option learningRate (--learning-rate): "),
                 qPrintable(ofJob.err));
        const Result ofAxis = sweep({"job.json", "--vary", "learningRate=-5,-6"});
        QVERIFY2(ofAxis.err.startsWith("tilescope: error: option learningRate"),
                 qPrintable(ofAxis.err));
        const Result ofOption = sweep(
            {"job.json", "--vary", "batchSize=1,2", "--momentum", "7", "--learning-rate", "1"});
        QVERIFY2(ofOption.err.startsWith("tilescope: error: option momentum"),
                 qPrintable(ofOption.err));
    }

    void wrongUseIsRefusedBeforeAnyWork_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("error");
        const QStringList axis{"mlp", "--vary", "batchSize=1,2"};
        QTest::newRow("model") << QStringList{"mpl", "--vary", "batchSize=1"}
                               << "there is no file and no built-in model 'mpl'";
        QTest::newRow("file") << QStringList{"none.onnx", "--vary", "batchSize=1"}
                              << "cannot read 'none.onnx': No such file or directory";
        QTest::newRow("heat map") << axis + QStringList{"--heat-map", "a.svg"}
                                  << "option --heat-map: a heat map has two axes, this sweep has 1";
        QTest::newRow("cache") << axis + QStringList{"--executable-cache", "/dev/null/c"}
                               << "option executableCache (--executable-cache): cannot make the "
                                  "directory '/dev/null/c'";
        QTest::newRow("map's directory") << mlpGrid + QStringList{"--heat-map", "/dev/null/a.svg"}
                                         << "cannot create directory '/dev/null': Not a directory";
    }
    void wrongUseIsRefusedBeforeAnyWork() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, error);
        const Result result = sweep(arguments);
        QCOMPARE(result.status, 2);
        QVERIFY2(result.err.contains(error), qPrintable(result.err));
        QVERIFY(!QFile::exists("out"));
    }
};

TILESCOPE_TEST(SweepTest, QCoreApplication)

} // namespace sweep_test

#include "sweep_test.moc"
