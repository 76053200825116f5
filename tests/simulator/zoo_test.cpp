// The built-in topologies: published sizes, valid files, names to split at.
#include <filesystem>
#include <functional>

#include <QTemporaryDir>
#include <QtTest>

#include <onnx/checker.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include "core/base/error.h"
#include "graph_facts.h"
#include "simulator/frontend/import.h"
#include "simulator/zoo/zoo.h"
#include "tests/support/test_main.h"

namespace zoo_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

Graph imported(const std::string& name, std::int64_t batch = 1, bool folded = false) {
    Graph graph = importOnnx(zooModel(name), name, {.batchSize = batch, .foldBatchNorm = folded});
    checkGraph(graph);
    return graph;
}

/// Elements of the weights in the file, before anything is folded.
std::int64_t trainableParameters(const onnx::ModelProto& model) {
    std::int64_t sum = 0;
    for (const auto& shape : model.graph().initializer()) {
        if (shape.name().find("running_") != std::string::npos || !shape.name().ends_with("/shape"))
            continue;
        std::int64_t elements = 1;
        for (const std::int64_t size : shape.int64_data())
            elements *= size;
        sum += elements;
    }
    return sum;
}

/// For 128 tokens: four products of hidden x hidden and two of hidden x 4 hidden a layer, the two
/// of attention, the head and the dense layers before it.
double transformerGigaMacs(double layers, double hidden, double vocabulary, double denseBefore) {
    constexpr double tokens = 128;
    const double layer = tokens * 12 * hidden * hidden + 2 * tokens * tokens * hidden;
    return (layers * layer + tokens * hidden * (vocabulary + denseBefore * hidden)) / 1e9;
}

std::string messageOf(const std::function<void()>& action) {
    try {
        action();
    } catch (const UserError& error) {
        return error.what();
    }
    return "no error";
}

} // namespace

class ZooTest : public QObject {
    Q_OBJECT

private slots:
    void facts_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<qint64>("parameters");
        QTest::addColumn<int>("convolutions");
        QTest::addColumn<double>("gigaMacs");
        QTest::addColumn<QString>("output");
        // Parameters and multiply-accumulates as torchvision documents them.
        QTest::newRow("resnet50") << "resnet50" << qint64(25557032) << 53 << 4.089 << "[1,1000]";
        QTest::newRow("resnext50")
            << "resnext50_32x4d" << qint64(25028904) << 53 << 4.230 << "[1,1000]";
        QTest::newRow("resnext101")
            << "resnext101_32x8d" << qint64(88791336) << 104 << 16.414 << "[1,1000]";
        QTest::newRow("vit-base") << "vit-base" << qint64(86567656) << 1 << 17.56 << "[1,1000]";
        // The layers' weights and products, and those of attention.
        QTest::newRow("vit-so400m")
            << "vit-so400m" << qint64(412987248) << 1 << 333.22 << "[1,729,1152]";
        // torchvision counts 0.386 without activations, products of gates and sums.
        QTest::newRow("efficientnet-b0")
            << "efficientnet" << qint64(5288548) << 81 << 0.398 << "[1,1000]";
        // Parameters as the transformers library counts them (with the tied head), products of
        // the layers and of the head for 128 tokens.
        QTest::newRow("bert-base") << "bert-base" << qint64(109514298) << 0
                                   << transformerGigaMacs(12, 768, 30522, 1) << "[1,128,30522]";
        QTest::newRow("bert-large") << "bert-large" << qint64(335174458) << 0
                                    << transformerGigaMacs(24, 1024, 30522, 1) << "[1,128,30522]";
        QTest::newRow("gpt2-small") << "gpt2-small" << qint64(124439808) << 0
                                    << transformerGigaMacs(12, 768, 50257, 0) << "[1,128,50257]";
        QTest::newRow("mnist-cnn") << "mnist-cnn" << qint64(421642) << 2 << 0.0043 << "[1,10]";
        QTest::newRow("mnist-tutorial")
            << "mnist-tutorial" << qint64(90026) << 2 << 0.00054848 << "[1,10]";
        QTest::newRow("mlp") << "mlp" << qint64(669706) << 0 << 0.00067 << "[1,10]";
    }

    void facts() {
        QFETCH(QString, name);
        QFETCH(double, gigaMacs);
        const auto model = zooModel(name.toStdString());
        const Graph graph = imported(name.toStdString());
        qInfo("%zu ops, %.4f GFLOP", graph.ops.size(), totalFlops(graph) / 1e9);
        QTEST(static_cast<qint64>(trainableParameters(model)), "parameters");
        QTEST(countKind(graph, "Conv"), "convolutions");
        QTEST(QString::fromStdString(outputShapes(graph)), "output");
        QVERIFY(std::abs(totalFlops(graph) / 2e9 / gigaMacs - 1) < 0.02);
    }

    void efficientNetsAsTorchvisionCountsThem() {
        const std::map<std::string, std::int64_t> parameters{
            {"b1", 7794184}, {"b2", 9109994}, {"b3", 12233232}, {"b4", 19341616}};
        for (const auto& [variant, count] : parameters)
            QCOMPARE(trainableParameters(zooModel("efficientnet", {{"variant", variant}})), count);
    }

    /// Other normalisations have the same weights: a scale and a bias for each channel.
    void normalisationsOfResNets() {
        for (const char* norm : {"group", "proxy"}) {
            const auto model = zooModel("resnet50", {{"norm", norm}});
            QCOMPARE(trainableParameters(model), std::int64_t{25557032});
        }
    }

    void batchNormalizationIsFoldedOnDemand() {
        const Graph graph = imported("resnet50", 1, true);
        QCOMPARE(countFunction(graph, ElementwiseFunction::Multiply), 0);
        // A bias for each convolution, one for the classifier, and sixteen residual sums.
        QCOMPARE(countFunction(graph, ElementwiseFunction::Add), 53 + 1 + 16);
        QCOMPARE(parameters(graph), 25557032 - 26560);
    }

    void namesToSplitAt() {
        const Graph resnet = imported("resnet50");
        for (const char* name : {"conv1", "bn1", "layer1/0/conv1", "layer4/2/conv3", "fc"})
            QVERIFY2(findOp(resnet, name) != nullptr, name);
        const Graph mnist = imported("mnist-cnn");
        for (const char* name : {"B1/conv1", "B2/conv2", "B3/fc1", "B4/fc2", "B4/softmax"})
            QVERIFY2(findOp(mnist, name) != nullptr, name);
    }

    void transformersSplitByScope() {
        const Graph bert = imported("bert-large");
        for (const char* name : {"Embedding/Token", "Layer0/Attention/QKV", "Layer0/Attention/Z/QK",
                                 "Layer0/FF/1", "Layer0/FF/Gelu", "Layer23/FF/2", "MLM/Decoder"})
            QVERIFY2(findOp(bert, name) != nullptr, name);
        const Graph vit = imported("vit-base");
        for (const char* name : {"Embedding/Patch", "Layer11/Attention/Z/AV", "Head"})
            QVERIFY2(findOp(vit, name) != nullptr, name);
    }

    void composedGelusAreOneOperation() {
        const Graph bert = imported("bert-base");
        QCOMPARE(countFunction(bert, ElementwiseFunction::Gelu), 12 + 1);
        QCOMPARE(countFunction(bert, ElementwiseFunction::Erf), 0);
    }

    /// TensorFlow's graph has no operation for them; PopRT's patterns make one of each.
    void graphsOfExporters() {
        const auto bert = [](const ZooOptions& more) {
            ZooOptions all{{"layers", "2"}, {"head", "squad"}, {"sequenceLength", "32"}};
            all.insert(more.begin(), more.end());
            const onnx::ModelProto model = zooModel("bert-base", all);
            onnx::checker::check_model(model);
            Graph graph = importOnnx(model, "bert-base", {.batchSize = 3});
            checkGraph(graph);
            return graph;
        };
        const Graph tensorflow = bert({{"graph", "tensorflow"}});
        QCOMPARE(countFunction(tensorflow, ElementwiseFunction::Gelu), 0);
        QCOMPARE(countFunction(tensorflow, ElementwiseFunction::Tanh), 2);
        QCOMPARE(countFunction(tensorflow, ElementwiseFunction::Power), 0);
        QCOMPARE(countFunction(tensorflow, ElementwiseFunction::Sqrt), 5);
        const Graph poprt = bert({{"graph", "poprt"}, {"store", "half"}});
        QCOMPARE(countFunction(poprt, ElementwiseFunction::Gelu), 2);
        QCOMPARE(countFunction(poprt, ElementwiseFunction::Sqrt), 0);
        const auto typeOf = [&](const char* name) {
            const Op* op = findOp(poprt, name);
            return op == nullptr ? DataType::Bool : poprt.tensors[op->outputs.front()].type;
        };
        QVERIFY(typeOf("Layer1/FF/Gelu") == DataType::Float);
        QVERIFY(typeOf("Layer1/FF/Gelu/ToHalf") == DataType::Half);
        QVERIFY(typeOf("Layer1/FF/1") == DataType::Half);
        QVERIFY(typeOf("Layer1/Attention/Z/Scale") == DataType::Half);
        const Op* mask = findOp(poprt, "Layer0/Attention/Z/Mask/Mul");
        QVERIFY(mask != nullptr);
        QVERIFY((poprt.tensors[mask->outputs.front()].shape == Shape{3, 1, 32, 32}));
    }

    /// Each layer has a mask of its own, and two tensors of which a part is dropped.
    void packedSequences() {
        const onnx::ModelProto model =
            zooModel("bert-base", {{"layers", "2"}, {"packed", "on"}, {"dropout", "on"}});
        onnx::checker::check_model(model);
        const Graph graph =
            importOnnx(model, "bert-base", {.batchSize = 3, .half = true, .training = true});
        checkGraph(graph);
        QCOMPARE(countFunction(graph, ElementwiseFunction::Dropout), 2 * 2 + 1);
        const Op* mask = findOp(graph, "Layer1/Attention/Z/Mask/Mul");
        QVERIFY(mask != nullptr);
        QVERIFY((graph.tensors[mask->outputs.front()].shape == Shape{3, 1, 128, 128}));
    }

    void options() {
        const auto model =
            zooModel("bert-base", {{"sequenceLength", "384"}, {"layers", "2"}, {"head", "squad"}});
        const Graph graph = importOnnx(model, "bert-base", {.batchSize = 3});
        QCOMPARE(QString::fromStdString(outputShapes(graph)), "[3,384,2]");
        QVERIFY(findOp(graph, "Layer1/FF/2") != nullptr);
        QVERIFY(findOp(graph, "Layer2/FF/2") == nullptr);
    }

    /// The vocabulary product of 20 of 128 tokens takes 20/128 of the operations.
    void headOnMaskedTokensOnly() {
        const auto importedWith = [](const ZooOptions& options) {
            return importOnnx(zooModel("bert-base", options), "bert-base", {.batchSize = 3});
        };
        const Graph all = importedWith({{"layers", "1"}});
        const Graph masked = importedWith({{"layers", "1"}, {"maskedTokens", "20"}});
        QCOMPARE(QString::fromStdString(outputShapes(masked)), "[3,20,30522]");
        QCOMPARE(findOp(masked, "MLM/Gather")->kind(), std::string_view("Gather"));
        QVERIFY(findOp(all, "MLM/Gather") == nullptr);
        constexpr double hidden = 768;
        constexpr double vocabulary = 30522;
        const double saved = 2 * 3 * (128 - 20) * hidden * (vocabulary + hidden);
        const double difference = totalFlops(all) - totalFlops(masked);
        QVERIFY2(std::abs(difference / saved - 1) < 0.02, qPrintable(QString::number(difference)));
        // All tokens by their positions cost what all tokens cost.
        QCOMPARE(QString::fromStdString(
                     outputShapes(importedWith({{"layers", "1"}, {"maskedTokens", "128"}}))),
                 "[3,128,30522]");
        QCOMPARE(QString::fromStdString(
                     outputShapes(importedWith({{"layers", "1"}, {"vocabulary", "30400"}}))),
                 "[3,128,30400]");
    }

    void wrongOptions() {
        const auto messageFor = [](const std::string& name, const ZooOptions& options) {
            return QString::fromStdString(messageOf([&] { zooModel(name, options); }));
        };
        QCOMPARE(messageFor("bert-base", {{"sequenceLenght", "128"}}),
                 "model 'bert-base' has no option 'sequenceLenght'. Did you mean "
                 "'sequenceLength'? Its options are sequenceLength, layers, head, "
                 "attentionBias, maskedTokens, splitQkv, graph, store, packed, "
                 "dropout, vocabulary");
        QCOMPARE(messageFor("bert-base", {{"sequenceLength", "513"}}),
                 "model 'bert-base', option sequenceLength: '513' is not one of 1 to 512 [128]");
        QCOMPARE(messageFor("bert-base", {{"head", "nsp"}}),
                 "model 'bert-base', option head: 'nsp' is not one of mlm|squad [mlm]");
        QCOMPARE(messageFor("bert-base", {{"maskedTokens", "20"}, {"sequenceLength", "16"}}),
                 "bert-base: model option maskedTokens: 20 tokens are more than the 16 of the "
                 "sequence (sequenceLength)");
        QCOMPARE(messageFor("bert-base", {{"maskedTokens", "20"}, {"head", "squad"}}),
                 "bert-base: model option maskedTokens belongs to head=mlm; leave one of the two "
                 "out");
        QCOMPARE(messageFor("mlp", {{"layers", "3"}}),
                 "model 'mlp' has no options; leave 'layers' out");
    }

    void resNextHasGroups() {
        const Graph graph = imported("resnext50_32x4d");
        const auto& conv = std::get<ConvAttributes>(findOp(graph, "layer1/0/conv2")->attributes);
        QCOMPARE(conv.groups, 32);
    }

    void batchIsSymbolic() {
        const Graph graph = imported("resnet50", 4);
        QCOMPARE(outputShapes(graph), std::string("[4,1000]"));
    }

    void exportedFilesAreValid() {
        const QTemporaryDir directory;
        for (const ZooEntry& entry : zooEntries()) {
            const auto file =
                std::filesystem::path(directory.path().toStdString()) / (entry.name + ".onnx");
            exportZooModel(entry.name, {}, file);
            onnx::ModelProto model = zooModel(entry.name);
            onnx::checker::check_model(file.string());
            onnx::shape_inference::InferShapes(model);
            QCOMPARE(importOnnx(file, {}).ops.size(), imported(entry.name).ops.size());
        }
    }

    /// The checker is not called again when a built-in model is run.
    void everyVariantIsValid() {
        for (const ZooEntry& entry : zooEntries())
            for (const ZooOption& option : entry.options) {
                std::vector<std::string> values = option.choices;
                if (values.empty())
                    values = {std::to_string(option.least)};
                for (const std::string& value : values)
                    onnx::checker::check_model(zooModel(entry.name, {{option.key, value}}));
            }
    }

    void unknownNames() {
        QVERIFY(isZooName("mlp"));
        QVERIFY(!isZooName("resnet51"));
        try {
            zooModel("resnet51");
            QFAIL("no error");
        } catch (const UserError& error) {
            QVERIFY(std::string(error.what()).find("Did you mean 'resnet50'?") !=
                    std::string::npos);
        }
    }

    void exportIntoNowhere() {
        QVERIFY_THROWS_EXCEPTION(UserError, exportZooModel("mlp", {}, "/proc/none/mlp.onnx"));
    }
};

TILESCOPE_TEST(ZooTest)

} // namespace zoo_test

#include "zoo_test.moc"
