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

private slots:
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
