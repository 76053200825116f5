// Simulated models compared on the command line.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <sstream>

#include "app/cli/commands/cli.h"
#include "tests/support/test_main.h"

namespace diff_test {
using namespace tilescope;

class DiffTest : public QObject {
    Q_OBJECT
    QTemporaryDir folder_;

    std::string path(const char* name) { return folder_.filePath(name).toStdString(); }

    void simulate(const char* name, std::vector<std::string> words) {
        std::ostringstream out;
        std::ostringstream err;
        words.insert(words.begin(), "run");
        words.insert(words.end(), {"-o", path(name)});
        const int status = cli::runCli(words, {out, err});
        QVERIFY2(status == 0 || status == 1, err.str().c_str());
    }

    QJsonObject diff(const char* source, const char* target) {
        std::ostringstream out;
        std::ostringstream err;
        const int status = cli::runCli({"diff", path(source), path(target), "--json"}, {out, err});
        if (status != 0)
            qWarning("%s", err.str().c_str());
        return QJsonDocument::fromJson(QByteArray::fromStdString(out.str())).object();
    }

    static double metric(const QJsonObject& diff, const char* name, const char* column) {
        for (const QJsonValue& row : diff["metrics"].toArray())
            if (row["name"].toString() == name)
                return row[column].toDouble();
        return 0;
    }

    std::string text(const std::vector<std::string>& words) {
        std::ostringstream out;
        std::ostringstream err;
        return cli::runCli(words, {out, err}) == 0 ? out.str() : err.str();
    }

private slots:
    // Four iterations take four times the cycles of one, and four times the samples.
    void runsOfDifferentLengthsAreComparedBySample() {
        for (const char* iterations : {"1", "4"})
            simulate(iterations, {"mlp", "--device-iterations", iterations});
        std::vector<std::string> words{"diff", path("1"), path("4")};
        const QString ofRuns = QString::fromStdString(text(words));
        QVERIFY2(ofRuns.contains("--per-sample compares what one of them takes"),
                 qPrintable(ofRuns));
        QVERIFY2(ofRuns.contains("Cycles of a run"), qPrintable(ofRuns));
        words.insert(words.end(), {"--per-sample", "--json"});
        const QJsonObject d =
            QJsonDocument::fromJson(QByteArray::fromStdString(text(words))).object();
        QVERIFY(d["perSample"].toBool());
        const double samples = d["source"].toObject()["samplesOfRun"].toDouble();
        QVERIFY(samples > 0);
        QCOMPARE(d["target"].toObject()["samplesOfRun"].toDouble(), 4 * samples);
        const double before = metric(d, "cycles", "source");
        const double after = metric(d, "cycles", "target");
        QVERIFY2(before > 0 && std::abs(after / before - 1) < 0.02,
                 qPrintable(QString::number(after / before)));
        words.pop_back();
        const QString ofSamples = QString::fromStdString(text(words));
        QVERIFY2(ofSamples.contains("Cycles of a sample"), qPrintable(ofSamples));
    }

    // With little room for temporaries the planner of convolutions takes them in parts.
    void aSmallerProportionOfMemoryChangesPlans() {
        const std::vector<std::string> model{"resnext50_32x4d", "--batch-size", "20",
                                             "--available-memory-proportion"};
        for (const char* proportion : {"0.8", "0.3"}) {
            std::vector<std::string> words = model;
            words.emplace_back(proportion);
            simulate(proportion, words);
        }
        const QJsonObject d = diff("0.8", "0.3");
        QVERIFY(metric(d, "maxTile", "difference") < 0);
        QVERIFY(metric(d, "maxNotAlwaysLive", "difference") < 0);
        // Always-live memory changes far less.
        QVERIFY(std::abs(metric(d, "alwaysLive", "difference")) <
                std::abs(metric(d, "maxNotAlwaysLive", "difference")) / 4);
        const QJsonArray plans = d["plans"].toArray();
        QVERIFY(!plans.isEmpty());
        QVERIFY(plans.size() < d["plannedOperations"].toInt());
        for (const QJsonValue& plan : plans) {
            QVERIFY(!plan["changes"].toArray().isEmpty());
            QVERIFY(plan["operation"].toString().contains("conv") ||
                    plan["operation"].toString().contains("downsample") ||
                    plan["operation"].toString().contains("fc"));
        }
        QCOMPARE(d["options"].toArray().size(), 1);
        double change = 0;
        for (const QJsonValue& cause : d["memoryCauses"].toArray())
            change += cause["difference"].toDouble();
        QCOMPARE(change, metric(d, "alwaysLive", "difference") +
                             metric(d, "maxNotAlwaysLive", "difference"));
        QVERIFY(diff("0.3", "0.3")["same"].toBool());
    }

    // Other functions are outlined, but the model stays the same.
    void outliningChangesNoOperationOfTheModel() {
        simulate("on", {"resnet50", "--outline", "on"});
        simulate("off", {"resnet50", "--outline", "off"});
        const QJsonObject d = diff("on", "off");
        QVERIFY(!d["same"].toBool());
        for (const QJsonValue& row : d["operations"].toArray())
            if (row["state"].toString() != "changed")
                QVERIFY2(row["kind"].toString() == "Call" || row["state"].toString() == "added",
                         qPrintable(row["name"].toString()));
    }

    void aRunTwiceIsTheSame() {
        simulate("a", {"mlp", "--mode", "training"});
        simulate("b", {"mlp", "--mode", "training"});
        const QJsonObject d = diff("a", "b");
        QVERIFY(d["same"].toBool());
        QVERIFY(d["memoryCauses"].toArray().isEmpty() && d["variables"].toArray().isEmpty());
    }
};

TILESCOPE_TEST(DiffTest)

} // namespace diff_test

#include "diff_test.moc"
