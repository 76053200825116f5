// Real topologies: published sizes and counts after the import.
#include <filesystem>

#include <QtTest>

#include "core/base/error.h"
#include "graph_facts.h"
#include "simulator/frontend/import.h"
#include "tests/support/test_main.h"

namespace frontend_light_models_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

std::filesystem::path modelFile(const QString& name) {
    return std::filesystem::path(TILESCOPE_SHARED_DIR "/models") / name.toStdString();
}

bool isThere(const QString& name) {
    return std::filesystem::exists(modelFile(name));
}

Graph imported(const QString& name, const ImportOptions& options = {}) {
    Graph graph = importOnnx(modelFile(name), options);
    checkGraph(graph);
    return graph;
}

} // namespace

class FrontendLightModelsTest : public QObject {
    Q_OBJECT

private slots:
    void facts_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<int>("convolutions");
        QTest::addColumn<int>("matrixProducts");
        QTest::addColumn<QString>("output");
        QTest::addColumn<double>("gigaFlops");
        QTest::addColumn<double>("millionParameters");
        QTest::newRow("resnet50") << "light_resnet50.onnx" << 53 << 1 << "[1,1000]" << 8.2 << 25.55;
        QTest::newRow("vgg19") << "light_vgg19.onnx" << 16 << 3 << "[1,1000]" << 39.3 << 143.7;
        QTest::newRow("squeezenet")
            << "light_squeezenet.onnx" << 26 << 0 << "[1,1000,1,1]" << 0.7 << 1.24;
        QTest::newRow("inception v1")
            << "light_inception_v1.onnx" << 57 << 1 << "[1,1000]" << 2.9 << 7.0;
        QTest::newRow("shufflenet")
            << "light_shufflenet.onnx" << 49 << 1 << "[1,1000]" << 0.26 << 1.38;
        QTest::newRow("zfnet512") << "light_zfnet512.onnx" << 5 << 3 << "[1,1000]" << 2.9 << 87.0;
    }

    void facts() {
        QFETCH(QString, file);
        QFETCH(double, gigaFlops);
        QFETCH(double, millionParameters);
        if (!isThere(file))
            QSKIP("left out: the model does not lie beside the checkout");
        const Graph graph = imported(file);
        qInfo("%zu ops, %.3f GFLOP, %.3f million parameters", graph.ops.size(),
              totalFlops(graph) / 1e9, static_cast<double>(parameters(graph)) / 1e6);
        QTEST(countKind(graph, "Conv"), "convolutions");
        QTEST(countKind(graph, "MatMul"), "matrixProducts");
        QTEST(QString::fromStdString(outputShapes(graph)), "output");
        QCOMPARE(graph.inputs.size(), 1);
        QVERIFY(std::abs(totalFlops(graph) / 1e9 / gigaFlops - 1) < 0.1);
        QVERIFY(std::abs(static_cast<double>(parameters(graph)) / 1e6 / millionParameters - 1) <
                0.05);
    }

    void batchOfFour_data() { facts_data(); }

    // The files have a batch of 1 written into inputs and Reshape targets.
    void batchOfFour() {
        QFETCH(QString, file);
        QFETCH(QString, output);
        if (!isThere(file))
            QSKIP("left out: the model does not lie beside the checkout");
        // What normalisations take a channel does not grow with the batch.
        const Graph one = imported(file, {.foldBatchNorm = true});
        const Graph four =
            imported(file, {.batchSize = 4, .forceBatch = true, .foldBatchNorm = true});
        QCOMPARE(QString::fromStdString(outputShapes(four)), output.replace("[1,", "[4,"));
        QCOMPARE(four.ops.size(), one.ops.size());
        QCOMPARE(totalFlops(four), 4 * totalFlops(one));
        QCOMPARE(parameters(four), parameters(one));
        const bool reshapes = countKind(one, "Reshape") > 0;
        QCOMPARE(hasMessage(four, "batch size 1 is written into"), reshapes);
    }
};

TILESCOPE_TEST(FrontendLightModelsTest)

} // namespace frontend_light_models_test

#include "frontend_light_models_test.moc"
