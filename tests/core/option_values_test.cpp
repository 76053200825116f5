// Values that single options reject.
#include <QTest>
#include <boost/json.hpp>
#include <map>
#include <set>

#include "core/options/option_table.h"
#include "core/options/option_values.h"
#include "core/options/run_options.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace option_values_test {
using namespace tilescope;
using namespace tilescope::test;

class OptionValuesTest : public QObject {
    Q_OBJECT

    /// Key, value and the answer: each option has a row (everyOptionHasAWrongValue).
    struct WrongValue {
        QByteArray key, value;
        QString error;
    };
    static std::vector<WrongValue> wrongValues() {
        std::vector<WrongValue> rows;
        const auto row = [&](const char* key, const char* value, const char* error) {
            rows.push_back({key, value, error});
        };
        row("availableMemoryProportionByOperation", "0.5",
            "option availableMemoryProportionByOperation "
            "(--available-memory-proportion-by-operation): a JSON object of operation names and "
            "numbers from 0 to 1 is needed, such as {\"layer1/conv\": 0.3}");
        row("availableMemoryProportionByOperation", R"({"a": 2})",
            "option availableMemoryProportionByOperation "
            "(--available-memory-proportion-by-operation): '2' is not a number from 0 to 1");
        row("stepsPerExecution", "0",
            "option stepsPerExecution (--steps-per-execution): '0' is not a whole number from 1 to "
            "1000000000000");
        row("framework", "poptorc",
            "option framework (--framework): 'poptorc' is not one of popart, poprt, poptorch, "
            "tensorflow, keras, poplar. Did you mean 'poptorch'?");
        row("outputMode", "last",
            "option outputMode (--output-mode): 'last' is not one of all, final, every-n, sum.");
        row("outputEvery", "0",
            "option outputEvery (--output-every): '0' is not a whole number from 1 to "
            "1000000000000");
        row("hostJitter", "7.5",
            "option hostJitter (--host-jitter): '7.5' is not a number from 0 to 7");
        row("executableCache", " ",
            "option executableCache (--executable-cache): ' ' is not the name of a directory; give "
            "one, or leave it out");
        row("bathSize", "4", "unknown option 'bathSize'. Did you mean 'batchSize'?");
        row("target", "mk3",
            "option target (--target): 'mk3' is not one of mk1, mk2, bow, c600, m2000, bow2000, "
            "pod4, pod16, pod64, pod128, pod256, bow-pod4, bow-pod16, bow-pod64, bow-pod128, "
            "bow-pod256. Did you mean 'mk1'?");
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
            "option execution (--execution): 'phasd' is not one of single, sharded, pipelined, "
            "phased. Did you mean 'phased'?");
        row("schedule", "groupd",
            "option schedule (--schedule): 'groupd' is not one of popart, grouped, interleaved, "
            "sequential. Did you mean 'grouped'?");
        row("split", "a,,b", "option split (--split): 'a,,b' has an empty name");
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
        row("replicas", "0",
            "option replicas (--replicas): '0' is not a whole number from 1 to 256");
        row("offload", "optimiser",
            "option offload (--offload): 'optimiser' is not one of optimizer, activations, "
            "weights");
        row("offload", "optimizer,",
            "option offload (--offload): '' is not one of optimizer, activations, weights");
        row("replicatedTensorSharding", "yes",
            "option replicatedTensorSharding (--replicated-tensor-sharding): 'yes' is not one of "
            "on, off.");
        row("distributedBatchNormReplicaGroupSize", "0",
            "option distributedBatchNormReplicaGroupSize "
            "(--distributed-batch-norm-replica-group-size): '0' is not a whole number from 1 to "
            "256");
        row("minElementsForReplicatedTensorSharding", "-1",
            "option minElementsForReplicatedTensorSharding "
            "(--min-elements-for-replicated-tensor-sharding): '-1' is not a whole number from 0 to "
            "1000000000000");
        row("ignoreData", "yes", "option ignoreData (--ignore-data): 'yes' is not one of on, off.");
        row("maxCrossReplicaBufferSize", "-1",
            "option maxCrossReplicaBufferSize (--max-cross-replica-buffer-size): '-1' is not a "
            "whole number from 0 to 1000000000000");
        row("ioTiles", "194",
            "option ioTiles (--io-tiles): '194' is not a whole number from 0 to 192");
        row("exchangeStrategy", "overlap-loop",
            "option exchangeStrategy (--exchange-strategy): 'overlap-loop' is not one of "
            "just-in-time, overlap-inner-loop, overlap-loops. Did you mean 'overlap-loops'?");
        row("prefetchDepth", "0",
            "option prefetchDepth (--prefetch-depth): '0' is not a whole number from 1 to 1000");
        row("inputType", "int16",
            "option inputType (--input-type): 'int16' is not one of as-model, float, half, int8. "
            "Did you mean 'int8'?");
        row("hostRate", "-1",
            "option hostRate (--host-rate): '-1' is not a number from 0 to 1000000000000");
        row("instances", "0",
            "option instances (--instances): '0' is not a whole number from 1 to 256");
        row("deviceIterations", "0",
            "option deviceIterations (--device-iterations): '0' is not a whole number from 1 to "
            "1000000000000");
        row("stochasticRounding", "yes",
            "option stochasticRounding (--stochastic-rounding): 'yes' is not one of on, off.");
        row("automaticLossScaling", "often",
            "option automaticLossScaling (--automatic-loss-scaling): 'often' is not one of on, "
            "off.");
        row("fpExceptions", "overflow,inexact",
            "option fpExceptions (--fp-exceptions): 'inexact' is not one of invalid, division, "
            "overflow, nan-on-overflow, all, none");
        row("compute", "yes", "option compute (--compute): 'yes' is not one of on, off.");
        for (const char* path : {"inputs", "expect", "data"})
            row(path, " ",
                QByteArray("option ") + path + " (--" + path +
                    "): ' ' is not the name of a file or folder");
        row("saveOutputs", " ",
            "option saveOutputs (--save-outputs): ' ' is not the name of a file or folder");
        row("evalData", " ",
            "option evalData (--eval-data): ' ' is not the name of a file or folder");
        row("rtol", "-1", "option rtol (--rtol): '-1' is not a number from 0 to 1000000");
        row("atol", "some", "option atol (--atol): 'some' is not a number from 0 to 1000000");
        row("epochs", "0", "option epochs (--epochs): '0' is not a whole number from 1 to 1000000");
        row("learningRateSchedule", "step:0:1",
            "option learningRateSchedule (--learning-rate-schedule): '0' is not a number of "
            "updates from 1 to 1000000000");
        row("seed", "-1",
            "option seed (--seed): '-1' is not a whole number from 0 to 1000000000000");
        row("saveModel", "model.pt",
            "option saveModel (--save-model): 'model.pt' is not a .onnx file");
        row("resume", "model.pt", "option resume (--resume): 'model.pt' is not a .onnx file");
        row("arithmetic", "double",
            "option arithmetic (--arithmetic): 'double' is not one of device, float.");
        row("values", "some", "option values (--values): 'some' is not one of all, curves, off.");
        row("valueSamples", "0",
            "option valueSamples (--value-samples): '0' is not a whole number from 1 to 10000");
        row("partialsType", "double",
            "option partialsType (--partials-type): 'double' is not one of float, half.");
        row("relaxMemoryTarget", "maybe",
            "option relaxMemoryTarget (--relax-memory-target): 'maybe' is not one of on, off.");
        row("foldBatchNorm", "perhaps",
            "option foldBatchNorm (--fold-batch-norm): 'perhaps' is not one of on, off.");
        row("inputMapping", "linar",
            "option inputMapping (--input-mapping): 'linar' is not one of by-use, linear. Did you "
            "mean 'linear'?");
        row("ipuModel", "2",
            "option ipuModel (--ipu-model): '2' is not one of on, off. Did you mean 'on'?");
        row("deviceMapping", "0,one",
            "option deviceMapping (--device-mapping): 'one' is not a whole number from 0 to 255");
        row("deviceMapping", "0,,1",
            "option deviceMapping (--device-mapping): '' is not a whole number from 0 to 255");
        row("phases", "0", "option phases (--phases): '0' is not a whole number from 1 to 100000");
        row("phaseStages", "3",
            "option phaseStages (--phase-stages): '3' is not a whole number from 1 to 2");
        row("phaseSchedule", "bach",
            "option phaseSchedule (--phase-schedule): 'bach' is not one of interleaving, batch. "
            "Did you mean 'batch'?");
        row("outline", "yes", "option outline (--outline): 'yes' is not one of on, off.");
        row("outlineThreshold", "-1",
            "option outlineThreshold (--outline-threshold): '-1' is not a number from 0 to "
            "1000000000");
        row("outlineCopyCostPruning", "1",
            "option outlineCopyCostPruning (--outline-copy-cost-pruning): '1' is not one of on, "
            "off. Did you mean 'on'?");
        row("optimizer", "adm",
            "option optimizer (--optimizer): 'adm' is not one of sgd, momentum, adam, adamw, lamb, "
            "lars, rmsprop. "
            "Did you mean 'adam'?");
        row("loss", "msee",
            "option loss (--loss): 'msee' is not one of auto, cross-entropy, "
            "categorical-cross-entropy, binary-cross-entropy, mse, mae, "
            "sparse_categorical_crossentropy, categorical_crossentropy, binary_crossentropy, "
            "mean_squared_error, mean_absolute_error. Did you mean 'mse'?");
        row("customOperations", "ops.txt",
            "option customOperations (--custom-operations): 'ops.txt' is not a .json file; give "
            "one that declares operations");
        row("accumulationReduction", "max",
            "option accumulationReduction (--accumulation-reduction): 'max' is not one of sum, "
            "mean. Did you mean 'mean'?");
        row("accumulationType", "haf",
            "option accumulationType (--accumulation-type): 'haf' is not one of float, half. Did "
            "you mean 'half'?");
        row("optimizerStateType", "8",
            "option optimizerStateType (--optimizer-state-type): '8' is not one of float, half.");
        row("lossOutput", "a,,b",
            "option lossOutput (--loss-output): 'a,,b' is not the name of a single output");
        row("frozen", "a,,b", "option frozen (--frozen): 'a,,b' has an empty name");
        row("lossScaling", "0",
            "option lossScaling (--loss-scaling): '0' is not a number from 1e-06 to 1000000000");
        row("learningRate", "-1",
            "option learningRate (--learning-rate): '-1' is not a number from 0 to 1000");
        row("weightDecay", "2",
            "option weightDecay (--weight-decay): '2' is not a number from 0 to 1");
        row("momentum", "1",
            "option momentum (--momentum): '1' is not a number from 0 to 0.999999");
        row("beta1", "x", "option beta1 (--beta1): 'x' is not a number from 0 to 0.999999");
        row("beta2", "1", "option beta2 (--beta2): '1' is not a number from 0 to 0.999999");
        row("optimizerEpsilon", "-1",
            "option optimizerEpsilon (--optimizer-epsilon): '-1' is not a number from 0 to 1");
        row("biasCorrection", "no",
            "option biasCorrection (--bias-correction): 'no' is not one of on, off. Did you mean "
            "'on'?");
        row("maxWeightNorm", "-1",
            "option maxWeightNorm (--max-weight-norm): '-1' is not a number from 0 to 1000000000");
        row("nesterov", "yes", "option nesterov (--nesterov): 'yes' is not one of on, off.");
        row("centered", "yes", "option centered (--centered): 'yes' is not one of on, off.");
        row("amsgrad", "yes", "option amsgrad (--amsgrad): 'yes' is not one of on, off.");
        row("clipValue", "0",
            "option clipValue (--clip-value): '0' is not a number from 1e-09 to 1000000000");
        row("clipNorm", "-1",
            "option clipNorm (--clip-norm): '-1' is not a number from 1e-09 to 1000000000");
        row("globalClipNorm", "1e10",
            "option globalClipNorm (--global-clip-norm): '1e10' is not a number from 1e-09 to "
            "1000000000");
        row("parameterGroups", "[1]",
            "option parameterGroups (--parameter-groups): a JSON object of weights and their "
            "numbers is needed, such as {\"encoder,head.bias\": {\"learningRate\": 0.01, "
            "\"weightDecay\": 0}}");
        row("parameterGroups", R"({"a,": {}})",
            "option parameterGroups (--parameter-groups): 'a,' has an empty name");
        row("parameterGroups", R"({"a": 1})",
            "option parameterGroups (--parameter-groups): the numbers of 'a' must be an object");
        row("parameterGroups", R"({"a": {"momentun": 1}})",
            "option parameterGroups (--parameter-groups): 'momentun' is not a number of a group; "
            "there are learningRate, weightDecay, momentum, beta1, beta2, optimizerEpsilon. Did "
            "you mean 'momentum'?");
        row("parameterGroups", R"({"a": {"momentum": 1}})",
            "option momentum (--momentum): '1' is not a number from 0 to 0.999999");
        return rows;
    }

private slots:
    void refusesWrongValues_data() {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QString>("error");
        for (const WrongValue& row : wrongValues())
            QTest::addRow("%s=%s", row.key.constData(), row.value.constData())
                << row.key << row.value << row.error;
    }
    void refusesWrongValues() {
        QFETCH(QByteArray, key);
        QFETCH(QByteArray, value);
        QFETCH(QString, error);
        RunOptions options;
        QCOMPARE(userError([&] { setRunOption(options, key.toStdString(), value.toStdString()); }),
                 error);
    }

    /// Every option rejects what cannot be a value of its type, in an error that names it.
    void aKeyThatIsThereTwiceIsSaid() {
        const auto error = [](const char* json) {
            return userError([&] { (void)parseJson(json, "job.json"); });
        };
        QCOMPARE(error(R"({"a": 1, "b": 2, "a": 3})"),
                 "job.json:1:20: not valid JSON: the key 'a' occurs twice");
        QVERIFY(error(R"([{"a": {"b": 1}}, {"a": {"c": 1, "c": 2}}])").contains("key 'c'"));
        QCOMPARE(error(R"({"a": {"a": [{"a": 1}, {"a": 2}]}, "b": {"a": "a"}})"), "no error");
    }

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
                // A directory or file may have any name.
                if (value == spec.defaultValue || spec.key == "executableCache" ||
                    (spec.topic == OptionTopic::Compute && spec.type == Type::Text))
                    continue;
                RunOptions options;
                const QString error = userError([&] { spec.set(options, value); });
                QVERIFY2(error.startsWith(text("option " + spec.key + " (" + spec.flag + ")")),
                         qPrintable(text(spec.key + "=" + value) + ": " + error));
            }
    }

    /// A new option needs a row in wrongValues().
    void everyOptionHasAWrongValue() {
        std::set<QByteArray> known;
        for (const WrongValue& row : wrongValues())
            known.insert(row.key);
        for (const OptionSpec& spec : runOptionTable())
            QVERIFY2(known.contains(QByteArray::fromStdString(spec.key)), spec.key.c_str());
    }
};

TILESCOPE_TEST(OptionValuesTest)

} // namespace option_values_test

#include "option_values_test.moc"
