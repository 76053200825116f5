// Advice as data: values derived from those in force, and the sentences made of them.
#include "core/analysis/insights/advise.h"

#include <QTest>

#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace advise_test {
using namespace tilescope;
using namespace tilescope::test;
using Direction = Advice::Direction;

namespace {

ProfileInfo infoWith(std::map<std::string, std::string> options) {
    ProfileInfo info;
    info.options = std::move(options);
    return info;
}

} // namespace

class AdviseTest : public QObject {
    Q_OBJECT

private slots:
    void sentencesComeFromTheStructure() {
        QCOMPARE(text(sentenceOf({"batchSize", Direction::Lower, "16", "32", "needs less"})),
                 "A lower --batch-size (16 instead of 32) needs less.");
        QCOMPARE(text(sentenceOf({"batchSize", Direction::Raise, "2", "", "does more"})),
                 "A higher --batch-size (2) does more.");
        QCOMPARE(text(sentenceOf({"ipus", Direction::Raise, "", "", "does more"})),
                 "A higher --ipus does more.");
        QCOMPARE(text(sentenceOf({"precision", Direction::Set, "half", "float", "halves data"})),
                 "--precision half halves data.");
        QCOMPARE(text(sentenceOf({"split", Direction::Change, "", "", "may help"})),
                 "Another --split may help.");
        QCOMPARE(text(sentenceOf({Advice::model, Direction::Change, "", "", "Swap operands."})),
                 "Swap operands.");
        Insight insight;
        QCOMPARE(text(adviceText(insight)), "");
        insight.reason = "Syncs take long.";
        QCOMPARE(text(adviceText(insight)), "Syncs take long.");
        insight.advice = {{"split", Direction::Change, "", "", "may help"},
                          {"precision", Direction::Set, "half", "", "halves data"}};
        QCOMPARE(text(adviceText(insight)),
                 "Syncs take long. Another --split may help. --precision half halves data.");
    }

    void proposedValues_data() {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<bool>("higher");
        QTest::addColumn<QByteArray>("inForce");
        QTest::addColumn<QString>("value");
        const auto row = [](const char* name, const char* key, bool higher, const char* inForce,
                            const char* value) {
            QTest::newRow(name) << QByteArray(key) << higher << QByteArray(inForce) << value;
        };
        row("half", "batchSize", false, "32", "16");
        row("least", "batchSize", false, "1", "nothing to try");
        row("odd", "batchSize", false, "5", "2");
        row("twice", "ipus", true, "2", "4");
        row("most", "ipus", true, "256", "nothing to try");
        row("share", "availableMemoryProportion", false, "0.6", "0.3");
        row("share for each IPU", "availableMemoryProportion", false, "0.6,ipu0=0.3", "");
        row("nothing twice", "maxCrossReplicaBufferSize", true, "0", "");
    }
    void proposedValues() {
        QFETCH(QByteArray, key);
        QFETCH(bool, higher);
        QFETCH(QByteArray, inForce);
        QFETCH(QString, value);
        const ProfileInfo info = infoWith({{key.toStdString(), inForce.toStdString()}});
        Adviser adviser(info);
        if (higher)
            adviser.raise(key.toStdString(), "helps");
        else
            adviser.lower(key.toStdString(), "helps");
        const std::vector<Advice> advice = adviser.advice();
        QCOMPARE(advice.empty() ? QStringLiteral("nothing to try") : text(advice[0].value), value);
    }

    void whatIsInForceIsNotAdvised() {
        const ProfileInfo info = infoWith({{"precision", "half"}});
        QVERIFY(Adviser(info).set("precision", "half", "helps").advice().empty());
        const auto other = Adviser(info).set("precision", "float", "helps").advice();
        QCOMPARE(other.size(), std::size_t(1));
        QCOMPARE(text(other[0].instead), "half");
    }

    // A model may set its batch size itself.
    void theBatchSizeMayBeTheModels() {
        ProfileInfo info;
        info.batchSize = 8;
        const auto advice = Adviser(info).lower("batchSize", "helps").advice();
        QCOMPARE(text(advice.at(0).value), "4");
        QCOMPARE(text(advice[0].instead), "8");
    }
};

TILESCOPE_TEST(AdviseTest)

} // namespace advise_test

#include "advise_test.moc"
