// Keras layers that are several operators: their shapes, that they run, and the loss that a model
// was compiled with.
#include <algorithm>
#include <boost/json.hpp>
#include <variant>

#include <QTest>

#include "core/base/error.h"
#include "graph_facts.h"
#include "simulator/frontend/keras/keras.h"
#include "simulator/simulate.h"
#include "simulator/training/optimizer.h"
#include "support/invariants.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace frontend_keras_layers_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;
namespace json = boost::json;

namespace {

/// A sequential model of Keras 2 of some layers; the first has the shape of the input.
std::string sequential(const std::vector<std::pair<std::string, json::object>>& layers,
                       const json::array& shape, json::object more = {}) {
    json::array list;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        json::object config = layers[i].second;
        config["name"] = "layer" + std::to_string(i);
        if (i == 0) {
            json::array batched = shape;
            batched.insert(batched.begin(), nullptr);
            config["batch_input_shape"] = batched;
        }
        list.push_back({{"class_name", layers[i].first}, {"config", config}});
    }
    more["class_name"] = "Sequential";
    more["config"] = {{"name", "model"}, {"layers", list}};
    return json::serialize(more);
}

Graph importedModel(const std::string& text) {
    Graph graph = importKeras(text, "model.json", {});
    checkGraph(graph);
    return graph;
}

RunOptions fewTiles() {
    RunOptions options;
    options.machine.target.tilesPerIpu = 16;
    return options;
}

} // namespace

class FrontendKerasLayersTest : public QObject {
    Q_OBJECT

private slots:
    void layers_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("shape");
        const auto row = [](const char* name, const char* type, json::object config,
                            json::array shape, const char* result) {
            QTest::newRow(name) << text(sequential({{type, std::move(config)}}, shape)) << result;
        };
        const json::array two{2, 2}, three{3, 3};
        row("Conv2DTranspose, same", "Conv2DTranspose",
            {{"filters", 6}, {"kernel_size", three}, {"strides", two}, {"padding", "same"}},
            {5, 7, 4}, "[1,10,14,6]");
        row("Conv2DTranspose, valid", "Conv2DTranspose",
            {{"filters", 6}, {"kernel_size", three}, {"strides", two}, {"activation", "relu"}},
            {5, 7, 4}, "[1,11,15,6]");
        row("Conv1DTranspose", "Conv1DTranspose",
            {{"filters", 6}, {"kernel_size", 2}, {"strides", 2}}, {5, 4}, "[1,10,6]");
        row("UpSampling2D", "UpSampling2D", {{"size", two}}, {4, 5, 3}, "[1,8,10,3]");
        row("UpSampling2D, bilinear", "UpSampling2D",
            {{"size", two}, {"interpolation", "bilinear"}}, {4, 5, 3}, "[1,8,10,3]");
        row("UpSampling1D", "UpSampling1D", {{"size", 3}}, {4, 5}, "[1,12,5]");
        row("GroupNormalization", "GroupNormalization", {{"groups", 2}, {"axis", -1}}, {4, 4, 8},
            "[1,4,4,8]");
        row("GRU", "GRU", {{"units", 6}}, {5, 4}, "[1,6]");
        row("GRU, all steps", "GRU",
            {{"units", 6}, {"return_sequences", true}, {"reset_after", false}}, {5, 4}, "[1,5,6]");
        row("LSTM, backwards", "LSTM",
            {{"units", 6}, {"return_sequences", true}, {"go_backwards", true}}, {5, 4}, "[1,5,6]");
        row("SimpleRNN", "SimpleRNN", {{"units", 6}}, {5, 4}, "[1,6]");
        row("Bidirectional", "Bidirectional",
            {{"layer",
              {{"class_name", "LSTM"}, {"config", {{"units", 6}, {"return_sequences", true}}}}}},
            {5, 4}, "[1,5,12]");
        row("Bidirectional, summed", "Bidirectional",
            {{"layer", {{"class_name", "GRU"}, {"config", {{"units", 6}}}}}, {"merge_mode", "sum"}},
            {5, 4}, "[1,6]");
        row("MultiHeadAttention", "MultiHeadAttention",
            {{"num_heads", 2}, {"key_dim", 8}, {"dropout", 0.1}}, {5, 12}, "[1,5,12]");
    }

    void layers() {
        QFETCH(QString, model);
        QFETCH(QString, shape);
        const Graph graph = importedModel(model.toStdString());
        QCOMPARE(text(outputShapes(graph)), shape);
        const std::string wrong = complaints(simulate(graph, fewTiles()));
        QVERIFY2(wrong.empty(), wrong.c_str());
        RunOptions training = fewTiles();
        training.batch.mode = "training";
        training.training.loss = LossFunction::MeanSquaredError;
        if (std::any_of(graph.tensors.begin(), graph.tensors.end(),
                        [](const Tensor& t) { return t.role == TensorRole::Weight; }))
            checkGraph(trainingGraph(graph, training));
    }

    /// TensorFlow cuts an odd overlap one element more at the end.
    void transposedConvolutionsAreCutAtTheEnd() {
        const Graph graph = importedModel(sequential({{"Conv2DTranspose",
                                                       {{"filters", 6},
                                                        {"kernel_size", json::array{3, 5}},
                                                        {"strides", 2},
                                                        {"padding", "same"}}}},
                                                     {5, 7, 4}));
        const auto op = std::find_if(graph.ops.begin(), graph.ops.end(), [](const Op& each) {
            return std::holds_alternative<ConvGradInputAttributes>(each.attributes);
        });
        QVERIFY(op != graph.ops.end());
        const ConvAttributes& conv = std::get<ConvGradInputAttributes>(op->attributes).conv;
        QCOMPARE(conv.padsBegin, (std::vector<std::int64_t>{0, 1}));
        QCOMPARE(conv.padsEnd, (std::vector<std::int64_t>{1, 2}));
    }

    void checkpointsAreKept() {
        const Graph graph = importedModel(sequential(
            {{"Dense", {{"units", 8}}}, {"RecomputationCheckpoint", {}}, {"Dense", {{"units", 4}}}},
            {16}));
        const auto kept = std::count_if(graph.ops.begin(), graph.ops.end(),
                                        [](const Op& op) { return op.recomputeHint == false; });
        QCOMPARE(kept, 1);
    }

    void compiledLosses_data() {
        QTest::addColumn<QString>("loss");
        QTest::addColumn<QString>("function");
        QTest::newRow("name") << R"("mse")"
                              << "mse";
        QTest::newRow("class") << R"({"class_name": "MeanAbsoluteError", "config": {}})"
                               << "mae";
        QTest::newRow("function")
            << R"({"class_name": "function", "config": "binary_crossentropy"})"
            << "binary-cross-entropy";
        QTest::newRow("by output") << R"({"out": "sparse_categorical_crossentropy"})"
                                   << "cross-entropy";
        QTest::newRow("unknown") << R"("hinge")"
                                 << "auto";
    }

    void compiledLosses() {
        QFETCH(QString, loss);
        QFETCH(QString, function);
        const Graph graph = importedModel(
            sequential({{"Dense", {{"units", 1}}}}, {16},
                       {{"compile_config", {{"loss", json::parse(loss.toStdString())}}}}));
        QCOMPARE(text(toString(graph.loss)), function);
        const bool warned =
            std::any_of(graph.messages.begin(), graph.messages.end(), [](const GraphMessage& m) {
                return m.text.find("hinge") != std::string::npos;
            });
        QCOMPARE(warned, loss.contains("hinge"));
    }

    /// A model of one output has no classes: regression trains it.
    void regressionTrainsOneOutput_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("loss");
        for (const char* name : {"mse", "MeanAbsoluteError", "binary_crossentropy"})
            QTest::newRow(name) << QString(name)
                                << static_cast<int>(lossFunctionFrom(name).value());
    }

    void regressionTrainsOneOutput() {
        QFETCH(int, loss);
        const Graph graph =
            importedModel(sequential({{"Dense", {{"units", 1}, {"activation", "sigmoid"}}}}, {16}));
        RunOptions options = fewTiles();
        options.batch.mode = "training";
        QVERIFY_THROWS_EXCEPTION(UserError, trainingGraph(graph, options));
        options.training.loss = static_cast<LossFunction>(loss);
        const std::string wrong = complaints(simulate(graph, options));
        QVERIFY2(wrong.empty(), wrong.c_str());
        const Graph trained = trainingGraph(graph, options);
        QCOMPARE(trained.outputs.size(), std::size_t(1));
        // A bias of one value is a constant of the program.
        QCOMPARE(std::count_if(trained.ops.begin(), trained.ops.end(),
                               [](const Op& op) { return op.type == "VarUpdate"; }),
                 1);
    }
};

TILESCOPE_TEST(FrontendKerasLayersTest)

} // namespace frontend_keras_layers_test

#include "frontend_keras_layers_test.moc"
