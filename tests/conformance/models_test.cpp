// Published networks: what they answer is what ONNX ships with them, and what PyTorch answers.
#include <filesystem>

#include <cstring>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <QtTest>

#include "core/base/atomic_file.h"
#include "onnx_case.h"
#include "reference_numbers.h"
#include "simulator/frontend/import.h"
#include "simulator/frontend/model/prepare.h"
#include "simulator/graph/tensor_data.h"
#include "tests/support/test_main.h"

namespace conformance_models_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;
namespace fs = std::filesystem;

namespace {

TensorData evenly(const Tensor& input) {
    TensorData data(input.type, input.shape);
    const auto count = static_cast<double>(data.elements());
    for (std::int64_t i = 0; i < data.elements(); ++i)
        data.setNumber(i, static_cast<double>(i) / count);
    return data;
}

void give(onnx::GraphProto& graph, const std::string& name, const TensorData& data) {
    onnx::TensorProto& tensor = *graph.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    for (const std::int64_t size : data.shape())
        tensor.add_dims(size);
    const auto values = data.reals();
    std::string raw(values.size_bytes(), '\0');
    std::memcpy(raw.data(), values.data(), raw.size());
    tensor.set_raw_data(std::move(raw));
}

/// Weights of numbers that differ, as reference_models.py makes them, for those that are all one.
void generateWeights(onnx::GraphProto& graph) {
    std::map<std::string, Shape> shapes;
    for (const auto& tensor : graph.initializer())
        shapes[tensor.name()] = constantFrom(tensor).ints;
    for (int i = graph.node_size() - 1; i >= 0; --i) {
        if (graph.node(i).op_type() != "ConstantOfShape")
            continue;
        const std::string name = graph.node(i).output(0);
        const Shape shape = shapes.at(graph.node(i).input(0));
        graph.mutable_node()->DeleteSubrange(i, 1);
        if (shape.size() == 1) {
            give(graph, name, referenceNumbers(name, shape, 0.1, 0.05));
            continue;
        }
        const double fan = static_cast<double>(elementsOf({shape.begin() + 1, shape.end()}));
        const double square = shape.size() > 2 ? 6 : 0.5;
        give(graph, name, referenceNumbers(name, shape, 0, std::sqrt(square / fan)));
    }
}

} // namespace

class ModelsTest : public QObject {
    Q_OBJECT

private slots:
    void lightModels_data() {
        QTest::addColumn<QString>("name");
        QTest::newRow("resnet50") << "light_resnet50";
        QTest::newRow("squeezenet") << "light_squeezenet";
    }

    /// Their input is an arithmetic progression, as onnx's test runner makes it for the light
    /// models.
    void lightModels() {
        QFETCH(QString, name);
        const fs::path folder = TILESCOPE_SHARED_DIR "/models";
        const fs::path model = folder / (name.toStdString() + ".onnx");
        const fs::path output = folder / (name.toStdString() + "_output_0.pb");
        if (!fs::exists(model) || !fs::exists(output)) {
            qInfo("left out: %s does not lie beside the checkout", model.c_str());
            return;
        }
        const auto outputs = computedOutputs(model, evenly);
        QCOMPARE(outputs.size(), std::size_t{1});
        const std::string difference =
            differenceOf(outputs[0], readData(output), Tolerance{1e-3, 1e-3});
        QVERIFY2(difference.empty(), difference.c_str());
    }

    void byPyTorch_data() {
        QTest::addColumn<QString>("name");
        for (const char* name :
             {"inception_v1", "resnet50", "shufflenet", "squeezenet", "vgg19", "zfnet512"})
            QTest::newRow(name) << QString("light_%1").arg(name);
    }

    /// On generated inputs and weights.
    void byPyTorch() {
        QFETCH(QString, name);
        const fs::path file =
            fs::path(TILESCOPE_SHARED_DIR "/models") / (name.toStdString() + ".onnx");
        if (!fs::exists(file)) {
            qInfo("left out: %s does not lie beside the checkout", file.c_str());
            return;
        }
        onnx::ModelProto model = loadModel(file, true);
        generateWeights(*model.mutable_graph());
        ImportOptions options;
        options.values = true;
        const Graph graph = importOnnx(std::move(model), file.string(), options);
        const auto outputs = computedOutputs(
            graph, [](const Tensor& input) { return referenceNumbers(input.name, input.shape); });
        const boost::json::value all = boost::json::parse(
            readFile(TILESCOPE_SOURCE_DIR "/tests/conformance/model_reference.json"));
        const boost::json::value& reference = all.at(name.toStdString());
        const std::int64_t step = reference.at("step").to_number<std::int64_t>();
        std::int64_t at = 0;
        for (const boost::json::value& one : reference.at("values").as_array()) {
            const double wanted = one.to_number<double>();
            const double got = outputs.at(0).number(at);
            QVERIFY2(std::abs(got - wanted) <= 1e-3 * wanted,
                     fmt::format("score {} is {} where {} is expected", at, got, wanted).c_str());
            at += step;
        }
        QVERIFY(at >= outputs.at(0).elements());
    }
};

TILESCOPE_TEST(ModelsTest)

} // namespace conformance_models_test

#include "models_test.moc"
