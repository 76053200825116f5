// Published networks: what they answer is what ONNX ships with them.
#include <filesystem>

#include <fmt/format.h>

#include <QtTest>

#include "onnx_case.h"
#include "simulator/graph/tensor_data.h"
#include "tests/support/test_main.h"

namespace conformance_models_test {
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
};

TILESCOPE_TEST(ModelsTest)

} // namespace conformance_models_test

#include "models_test.moc"
