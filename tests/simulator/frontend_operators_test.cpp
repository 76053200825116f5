// Operators that are combinations of others: the operations that they become, that they run
// soundly, and that weights before them can be trained.
#include <fstream>

#include <QTemporaryDir>
#include <QTest>

#include "core/base/error.h"
#include "graph_facts.h"
#include "model_text.h"
#include "simulator/frontend/custom/custom_operations.h"
#include "simulator/simulate.h"
#include "simulator/training/optimizer.h"
#include "support/invariants.h"
#include "tests/support/test_main.h"

namespace frontend_operators_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

RunOptions fewTiles() {
    RunOptions options;
    options.machine.target.tilesPerIpu = 16;
    return options;
}

Graph importGraphcore(const std::string& graph, const ImportOptions& options = {}) {
    onnx::ModelProto model = parseModel(graph);
    for (const char* domain : {"ai.graphcore", "custom.ops"}) {
        auto& set = *model.add_opset_import();
        set.set_domain(domain);
        set.set_version(1);
    }
    Graph result = importOnnx(model, "test.onnx", options);
    checkGraph(result);
    return result;
}

void compareSound(const Graph& graph) {
    const std::string wrong = complaints(simulate(graph, fewTiles()));
    QVERIFY2(wrong.empty(), wrong.c_str());
}

/// Weights that a training step of the model updates.
std::size_t updatesOf(const Graph& graph) {
    RunOptions options = fewTiles();
    options.batch.mode = "training";
    Graph trained = trainingGraph(graph, options);
    checkGraph(trained);
    return static_cast<std::size_t>(
        std::count_if(trained.ops.begin(), trained.ops.end(),
                      [](const Op& op) { return op.type == "VarUpdate"; }));
}

/// Two nodes of a function "Twice", named "first" and "second".
onnx::ModelProto importable(const std::string& domain) {
    onnx::ModelProto model = parseModel("g (float[4] x) => (float[4] y) { m = Relu (x) "
                                        "y = Relu (m) }");
    auto& set = *model.add_opset_import();
    set.set_domain(domain);
    set.set_version(1);
    const char* names[] = {"first", "second"};
    for (int i = 0; i < 2; ++i) {
        auto& node = *model.mutable_graph()->mutable_node(i);
        node.set_op_type("Twice");
        node.set_domain(domain);
        node.set_name(names[i]);
    }
    return model;
}

const char* const myCube =
    "{\"custom.ops.MyCube\": {\"vertex\": \"MyCube<float>\", \"inputs\": "
    "[\"like-result\", \"everywhere\"], \"cycles\": \"100 + 3 * ceil(n / workers)\", "
    "\"codeBytes\": 1000, \"temporaryBytes\": \"8 * n\", \"flops\": \"2 * N\"}}";

} // namespace

class FrontendOperatorsTest : public QObject {
    Q_OBJECT

private slots:
    void combinations_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const char* model, const char* expected) {
            QTest::newRow(name) << model << expected;
        };
        row("a transposed convolution is a backward pass",
            "g (float[1,4,5,5] x, float[4,2,3,3] w) => (float[1,2,11,11] y) "
            "{ y = ConvTranspose <strides = [2,2]> (x, w) }",
            "ConvGradInput[1,2,11,11]");
        row("a running sum is a product with a triangle",
            "g (float[2,8] x) => (float[2,8] y) <int64 axis = {1}> { y = CumSum (x, axis) }",
            "MatMul[2,8]");
        row("elements are rows of a table of one column",
            "g (float[3,4] x, int64[2,4] i) => (float[2,4] y) "
            "{ y = GatherElements <axis = 0> (x, i) }",
            "Reshape[12,1] MULTIPLY[2,4] ADD[2,4] Reshape[8] Gather[8,1] Reshape[2,4]");
        row("rows named by several numbers",
            "g (float[3,4,5] x, int64[6,2] i) => (float[6,5] y) { y = GatherND (x, i) }",
            "MULTIPLY[6,2] ReduceADD[6] Reshape[12,5] Gather[6,5]");
        row("a scatter updates a copy",
            "g (float[6,5] x, int64[2,1] i, float[2,5] u) => (float[6,5] y) "
            "{ y = ScatterND (x, i, u) }",
            "Reshape[2] COPY[6,5] MultiUpdate[6,5]");
        row("the greatest becomes one", "g (float[3,4] x) => (float[3,4] y) { y = Hardmax (x) }",
            "ReduceARG_MAX[3] Reshape[3,1] ONE_HOT[3,4]");
        row("an equation of a product",
            "g (float[2,3,4] x, float[2,4,5] z) => (float[2,3,5] y) "
            "{ y = Einsum <equation = \"bij,bjk->bik\"> (x, z) }",
            "MatMul[2,3,5]");
        row("a diagonal is a slice",
            "g (float[2,3,3] x) => (float[2,3] y) { y = Einsum <equation = \"...ii->...i\"> (x) }",
            "Reshape[2,9] Slice[2,3]");
        row("nearest pixels by a whole factor",
            "g (float[1,1,2,2] x) => (float[1,1,4,2] y) <float[4] s = {1,1,2,1}> "
            "{ y = Resize <coordinate_transformation_mode = \"asymmetric\", nearest_mode = "
            "\"floor\"> (x, , s) }",
            "Reshape[1,1,2,1,2] Expand[1,1,2,2,2] Reshape[1,1,4,2]");
        row("a mirrored edge",
            "g (float[2,4] x) => (float[2,6] y) <int64[4] p = {0,2,0,0}> "
            "{ y = Pad <mode = \"reflect\"> (x, p) }",
            "Slice[2,3] Slice[2,3] Concat[2,6]");
        row("shifted bits",
            "g (uint32[4] x, uint32[4] z) => (uint32[4] y) "
            "{ y = BitShift <direction = \"LEFT\"> (x, z) }",
            "SHIFT_LEFT[4]");
    }

    void combinations() {
        QFETCH(QString, model);
        QFETCH(QString, expected);
        const Graph graph = importText(model.toStdString());
        QCOMPARE(QString::fromStdString(summary(graph)), expected);
        compareSound(graph);
    }

    void bestOfManyAreSortedByComparisons() {
        const Graph graph = importText("g (float[2,16] x) => (float[2,4] y, int64[2,4] i) "
                                       "<int64[1] k = {4}> { y, i = TopK (x, k) }");
        // Runs of 4: 1 + 2 steps; two merges of 1 + 2 steps each.
        QCOMPARE(countFunction(graph, ElementwiseFunction::Greater), 9);
        compareSound(graph);
    }

    void transposedConvolutionTrains() {
        onnx::ModelProto model = parseModel("g (float[2,4,5,5] x) => (float[2,2,7,7] y) "
                                            "{ y = ConvTranspose (x, w) }");
        auto& w = *model.mutable_graph()->add_initializer();
        w.set_name("w");
        w.set_data_type(onnx::TensorProto::FLOAT);
        for (const int size : {4, 2, 3, 3})
            w.add_dims(size);
        for (int i = 0; i < 4 * 2 * 3 * 3; ++i)
            w.add_float_data(1);
        ImportOptions options;
        options.training = true;
        const Graph graph = importOnnx(model, "test.onnx", options);
        QCOMPARE(updatesOf(graph), std::size_t(1));
    }

    void recurrentNetworks_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("loops");
        QTest::addColumn<int>("products"); // of a step
        QTest::addColumn<int>("weights");  // numbers
        QTest::newRow("LSTM") << "g (float[5,2,3] x, float[1,16,3] w, float[1,16,4] r) => "
                                 "(float[5,1,2,4] y) { y = LSTM <hidden_size = 4> (x, w, r) }"
                              << 1 << 1 << 16 * (3 + 4);
        QTest::newRow("GRU") << "g (float[5,2,3] x, float[1,12,3] w, float[1,12,4] r) => "
                                "(float[5,1,2,4] y) { y = GRU <hidden_size = 4> (x, w, r) }"
                             << 1 << 2 << 12 * (3 + 4);
        QTest::newRow("GRU, reset after")
            << "g (float[5,2,3] x, float[1,12,3] w, float[1,12,4] r, float[1,24] b) => "
               "(float[5,1,2,4] y) "
               "{ y = GRU <hidden_size = 4, linear_before_reset = 1> (x, w, r, b) }"
            << 1 << 2 << 12 * (3 + 4) + 24;
        QTest::newRow("RNN in both directions")
            << "g (float[5,2,3] x, float[2,4,3] w, float[2,4,4] r) => (float[5,2,2,4] y) "
               "{ y = RNN <hidden_size = 4, direction = \"bidirectional\"> (x, w, r) }"
            << 2 << 1 << 2 * 4 * (3 + 4);
        QTest::newRow("LSTM with peepholes and states")
            << "g (float[5,2,3] x, float[1,16,3] w, float[1,16,4] r, float[1,32] b, "
               "float[1,2,4] h, float[1,2,4] c, float[1,12] p) => (float[1,2,4] last) "
               "{ y, last = LSTM <hidden_size = 4> (x, w, r, b, , h, c, p) }"
            << 1 << 1 << -1;
        QTest::newRow("LSTM with a cell alone")
            << "g (float[5,2,3] x, float[1,16,3] w, float[1,16,4] r, float[1,2,4] c) => "
               "(float[1,2,4] last) { y, last = LSTM <hidden_size = 4> (x, w, r, , , , c) }"
            << 1 << 1 << -1;
    }

    // One loop for each direction, with its step lowered once, however many there are.
    void recurrentNetworks() {
        QFETCH(QString, model);
        QFETCH(int, loops);
        QFETCH(int, products);
        QFETCH(int, weights);
        onnx::ModelProto proto = parseModel(model.toStdString());
        // Weights come from the host.
        auto& inputs = *proto.mutable_graph()->mutable_input();
        for (int i = weights < 0 ? inputs.size() : 1; i < inputs.size(); ++i) {
            onnx::TensorProto& weight = *proto.mutable_graph()->add_initializer();
            weight.set_name(inputs[i].name());
            weight.set_data_type(onnx::TensorProto::FLOAT);
            int size = 1;
            for (const auto& dim : inputs[i].type().tensor_type().shape().dim()) {
                weight.add_dims(dim.dim_value());
                size *= static_cast<int>(dim.dim_value());
            }
            for (int n = 0; n < size; ++n)
                weight.add_float_data(0.5F);
        }
        if (weights >= 0)
            inputs.DeleteSubrange(1, inputs.size() - 1);
        const Graph graph = importOnnx(proto, "test.onnx", {});
        checkGraph(graph);
        QCOMPARE(countKind(graph, "Loop"), loops);
        QCOMPARE(graph.functions.size(), static_cast<std::size_t>(loops));
        for (const Graph& step : graph.functions)
            QCOMPARE(countKind(step, "MatMul"), products);
        for (const Op& op : graph.ops)
            if (const auto* loop = std::get_if<LoopAttributes>(&op.attributes))
                QCOMPARE(loop->steps, std::int64_t(5));
        if (weights >= 0)
            QCOMPARE(parameters(graph), std::int64_t(weights));
        compareSound(graph);
    }

    void operatorsOfPopArt_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* node, const char* operands, const char* result,
                            const char* expected) {
            QTest::newRow(node) << QString("g (float[4,6] x%1) => (float%2 y) { y = "
                                           "ai.graphcore.%3 }")
                                       .arg(operands, result, node)
                                << expected;
        };
        row("Gelu (x)", "", "[4,6]", "GELU[4,6]");
        row("Swish (x)", "", "[4,6]", "SWISH[4,6]");
        row("Scale <scale = 2.0> (x)", "", "[4,6]", "MULTIPLY[4,6]");
        row("Subsample <strides = [2,1]> (x)", "", "[2,6]", "Slice[2,6]");
        row("DynamicSlice <axes = [0], sizes = [2]> (x, i)", ", uint32[1] i", "[2,6]",
            "CAST[1] ADD[2] Gather[2,6]");
        row("DynamicUpdate <axes = [0], sizes = [1]> (x, i, u)", ", uint32[1] i, float[1,6] u",
            "[4,6]", "COPY[4,6] CAST[1] MultiUpdate[4,6]");
    }

    void operatorsOfPopArt() {
        QFETCH(QString, model);
        QFETCH(QString, expected);
        const Graph graph = importGraphcore(model.toStdString());
        QCOMPARE(QString::fromStdString(summary(graph)), expected);
        compareSound(graph);
    }

    void nopAndDetachCostNothingInInference() {
        const Graph graph = importGraphcore("g (float[4,6] x) => (float[4,6] y) { a = "
                                            "ai.graphcore.Nop (x) b = ai.graphcore.Detach (a) "
                                            "c = ai.graphcore.PrintTensor (b) y = Relu (c) }");
        QCOMPARE(QString::fromStdString(summary(graph)), "RELU[4,6]");
    }

    void annotationsAct() {
        const auto model = [](const std::string& attributes) {
            return "g (float16[4,6] x, float16[6,8] w) => (float16[4,8] y) { y = MatMul <" +
                   attributes + "> (x, w) }";
        };
        const Graph half = importText(model("__partials_type = \"HALF\", __outline = 0, "
                                            "__recompute_output_in_backward_pass = 2"));
        const Op& op = half.ops[OpId(0)];
        QVERIFY(op.partialsType == DataType::Half);
        QVERIFY(!op.mayOutline);
        QVERIFY(op.recomputeHint == true);
        const Profile profile = simulate(half, fewTiles());
        const std::string wanted = "\"partialsType\":\"half\"";
        QVERIFY(std::any_of(
            profile.operations.begin(), profile.operations.end(),
            [&](const Operation& o) { return o.options.find(wanted) != std::string::npos; }));
        const Graph plain = importText(model("__recompute_output_in_backward_pass = 1"));
        QVERIFY(!plain.ops[OpId(0)].partialsType);
        QVERIFY(plain.ops[OpId(0)].mayOutline);
        QVERIFY(plain.ops[OpId(0)].recomputeHint == false);
        QVERIFY_THROWS_EXCEPTION(UserError, importText(model("__partials_type = \"int\"")));
    }

    void shapesAreTakenFromTestData() {
        const QTemporaryDir directory;
        const std::filesystem::path folder = directory.path().toStdString();
        const onnx::ModelProto model = parseModel(
            "g (float[2,6] x, int64[2] shape) => (float[3,4] y) { y = Reshape (x, shape) }");
        const auto file = folder / "model.onnx";
        std::ofstream(file, std::ios::binary) << model.SerializeAsString();
        QVERIFY_THROWS_EXCEPTION(UserError, importOnnx(file, {}));
        onnx::TensorProto shape;
        shape.set_data_type(onnx::TensorProto::INT64);
        shape.add_dims(2);
        shape.add_int64_data(3);
        shape.add_int64_data(4);
        std::filesystem::create_directory(folder / "test_data_set_0");
        const auto data = folder / "test_data_set_0" / "input_1.pb";
        std::ofstream(data, std::ios::binary) << shape.SerializeAsString();
        const Graph graph = importOnnx(file, {});
        QCOMPARE(QString::fromStdString(outputShapes(graph)), "[3,4]");
        QCOMPARE(graph.inputs.size(), std::size_t(1));
        QVERIFY(hasMessage(graph, "test data"));
        std::ofstream(data, std::ios::binary) << "no tensor";
        QVERIFY_THROWS_EXCEPTION(UserError, importOnnx(file, {}));
    }

    void functionsOfAModelAreInlined() {
        onnx::ModelProto model = importable("own.ops");
        auto& function = *model.add_functions();
        function.set_name("Twice");
        function.set_domain("own.ops");
        function.add_input("a");
        function.add_output("b");
        auto& set = *function.add_opset_import();
        set.set_domain("");
        set.set_version(17);
        auto& first = *function.add_node();
        first.set_op_type("Relu");
        first.add_input("a");
        first.add_output("inner");
        auto& second = *function.add_node();
        second.set_op_type("Tanh");
        second.add_input("inner");
        second.add_output("b");
        const Graph graph = importOnnx(model, "test.onnx", {});
        QCOMPARE(QString::fromStdString(summary(graph)), "RELU[4] TANH[4] RELU[4] TANH[4]");
        QCOMPARE(graph.ops[OpId(2)].name, "second/inner");
    }

    // Each level calls the next twice: 2^40 calls, all of which are removed.
    void functionsThatDoubleAreRefused() {
        onnx::ModelProto model = importable("own.ops");
        constexpr int levels = 40;
        for (int level = 0; level < levels; ++level) {
            const auto nameOf = [](int nth) {
                return nth == 0 ? std::string("Twice") : "Level" + std::to_string(nth);
            };
            auto& function = *model.add_functions();
            function.set_name(nameOf(level));
            function.set_domain("own.ops");
            function.add_input("a");
            function.add_output("b");
            for (int call = 0; call < 2 && level + 1 < levels; ++call) {
                auto& node = *function.add_node();
                node.set_op_type(nameOf(level + 1));
                node.set_domain("own.ops");
                node.add_input("a");
                node.add_output(call == 0 ? "inner" : "b");
            }
        }
        QVERIFY_THROWS_EXCEPTION(UserError, importOnnx(model, "test.onnx", {}));
    }

    void lossesOfWeighedClasses_data() {
        QTest::addColumn<QString>("node");
        QTest::newRow("weights") << "SoftmaxCrossEntropyLoss (x, l, c)";
        QTest::newRow("ignored") << "SoftmaxCrossEntropyLoss <ignore_index = 0> (x, l)";
        QTest::newRow("both") << "NegativeLogLikelihoodLoss <ignore_index = 0> (x, l, c)";
    }

    void lossesOfWeighedClasses() {
        QFETCH(QString, node);
        const std::string text =
            "g (float[4,5] x, int64[4] l, float[5] c) => (float y) { y = " + node.toStdString() +
            " }";
        const Graph graph = importText(text);
        // A mean of weights divides by their sum.
        QCOMPARE(countFunction(graph, ElementwiseFunction::Divide), 1);
        compareSound(graph);
    }

    void declaredOperations() {
        const QTemporaryDir directory;
        const std::filesystem::path file = directory.filePath("ops.json").toStdString();
        std::ofstream(file) << myCube;
        ImportOptions options;
        options.customOperations = readCustomOperations(file);
        const Graph graph = importGraphcore("g (float[64,64] x, float[64] z) => (float[64,64] y) "
                                            "{ y = custom.ops.MyCube (x, z) }",
                                            options);
        QCOMPARE(QString::fromStdString(summary(graph)), "Custom[64,64]");
        QCOMPARE(flopsOf(graph, graph.ops[OpId(0)]), 2.0 * 64 * 64);
        const Profile profile = simulate(graph, fewTiles());
        const std::string wrong = complaints(profile);
        QVERIFY2(wrong.empty(), wrong.c_str());
        const auto set = std::find_if(profile.computeSets.begin(), profile.computeSets.end(),
                                      [](const ComputeSet& s) { return s.name == "y/MyCube"; });
        QVERIFY(set != profile.computeSets.end());
        QCOMPARE(set->cycles.max().value, 100 + 3 * ((64 * 64 / 16 + 5) / 6));
        QCOMPARE(profile.vertexTypes[set->vertices[0].type].codeBytes.max().value, 1000);
    }

    void wrongDeclarations_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const char* body, const char* expected) {
            QTest::newRow(name) << QString("{\"a.B\": {%1}}").arg(body) << expected;
        };
        row("no vertex", "\"inputs\": [\"linear\"], \"cycles\": \"1\"", "'vertex'");
        row("no layout", "\"vertex\": \"V\", \"inputs\": [\"here\"], \"cycles\": \"1\"",
            "like-result, linear or everywhere");
        row("a wrong formula", "\"vertex\": \"V\", \"inputs\": [\"linear\"], \"cycles\": \"1 + m\"",
            "'m' at 4 is neither a name");
        row("an unknown key",
            "\"vertex\": \"V\", \"inputs\": [\"linear\"], \"cycles\": \"1\", \"code\": 1",
            "'code' is no key");
    }

    void wrongDeclarations() {
        QFETCH(QString, text);
        QFETCH(QString, expected);
        const QTemporaryDir directory;
        const std::filesystem::path file = directory.filePath("ops.json").toStdString();
        std::ofstream(file) << text.toStdString();
        try {
            readCustomOperations(file);
            QFAIL("it was taken");
        } catch (const UserError& error) {
            const QString what = error.what();
            QVERIFY2(what.contains(expected) && what.contains("a.B") && what.contains("ops.json"),
                     qPrintable(what));
        }
    }
};

TILESCOPE_TEST(FrontendOperatorsTest)

} // namespace frontend_operators_test

#include "frontend_operators_test.moc"
