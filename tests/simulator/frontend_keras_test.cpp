// Models as Keras writes them against the equivalent ONNX models.
#include <filesystem>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <QTemporaryDir>
#include <QtTest>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "simulator/frontend/keras/keras.h"
#include "simulator/simulate.h"
#include "simulator/zoo/builder.h"
#include "support/invariants.h"
#include "tests/support/test_main.h"

namespace frontend_keras_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;
namespace json = boost::json;

namespace {

/// The JSON of a functional model of Keras 2, a layer at a time.
class Functional {
public:
    explicit Functional(std::string name)
        : name_(std::move(name)) {}

    std::string input(const std::string& name, json::array shape) {
        shape.insert(shape.begin(), nullptr);
        return add("InputLayer", name, {{"batch_input_shape", shape}, {"dtype", "float32"}}, {});
    }

    std::string add(const std::string& type, const std::string& name, json::object config,
                    const std::vector<std::string>& inputs) {
        config["name"] = name;
        json::array tensors;
        for (const std::string& from : inputs)
            tensors.push_back(json::array{from, 0, 0, json::object{}});
        json::array calls;
        if (!inputs.empty())
            calls.push_back(tensors);
        layers_.push_back(
            {{"class_name", type}, {"config", config}, {"name", name}, {"inbound_nodes", calls}});
        return name;
    }

    [[nodiscard]] std::string text(const std::string& first, const std::string& last) const {
        return json::serialize(
            json::object{{"class_name", "Functional"},
                         {"config",
                          {{"name", name_},
                           {"layers", layers_},
                           {"input_layers", json::array{json::array{first, 0, 0}}},
                           {"output_layers", json::array{json::array{last, 0, 0}}}}},
                         {"keras_version", "2.4.0"},
                         {"backend", "tensorflow"}});
    }

private:
    std::string name_;
    json::array layers_;
};

json::array pair(std::int64_t a, std::int64_t b) {
    return {a, b};
}

json::object convConfig(std::int64_t filters, std::int64_t kernel, std::int64_t stride,
                        const char* padding) {
    return {{"filters", filters},
            {"kernel_size", pair(kernel, kernel)},
            {"strides", pair(stride, stride)},
            {"padding", padding},
            {"data_format", "channels_last"},
            {"dilation_rate", pair(1, 1)},
            {"groups", 1},
            {"activation", "linear"},
            {"use_bias", true}};
}

/// Stages of keras.applications: blocks, channels, stride of the first block.
struct Stage {
    int number, blocks;
    std::int64_t channels, stride;
};
constexpr Stage stages[] = {{2, 3, 64, 1}, {3, 4, 128, 2}, {4, 6, 256, 2}, {5, 3, 512, 2}};

std::string kerasResNet50() {
    Functional m("resnet50");
    const auto norm = [&](const std::string& name, const std::string& x) {
        return m.add("BatchNormalization", name, {{"axis", json::array{3}}, {"epsilon", 1.001e-5}},
                     {x});
    };
    const auto relu = [&](const std::string& name, const std::string& x) {
        return m.add("Activation", name, {{"activation", "relu"}}, {x});
    };
    std::string x = m.input("input_1", {224, 224, 3});
    x = m.add("ZeroPadding2D", "conv1_pad", {{"padding", json::array{pair(3, 3), pair(3, 3)}}},
              {x});
    x = m.add("Conv2D", "conv1_conv", convConfig(64, 7, 2, "valid"), {x});
    x = relu("conv1_relu", norm("conv1_bn", x));
    x = m.add("ZeroPadding2D", "pool1_pad", {{"padding", json::array{pair(1, 1), pair(1, 1)}}},
              {x});
    x = m.add("MaxPooling2D", "pool1_pool",
              {{"pool_size", pair(3, 3)}, {"strides", pair(2, 2)}, {"padding", "valid"}}, {x});
    for (const Stage& stage : stages)
        for (int block = 1; block <= stage.blocks; ++block) {
            const std::string at = fmt::format("conv{}_block{}_", stage.number, block);
            const std::int64_t stride = block == 1 ? stage.stride : 1;
            std::string shortcut = x;
            if (block == 1)
                shortcut = norm(at + "0_bn",
                                m.add("Conv2D", at + "0_conv",
                                      convConfig(4 * stage.channels, 1, stride, "valid"), {x}));
            x = m.add("Conv2D", at + "1_conv", convConfig(stage.channels, 1, stride, "valid"), {x});
            x = relu(at + "1_relu", norm(at + "1_bn", x));
            x = m.add("Conv2D", at + "2_conv", convConfig(stage.channels, 3, 1, "same"), {x});
            x = relu(at + "2_relu", norm(at + "2_bn", x));
            x = m.add("Conv2D", at + "3_conv", convConfig(4 * stage.channels, 1, 1, "valid"), {x});
            x = m.add("Add", at + "add", {}, {shortcut, norm(at + "3_bn", x)});
            x = relu(at + "out", x);
        }
    x = m.add("GlobalAveragePooling2D", "avg_pool", {{"data_format", "channels_last"}}, {x});
    x = m.add("Dense", "predictions",
              {{"units", 1000}, {"activation", "softmax"}, {"use_bias", true}}, {x});
    return m.text("input_1", x);
}

/// The same network as an exporter to ONNX writes it.
onnx::ModelProto onnxResNet50() {
    ZooBuilder b("resnet50");
    const auto conv = [&](const std::string& name, const ZooValue& x, std::int64_t channels,
                          std::int64_t kernel, std::int64_t stride, std::int64_t pad) {
        return b.apply("Conv", name,
                       {x.name, b.weight(name + "/kernel", {channels, x.channels, kernel, kernel}),
                        b.weight(name + "/bias", {channels})},
                       channels,
                       {{"kernel_shape", std::vector{kernel, kernel}},
                        {"strides", std::vector{stride, stride}},
                        {"pads", std::vector{pad, pad, pad, pad}}});
    };
    const auto norm = [&](const std::string& name, const ZooValue& x) {
        std::vector<std::string> inputs{x.name};
        for (const char* part : {"/gamma", "/beta", "/moving_mean", "/moving_variance"})
            inputs.push_back(b.weight(name + part, {x.channels}));
        return b.apply("BatchNormalization", name, inputs, x.channels, {{"epsilon", 1.001e-5}});
    };
    ZooValue x = b.addInput("input_1", {3, 224, 224});
    x = conv("conv1_conv", x, 64, 7, 2, 3);
    x = b.relu("conv1_relu", norm("conv1_bn", x));
    x = b.apply("Pad", "pool1_pool/pad", {x.name, b.integers("pads", {0, 0, 1, 1, 0, 0, 1, 1})},
                64);
    x = b.maxPool("pool1_pool", x, 3, 2);
    for (const Stage& stage : stages)
        for (int block = 1; block <= stage.blocks; ++block) {
            const std::string at = fmt::format("conv{}_block{}_", stage.number, block);
            const std::int64_t stride = block == 1 ? stage.stride : 1;
            ZooValue shortcut = x;
            if (block == 1)
                shortcut =
                    norm(at + "0_bn", conv(at + "0_conv", x, 4 * stage.channels, 1, stride, 0));
            x = b.relu(at + "1_relu",
                       norm(at + "1_bn", conv(at + "1_conv", x, stage.channels, 1, stride, 0)));
            x = b.relu(at + "2_relu",
                       norm(at + "2_bn", conv(at + "2_conv", x, stage.channels, 3, 1, 1)));
            x = norm(at + "3_bn", conv(at + "3_conv", x, 4 * stage.channels, 1, 1, 0));
            x = b.relu(at + "out", b.add(at + "add", shortcut, x));
        }
    x = b.flatten("avg_pool", b.globalAveragePool("avg_pool/pool", x), x.channels);
    x = b.apply("Gemm", "predictions",
                {x.name, b.weight("predictions/kernel", {2048, 1000}),
                 b.weight("predictions/bias", {1000})},
                1000);
    x = b.apply("Softmax", "predictions/activation", {x.name}, 1000, {{"axis", std::int64_t{1}}});
    return b.finishAs({{x.name, {1000}}});
}

/// The dense network of the Keras guides, as Sequential writes it.
std::string kerasMnist(const std::string& extra = "") {
    return R"({"class_name": "Sequential", "config": {"name": "mnist", "layers": [
        {"class_name": "InputLayer", "config": {"batch_input_shape": [null, 28, 28], "dtype": "float32",
         "sparse": false, "ragged": false, "name": "flatten_input"}},
        {"class_name": "Flatten", "config": {"name": "flatten", "trainable": true, "dtype": "float32",
         "data_format": "channels_last"}},
        {"class_name": "Dense", "config": {"name": "dense", "units": 128, "activation": "relu", "use_bias": true,
         "kernel_initializer": {"class_name": "GlorotUniform", "config": {"seed": null}}, "kernel_regularizer": null}},
        {"class_name": "Dropout", "config": {"name": "dropout", "rate": 0.2, "noise_shape": null, "seed": null}},
        {"class_name": "Dense", "config": {"name": "dense_1", "units": 10, "activation": "softmax",
         "use_bias": true}}])" +
           extra + R"(}, "keras_version": "2.4.0", "backend": "tensorflow"})";
}

onnx::ModelProto onnxMnist() {
    ZooBuilder b("mnist");
    ZooValue x = b.flatten("flatten", b.addInput("flatten_input", {28, 28}), 784);
    const auto dense = [&](const std::string& name, const ZooValue& in, std::int64_t units) {
        return b.apply("Gemm", name,
                       {in.name, b.weight(name + "/kernel", {in.channels, units}),
                        b.weight(name + "/bias", {units})},
                       units);
    };
    x = b.relu("dense/activation", dense("dense", x, 128));
    x = b.apply("Dropout", "dropout", {x.name, b.real("dropout/rate", 0.2)}, 128);
    x = b.apply("Softmax", "dense_1/activation", {dense("dense_1", x, 10).name}, 10,
                {{"axis", std::int64_t{1}}});
    return b.finishAs({{x.name, {10}}});
}

/// The differences between two graphs: operations, their attributes, shapes and connections. "" if
/// there are none.
std::string differences(const Graph& a, const Graph& b) {
    if (a.ops.size() != b.ops.size())
        return fmt::format("{} operations, {} of the other", a.ops.size(), b.ops.size());
    for (std::size_t i = 0; i < a.ops.size(); ++i) {
        const Op& x = a.ops[OpId(i)];
        const Op& y = b.ops[OpId(i)];
        if (x.name != y.name || x.attributes != y.attributes || x.inputs.size() != y.inputs.size())
            return fmt::format("{} ({}) and {} ({})", x.name, x.kind(), y.name, y.kind());
        for (std::size_t k = 0; k < x.inputs.size(); ++k)
            if (a.tensors[x.inputs[k]].name != b.tensors[y.inputs[k]].name ||
                a.tensors[x.inputs[k]].shape != b.tensors[y.inputs[k]].shape)
                return fmt::format(
                    "operand {} of {}: {} {} and {} {}", k, x.name, a.tensors[x.inputs[k]].name,
                    toString(a.tensors[x.inputs[k]].shape), b.tensors[y.inputs[k]].name,
                    toString(b.tensors[y.inputs[k]].shape));
        if (a.tensors[x.outputs[0]].shape != b.tensors[y.outputs[0]].shape)
            return fmt::format("result of {}: {} and {}", x.name,
                               toString(a.tensors[x.outputs[0]].shape),
                               toString(b.tensors[y.outputs[0]].shape));
    }
    return "";
}

std::string complaintOf(const std::string& text) {
    try {
        static_cast<void>(importKeras(text, "model.json", {}));
    } catch (const UserError& error) {
        return error.what();
    }
    return "";
}

Graph imported(const std::string& text) {
    Graph graph = importKeras(text, "model.json", {});
    checkGraph(graph);
    return graph;
}

const Op* find(const Graph& graph, const std::string& name) {
    for (const Op& op : graph.ops)
        if (op.name == name)
            return &op;
    return nullptr;
}

} // namespace

class FrontendKerasTest : public QObject {
    Q_OBJECT

private slots:
    void denseNetworkIsItsTwin() {
        const std::string wrong =
            differences(imported(kerasMnist()), importOnnx(onnxMnist(), "mnist.onnx", {}));
        QVERIFY2(wrong.empty(), wrong.c_str());
    }

    void resNetIsItsTwin() {
        for (const bool training : {false, true}) {
            ImportOptions options;
            options.training = training;
            const Graph keras = importKeras(kerasResNet50(), "resnet50.json", options);
            const std::string wrong =
                differences(keras, importOnnx(onnxResNet50(), "resnet50.onnx", options));
            QVERIFY2(wrong.empty(), wrong.c_str());
            QCOMPARE(keras.name, std::string("resnet50"));
        }
    }

    void filesRun() {
        QTemporaryDir directory;
        const std::filesystem::path file = directory.filePath("mnist.json").toStdString();
        writeFileAtomically(file, kerasMnist());
        const Profile profile = simulateModel(file.string(), {});
        QVERIFY(profile.info.fits && profile.info.hasExecution);
        const std::string wrong = complaints(profile);
        QVERIFY2(wrong.empty(), wrong.c_str());
    }

    void stagesOfKerasAreStages() {
        const Graph graph = imported(kerasMnist(R"(, "pipeline_stage_assignment_valid": true,
            "pipeline_stage_assignment": [0, 0, 0, 1])"));
        QCOMPARE(find(graph, "dense")->stageHint, 0);
        QCOMPARE(find(graph, "dense_1")->stageHint, 1);
        QVERIFY(complaintOf(kerasMnist(R"(, "pipeline_stage_assignment": [0, 1])"))
                    .find("2 stages for 4 layers") != std::string::npos);
    }

    void paddingBecomesTheConvolutions() {
        const Graph graph = imported(kerasResNet50());
        const auto& conv = std::get<ConvAttributes>(find(graph, "conv1_conv")->attributes);
        QCOMPARE(conv.padsBegin, (std::vector<std::int64_t>{3, 3}));
        QCOMPARE(conv.padsEnd, (std::vector<std::int64_t>{3, 3}));
    }

    // TensorFlow puts the odd zero of "same" after the data.
    void sameIsUnevenAsInTensorFlow() {
        Functional m("same");
        std::string x = m.input("x", {8, 8, 4});
        x = m.add("Conv2D", "conv", convConfig(4, 3, 2, "same"), {x});
        const Graph graph = imported(m.text("x", x));
        const auto& conv = std::get<ConvAttributes>(find(graph, "conv")->attributes);
        QCOMPARE(conv.padsBegin, (std::vector<std::int64_t>{0, 0}));
        QCOMPARE(conv.padsEnd, (std::vector<std::int64_t>{1, 1}));
    }

    void lstmIsALoop() {
        Functional m("lstm");
        std::string x = m.input("tokens", {6});
        x = m.add("Embedding", "embedding", {{"input_dim", 100}, {"output_dim", 16}}, {x});
        x = m.add("LSTM", "first", {{"units", 8}, {"return_sequences", true}}, {x});
        x = m.add("LSTM", "second", {{"units", 4}, {"go_backwards", true}}, {x});
        const Graph graph = imported(m.text("tokens", x));
        QCOMPARE(graph.tensors[graph.outputs.at(0)].shape, (Shape{1, 4}));
        std::vector<bool> backwards;
        for (const Op& op : graph.ops)
            if (const auto* loop = std::get_if<LoopAttributes>(&op.attributes)) {
                QCOMPARE(loop->steps, std::int64_t(6));
                backwards.push_back(loop->backwards);
            }
        QCOMPARE(backwards, (std::vector<bool>{false, true}));
    }

    void sharedLayersShareTheirWeights() {
        Functional m("siamese");
        const std::string x = m.input("x", {16});
        m.add("Dense", "shared", {{"units", 16}}, {x});
        std::string text = m.text("x", "shared");
        json::object model = json::parse(text).get_object();
        json::array& layers = model["config"].get_object()["layers"].get_array();
        layers[1].get_object()["inbound_nodes"] =
            json::array{json::array{json::array{"x", 0, 0, json::object{}}},
                        json::array{json::array{"shared", 0, 0, json::object{}}}};
        model["config"].get_object()["output_layers"] = json::array{json::array{"shared", 1, 0}};
        const Graph graph = imported(json::serialize(model));
        int kernels = 0, uses = 0;
        for (const Tensor& tensor : graph.tensors)
            kernels += tensor.name == "shared/kernel" ? 1 : 0;
        for (const Op& op : graph.ops)
            uses += std::holds_alternative<MatMulAttributes>(op.attributes) ? 1 : 0;
        QCOMPARE(kernels, 1);
        QCOMPARE(uses, 2);
    }

    void kerasThreeIsRead() {
        const Graph graph =
            imported(R"({"module": "keras.src.models.functional", "class_name": "Functional",
          "config": {"name": "three", "layers": [
            {"module": "keras.layers", "class_name": "InputLayer", "config": {"batch_shape": [null, 8],
             "dtype": "float32", "name": "x"}, "registered_name": null, "name": "x", "inbound_nodes": []},
            {"module": "keras.layers", "class_name": "Dense", "config": {"name": "dense", "units": 4,
             "activation": "relu", "use_bias": false}, "name": "dense", "inbound_nodes": [{"args": [
             {"class_name": "__keras_tensor__", "config": {"shape": [null, 8], "dtype": "float32",
              "keras_history": ["x", 0, 0]}}], "kwargs": {}}]}],
          "input_layers": ["x", 0, 0], "output_layers": ["dense", 0, 0]}})");
        QVERIFY(find(graph, "dense") != nullptr);
        QVERIFY(find(graph, "dense/activation") != nullptr);
        QCOMPARE(graph.tensors[graph.outputs.at(0)].shape, (Shape{1, 4}));
    }

    void errorsNameTheLayer_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("part");
        const auto one = [](const char* type, json::object config, json::array shape) {
            Functional m("m");
            const std::string x = m.input("x", std::move(shape));
            return QString::fromStdString(m.text("x", m.add(type, "it", std::move(config), {x})));
        };
        QTest::newRow("class") << one("ConvLSTM2D", {}, {8, 8, 4})
                               << "layer 'it' (ConvLSTM2D): layers of this class are not supported";
        QTest::newRow("missing key")
            << one("Dense", {}, {8}) << "layer 'it' (Dense): 'units' is missing";
        QTest::newRow("negative") << one("Dense", {{"units", -1}}, {8})
                                  << "'units' must have whole numbers from 1";
        QTest::newRow("huge") << one("Dense", {{"units", 1e300}}, {8})
                              << "'units' must have whole numbers from 1";
        QTest::newRow("open size")
            << one("Dense", {{"units", 4}}, {nullptr, 8}) << "leaves a size other than the batch";
        QTest::newRow("function") << one("Activation", {{"activation", "rellu"}}, {8})
                                  << "Did you mean 'relu'?";
        QTest::newRow("rank") << one("Conv2D", convConfig(4, 3, 1, "same"), {8})
                              << "instead of 2 spatial dimensions";
        QTest::newRow("window") << one("Conv2D", convConfig(4, 9, 1, "valid"), {8, 8, 4})
                                << "does not fit";
        QTest::newRow("reshape") << one("Reshape", {{"target_shape", pair(3, -1)}}, {8})
                                 << "'target_shape'";
        QTest::newRow("own") << QStringLiteral(R"({"class_name": "MyModel", "config": {}})")
                             << "subclassed model";
        QTest::newRow("no shape")
            << QStringLiteral(R"({"class_name": "Sequential", "config": {"name": "s", "layers":
            [{"class_name": "Dense", "config": {"name": "d", "units": 3}}]}})")
            << "give its first layer an input_shape";
        Functional circle("circle");
        circle.input("x", {4});
        circle.add("Add", "a", {}, {"x", "b"});
        circle.add("Dense", "b", {{"units", 4}}, {"a"});
        QTest::newRow("circle") << QString::fromStdString(circle.text("x", "b"))
                                << "waits for itself";
        QTest::newRow("no such layer")
            << one("Add", {}, {4}).replace("[[[\"x\",", "[[[\"y\",") << "names the layer 'y'";
    }

    void errorsNameTheLayer() {
        QFETCH(QString, text);
        QFETCH(QString, part);
        const std::string complaint = complaintOf(text.toStdString());
        QVERIFY2(complaint.starts_with("model.json") &&
                     complaint.find(part.toStdString()) != std::string::npos,
                 complaint.c_str());
    }
};

TILESCOPE_TEST(FrontendKerasTest)

} // namespace frontend_keras_test

#include "frontend_keras_test.moc"
