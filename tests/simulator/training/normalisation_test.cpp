// Normalisation, dropout and losses of ONNX in training.
#include <algorithm>
#include <set>

#include <QtTest>

#include "core/base/error.h"
#include "model_text.h"
#include "simulator/prepare/prepare.h"
#include "simulator/simulate.h"
#include "support/invariants.h"
#include "tests/support/test_main.h"

namespace normalisation_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

const std::string convNorm =
    "g (float[4,8,6,6] x, float[16,8,3,3] w, float[16] s, float[16] b, float[16] m, float[16] v) "
    "=> (float[4,16] y) { c = Conv <pads = [1,1,1,1]> (x, w) n = BatchNormalization(c, s, b, m, v) "
    "r = Relu(n) p = GlobalAveragePool(r) y = Flatten(p) }";

const std::string layerNorm =
    "g (float[4,8,32] x, float[32,32] w, float[32] s, float[32] b) => (float[4,8,32] y) "
    "{ h = MatMul(x, w) y = LayerNormalization <axis = -1> (h, s, b) }";

/// Layers that are alike but for the first, whose data need no gradient.
const std::string threeLayers =
    "g (float[4,16,6,6] x, float[16,16,3,3] w, float[16] s, float[16] b, float[16] m, float[16] v, "
    "float[16,16,3,3] w2, float[16] s2, float[16] b2, float[16] m2, float[16] v2, "
    "float[16,16,3,3] w3, float[16] s3, float[16] b3, float[16] m3, float[16] v3) "
    "=> (float[4,16] y) { c = Conv <pads = [1,1,1,1]> (x, w) "
    "n = BatchNormalization(c, s, b, m, v) r = Relu(n) c2 = Conv <pads = [1,1,1,1]> (r, w2) "
    "n2 = BatchNormalization(c2, s2, b2, m2, v2) r2 = Relu(n2) "
    "c3 = Conv <pads = [1,1,1,1]> (r2, w3) n3 = BatchNormalization(c3, s3, b3, m3, v3) "
    "r3 = Relu(n3) p = GlobalAveragePool(r3) y = Flatten(p) }";
const std::vector<std::string> weightsOfThree{"w",  "s",  "b",  "m",  "v",  "w2", "s2", "b2",
                                              "m2", "v2", "w3", "s3", "b3", "m3", "v3"};

/// A model of text to train: what the values named are is of no interest, so they become weights.
Graph trained(const std::string& text, const std::vector<std::string>& weights) {
    ImportOptions import;
    import.training = true;
    onnx::ModelProto model = parseModel(text);
    for (auto& node : *model.mutable_graph()->mutable_node())
        node.set_name(node.output(0));
    Graph graph = importOnnx(model, "test.onnx", import);
    std::erase_if(graph.inputs, [&](TensorId id) {
        Tensor& tensor = graph.tensors[id];
        const bool weight = std::find(weights.begin(), weights.end(), tensor.name) != weights.end();
        if (weight)
            tensor.role = TensorRole::Weight;
        return weight;
    });
    return graph;
}

/// The same with values for the weights, as models have them.
Graph trainedFromValues(const std::string& text, const std::vector<std::string>& weights) {
    ImportOptions import;
    import.training = true;
    onnx::ModelProto model = parseModel(text);
    onnx::GraphProto& graph = *model.mutable_graph();
    for (auto& node : *graph.mutable_node())
        node.set_name(node.output(0));
    const auto inputs = graph.input();
    graph.clear_input();
    for (const onnx::ValueInfoProto& input : inputs) {
        if (std::find(weights.begin(), weights.end(), input.name()) == weights.end()) {
            *graph.add_input() = input;
            continue;
        }
        onnx::TensorProto& value = *graph.add_initializer();
        value.set_name(input.name());
        value.set_data_type(onnx::TensorProto::FLOAT);
        std::size_t elements = 1;
        for (const auto& dimension : input.type().tensor_type().shape().dim()) {
            value.add_dims(dimension.dim_value());
            elements *= static_cast<std::size_t>(dimension.dim_value());
        }
        value.set_raw_data(std::string(elements * sizeof(float), '\1'));
    }
    return importOnnx(model, "test.onnx", import);
}

RunOptions training() {
    RunOptions options;
    options.outline.enabled = false; // operations are counted
    options.batch.mode = "training";
    options.machine.target.tilesPerIpu = 32;
    return options;
}

std::int64_t countOf(const Graph& graph, const std::string& part) {
    return std::count_if(graph.ops.begin(), graph.ops.end(), [&](const Op& op) {
        return op.name.find(part) != std::string::npos && !isView(op.attributes);
    });
}

std::int64_t computeSetsOf(const Profile& profile, const std::string& part) {
    return std::count_if(
        profile.computeSets.begin(), profile.computeSets.end(),
        [&](const ComputeSet& set) { return set.name.find(part) != std::string::npos; });
}

} // namespace

class NormalisationTest : public QObject {
    Q_OBJECT

private slots:
    void batchNormalisationIsKeptInTrainingOnly() {
        QVERIFY(!QString::fromStdString(summary(importText(convNorm))).contains("Norm"));
        const Graph graph = trained(convNorm, {"w", "s", "b", "m", "v"});
        QVERIFY(QString::fromStdString(summary(graph)).contains("Norm[4,16,6,6] RELU"));
    }

    void statisticsShareTheirComputeSets() {
        const Graph graph = trained(convNorm, {"w", "s", "b", "m", "v"});
        const Profile profile = simulate(graph, training());
        const std::string wrong = complaints(profile);
        QVERIFY2(wrong.empty(), wrong.c_str());
        // Two stages for both sums, then the inverse deviation.
        QVERIFY(computeSetsOf(profile, "n/normStats") <= 3);
        QCOMPARE(computeSetsOf(profile, "n/normStats/iStdDev"), 1);
        const auto joint = std::find_if(
            profile.computeSets.begin(), profile.computeSets.end(), [](const ComputeSet& set) {
                return set.name.find("n/normStats/Reduce") != std::string::npos;
            });
        QVERIFY(joint != profile.computeSets.end());
        QCOMPARE(joint->vertices.size(), 2U);
    }

    void replicasShareStatistics_data() {
        QTest::addColumn<int>("replicas");
        QTest::addColumn<int>("group");
        QTest::newRow("2 of 2") << 2 << 2;
        QTest::newRow("2 of 8") << 8 << 2;
        QTest::newRow("8 of 8") << 8 << 8;
        QTest::newRow("a POD128") << 128 << 128; // over two IPU-Link domains
    }
    void replicasShareStatistics() {
        QFETCH(int, replicas);
        QFETCH(int, group);
        const Graph graph = trained(convNorm, {"w", "s", "b", "m", "v"});
        RunOptions options = training();
        options.replication.replicas = replicas;
        const Profile alone = simulate(graph, options);
        options.replication.distributedBatchNormReplicaGroupSize = group;
        const Profile shared = simulate(graph, options);
        const std::string wrong = complaints(shared);
        QVERIFY2(wrong.empty(), wrong.c_str());
        // One collective for both statistics, one for both sums of the gradient.
        const auto sharing = [](const Op& op) {
            return std::holds_alternative<CollectiveAttributes>(op.attributes) &&
                   op.name.find("n/") == 0;
        };
        const Graph prepared = preparedGraph(graph, options);
        QCOMPARE(std::count_if(prepared.ops.begin(), prepared.ops.end(), sharing), 2);
        for (const Op& op : prepared.ops) {
            if (!sharing(op))
                continue;
            QCOMPARE(op.inputs.size(), 2U);
            QCOMPARE(op.outputs.size(), 2U);
            QCOMPARE(std::get<CollectiveAttributes>(op.attributes).shards, group);
        }
        const Graph before = preparedGraph(graph, training());
        QCOMPARE(std::count_if(before.ops.begin(), before.ops.end(), sharing), 0);
        const auto globalOf = [](const Profile& profile) {
            std::int64_t steps = 0;
            for (const Exchange& exchange : profile.exchanges)
                steps += exchange.name.starts_with("n/");
            return steps;
        };
        QCOMPARE(globalOf(shared) - globalOf(alone) >= 2, true);
        QVERIFY(shared.info.cycles > alone.info.cycles);
    }

    void sharedStatisticsAreOutlined() {
        const Graph graph = trainedFromValues(threeLayers, weightsOfThree);
        RunOptions options = training();
        options.outline.enabled = true;
        options.batch.gradientAccumulation = 4; // else updates lie between the parts of a gradient
        options.replication.replicas = 4;
        options.replication.distributedBatchNormReplicaGroupSize = 4;
        for (const Recompute recompute : {Recompute::None, Recompute::All}) {
            options.memory.recompute = recompute;
            const Profile profile = simulate(graph, options);
            const std::string wrong = complaints(profile);
            QVERIFY2(wrong.empty(), wrong.c_str());
            const Graph prepared = preparedGraph(graph, options);
            // A normalisation is one function each way, with its collective.
            std::set<Pass> passes;
            for (const Graph& function : prepared.functions)
                for (const Op& op : function.ops)
                    if (std::holds_alternative<CollectiveAttributes>(op.attributes))
                        passes.insert(op.pass);
            QVERIFY(passes.contains(Pass::Forward));
            QVERIFY(passes.contains(Pass::Backward));
        }
    }

    void stagesShareStatistics() {
        const Graph graph = trained(threeLayers, weightsOfThree);
        RunOptions options = training();
        options.machine.target.ipus = 2;
        options.execution.scheme = Execution::Pipelined;
        options.execution.split = {"c2"};
        options.batch.gradientAccumulation = 8;
        options.replication.replicas = 4;
        options.replication.distributedBatchNormReplicaGroupSize = 2;
        for (const Schedule schedule :
             {Schedule::PopArt, Schedule::Grouped, Schedule::Interleaved, Schedule::Sequential}) {
            options.execution.schedule = schedule;
            options.memory.recompute =
                schedule == Schedule::Grouped ? Recompute::Pipeline : Recompute::None;
            const std::string wrong = complaints(simulate(graph, options));
            QVERIFY2(wrong.empty(), (std::string(toString(schedule)) + ": " + wrong).c_str());
        }
        options.execution.schedule = Schedule::Grouped;
        options.machine.target.tilesPerIpu += 32;
        options.machine.ioTiles = 32;
        options.host.exchangeStrategy = ExchangeStrategy::OverlapInnerLoop;
        const std::string wrong = complaints(simulate(graph, options));
        QVERIFY2(wrong.empty(), wrong.c_str());
    }

    void nothingToShareIsSaid() {
        const auto messageOf = [](const Profile& profile) {
            for (const Message& message : profile.messages)
                if (message.text.starts_with("option distributedBatchNormReplicaGroupSize has no "
                                             "effect: "))
                    return QString::fromStdString(message.text).section(": ", 1);
            return QString();
        };
        RunOptions options = training();
        options.replication.distributedBatchNormReplicaGroupSize = 2;
        const Graph graph = trained(convNorm, {"w", "s", "b", "m", "v"});
        QCOMPARE(messageOf(simulate(graph, options)),
                 "a single replica has no others to share statistics with");
        options.replication.replicas = 2;
        QCOMPARE(messageOf(simulate(graph, options)), "");
        QCOMPARE(messageOf(simulate(trained(layerNorm, {"w", "s", "b"}), options)),
                 "the model has no batch normalisation");
        options.batch.mode = "inference";
        QCOMPARE(messageOf(simulate(importText(convNorm), options)),
                 "inference normalises with the statistics from training");
    }

    void groupNormalisation_data() {
        QTest::addColumn<int>("opset");
        QTest::addColumn<int>("scales");
        QTest::addColumn<bool>("graphcore");
        QTest::newRow("since 18 a scale a group") << 18 << 4 << false;
        QTest::newRow("since 21 a scale a channel") << 21 << 16 << false;
        QTest::newRow("ai.graphcore") << 17 << 16 << true;
    }
    void groupNormalisation() {
        QFETCH(int, opset);
        QFETCH(int, scales);
        QFETCH(bool, graphcore);
        const std::string n = std::to_string(scales);
        onnx::ModelProto model =
            parseModel("g (float[4,8,6,6] x, float[16,8,3,3] w, float[" + n + "] s, float[" + n +
                           "] b) => (float[4,16] y) { c = Conv <pads = [1,1,1,1]> (x, w) n = "
                           "GroupNormalization <num_groups = 4> (c, s, b) p = GlobalAveragePool(n) "
                           "y = Flatten(p) }",
                       opset);
        if (graphcore) {
            model.mutable_graph()->mutable_node(1)->set_domain("ai.graphcore");
            auto& set = *model.add_opset_import();
            set.set_domain("ai.graphcore");
            set.set_version(1);
        }
        const Graph inference = importOnnx(model, "test.onnx", {});
        checkGraph(inference);
        // Statistics of each sample's groups, not of its channels.
        const std::string parts = summary(preparedGraph(inference, {}));
        QVERIFY2(QString::fromStdString(parts).contains("[4,4,1,1,1]"), parts.c_str());
        const std::string amiss = complaints(simulate(inference, {}));
        QVERIFY2(amiss.empty(), amiss.c_str());
        ImportOptions import;
        import.training = true;
        Graph graph = importOnnx(model, "test.onnx", import);
        for (const TensorId id : graph.inputs)
            if (graph.tensors[id].name != "x")
                graph.tensors[id].role = TensorRole::Weight;
        graph.inputs.resize(1);
        const Graph prepared = preparedGraph(graph, training());
        checkGraph(prepared);
        QCOMPARE(countOf(prepared, "_var_update"), 3); // weights, scale and shift
        const std::string wrong = complaints(simulate(graph, training()));
        QVERIFY2(wrong.empty(), wrong.c_str());
    }

    void groupNormalisationSaysWhatDoesNotFit() {
        const auto errorOf = [](const char* groups, const char* scales, int opset) {
            try {
                importText("g (float[2,6,4,4] x, float[" + std::string(scales) + "] s, float[" +
                               scales +
                               "] b) => (float[2,6,4,4] y) { y = GroupNormalization "
                               "<num_groups = " +
                               groups + "> (x, s, b) }",
                           opset);
            } catch (const UserError& error) {
                return QString(error.what());
            }
            return QString();
        };
        QCOMPARE(errorOf("3", "6", 21), "");
        QVERIFY(errorOf("4", "6", 21).contains("4 groups do not divide the channels"));
        QVERIFY(errorOf("3", "3", 21).contains("a value for each of 6 channels"));
        QVERIFY(errorOf("3", "6", 18).contains("a value for each of 3 groups"));
    }

    void everyParameterIsUpdatedAndRunningStatisticsMove() {
        const Graph graph = preparedGraph(trained(convNorm, {"w", "s", "b", "m", "v"}), training());
        checkGraph(graph);
        QCOMPARE(countOf(graph, "_var_update"), 3); // weights, scale and shift
        QCOMPARE(countOf(graph, "n/runningMean"), 1);
        QCOMPARE(countOf(graph, "n/runningVar"), 1);
        QCOMPARE(countOf(graph, "n/whitenedActs"), 2);
        QCOMPARE(countOf(graph, "n/scaleOffsetGrads"), 2);
    }

    void runningStatisticsAreNotUpdatedAgain() {
        RunOptions options = training();
        options.memory.recompute = Recompute::All;
        options.memory.checkpoints = {"r"};
        const Graph graph = preparedGraph(trained(convNorm, {"w", "s", "b", "m", "v"}), options);
        for (const Op& op : graph.ops) {
            if (op.name.find("n/running") != std::string::npos && !isView(op.attributes))
                QCOMPARE(op.recomputeGroup, -1);
            if (op.name == "n/normStats")
                QVERIFY(op.recomputeGroup >= 0);
        }
    }

    void layerNormalisationHasOneGradient() {
        const Graph graph = preparedGraph(trained(layerNorm, {"w", "s", "b"}), training());
        checkGraph(graph);
        QCOMPARE(countOf(graph, "_var_update"), 3);
        QCOMPARE(countOf(graph, "y/groupNormStatistics"), 2);
        QCOMPARE(countOf(graph, "y/operandGrad"), 7);
        const std::string wrong =
            complaints(simulate(trained(layerNorm, {"w", "s", "b"}), training()));
        QVERIFY2(wrong.empty(), wrong.c_str());
    }

    void gradientsOfAConvolutionTakeTwiceItsWork() {
        Graph graph = trained("g (float[2,8,6,6] x, float[8,8,3,3] v, float[4,8,3,3] w) => "
                              "(float[2,4] y) { a = Conv <pads = [1,1,1,1]> (x, v) b = Relu(a) c = "
                              "Conv <pads = [1,1,1,1]> (b, w) p = GlobalAveragePool(c) "
                              "y = Flatten(p) }",
                              {"v", "w"});
        graph = preparedGraph(graph, training());
        double forward = 0;
        double backward = 0;
        double first = 0;
        for (const Op& op : graph.ops) {
            if (!isPlanned(op.attributes))
                continue;
            (op.pass == Pass::Forward ? forward : backward) += flopsOf(graph, op);
            if (op.name == "a")
                first = flopsOf(graph, op);
        }
        // The gradient of the input is not needed.
        QCOMPARE(backward, 2 * forward - first);
    }

    void dropoutDropsInTraining() {
        const std::string model = "g (float[4,64] x, float[64,64] w) => (float[4,64] y) "
                                  "{ h = MatMul(x, w) y = Dropout(h) }";
        QCOMPARE(QString::fromStdString(summary(importText(model))), "MatMul[4,64]");
        const Graph graph = preparedGraph(trained(model, {"w"}), training());
        QCOMPARE(countOf(graph, "y/DropoutGrad"), 1);
    }

    void aModelsOwnLossIsTrained_data() {
        QTest::addColumn<QString>("nodes");
        QTest::addColumn<QString>("gradient");
        QTest::newRow("cross-entropy")
            << "l = SoftmaxCrossEntropyLoss <reduction = \"mean\"> (h, t)"
            << "NllWithSoftmaxGradDirect";
        QTest::newRow("log-likelihood") << "p = LogSoftmax <axis = 1> (h) l = "
                                           "NegativeLogLikelihoodLoss <reduction = \"sum\"> (p, t)"
                                        << "SoftmaxGrad";
        QTest::newRow("squares") << "p = Mul(h, h) l = ReduceMean <keepdims = 0> (p)"
                                 << "MulArg";
    }

    void aModelsOwnLossIsTrained() {
        QFETCH(QString, nodes);
        QFETCH(QString, gradient);
        const std::string model = "g (float[4,16] x, int64[4] t, float[16,8] w) => (float l) "
                                  "{ h = MatMul(x, w) " +
                                  nodes.toStdString() + " }";
        const Graph source = trained(model, {"w"});
        const Graph graph = preparedGraph(source, training());
        checkGraph(graph);
        QVERIFY(countOf(graph, gradient.toStdString()) > 0);
        QCOMPARE(countOf(graph, "w_var_update"), 1);
        QCOMPARE(graph.outputs.size(), 1U);
        for (const TensorId in : graph.inputs)
            QVERIFY(graph.tensors[in].name != "label");
        const std::string wrong = complaints(simulate(source, training()));
        QVERIFY2(wrong.empty(), wrong.c_str());
    }

    void aLossWithoutReductionIsRefused() {
        QVERIFY_THROWS_EXCEPTION(
            UserError, trained("g (float[4,8] x, int64[4] t) => (float[4] l) "
                               "{ l = SoftmaxCrossEntropyLoss <reduction = \"none\"> (x, t) }",
                               {"x"}));
    }

    void aMeanOverMicroBatchesDividesOnce() {
        RunOptions options = training();
        options.batch.gradientAccumulation = 4;
        const Graph source = trained(layerNorm, {"w", "s", "b"});
        QCOMPARE(countOf(preparedGraph(source, options), "_accumulatorMean"), 0);
        options.training.accumulationReduction = Reduction::Mean;
        options.training.accumulationType = Precision::Half;
        const Graph graph = preparedGraph(source, options);
        QCOMPARE(countOf(graph, "_accumulatorMean"), 3);
        for (const Op& op : graph.ops)
            if (op.name.find("_accumulatorMean") != std::string::npos) {
                QVERIFY(op.pass == Pass::Update);
                QVERIFY(graph.tensors[op.inputs[0]].type == DataType::Half);
            }
    }
};

TILESCOPE_TEST(NormalisationTest, QCoreApplication)

} // namespace normalisation_test

#include "normalisation_test.moc"
