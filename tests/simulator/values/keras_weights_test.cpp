// Keras models with the weights of a file beside them give the same results as PyTorch
// (tests/data/keras/make.py).
#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "simulator/compute/machine.h"
#include "simulator/prepare/prepare.h"
#include "simulator/values/inference.h"
#include "simulator/values/model_values.h"
#include "tests/support/qt_text.h"
#include "tests/support/run_options_of.h"
#include "tests/support/test_main.h"

namespace keras_weights_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;
namespace fs = std::filesystem;

namespace {
const fs::path models = TILESCOPE_SOURCE_DIR "/tests/data/keras";
}

class KerasWeightsTest : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;
    [[nodiscard]] fs::path folder() const { return directory_.path().toStdString(); }

    /// What a model, changed by a word, with these weights beside it is refused for.
    QString refusal(const std::string& model, const fs::path& weights, const QString& before = {},
                    const QString& after = {}) const {
        QString text = QString::fromStdString(readFile(models / (model + ".json")));
        if (!before.isEmpty() && !text.contains(before))
            return "nothing to change";
        writeFileAtomically(folder() / "model.json", text.replace(before, after).toStdString());
        fs::copy_file(weights, folder() / "model.weights.npz",
                      fs::copy_options::overwrite_existing);
        try {
            valuedModel((folder() / "model.json").string(), optionsOf({{"compute", "on"}}));
        } catch (const UserError& error) {
            return QString::fromStdString(error.what());
        }
        return {};
    }

private slots:
    void resultsAreThose_data() {
        QTest::addColumn<QString>("name");
        QTest::newRow("images") << "images";
        QTest::newRow("sequences") << "sequences";
    }
    void resultsAreThose() {
        QFETCH(QString, name);
        const std::string stem = (models / name.toStdString()).string();
        const RunOptions options = optionsOf({{"compute", "on"},
                                              {"inputs", stem + "_input.npy"},
                                              {"expect", stem + "_output.npy"},
                                              {"rtol", "1e-5"},
                                              {"atol", "1e-6"}});
        const InferenceResult result = computeResults(stem + ".json", options);
        QCOMPARE(result.outputs.size(), std::size_t{1});
        QVERIFY2(result.differences.empty(),
                 result.differences.empty()
                     ? ""
                     : fmt::format("{} where {} is expected", result.differences[0].got,
                                   result.differences[0].wanted)
                           .c_str());
    }

    void wrongWeightsAreNamed() {
        // Of the other model.
        QString error = refusal("images", models / "sequences.weights.npz");
        QVERIFY2(error.contains("model.weights.npz: has no 'conv/kernel'; save all of them: "
                                "numpy.savez"),
                 qPrintable(error));
        error = refusal("sequences", models / "images_input.npy");
        QVERIFY2(error.contains("model.weights.npz: is not an .npz file"), qPrintable(error));
        error = refusal("images", models / "images.weights.npz", "\"units\": 5", "\"units\": 6");
        QVERIFY2(error.contains("'dense/kernel:0' has shape [256,5] where the layer's has [256,6]"),
                 qPrintable(error));
        error =
            refusal("images", models / "images.weights.npz", "\"filters\": 4", "\"filters\": 3");
        QVERIFY2(
            error.contains("'up/kernel:0' has shape [2,2,4,6] where the layer's has [2,2,3,6]"),
            qPrintable(error));
        error = refusal("sequences", models / "sequences.weights.npz", "\"name\": \"lstm\"",
                        "\"name\": \"lstm\", \"use_bias\": false");
        QVERIFY2(error.contains("'lstm/lstm_cell/bias:0' is not a weight of the model"),
                 qPrintable(error));
        error =
            refusal("sequences", models / "sequences.weights.npz", "\"units\": 4", "\"units\": 5");
        QVERIFY2(error.contains("has shape"), qPrintable(error));
    }

    /// An LSTM of Keras has one bias: that of ONNX's state stays zero.
    void oneBiasIsTrained() {
        const RunOptions options = optionsOf({{"compute", "on"},
                                              {"mode", "training"},
                                              {"data", "none"},
                                              {"optimizer", "sgd"},
                                              {"learningRate", "0.1"},
                                              {"loss", "mse"}});
        const Graph graph = valuedModel((models / "sequences.json").string(), options);
        const Graph prepared = preparedGraph(graph, options);
        Machine machine(prepared, options);
        HostPort port;
        port.input = [](const Tensor& input, const BatchPlace&) {
            return generatedInput(input.name, input.type, input.shape, 1);
        };
        port.output = [](const Tensor&, const BatchPlace&, const TensorData&) {};
        const TensorData before = machine.weight("lstm/bias");
        machine.run(port);
        machine.run(port);
        const TensorData after = machine.weight("lstm/bias");
        const std::int64_t half = after.elements() / 2;
        double moved = 0;
        for (std::int64_t i = 0; i < half; ++i) {
            moved = std::max(moved, std::fabs(after.number(i) - before.number(i)));
            QCOMPARE(after.number(half + i), 0.0);
        }
        QVERIFY(moved > 1e-4);
        // A GRU that resets after its product has a bias of the state, too.
        const TensorData gru = machine.weight("bidirectional/bias");
        QVERIFY(gru.number(gru.elements() / 4) != 0);
    }
};

TILESCOPE_TEST(KerasWeightsTest)

} // namespace keras_weights_test

#include "keras_weights_test.moc"
