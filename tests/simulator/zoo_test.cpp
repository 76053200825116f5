// The built-in topologies: published sizes, valid files, names to split at.
#include <filesystem>

#include <QTemporaryDir>
#include <QtTest>

#include <onnx/checker.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include "core/base/error.h"
#include "graph_facts.h"
#include "simulator/frontend/import.h"
#include "simulator/zoo/zoo.h"

using namespace tilescope;
using namespace tilescope::sim;

namespace {

Graph imported(const std::string& name, std::int64_t batch = 1) {
    Graph graph = importOnnx(zooModel(name), name, {.batchSize = batch});
    checkGraph(graph);
    return graph;
}

/// Elements of the weights in the file, before anything is folded.
std::int64_t trainableParameters(const onnx::ModelProto& model) {
    std::int64_t sum = 0;
    for (const auto& shape : model.graph().initializer()) {
        if (shape.name().find("running_") != std::string::npos)
            continue;
        std::int64_t elements = 1;
        for (const std::int64_t size : shape.int64_data())
            elements *= size;
        sum += elements;
    }
    return sum;
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
        QTest::newRow("mnist-cnn") << "mnist-cnn" << qint64(421642) << 2 << 0.0043 << "[1,10]";
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

    void batchNormalizationIsFolded() {
        const Graph graph = imported("resnet50");
        QCOMPARE(countFunction(graph, ElementwiseFunction::Multiply), 0);
        // A bias for each convolution, one for the classifier, and sixteen residual sums.
        QCOMPARE(countFunction(graph, ElementwiseFunction::Add), 53 + 1 + 16);
        QCOMPARE(parameters(graph), 25557032 - 26560);
    }

    void namesToSplitAt() {
        const Graph resnet = imported("resnet50");
        for (const char* name : {"conv1", "conv1/bias", "layer1/0/conv1", "layer4/2/conv3", "fc"})
            QVERIFY2(findOp(resnet, name) != nullptr, name);
        const Graph mnist = imported("mnist-cnn");
        for (const char* name : {"B1/conv1", "B2/conv2", "B3/fc1", "B4/fc2", "B4/softmax"})
            QVERIFY2(findOp(mnist, name) != nullptr, name);
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
            exportZooModel(entry.name, file);
            onnx::ModelProto model = zooModel(entry.name);
            onnx::checker::check_model(file.string());
            onnx::shape_inference::InferShapes(model);
            QCOMPARE(importOnnx(file, {}).ops.size(), imported(entry.name).ops.size());
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
        QVERIFY_THROWS_EXCEPTION(UserError, exportZooModel("mlp", "/proc/none/mlp.onnx"));
    }
};

QTEST_APPLESS_MAIN(ZooTest)
#include "zoo_test.moc"
