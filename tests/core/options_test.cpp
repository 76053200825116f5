#include <QTest>
#include <set>

#include "core/options/run_options.h"
#include "tests/support/qt_text.h"

using namespace tilescope;
using namespace tilescope::test;

class OptionsTest : public QObject {
    Q_OBJECT

private slots:
    void defaultsAreValidAndReadBack() {
        const RunOptions defaults;
        validate(defaults);
        std::set<std::string> keys;
        std::set<std::string> flags;
        for (const OptionSpec& spec : runOptionTable()) {
            QVERIFY2(keys.insert(spec.key).second, spec.key.c_str());
            QVERIFY2(flags.insert(spec.flag).second, spec.flag.c_str());
            QVERIFY2(!spec.help.empty(), spec.key.c_str());
            if (!spec.defaultValue.empty())
                QCOMPARE(text(spec.get(defaults)), text(spec.defaultValue));
            RunOptions options;
            const std::string value = spec.get(defaults);
            if (!value.empty())
                spec.set(options, value);
            QCOMPARE(text(spec.get(options)), text(value));
        }
    }

    void setsWhatItIsTold() {
        RunOptions options;
        setRunOptions(options,
                      {{"tilesPerIpu", "1216"},
                       {"target", "mk1"},
                       {"batchSize", "4"},
                       {"deviceIterations", "1000"},
                       {"precision", "half"},
                       {"partialsType", "half"},
                       {"availableMemoryProportion", "0.3,ipu0=0.25"},
                       {"availableMemoryProportionByOperation", R"({"conv1": 0.1, "b/fc": 1})"},
                       {"relaxMemoryTarget", "on"}});
        QCOMPARE(text(options.target.name), "mk1");
        QCOMPARE(options.target.tilesPerIpu, 1216);
        QCOMPARE(*options.batchSize, 4);
        QCOMPARE(options.deviceIterations, 1000);
        QVERIFY(options.precision == Precision::Half);
        QVERIFY(options.partialsType == Precision::Half);
        QCOMPARE(options.memoryProportion(IpuId(0)), 0.25);
        QCOMPARE(options.memoryProportion(IpuId(1)), 0.3);
        QCOMPARE(options.availableMemoryProportionByOperation.at("conv1"), 0.1);
        QCOMPARE(options.availableMemoryProportionByOperation.at("b/fc"), 1.0);
        QVERIFY(options.relaxMemoryTarget);
        validate(options);
    }

    void refusesWrongValues_data() {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QString>("error");
        const auto row = [](const char* key, const char* value, const char* error) {
            QTest::addRow("%s=%s", key, value) << QByteArray(key) << QByteArray(value) << error;
        };
        row("availableMemoryProportionByOperation", "0.5",
            "option availableMemoryProportionByOperation "
            "(--available-memory-proportion-by-operation): a JSON object of operation names and "
            "numbers from 0 to 1 is needed, such as {\"layer1/conv\": 0.3}");
        row("availableMemoryProportionByOperation", R"({"a": 2})",
            "option availableMemoryProportionByOperation "
            "(--available-memory-proportion-by-operation): '2' is not a number from 0 to 1");
        row("bathSize", "4", "unknown option 'bathSize'. Did you mean 'batchSize'?");
        row("target", "mk3",
            "option target (--target): 'mk3' is not one of mk1, mk2, bow, c600. Did you mean "
            "'mk1'?");
        row("tilesPerIpu", "3",
            "option tilesPerIpu (--tiles-per-ipu): '3' is not a whole number from 4 to 1472");
        row("tilesPerIpu", "1473",
            "option tilesPerIpu (--tiles-per-ipu): '1473' is not a whole number from 4 to 1472");
        row("batchSize", "0",
            "option batchSize (--batch-size): '0' is not a whole number from 1 to 1000000");
        row("batchSize", "4x",
            "option batchSize (--batch-size): '4x' is not a whole number from 1 to 1000000");
        row("batchSize", "99999999999999999999",
            "option batchSize (--batch-size): '99999999999999999999' is not a whole number from 1 "
            "to 1000000");
        row("precision", "haf",
            "option precision (--precision): 'haf' is not one of float, half. Did you mean "
            "'half'?");
        row("availableMemoryProportion", "1.5",
            "option availableMemoryProportion (--available-memory-proportion): '1.5' is not a "
            "number from 0 to 1");
        row("availableMemoryProportion", "nan",
            "option availableMemoryProportion (--available-memory-proportion): 'nan' is not a "
            "number from 0 to 1");
        row("availableMemoryProportion", "",
            "option availableMemoryProportion (--available-memory-proportion): '' is not a "
            "number from 0 to 1");
        row("availableMemoryProportion", "ipu1=0.5",
            "option availableMemoryProportion (--available-memory-proportion): '1' is not a whole "
            "number from 0 to 0");
        row("availableMemoryProportion", "tile0=0.5",
            "option availableMemoryProportion (--available-memory-proportion): 'tile0=0.5' is not "
            "X or ipuN=X, such as 0.6 or ipu0=0.6");
        row("mode", "trainng",
            "option mode (--mode): 'trainng' is not one of inference, training. Did you mean "
            "'training'?");
        row("ipus", "0", "option ipus (--ipus): '0' is not a whole number from 1 to 256");
        row("ipus", "two", "option ipus (--ipus): 'two' is not a whole number from 1 to 256");
        row("execution", "phasd",
            "option execution (--execution): 'phasd' is not one of single, sharded, pipelined.");
        row("schedule", "groupd",
            "option schedule (--schedule): 'groupd' is not one of popart, grouped, interleaved, "
            "sequential. Did you mean 'grouped'?");
        row("split", "a,,b", "option split (--split): 'a,,b' has an empty name");
        row("deviceMapping", "0,one",
            "option deviceMapping (--device-mapping): 'one' is not a whole number from 0 to 255");
        row("deviceMapping", "0,,1",
            "option deviceMapping (--device-mapping): '' is not a whole number from 0 to 255");
        row("checkpoint", ",a", "option checkpoint (--checkpoint): ',a' has an empty name");
        row("gradientAccumulation", "0",
            "option gradientAccumulation (--gradient-accumulation): '0' is not a whole number from "
            "1 to 1000000000000");
        row("recompute", "some",
            "option recompute (--recompute): 'some' is not one of none, standard, norm-only, all, "
            "pipeline. Did you mean 'none'?");
        row("modelOptions", "layers",
            "option modelOptions (--model-option): 'layers' is not KEY=VALUE, such as "
            "sequenceLength=384");
        row("engineOptions", "{\"a\":}",
            "option engineOptions (--engine-options):1:6: not valid JSON: syntax error");
    }
    void refusesWrongValues() {
        QFETCH(QByteArray, key);
        QFETCH(QByteArray, value);
        QFETCH(QString, error);
        RunOptions options;
        QCOMPARE(userError([&] { setRunOption(options, key.toStdString(), value.toStdString()); }),
                 error);
    }

    void refusesEverythingItCannotHonour() {
        const std::map<std::string, std::string> values{
            {"replicas", "2"}, {"offload", "optimizer"},
            {"ioTiles", "32"}, {"prefetchDepth", "2"}, {"replicatedTensorSharding", "on"}};
        for (const auto& [key, value] : values) {
            RunOptions options;
            const QString error = userError([&] { setRunOption(options, key, value); });
            QVERIFY2(error.contains("this version does not simulate"), qPrintable(error));
        }
    }

    void modelOptionsAddUp() {
        RunOptions options;
        setRunOption(options, "modelOptions", "layers=2,head=squad");
        setRunOption(options, "modelOptions", R"({"sequenceLength": 384, "head": "mlm"})");
        QCOMPARE(options.modelOptions.size(), std::size_t(3));
        QCOMPARE(text(options.modelOptions.at("sequenceLength")), "384");
        QCOMPARE(text(options.modelOptions.at("head")), "mlm");
        QCOMPARE(text(options.modelOptions.at("layers")), "2");
    }

    /// Every option there is refuses what cannot be a value of its type, naming itself.
    void everyOptionRefusesNonsense() {
        using Type = OptionSpec::Type;
        const std::map<Type, std::vector<std::string>> nonsense{
            {Type::Integer, {"", "two", "-1", "1.5", "3x", "99999999999999999999"}},
            {Type::Number, {"", "much", "nan", "-0.1"}},
            {Type::Proportion, {"", "much", "nan", "-0.1", "1.1", "ipu0=", "ipu=0.5", "0.5,,"}},
            {Type::Choice, {"", "nonsense", "ON"}},
            {Type::Flag, {"", "nonsense", "yes"}},
            {Type::Json, {"", "{", "[1]"}},
            {Type::Pairs, {"layers"}},
            {Type::Text, {"a,,b", ",a"}}};
        for (const OptionSpec& spec : runOptionTable())
            for (const std::string& value : nonsense.at(spec.type)) {
                if (value == spec.defaultValue)
                    continue;
                RunOptions options;
                const QString error = userError([&] { spec.set(options, value); });
                QVERIFY2(error.startsWith(text("option " + spec.key + " (" + spec.flag + ")")),
                         qPrintable(text(spec.key + "=" + value) + ": " + error));
            }
    }

    void optionsThatDoNotGoTogether_data() {
        QTest::addColumn<QString>("options");
        QTest::addColumn<QString>("error");
        const auto row = [](const char* options, const char* error) {
            QTest::newRow(options) << options << error;
        };
        row("ipus=2", "option execution: 'single' uses one IPU, not 2; choose 'sharded' or "
                      "'pipelined', or --ipus 1");
        row("schedule=grouped", "option schedule: 'grouped' is a schedule of a pipeline; add "
                                "--execution pipelined");
        row("schedule=interleaved execution=sharded ipus=2",
            "option schedule: 'interleaved' is a schedule of a pipeline; add --execution "
            "pipelined");
        row("split=a", "option split: one IPU has nothing to split; add --ipus N");
        row("ipus=2 execution=pipelined deviceMapping=0,1,0", "no error");
        row("ipus=2 execution=pipelined deviceMapping=0,1,2",
            "option deviceMapping (--device-mapping): there is no IPU 2, IPUs are 0 to 1; give "
            "--ipus 3 or choose one of those");
        row("ipus=3 execution=pipelined deviceMapping=0,1,0",
            "option deviceMapping (--device-mapping): no stage runs on IPU 2 of 3; name it, or "
            "give fewer --ipus");
        row("deviceMapping=0,0", "option deviceMapping (--device-mapping): one IPU runs "
                                 "everything; add --execution pipelined (or sharded) and --ipus "
                                 "N, or leave it out");
        row("ipus=2 execution=pipelined split=a deviceMapping=0,1,0",
            "option deviceMapping (--device-mapping): it names the IPUs of 3 stages, but the 1 "
            "names of --split make 2; give one IPU for each stage");
        row("gradientAccumulation=4",
            "option gradientAccumulation: gradients are accumulated in training only; add --mode "
            "training, or use --device-iterations");
        row("optimizer=adam", "option optimizer: weights are updated in training only; add --mode "
                              "training, or leave it out");
        row("recompute=all", "option recompute: inference has no backward pass to recompute for; "
                             "add --mode training, or leave it out");
        row("mode=training checkpoint=a",
            "option checkpoint: nothing is recomputed, so everything is kept; add --recompute "
            "standard, or leave it out");
        row("mode=training recompute=pipeline",
            "option recompute: 'pipeline' recomputes between the stages of a pipeline; add "
            "--execution pipelined, or choose 'standard'");
        row("mode=training recompute=pipeline execution=pipelined ipus=2 checkpoint=a", "no error");
    }
    void optionsThatDoNotGoTogether() {
        QFETCH(QString, options);
        QFETCH(QString, error);
        RunOptions run;
        for (const QString& pair : options.split(' '))
            setRunOption(run, pair.section('=', 0, 0).toStdString(),
                         pair.section('=', 1).toStdString());
        QCOMPARE(userError([&] { validate(run); }), error);
    }

    void validatesWhatIsSetDirectly() {
        RunOptions options;
        options.target.tilesPerIpu = 2000;
        QCOMPARE(userError([&] { validate(options); }),
                 "option tilesPerIpu: mk2 has 4 to 1472 tiles on an IPU, not 2000");
        options = {};
        options.availableMemoryProportion = -0.1;
        QCOMPARE(userError([&] { validate(options); }),
                 "option availableMemoryProportion: -0.1 is not a number from 0 to 1");
        options = {};
        options.availableMemoryProportionByIpu[3] = 0.5;
        QCOMPARE(userError([&] { validate(options); }),
                 "option availableMemoryProportion: there is no ipu3, the target has 1");
    }

    void readsEngineOptions() {
        RunOptions options;
        addEngineOptions(options, R"({"autoReport.all": "true", "prng.seed": 7,
                                      "debug.instrument": false})",
                         "test");
        QCOMPARE(text(options.engineOptions.at("autoReport.all")), "true");
        QCOMPARE(text(options.engineOptions.at("prng.seed")), "7");
        QCOMPARE(text(options.engineOptions.at("debug.instrument")), "false");
        QCOMPARE(text(engineOptionsJson(options.engineOptions)),
                 R"({"autoReport.all":"true","debug.instrument":"false","prng.seed":"7"})");
    }

    void saysWhereEngineOptionsAreMalformed() {
        RunOptions options;
        const auto error = [&](const char* json) {
            return userError([&] { addEngineOptions(options, json, "ENV"); });
        };
        QCOMPARE(error("{\"a\": \"b\",\n  c}"), "ENV:2:3: not valid JSON: syntax error");
        QCOMPARE(error("{\"a\": \"b\""), "ENV:1:10: not valid JSON: it ends too early");
        QCOMPARE(error(""), "ENV:1:1: not valid JSON: it ends too early");
        QCOMPARE(error("{} x"), "ENV:1:4: not valid JSON: something follows the end of the value");
        QCOMPARE(error("[1]"), "ENV: engine options are a JSON object such as "
                               "{\"autoReport.all\":\"true\"}");
        QCOMPARE(error("{\"a\": [1]}"), "ENV: the value of engine option 'a' must be text, a "
                                        "number, true or false");
    }

    void notesEngineOptionsWithoutEffect() {
        RunOptions options;
        options.engineOptions = {
            {"autoReport.all", "true"}, {"autoReport.al", "true"}, {"prng.seed", "7"}};
        const std::vector<OptionNote> notes = engineOptionNotes(options);
        QCOMPARE(notes.size(), std::size_t(2));
        QVERIFY(notes[0].warning);
        QCOMPARE(text(notes[0].text),
                 "unknown engine option 'autoReport.al': it is kept in the profile and has no "
                 "effect. Did you mean 'autoReport.all'?");
        QVERIFY(!notes[1].warning);
        QCOMPARE(text(notes[1].text), "engine option 'prng.seed' has no effect on the simulation");
        QVERIFY(isKnownEngineOption("debug.allowOutOfMemory"));
        QVERIFY(!isKnownEngineOption("debug.allowOutOfMemry"));
    }
};

QTEST_APPLESS_MAIN(OptionsTest)
#include "options_test.moc"
