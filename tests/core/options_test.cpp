#include <QTest>
#include <set>

#include "core/options/option_table.h"
#include "core/options/run_options.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace options_test {
using namespace tilescope;
using namespace tilescope::test;

class OptionsTest : public QObject {
    Q_OBJECT

private:
    /// Options and the answer to them together.
    static std::vector<std::pair<QString, QString>> combinations() {
        std::vector<std::pair<QString, QString>> rows;
        const auto row = [&](const char* options, const char* error) {
            rows.emplace_back(options, error);
        };
        row("ipus=2",
            "option execution (--execution): 'single' uses one IPU, not 2; choose 'sharded', "
            "'pipelined' or 'phased', or --ipus 1");
        row("schedule=grouped",
            "option schedule (--schedule): 'grouped' is a schedule of a pipeline; add "
            "--execution pipelined");
        row("schedule=interleaved execution=sharded ipus=2",
            "option schedule (--schedule): 'interleaved' is a schedule of a pipeline; add "
            "--execution pipelined");
        row("split=a", "option split (--split): one IPU has nothing to split; add --ipus N");
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
        row("ipus=2 execution=phased phases=2 deviceMapping=0,1",
            "option deviceMapping (--device-mapping): phases take turns on IPUs by "
            "--phase-stages; leave it out, or add --execution pipelined (or sharded)");
        row("gradientAccumulation=4", "option gradientAccumulation (--gradient-accumulation): "
                                      "gradients are accumulated in training only; add --mode "
                                      "training, or use --device-iterations");
        row("optimizer=adam",
            "option optimizer (--optimizer): weights are updated in training only; add --mode "
            "training, or leave it out");
        row("recompute=all",
            "option recompute (--recompute): inference has no backward pass to recompute for; "
            "add --mode training, or leave it out");
        row("mode=training checkpoint=a", "option checkpoint (--checkpoint): nothing is "
                                          "recomputed, so everything is kept; add --recompute "
                                          "standard, or leave it out");
        row("mode=training recompute=pipeline", "option recompute (--recompute): 'pipeline' "
                                                "recomputes between the stages of a pipeline; add "
                                                "--execution pipelined, or choose 'standard'");
        row("mode=training recompute=pipeline execution=pipelined ipus=2 checkpoint=a", "no error");
        row("execution=sharded",
            "option execution (--execution): 'sharded' shares a model between several IPUs, but "
            "there is only one; add --ipus N, or leave it out");
        row("execution=pipelined",
            "option execution (--execution): 'pipelined' shares a model between several IPUs, but "
            "there is only one; add --ipus N, or leave it out");
        row("phases=4",
            "option phases (--phases): only phased execution has phases; add --execution phased, "
            "or leave it out");
        row("phaseStages=2", "option phaseStages (--phase-stages): only phased execution has "
                             "phases; add --execution "
                             "phased, or leave it out");
        row("execution=pipelined ipus=2 phaseSchedule=batch",
            "option phaseSchedule (--phase-schedule): only phased execution has phases; add "
            "--execution phased, or "
            "leave it out");
        row("execution=phased phases=4 ipus=3",
            "option phaseStages (--phase-stages): 3 IPUs do not make 2 groups of equal size; "
            "choose an even number "
            "of --ipus, or --phase-stages 1");
        row("execution=phased phases=4 phaseStages=2",
            "option phaseStages (--phase-stages): 1 IPUs do not make 2 groups of equal size; "
            "choose an even number "
            "of --ipus, or --phase-stages 1");
        row("execution=phased phases=4 schedule=grouped ipus=2",
            "option schedule (--schedule): 'grouped' is a schedule of a pipeline; add --execution "
            "pipelined");
        row("execution=phased phases=4 mode=training recompute=pipeline",
            "option recompute (--recompute): 'pipeline' recomputes between the stages of a "
            "pipeline; add "
            "--execution pipelined, or choose 'standard'");
        row("execution=phased split=a,b ipus=2", "no error");
        row("execution=phased phases=3 ipus=3 phaseStages=1", "no error");
        row("mode=training foldBatchNorm=on",
            "option foldBatchNorm (--fold-batch-norm): training normalises by the statistics of "
            "its batches; leave it out");
        row("accumulationReduction=mean",
            "option accumulationReduction (--accumulation-reduction): gradients are accumulated in "
            "training only; add --mode "
            "training, or leave it out");
        row("accumulationType=half", "option accumulationType (--accumulation-type): gradients are "
                                     "accumulated in training only; add --mode "
                                     "training, or leave it out");
        row("optimizerStateType=half", "option optimizerStateType (--optimizer-state-type): an "
                                       "optimizer keeps state in training only; add --mode "
                                       "training, or leave it out");
        row("loss=mse", "option loss (--loss): there is a loss in training only; add --mode "
                        "training, or leave it out");
        row("mode=training loss=mean_squared_error", "no error");
        row("lossScaling=128",
            "option lossScaling (--loss-scaling): there is a loss in training only; add --mode "
            "training, or leave it out");
        row("learningRate=0.1", "option learningRate (--learning-rate): weights are updated in "
                                "training only; add --mode training, or leave it out");
        row("weightDecay=0.1", "option weightDecay (--weight-decay): weights are updated in "
                               "training only; add --mode training, or leave it out");
        row("mode=training optimizer=momentum momentum=0.5 lossOutput=l frozen=a", "no error");
        row("mode=training optimizer=adamw learningRate=0.1 weightDecay=0 beta1=0.8 beta2=0.99 "
            "optimizerEpsilon=1e-6",
            "no error");
        row("mode=training optimizer=lamb biasCorrection=off maxWeightNorm=2", "no error");
        row("mode=training optimizer=momentum nesterov=on clipValue=1 clipNorm=2", "no error");
        row("mode=training optimizer=rmsprop centered=on globalClipNorm=1 replicas=2", "no error");
        row("mode=training optimizer=adam amsgrad=on", "no error");
        row("clipNorm=1", "option clipNorm (--clip-norm): weights are updated in training only; "
                          "add --mode training, or leave it out");
        row("mode=training optimizer=adam replicas=2 replicatedTensorSharding=on globalClipNorm=1",
            "option globalClipNorm (--global-clip-norm): the norm of gradients that are spread "
            "over replicas is not simulated; leave one of the two out");
        row(R"(parameterGroups={"a":{}})",
            "option parameterGroups (--parameter-groups): weights are updated in training only; "
            "add --mode training, or leave it out");
        row(R"(mode=training parameterGroups={"a":{"beta1":0.5}})",
            "option parameterGroups (--parameter-groups): the group of 'a' has 'beta1', but only "
            "--optimizer adam, adamw and lamb have a first moment; leave it out");
        row("outline=off outlineThreshold=10",
            "option outlineThreshold (--outline-threshold): nothing becomes a function with "
            "--outline off; leave one of "
            "them out");
        row("outline=off outlineCopyCostPruning=off",
            "option outlineCopyCostPruning (--outline-copy-cost-pruning): nothing becomes a "
            "function with --outline off; leave "
            "one of them out");
        row("replicas=3",
            "option replicas (--replicas): 3 replicas of 1 IPUs are 3 IPUs, but a machine attaches "
            "a power of two; choose both so that their product is one");
        row("replicas=128 ipus=4 execution=pipelined",
            "option replicas (--replicas): 128 replicas of 4 IPUs are 512 IPUs, but the largest "
            "machine has 256; choose --replicas 64 or fewer");
        row("target=pod16 replicas=8 ipus=4 execution=pipelined",
            "option replicas (--replicas): 8 replicas of 4 IPUs are 32 IPUs, but IPU-POD16 "
            "(GC200) has 16; choose --replicas 4 or fewer");
        row("target=pod4 ipus=8 execution=pipelined",
            "option replicas (--replicas): 1 replicas of 8 IPUs are 8 IPUs, but IPU-POD4 (GC200) "
            "has 4; choose --replicas 1 or fewer and --ipus 4 or fewer");
        row("replicas=2 ipuModel=on", "option replicas (--replicas): the IPU Model has no "
                                      "replicas; leave --ipu-model or --replicas out");
        row("mode=training optimizer=adam replicatedTensorSharding=on",
            "option replicatedTensorSharding (--replicated-tensor-sharding): sharding needs at "
            "least two replicas; add --replicas N, or leave it out");
        row("mode=training replicas=4 replicatedTensorSharding=on",
            "option replicatedTensorSharding (--replicated-tensor-sharding): there is no optimizer "
            "state to share; add --mode training with --optimizer momentum, adam, adamw, lamb or "
            "lars, or leave it out");
        row("mode=training replicas=4 optimizer=lamb minElementsForReplicatedTensorSharding=1",
            "option minElementsForReplicatedTensorSharding "
            "(--min-elements-for-replicated-tensor-sharding): no state is spread; add "
            "--replicated-tensor-sharding, or leave it out");
        row("mode=training replicas=4 optimizer=lamb replicatedTensorSharding=on "
            "minElementsForReplicatedTensorSharding=1",
            "no error");
        row("ignoreData=on outputMode=final", "option outputMode (--output-mode): nothing is "
                                              "exchanged with the host; leave it out");
        row("ignoreData=on", "no error");
        row("mode=training maxCrossReplicaBufferSize=1",
            "option maxCrossReplicaBufferSize (--max-cross-replica-buffer-size): a single replica "
            "has no gradients to sum with others; add --replicas N, or leave it out");
        row("mode=training replicas=4 distributedBatchNormReplicaGroupSize=3",
            "option distributedBatchNormReplicaGroupSize "
            "(--distributed-batch-norm-replica-group-size): groups of 3 replicas do not make up 4 "
            "replicas; choose a divisor of 4, or other --replicas");
        row("mode=training replicas=4 distributedBatchNormReplicaGroupSize=2", "no error");
        row("replicas=4 distributedBatchNormReplicaGroupSize=3", "no error");
        row("mode=training distributedBatchNormReplicaGroupSize=3", "no error");
        row("replicas=4 maxCrossReplicaBufferSize=1",
            "option maxCrossReplicaBufferSize (--max-cross-replica-buffer-size): there are "
            "gradients "
            "in training only; add --mode training, or leave it out");
        row("mode=training offload=optimizer",
            "option offload (--offload): there is no optimizer state; add --mode training with "
            "--optimizer momentum, adam, adamw, lamb or lars, or leave 'optimizer' out");
        row("offload=activations",
            "option offload (--offload): inference keeps no activations for later; add --mode "
            "training, or leave 'activations' out");
        row("execution=phased phases=2 offload=weights",
            "option offload (--offload): phased execution keeps weights and optimizer state off "
            "the chip anyway; leave one of them out");
        row("mode=training optimizer=lamb replicas=4 replicatedTensorSharding=on "
            "offload=optimizer,activations,weights maxCrossReplicaBufferSize=1000",
            "no error");
        row("ioTiles=33", "option ioTiles (--io-tiles): 33 is not an even number from 32 to 192; "
                          "choose one, such as 32");
        row("ioTiles=16", "option ioTiles (--io-tiles): 16 is not an even number from 32 to 192; "
                          "choose one, such as 32");
        row("ioTiles=64 tilesPerIpu=64",
            "option ioTiles (--io-tiles): 64 of 64 tiles leave fewer than 4 to compute; choose "
            "fewer, or more --tiles-per-ipu");
        row("ioTiles=32 ipus=2 execution=pipelined", "no error");
        row("ioTiles=32 ipus=2 execution=pipelined schedule=grouped "
            "exchangeStrategy=overlap-loops",
            "no error");
        row("ioTiles=32 ipus=2 execution=sharded",
            "option ioTiles (--io-tiles): they are only simulated for --execution single and "
            "pipelined, not between shards or phases; leave one of them out");
        row("ioTiles=32 ipus=2 execution=pipelined schedule=interleaved mode=training",
            "option schedule (--schedule): I/O tiles need a schedule in which a micro-batch enters "
            "in every slot, so that the next one can be loaded meanwhile: in 'interleaved' stages "
            "take turns between forward and backward; choose grouped or popart, or leave "
            "--io-tiles out");
        row("ioTiles=32 ipus=2 execution=pipelined schedule=sequential",
            "option schedule (--schedule): I/O tiles need a schedule in which a micro-batch enters "
            "in every slot, so that the next one can be loaded meanwhile: in 'sequential' one "
            "stage runs at a time; choose grouped or popart, or leave --io-tiles out");
        row("ioTiles=32 ipus=2 execution=pipelined mode=training exchangeStrategy=overlap-loops",
            "option exchangeStrategy (--exchange-strategy): a pipeline drains before each weight "
            "update, so no transfer can continue across it; choose overlap-inner-loop");
        row("ioTiles=32 tilesPerIpu=36", "no error");
        row("exchangeStrategy=overlap-loops",
            "option exchangeStrategy (--exchange-strategy): only I/O tiles can talk to the host "
            "while others compute; add --io-tiles 32, or leave it out");
        row("exchangeStrategy=overlap-inner-loop ioTiles=32", "no error");
        row("replicas=4 instances=3",
            "option instances (--instances): 3 instances cannot share 4 replicas evenly; choose a "
            "divisor of 4, or other --replicas");
        row("replicas=4 instances=4 hostRate=1000 prefetchDepth=3 inputType=int8", "no error");
        row("compute=on inputs=x.npy expect=y.npy saveOutputs=out rtol=0.1 atol=0.1 seed=3",
            "no error");
        row("compute=on arithmetic=float mode=training data=digits evalData=others epochs=3 "
            "saveModel=t.onnx resume=b.onnx learningRateSchedule=cosine values=off valueSamples=9 "
            "automaticLossScaling=on stochasticRounding=on",
            "no error");
        row("fpExceptions=all",
            "option fpExceptions (--fp-exceptions): values are only computed with --compute");
        row("compute=on automaticLossScaling=on",
            "option automaticLossScaling (--automatic-loss-scaling): only training with --data "
            "uses this");
        row("inputs=x.npy", "option inputs (--inputs): values are only computed with --compute");
        row("compute=on data=digits",
            "option data (--data): only training uses data; add --mode training");
        row("hostJitter=1", "option hostJitter (--host-jitter): without --host-rate the host is "
                            "never late; add --host-rate N, or leave it out");
        row("outputMode=every-n", "option outputEvery (--output-every): 'every-n' returns every "
                                  "n-th batch; give n with --output-every N");
        row("outputEvery=2", "option outputEvery (--output-every): it is the n of 'every-n'; add "
                             "--output-mode every-n, or leave it out");
        row("outputMode=every-n outputEvery=3 deviceIterations=10",
            "option outputEvery (--output-every): 3 does not divide the 10 batches of a call; "
            "choose a divisor, or other --device-iterations");
        row("outputMode=every-n outputEvery=5 deviceIterations=10", "no error");
        row("outputMode=final ioTiles=32",
            "option outputMode (--output-mode): I/O tiles send each micro-batch's results; leave "
            "one of them out");
        row("outputMode=every-n outputEvery=2 deviceIterations=4 ipus=2 execution=pipelined",
            "option outputMode (--output-mode): a pipeline without weight updates is one loop over "
            "all batches, without a point after every n-th; choose all, final or sum");
        row("framework=tensorflow outlineThreshold=2",
            "option outlineThreshold (--outline-threshold): of the frameworks only popart, poprt, "
            "poptorch and poplar have it; leave it out, or add --framework popart");
        row("framework=poprt", "no error");
        row("framework=poprt mode=training",
            "option framework (--framework): PopRT runs inference only; leave out --mode training, "
            "or add --framework popart");
        row("framework=poptorch outlineThreshold=2", "no error");
        row("framework=poptorch foldBatchNorm=on",
            "option foldBatchNorm (--fold-batch-norm): of the frameworks only popart, poprt and "
            "poplar have it; leave it out, or add --framework popart");
        row("framework=keras mode=training recompute=norm-only",
            "option recompute (--recompute): of the frameworks only popart, poprt, poptorch and "
            "poplar have 'norm-only'; leave it out, or add --framework popart");
        row("framework=keras mode=training recompute=all", "no error");
        row("stepsPerExecution=4",
            "option stepsPerExecution (--steps-per-execution): only Keras counts this way; add "
            "--framework keras, or give --device-iterations");
        row("framework=keras stepsPerExecution=10 mode=training gradientAccumulation=4",
            "option stepsPerExecution (--steps-per-execution): 10 is not a multiple of 4: 1 "
            "replica takes as many micro-batches each, 4 for a weight update; choose 12 or another "
            "multiple");
        row("framework=keras stepsPerExecution=10 deviceIterations=4",
            "option deviceIterations (--device-iterations): --steps-per-execution 10 makes 10 of "
            "them; leave one of the two out");
        row("mode=training gradientAccumulation=4 accumulationType=half lossScaling=128 "
            "optimizer=adam optimizerStateType=half accumulationReduction=mean",
            "no error");
        return rows;
    }

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
        QCOMPARE(text(options.machine.target.name), "mk1");
        QCOMPARE(options.machine.target.tilesPerIpu, 1216);
        QCOMPARE(*options.batch.batchSize, 4);
        QCOMPARE(options.batch.deviceIterations, 1000);
        QVERIFY(options.model.precision == Precision::Half);
        QVERIFY(options.planning.partialsType == Precision::Half);
        QCOMPARE(options.planning.memoryProportion(IpuId(0)), 0.25);
        QCOMPARE(options.planning.memoryProportion(IpuId(1)), 0.3);
        QCOMPARE(options.planning.availableMemoryProportionByOperation.at("conv1"), 0.1);
        QCOMPARE(options.planning.availableMemoryProportionByOperation.at("b/fc"), 1.0);
        QVERIFY(options.planning.relaxMemoryTarget);
        validate(options);
    }

    void modelOptionsAddUp() {
        RunOptions options;
        setRunOption(options, "modelOptions", "layers=2,head=squad");
        setRunOption(options, "modelOptions", R"({"sequenceLength": 384, "head": "mlm"})");
        QCOMPARE(options.model.sizes.size(), std::size_t(3));
        QCOMPARE(text(options.model.sizes.at("sequenceLength")), "384");
        QCOMPARE(text(options.model.sizes.at("head")), "mlm");
        QCOMPARE(text(options.model.sizes.at("layers")), "2");
    }

    void optionsThatDoNotGoTogether_data() {
        QTest::addColumn<QString>("options");
        QTest::addColumn<QString>("error");
        for (const auto& [options, error] : combinations())
            QTest::newRow(qPrintable(options)) << options << error;
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

    /// A new option needs a row in combinations(), or an entry here because it is compatible with
    /// every other.
    void everyOptionHasACombination() {
        const std::set<QString> alone{
            "batchSize", "precision", "partialsType", "availableMemoryProportion",
            "relaxMemoryTarget", "inputMapping", "executableCache", "engineOptions",
            // Checked against the model.
            "availableMemoryProportionByOperation", "modelOptions", "customOperations"};
        std::set<QString> known;
        for (const auto& [options, error] : combinations())
            for (const QString& pair : options.split(' '))
                known.insert(pair.section('=', 0, 0));
        for (const OptionSpec& spec : runOptionTable())
            QVERIFY2(known.contains(text(spec.key)) != alone.contains(text(spec.key)),
                     spec.key.c_str());
    }

    void validatesWhatIsSetDirectly() {
        RunOptions options;
        options.machine.target.tilesPerIpu = 2000;
        QCOMPARE(
            userError([&] { validate(options); }),
            "option tilesPerIpu (--tiles-per-ipu): mk2 has 4 to 1472 tiles on an IPU, not 2000");
        options = {};
        options.planning.availableMemoryProportion = -0.1;
        QCOMPARE(userError([&] { validate(options); }),
                 "option availableMemoryProportion (--available-memory-proportion): -0.1 is not a "
                 "number from 0 to 1");
        options = {};
        options.planning.availableMemoryProportionByIpu[3] = 0.5;
        QCOMPARE(userError([&] { validate(options); }),
                 "option availableMemoryProportion (--available-memory-proportion): there is no "
                 "ipu3, the target has 1");
    }

    void readsEngineOptions() {
        RunOptions options;
        addEngineOptions(options.engine, R"({"autoReport.all": "true", "prng.seed": 7,
                                      "debug.instrument": false})",
                         "test");
        QCOMPARE(text(options.engine.given.at("autoReport.all")), "true");
        QCOMPARE(text(options.engine.given.at("prng.seed")), "7");
        QCOMPARE(text(options.engine.given.at("debug.instrument")), "false");
        QCOMPARE(text(engineOptionsJson(options.engine)),
                 R"({"autoReport.all":"true","debug.instrument":"false","prng.seed":"7"})");
    }

    void saysWhereEngineOptionsAreMalformed() {
        RunOptions options;
        const auto error = [&](const char* json) {
            return userError([&] { addEngineOptions(options.engine, json, "ENV"); });
        };
        QCOMPARE(error("{\"a\": \"b\",\n  c}"), "ENV:2:3: not valid JSON: syntax error");
        QCOMPARE(error("{\"a\": \"b\""), "ENV:1:10: not valid JSON: it ends too early");
        QCOMPARE(error(""), "ENV:1:1: not valid JSON: it ends too early");
        QCOMPARE(error("{} x"), "ENV:1:4: not valid JSON: something follows the end of the value");
        QCOMPARE(error("[1]"), "ENV: engine options are a JSON object such as "
                               "{\"autoReport.all\":\"true\"}");
        QCOMPARE(error("{\"a\": [1]}"), "ENV: the value of engine option 'a' must be text, a "
                                        "number, true or false");
        // A tuner would find that no stack saves memory.
        QCOMPARE(error(R"({"target.workerStackSizeInBytes": "0"})"),
                 "ENV: engine option 'target.workerStackSizeInBytes' must be at least 8, not 0");
        QCOMPARE(error(R"({"target.supervisorStackSizeInBytes": -4})"),
                 "ENV: engine option 'target.supervisorStackSizeInBytes' must be at least 8, not "
                 "-4");
        QCOMPARE(error(R"({"target.workerStackSizeInBytes": "0x200"})"), "no error");
    }
};

TILESCOPE_TEST(OptionsTest)

} // namespace options_test

#include "options_test.moc"
