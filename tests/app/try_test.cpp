// `tilescope try` as a process: suggestions are simulated and judged, for losses of real programs.
#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/test_main.h"

namespace try_test {
namespace {

struct Result {
    int status = 0;
    QString out;
    QString err;
    [[nodiscard]] QJsonObject json() const {
        return QJsonDocument::fromJson(out.toUtf8()).object();
    }
};

Result call(const QStringList& arguments) {
    QProcess process;
    process.start(tilescope::test::programPath("tilescope"), arguments);
    process.waitForFinished(-1);
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
}

QString jobFile(const QString& name) {
    return QStringLiteral(TILESCOPE_SOURCE_DIR "/resources/jobs/%1.json").arg(name);
}

} // namespace

class TryTest : public QObject {
    Q_OBJECT
    QTemporaryDir directory_;

    Result trialsOf(const QStringList& run) {
        call(QStringList{"run"} + run + QStringList{"-o", "before"});
        return call({"try", "before", "-o", "trials", "--json"});
    }

private slots:
    void init() {
        QVERIFY(directory_.isValid());
        QDir::setCurrent(directory_.path());
        QDir("before").removeRecursively();
        QDir("trials").removeRecursively();
    }
    void cleanupTestCase() { QDir::setCurrent("/"); }

    void lossesOfRealProgramsAddUp_data() {
        QTest::addColumn<QString>("job");
        for (const char* job : {"tutorial_pipelined", "resnet50_overlapped", "bert_large_pod16"})
            QTest::newRow(job) << QString(job);
    }
    void lossesOfRealProgramsAddUp() {
        QFETCH(QString, job);
        const Result run = call({"run", jobFile(job), "-o", "before"});
        QVERIFY2(run.status == 0, qPrintable(run.err));
        const Result report = call({"report", "before", "insights", "--json"});
        const QJsonArray losses = report.json()["losses"].toArray();
        QVERIFY(losses.size() > 3);
        double shares = 0;
        double most = 0;
        for (const QJsonValue& loss : losses) {
            shares += loss["share"].toDouble();
            most = std::max(most, loss["cycles"].toDouble());
            QVERIFY(loss["ipu"].isNull());
        }
        QVERIFY2(std::abs(shares - 1) < 0.005, qPrintable(QString::number(shares)));
        QCOMPARE(losses.first()["cycles"].toDouble(), most);
        QVERIFY2(losses.first()["kind"].toString() != "compute", qPrintable(report.out));
    }

    // A model that does not fit: one of the suggestions alone makes it fit.
    void findsWhatFits() {
        const Result tried = trialsOf(
            {"resnext50_32x4d", "--batch-size", "32", "--available-memory-proportion", "0.8"});
        QVERIFY2(tried.status == 0, qPrintable(tried.err + tried.out));
        const QJsonArray trials = tried.json()["trials"].toArray();
        QStringList fits;
        for (const QJsonValue& trial : trials) {
            QVERIFY(trial["predicted"].isNull()); // bytes, not cycles
            if (trial["verdict"] == "fits")
                fits << trial["option"].toString();
        }
        QVERIFY2(fits.contains("availableMemoryProportion"), qPrintable(tried.out));
        QVERIFY(QFile::exists(trials.first()["profile"].toString()));
    }

    // A pipeline that waits: the most helpful change is first, and none is refused.
    void findsWhatIsFaster() {
        const Result tried = trialsOf({jobFile("tutorial_pipelined")});
        QVERIFY2(tried.status == 0, qPrintable(tried.err + tried.out));
        const QJsonArray trials = tried.json()["trials"].toArray();
        QVERIFY(trials.size() >= 3);
        QVERIFY2(trials.first()["gained"].toDouble() > 0.1, qPrintable(tried.out));
        for (const QJsonValue& trial : trials)
            QVERIFY2(trial["verdict"] != "failed", qPrintable(tried.out));
    }

    // Suggestions are about time and memory: training is not repeated for each.
    void computesNoValues() {
        const Result tried =
            trialsOf({jobFile("tutorial_half"), "--compute", "--data",
                      TILESCOPE_SOURCE_DIR "/tests/data/mnist", "--value-samples", "5"});
        QVERIFY2(tried.status == 0, qPrintable(tried.err + tried.out));
        const QJsonArray trials = tried.json()["trials"].toArray();
        QVERIFY(!trials.isEmpty());
        for (const QJsonValue& trial : trials) {
            QVERIFY2(trial["verdict"] != "failed", qPrintable(tried.out));
            const Result info = call({"info", trial["profile"].toString(), "--json"});
            QVERIFY2(info.json()["options"].toObject()["compute"].toString() != "on",
                     qPrintable(info.out));
            QVERIFY(info.json()["throughput"].toDouble() > 0);
        }
    }

    void keepsNothingUnasked() {
        call({"run", "mlp", "-o", "before"});
        const Result tried = call({"try", "before"});
        QVERIFY2(tried.status == 0, qPrintable(tried.err + tried.out));
        QCOMPARE(QDir().entryList(QDir::Dirs | QDir::NoDotAndDotDot), QStringList{"before"});
    }

    void refusesWhatIsNoProfile() {
        const Result tried = call({"try", "nothing.pop"});
        QCOMPARE(tried.status, 2);
        QVERIFY2(tried.err.contains("nothing.pop"), qPrintable(tried.err));
    }
};

} // namespace try_test

TILESCOPE_TEST(try_test::TryTest)
#include "try_test.moc"
