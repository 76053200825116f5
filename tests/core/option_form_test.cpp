// The option table as a form sees it: groups, bounds, command lines.
#include <QTest>
#include <set>

#include "core/options/option_error.h"
#include "core/options/option_form.h"
#include "core/options/option_table.h"
#include "core/options/run_options.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace option_form_test {
using namespace tilescope;
using namespace tilescope::test;
using Values = std::map<std::string, std::string>;

namespace {

QString joined(const std::vector<std::string>& words) {
    QStringList list;
    for (const std::string& word : words)
        list << text(word);
    return list.join(QLatin1Char('|'));
}

} // namespace

class OptionFormTest : public QObject {
    Q_OBJECT

private slots:
    // A run that computes nothing takes as long on the machine.
    void whatIsComputedCanBeLeftOut() {
        const Values options{{"mode", "training"}, {"batchSize", "8"}};
        Values computing = options;
        computing.insert({{"compute", "on"},
                          {"data", "digits"},
                          {"epochs", "2"},
                          {"values", "curves"},
                          {"stochasticRounding", "on"}});
        QVERIFY(withoutValues(computing) == options);
        // This one is in the program.
        computing["automaticLossScaling"] = "on";
        QVERIFY(withoutValues(computing) == computing);
    }

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

    void everyTopicHasAWordAndALine() {
        std::set<std::string_view> words;
        for (const OptionTopic topic : optionTopics) {
            words.insert(toString(topic));
            QVERIFY(!topicSummary(topic).empty());
        }
        QCOMPARE(words.size(), optionTopics.size());
    }

    // A need is only checked if its option is given.
    void defaultsNeedNothing() {
        const RunOptions fresh;
        validate(fresh);
        int needs = 0;
        for (const OptionSpec& spec : runOptionTable()) {
            QVERIFY2(spec.key == "tilesPerIpu" || !spec.isGiven(fresh), spec.key.c_str());
            for (const OptionNeed& need : spec.needs) {
                QVERIFY2(!need.problem.empty(), spec.key.c_str());
                needs += need.isMet(fresh) ? 0 : 1;
            }
        }
        QVERIFY(needs > 30);
    }

    // The form's bounds must be exactly those that the table enforces.
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
        options.machine.target = targetPreset("mk1");
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

    void argumentsHaveOnlyWhatIsChanged() {
        const Values values{{"batchSize", "4"},
                            {"target", "mk2"},
                            {"relaxMemoryTarget", "off"},
                            {"split", "a b,c'd"},
                            {"partialsType", "half"}};
        const auto arguments = runArguments("my model.onnx", values, "/tmp/out");
        QCOMPARE(joined(arguments), "run|my model.onnx|--batch-size|4|--partials-type|half|"
                                    "--relax-memory-target|off|--split|a b,c'd|-o|/tmp/out");
        QCOMPARE(text(shellLine("tilescope", arguments)),
                 "tilescope run 'my model.onnx' --batch-size 4 --partials-type half "
                 "--relax-memory-target off --split 'a b,c'\\''d' -o /tmp/out");
        QCOMPARE(joined(runArguments("resnet50", {}, "")), "run|resnet50");
        QCOMPARE(text(shellLine("tilescope", {""})), "tilescope ''");
        // A job file's own options need no argument, a default in their place does.
        const Values ofJob{{"target", "mk1"}, {"batchSize", "4"}, {"ipuModel", "on"}};
        QCOMPARE(joined(runArguments("job.json", {{"batchSize", "4"}}, "", ofJob)),
                 "run|job.json|--target|mk2");
    }

    // The options recorded in a profile yield the same run again.
    void optionsOfARunAreFoundAgain() {
        RunOptions options;
        setRunOptions(options, {{"target", "mk1"}, {"batchSize", "8"}, {"precision", "half"}});
        Values inForce;
        for (const OptionSpec& spec : runOptionTable())
            inForce[spec.key] = spec.get(options);
        inForce["modelFile"] = "/tmp/x.onnx";
        const Values changed = changedOptions(inForce);
        QCOMPARE(changed, (Values{{"target", "mk1"}, {"batchSize", "8"}, {"precision", "half"}}));
        options.machine.target.tilesPerIpu = 64;
        inForce["tilesPerIpu"] = "64";
        QCOMPARE(text(changedOptions(inForce).at("tilesPerIpu")), "64");
        QVERIFY(changedOptions({}).empty());
    }
};

TILESCOPE_TEST(OptionFormTest)

} // namespace option_form_test

#include "option_form_test.moc"
