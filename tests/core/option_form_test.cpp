// What a form knows about the option table: groups, bounds, options that texts name, command lines.
#include <QTest>
#include <set>

#include "core/options/option_error.h"
#include "core/options/option_form.h"
#include "tests/support/qt_text.h"

using namespace tilescope;
using namespace tilescope::test;
using Change = OptionMention::Change;
using Values = std::map<std::string, std::string>;

namespace {

QString joined(const std::vector<std::string>& words) {
    QStringList list;
    for (const std::string& word : words)
        list << text(word);
    return list.join(QLatin1Char('|'));
}

const OptionSpec& option(const char* key) {
    const OptionSpec* spec = findOption(key);
    if (spec == nullptr)
        qFatal("no option '%s'", key);
    return *spec;
}

} // namespace

class OptionFormTest : public QObject {
    Q_OBJECT

private slots:
    void everyOptionIsInOneGroup() {
        std::multiset<std::string> placed;
        for (const OptionGroup& group : optionGroups()) {
            QVERIFY2(!group.keys.empty(), group.title.c_str());
            placed.insert(group.keys.begin(), group.keys.end());
        }
        for (const OptionSpec& spec : runOptionTable())
            QVERIFY2(placed.count(spec.key) == 1, spec.key.c_str());
        QCOMPARE(placed.size(), runOptionTable().size());
    }

    // The form must not promise a bound that the table refuses, nor refuse less than it says.
    void boundsAreThoseOfTheTable() {
        int bounded = 0;
        for (const OptionSpec& spec : runOptionTable()) {
            const auto range = optionRange(spec.key, {});
            if (!range)
                continue;
            ++bounded;
            const auto problem = [&](double value) {
                return text(optionProblem(spec, {}, QString::number(value, 'g', 15).toStdString()));
            };
            QCOMPARE(problem(range->least), QString());
            QCOMPARE(problem(range->most), QString());
            QVERIFY2(!problem(range->least - 1).isEmpty(), spec.key.c_str());
            QVERIFY2(!problem(range->most * 1.5 + 1).isEmpty(), spec.key.c_str());
        }
        QVERIFY(bounded >= 7);
    }

    void tilesAreBoundByTheTarget() {
        RunOptions options;
        options.target = targetPreset("mk1");
        QCOMPARE(optionRange("tilesPerIpu", options)->most, 1216.0);
        QCOMPARE(optionRange("tilesPerIpu", {})->most, 1472.0);
        QVERIFY(!optionRange("split", {}));
        QVERIFY(findOption("nothing") == nullptr);
    }

    void errorsNameTheirOption() {
        for (const char* key : {"batchSize", "precision", "tilesPerIpu", "modelOptions"}) {
            RunOptions options;
            try {
                setRunOption(options, key, "%%");
                QFAIL(key);
            } catch (const OptionError& error) {
                QCOMPARE(text(error.key()), QString(key));
            }
        }
        const OptionError error("ipus", "there is none");
        QCOMPARE(error.what(), "option ipus (--ipus): there is none");
    }

    void advicesNameOptions() {
        const auto found = optionsNamedIn(
            "Try a lower --available-memory-proportion, --precision half, a smaller --batch-size "
            "or --split; a higher --batch-size does not help. --nothing is no option.");
        QCOMPARE(found.size(), std::size_t(4));
        QVERIFY((found[0] == OptionMention{"availableMemoryProportion", Change::Lower, ""}));
        QVERIFY((found[1] == OptionMention{"precision", Change::None, "half"}));
        QVERIFY((found[2] == OptionMention{"batchSize", Change::Lower, ""}));
        QVERIFY((found[3] == OptionMention{"split", Change::None, ""}));
        // One direction for what is listed.
        const auto both = optionsNamedIn("Lower --batch-size or --available-memory-proportion, or "
                                         "use --precision half or --partials-type half.");
        QCOMPARE(both.size(), std::size_t(4));
        QVERIFY(both[1].change == Change::Lower);
        QVERIFY(both[2].change == Change::None && both[2].value == "half");
        QVERIFY(both[3].change == Change::None && both[3].value == "half");
        QVERIFY(optionsNamedIn("").empty());
        QVERIFY(optionsNamedIn("-- --").empty());
    }

    void numbersStandInParentheses() {
        const auto found =
            optionsNamedIn("Lower --available-memory-proportion (0.25 instead of 0.6) "
                           "or --batch-size, or --ipus (4) or --phases (x instead of y)");
        QCOMPARE(found.size(), std::size_t(4));
        QCOMPARE(text(found[0].value), "0.25");
        QCOMPARE(text(suggestedValue(found[0], "0.6")), "0.25");
        QVERIFY(found[1].change == Change::Lower);
        QVERIFY(found[2].value.empty());
        QVERIFY(found[3].value.empty());
    }

    // A flag without a direction gives way to the mention that has one.
    void theMentionThatSaysMostWins() {
        const auto found = optionsNamedIn("see --batch-size: a larger --batch-size hides this");
        QCOMPARE(found.size(), std::size_t(1));
        QVERIFY(found[0].change == Change::Higher);
    }

    void proposedValues_data() {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<int>("change");
        QTest::addColumn<QByteArray>("inForce");
        QTest::addColumn<QString>("value");
        const int lower = static_cast<int>(Change::Lower);
        const int higher = static_cast<int>(Change::Higher);
        QTest::newRow("half") << QByteArray("batchSize") << lower << QByteArray("32") << "16";
        QTest::newRow("least") << QByteArray("batchSize") << lower << QByteArray("1") << "";
        QTest::newRow("odd") << QByteArray("batchSize") << lower << QByteArray("5") << "2";
        QTest::newRow("twice") << QByteArray("ipus") << higher << QByteArray("2") << "4";
        QTest::newRow("most") << QByteArray("ipus") << higher << QByteArray("256") << "";
        QTest::newRow("share") << QByteArray("availableMemoryProportion") << lower
                               << QByteArray("0.6") << "0.3";
        QTest::newRow("share for each IPU")
            << QByteArray("availableMemoryProportion") << lower << QByteArray("0.6,ipu0=0.3") << "";
        QTest::newRow("no direction")
            << QByteArray("batchSize") << static_cast<int>(Change::None) << QByteArray("32") << "";
    }
    void proposedValues() {
        QFETCH(QByteArray, key);
        QFETCH(int, change);
        QFETCH(QByteArray, inForce);
        QFETCH(QString, value);
        QCOMPARE(text(suggestedValue({key.toStdString(), static_cast<Change>(change), ""},
                                     inForce.toStdString())),
                 value);
    }

    void argumentsHaveOnlyWhatIsChanged() {
        const Values values{{"batchSize", "4"},
                            {"target", "mk2"},
                            {"relaxMemoryTarget", "on"},
                            {"split", "a b,c'd"},
                            {"partialsType", "half"}};
        const auto arguments = runArguments("my model.onnx", values, "/tmp/out");
        QCOMPARE(joined(arguments), "run|my model.onnx|--batch-size|4|--partials-type|half|"
                                    "--relax-memory-target|--split|a b,c'd|-o|/tmp/out");
        QCOMPARE(text(shellLine("tilescope", arguments)),
                 "tilescope run 'my model.onnx' --batch-size 4 --partials-type half "
                 "--relax-memory-target --split 'a b,c'\\''d' -o /tmp/out");
        QCOMPARE(joined(runArguments("resnet50", {}, "")), "run|resnet50");
        QCOMPARE(text(shellLine("tilescope", {""})), "tilescope ''");
        // A job file's own options need no words, a default in their place does.
        const Values ofJob{{"target", "mk1"}, {"batchSize", "4"}, {"ipuModel", "on"}};
        QCOMPARE(joined(runArguments("job.json", {{"batchSize", "4"}}, "", ofJob)),
                 "run|job.json|--target|mk2");
    }

    // What a profile says of its options gives the same run again.
    void optionsOfARunAreFoundAgain() {
        RunOptions options;
        setRunOptions(options, {{"target", "mk1"}, {"batchSize", "8"}, {"precision", "half"}});
        Values inForce;
        for (const OptionSpec& spec : runOptionTable())
            inForce[spec.key] = spec.get(options);
        inForce["modelFile"] = "/tmp/x.onnx";
        const Values changed = changedOptions(inForce);
        QCOMPARE(changed, (Values{{"target", "mk1"}, {"batchSize", "8"}, {"precision", "half"}}));
        options.target.tilesPerIpu = 64;
        inForce["tilesPerIpu"] = "64";
        QCOMPARE(text(changedOptions(inForce).at("tilesPerIpu")), "64");
        QVERIFY(changedOptions({}).empty());
    }
};

QTEST_APPLESS_MAIN(OptionFormTest)
#include "option_form_test.moc"
