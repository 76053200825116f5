// The operations that single ONNX nodes become.
#include <QtTest>

#include "core/base/error.h"
#include "graph_facts.h"
#include "model_text.h"
#include "tests/support/test_main.h"

namespace frontend_nodes_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

class FrontendNodesTest : public QObject {
    Q_OBJECT

private slots:
    void conversion_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("opset");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, int opset, const char* model, const char* expected) {
            QTest::newRow(name) << model << opset << expected;
        };
        addLinearRows(row);
        addElementwiseRows(row);
        addViewRows(row);
        addReductionRows(row);
    }

    void conversion() {
        QFETCH(QString, model);
        QFETCH(int, opset);
        QFETCH(QString, expected);
        QCOMPARE(QString::fromStdString(summary(importText(model.toStdString(), opset))), expected);
    }

    void convolutionKeepsItsWindow() {
        const Graph graph =
            importText("g (float[2,4,9,9] x, float[6,2,3,3] w) => (float[2,6,5,5] y) "
                       "{ y = Conv <group = 2, strides = [2,2], pads = [1,0,1,2], "
                       "dilations = [1,1]> (x, w) }");
        const auto& conv = std::get<ConvAttributes>(graph.ops[OpId(0)].attributes);
        QCOMPARE(conv.groups, 2);
        QCOMPARE(conv.strides, (Shape{2, 2}));
        QCOMPARE(conv.padsBegin, (Shape{1, 0}));
        QCOMPARE(conv.padsEnd, (Shape{1, 2}));
        QCOMPARE(flopsOf(graph, graph.ops[OpId(0)]), 2.0 * 2 * 6 * 5 * 5 * 2 * 9);
    }

    void availableMemoryComesWithTheNode() {
        const auto model = [](const char* value) {
            return "g (float[1,4,9,9] x, float[6,4,3,3] w) => (float[1,6,7,7] y) "
                   "{ c = Conv <__available_memory = " +
                   std::string(value) + "> (x, w) y = Relu (c) }";
        };
        const Graph graph = importText(model("0.25"));
        QCOMPARE(*graph.ops[OpId(0)].availableMemory, 0.25);
        QVERIFY(!graph.ops[OpId(1)].availableMemory);
        QVERIFY_THROWS_EXCEPTION(UserError, importText(model("1.25")));
    }

    void automaticPaddingBecomesNumbers_data() {
        QTest::addColumn<QString>("mode");
        QTest::addColumn<Shape>("begin");
        QTest::addColumn<Shape>("end");
        QTest::newRow("upper") << "SAME_UPPER" << Shape{0, 1} << Shape{1, 1};
        QTest::newRow("lower") << "SAME_LOWER" << Shape{1, 1} << Shape{0, 1};
        QTest::newRow("valid") << "VALID" << Shape{0, 0} << Shape{0, 0};
    }

    void automaticPaddingBecomesNumbers() {
        QFETCH(QString, mode);
        const Graph graph =
            importText("g (float[1,1,8,9] x, float[1,1,3,3] w) => (float[1,1,a,b] y) "
                       "{ y = Conv <auto_pad = \"" +
                       mode.toStdString() + "\", strides = [2,2]> (x, w) }");
        const auto& conv = std::get<ConvAttributes>(graph.ops[OpId(0)].attributes);
        QTEST(conv.padsBegin, "begin");
        QTEST(conv.padsEnd, "end");
    }

    void roundingUpBecomesPadding() {
        const Graph graph = importText(
            "g (float[1,1,6,6] x) => (float[1,1,3,3] y) "
            "{ y = MaxPool <kernel_shape = [3,3], strides = [2,2], ceil_mode = 1> (x) }");
        const auto& pool = std::get<PoolAttributes>(graph.ops[OpId(0)].attributes);
        QCOMPARE(pool.padsEnd, (Shape{1, 1}));
    }

    void aFoldedBatchNormalizationLeavesABias() {
        const Graph graph =
            importText("g (float[1,3,8,8] x, float[4,3,3,3] w) => (float[1,4,6,6] y) "
                       "<float[4] s = {1,1,1,1}, float[4] b = {1,1,1,1}, float[4] m = {1,1,1,1}, "
                       "float[4] v = {1,1,1,1}> "
                       "{ c = Conv(x, w) y = BatchNormalization(c, s, b, m, v) }",
                       17, {.foldBatchNorm = true});
        QCOMPARE(QString::fromStdString(summary(graph)), "Conv[1,4,6,6] ADD[1,4,6,6]");
        QCOMPARE(graph.ops[OpId(1)].name, "c/bias");
        const Tensor& bias = graph.tensors[graph.ops[OpId(1)].inputs[1]];
        QCOMPARE(bias.shape, (Shape{4, 1, 1}));
        QVERIFY(bias.role == TensorRole::Weight);
        QCOMPARE(parameters(graph), 4);
        QVERIFY(hasMessage(graph, "folded"));
    }

    void batchNormalizationStaysWhereTheConvolutionIsReadTwice() {
        const Graph graph = importText(
            "g (float[1,3,8,8] x, float[4,3,3,3] w) => (float[1,4,6,6] y, float[1,4,6,6] c) "
            "<float[4] s = {1,1,1,1}, float[4] b = {1,1,1,1}, float[4] m = {1,1,1,1}, "
            "float[4] v = {1,1,1,1}> "
            "{ c = Conv(x, w) y = BatchNormalization(c, s, b, m, v) }",
            17, {.foldBatchNorm = true});
        // A factor and a summand of each channel, then all data.
        QCOMPARE(QString::fromStdString(summary(graph)),
                 "Conv[1,4,6,6] VARIANCE_TO_INV_STD_DEV[4,1,1] MULTIPLY[4,1,1] MULTIPLY[4,1,1] "
                 "SUBTRACT[4,1,1] MULTIPLY[1,4,6,6] ADD[1,4,6,6]");
    }

    void precisionHalfReachesEveryFloat() {
        const Graph graph = importText("g (float[2,3] x, float[3,4] w) => (float[2,4] y) "
                                       "{ y = MatMul(x, w) }",
                                       17, {.half = true});
        for (const Tensor& tensor : graph.tensors)
            QVERIFY(tensor.type == DataType::Half);
    }

    void doublesStandForFloatsOnRequest() {
        const char* model = "g (float[2,3] x) => (double[2,3] y) { d = Cast<to = 11>(x) "
                            "y = Mul(d, d) }";
        const Graph graph = importText(model, 17, {.half = true, .doublesAreFloats = true});
        QVERIFY(graph.tensors[graph.inputs.at(0)].type == DataType::Half);
        QVERIFY(graph.tensors[graph.outputs.at(0)].type == DataType::Float);
        QVERIFY(!hasMessage(graph, "double"));
        // Without halves they are floats anyway; of a model that is turned into half they are half.
        const Graph half = importText(model, 17, {.half = true});
        QVERIFY(half.tensors[half.outputs.at(0)].type == DataType::Half);
    }

    void typesThatTheDeviceLacksAreReported() {
        QVERIFY(
            hasMessage(importText("g (double[2] x) => (double[2] y) { y = Relu(x) }"), "double"));
        QVERIFY(hasMessage(importText("g (int64[2] x) => (int64[2] y) { y = Abs(x) }"), "int64"));
        QVERIFY(hasMessage(importText("g (bfloat16[2] x) => (bfloat16[2] y) { y = Relu(x) }"),
                           "bfloat16"));
    }

    void comparisonsMakeBools() {
        const Graph graph =
            importText("g (float[2] x, float[2] z) => (bool[2] y) { y = Less(x, z) }");
        QVERIFY(graph.tensors[graph.outputs[0]].type == DataType::Bool);
    }

    void shapeComputationsAreFolded() {
        // What exporters write for x.view(x.size(0), -1).
        const Graph graph =
            importText("g (float[N,4,5] x) => (float[N,20] y) "
                       "<int64 zero = {0}, int64[1] rest = {-1}, int64[1] axes = {0}> "
                       "{ s = Shape(x) n = Gather(s, zero) m = Unsqueeze(n, axes) "
                       "t = Concat <axis = 0> (m, rest) y = Reshape(x, t) }",
                       17, {.batchSize = 3});
        QCOMPARE(QString::fromStdString(summary(graph)), "Reshape[3,20]");
    }

    void attentionOfExportersKeepsOnlyItsArithmetic() {
        // Position ids and head reshapes as torch.onnx.export writes them for a symbolic batch.
        const Graph graph = importText(
            "g (int64[N,16] ids) => (float[N,2,16,16] y) "
            "<int64 zero = {0}, int64 one = {1}, int64 length = {512}, int64[1] axis = {0}, "
            "int64[1] minus = {-1}, int64[1] heads = {2}, int64[1] width = {4}, int64[2] ws = "
            "{100,8}, "
            "int64[1] rank = {2}> "
            "{ w = ConstantOfShape(ws) positions = ConstantOfShape(ws) s = Shape(ids) "
            "n = Gather(s, zero) l = Gather(s, one) nu = Unsqueeze(n, axis) lu = Unsqueeze(l, "
            "axis) "
            "range = Range(zero, length, one) some = Slice(range, axis, lu, axis) "
            "row = Unsqueeze(some, axis) open = Equal(s, minus) "
            "ones = ConstantOfShape <value = int64[1] {1}> (rank) full = Where(open, ones, s) "
            "all = Expand(row, full) a = Gather(w, ids) b = Gather(positions, all) e = Add(a, b) "
            "t = Concat <axis = 0> (nu, lu, heads, width) r = Reshape(e, t) "
            "q = Transpose <perm = [0,2,1,3]> (r) k = Transpose <perm = [0,2,3,1]> (r) "
            "y = MatMul(q, k) }",
            14, {.batchSize = 3});
        QCOMPARE(QString::fromStdString(summary(graph)),
                 "Gather[3,16,8] Gather[3,16,8] ADD[3,16,8] Reshape[3,16,2,4] Transpose[3,2,16,4] "
                 "Transpose[3,2,4,16] MatMul[3,2,16,16]");
        const Tensor& positions = graph.tensors[graph.ops[OpId(1)].inputs[1]];
        QVERIFY(positions.role == TensorRole::Constant);
        QCOMPARE(parameters(graph), 2 * 100 * 8);
    }

    void deadNodesVanish() {
        const Graph graph = importText("g (float[2] x) => (float[2] y) "
                                       "{ unused = Exp(x) y = Relu(x) }");
        QCOMPARE(graph.ops.size(), 1);
    }

    void aModelMayDoNothing() {
        const Graph graph = importText("g (float[2] x) => (float[2] y) { y = Identity(x) }");
        QCOMPARE(graph.ops.size(), 0);
        QVERIFY(graph.outputs == graph.inputs);
    }

    void namesAreUniquePaths() {
        auto model = parseModel("g (float[2] x) => (float[2] y) "
                                "{ a = Relu(x) b = Relu(a) y = Relu(b) }");
        model.mutable_graph()->mutable_node(0)->set_name("/layer1//relu");
        model.mutable_graph()->mutable_node(1)->set_name("layer1/relu");
        const Graph graph = importOnnx(std::move(model), "test.onnx", {});
        QCOMPARE(graph.ops[OpId(0)].name, "layer1/relu");
        QCOMPARE(graph.ops[OpId(1)].name, "layer1/relu_1");
        QCOMPARE(graph.ops[OpId(2)].name, "y");
    }

    void aBatchInReshapeTargetsIsReplaced() {
        const Graph graph =
            importText("g (float[1,4,2,2] x) => (float[1,16] y) <int64[5] t = {1,2,2,2,2}, "
                       "int64[2] f = {1,-1}> { r = Reshape(x, t) y = Reshape(r, f) }",
                       17, {.batchSize = 8, .forceBatch = true});
        QCOMPARE(QString::fromStdString(summary(graph)), "Reshape[8,2,2,2,2] Reshape[8,16]");
        QVERIFY(hasMessage(graph, "2 Reshape nodes"));
    }

private:
    template <class Row> static void addLinearRows(Row row) {
        row("conv 1d", 13,
            "g (float[1,3,8] x, float[4,3,3] w) => (float[1,4,6] y) "
            "{ y = Conv(x, w) }",
            "Conv[1,4,6]");
        row("conv 3d with bias", 13,
            "g (float[1,3,8,8,8] x, float[4,3,3,3,3] w, float[4] b) => (float[1,4,6,6,6] y) "
            "{ y = Conv(x, w, b) }",
            "Conv[1,4,6,6,6] Reshape[4,1,1,1] ADD[1,4,6,6,6]");
        row("gemm", 13,
            "g (float[3,2] a, float[4,3] b, float[4] c) => (float[2,4] y) "
            "{ y = Gemm <transA = 1, transB = 1> (a, b, c) }",
            "MatMul[2,4] ADD[2,4]");
        row("gemm with factors", 13,
            "g (float[2,3] a, float[3,4] b, float[4] c) => (float[2,4] y) "
            "{ y = Gemm <alpha = 0.5, beta = 2.0> (a, b, c) }",
            "MatMul[2,4] MULTIPLY[2,4] MULTIPLY[4] ADD[2,4]");
        row("vector times matrix", 13,
            "g (float[3] a, float[3,4] b) => (float[4] y) "
            "{ y = MatMul(a, b) }",
            "Reshape[1,3] MatMul[1,4] Reshape[4]");
        row("dot product", 13, "g (float[3] a, float[3] b) => (float y) { y = MatMul(a, b) }",
            "Reshape[1,3] Reshape[3,1] MatMul[1,1] Reshape[]");
        row("batched product", 13,
            "g (float[2,1,3,4] a, float[5,4,6] b) => (float[2,5,3,6] y) { y = MatMul(a, b) }",
            "MatMul[2,5,3,6]");
        row("global pool", 13,
            "g (float[1,3,7,5] x) => (float[1,3,1,1] y) "
            "{ y = GlobalAveragePool(x) }",
            "Pool[1,3,1,1]");
        row("lrn", 13, "g (float[1,3,7,5] x) => (float[1,3,7,5] y) { y = LRN <size = 3> (x) }",
            "Lrn[1,3,7,5]");
    }

    template <class Row> static void addElementwiseRows(Row row) {
        row("relu", 13, "g (float[2] x) => (float[2] y) { y = Relu(x) }", "RELU[2]");
        row("broadcast", 13, "g (float[2,1] x, float[3] z) => (float[2,3] y) { y = Mul(x, z) }",
            "MULTIPLY[2,3]");
        row("old broadcast", 6,
            "g (float[2,3,4] x, float[3] z) => (float[2,3,4] y) "
            "{ y = Add <broadcast = 1, axis = 1> (x, z) }",
            "Reshape[3,1] ADD[2,3,4]");
        row("sum of three", 13,
            "g (float[2] a, float[2] b, float[2] c) => (float[2] y) "
            "{ y = Sum(a, b, c) }",
            "ADD[2]");
        row("mean", 13, "g (float[2] a, float[2] b) => (float[2] y) { y = Mean(a, b) }",
            "ADD[2] MULTIPLY[2]");
        row("square", 13, "g (float[2] x) => (float[2] y) <float two = {2.0}> { y = Pow(x, two) }",
            "SQUARE[2]");
        row("power", 13, "g (float[2] x, float[2] e) => (float[2] y) { y = Pow(x, e) }",
            "POWER[2]");
        row("clip", 13,
            "g (float[2] x) => (float[2] y) <float low = {0.0}, float high = {6.0}> "
            "{ y = Clip(x, low, high) }",
            "CLAMP[2]");
        row("old clip", 6, "g (float[2] x) => (float[2] y) { y = Clip <min = 0.0, max = 6.0> (x) }",
            "CLAMP[2]");
        row("selu", 13, "g (float[2] x) => (float[2] y) { y = Selu(x) }", "ELU[2] MULTIPLY[2]");
        row("softsign", 13, "g (float[2] x) => (float[2] y) { y = Softsign(x) }",
            "ABSOLUTE[2] ADD[2] DIVIDE[2]");
        row("where", 13,
            "g (bool[2] c, float[2] a, float[2] b) => (float[2] y) "
            "{ y = Where(c, a, b) }",
            "SELECT[2]");
        row("cast", 13, "g (float[2] x) => (int32[2] y) { y = Cast <to = 6> (x) }", "CAST[2]");
        row("cast to what it is", 13, "g (int32[2] x) => (int64[2] y) { y = Cast <to = 7> (x) }",
            "");
        row("dropout", 13, "g (float[2] x) => (float[2] y) { d = Dropout(x) y = Relu(d) }",
            "RELU[2]");
        row("softmax of old", 11, "g (float[2,3,4] x) => (float[2,3,4] y) { y = Softmax(x) }",
            "Softmax[2,3,4]");
    }

    template <class Row> static void addViewRows(Row row) {
        row("flatten", 13, "g (float[2,3,4] x) => (float[2,12] y) { y = Flatten(x) }",
            "Reshape[2,12]");
        row("unsqueeze", 11, "g (float[2] x) => (float[2,1] y) { y = Unsqueeze <axes = [1]> (x) }",
            "Reshape[2,1]");
        row("transpose", 13, "g (float[2,3,4] x) => (float[4,3,2] y) { y = Transpose(x) }",
            "Transpose[4,3,2]");
        row("concat", 13,
            "g (float[2,3] a, float[2,4] b) => (float[2,7] y) "
            "{ y = Concat <axis = -1> (a, b) }",
            "Concat[2,7]");
        row("split", 11,
            "g (float[2,6] x) => (float[2,2] a, float[2,4] b) "
            "{ a, b = Split <axis = 1, split = [2,4]> (x) }",
            "Slice[2,2] Slice[2,4]");
        row("slice", 13,
            "g (float[8,5] x) => (float[3,5] y) <int64[1] s = {-1}, int64[1] e = {-7}, "
            "int64[1] a = {0}, int64[1] d = {-2}> { y = Slice(x, s, e, a, d) }",
            "Slice[3,5]");
        row("expand", 13,
            "g (float[3,1] x) => (float[2,3,4] y) <int64[3] s = {2,1,4}> "
            "{ y = Expand(x, s) }",
            "Expand[2,3,4]");
        row("tile", 13,
            "g (float[2,3] x) => (float[4,9] y) <int64[2] r = {2,3}> { y = Tile(x, r) }",
            "Concat[4,3] Concat[4,9]");
        row("pad", 13,
            "g (float[2,3] x) => (float[2,6] y) <int64[4] p = {0,1,0,2}> "
            "{ y = Pad(x, p) }",
            "Pad[2,6]");
        row("one row", 13, "g (float[5,4] x) => (float[4] y) <int64 i = {-1}> { y = Gather(x, i) }",
            "Slice[1,4] Reshape[4]");
        row("embedding", 13,
            "g (float[100,8] w, int64[2,5] i) => (float[2,5,8] y) "
            "{ y = Gather(w, i) }",
            "Gather[2,5,8]");
        row("depth to space", 13,
            "g (float[1,8,2,3] x) => (float[1,2,4,6] y) "
            "{ y = DepthToSpace <blocksize = 2> (x) }",
            "Reshape[1,2,2,2,2,3] Transpose[1,2,2,2,3,2] Reshape[1,2,4,6]");
        row("upsampling", 13,
            "g (float[1,2,3,4] x) => (float[1,2,6,8] y) "
            "<float[4] s = {1.0,1.0,2.0,2.0}> { y = Resize(x, , s) }",
            "Reshape[1,2,3,1,4,1] Expand[1,2,3,2,4,2] Reshape[1,2,6,8]");
    }

    template <class Row> static void addReductionRows(Row row) {
        row("reduce mean", 13,
            "g (float[2,3,4] x) => (float[2,3,1] y) "
            "{ y = ReduceMean <axes = [-1]> (x) }",
            "ReduceMEAN[2,3,1]");
        row("reduce all", 13,
            "g (float[2,3,4] x) => (float y) { y = ReduceSum <keepdims = 0> (x) }", "ReduceADD[]");
        row("reduce l2", 13,
            "g (float[2,3] x) => (float[2] y) "
            "{ y = ReduceL2 <axes = [1], keepdims = 0> (x) }",
            "ReduceSQUARE_ADD[2] SQRT[2]");
        row("arg max", 13,
            "g (float[2,3] x) => (int64[2] y) "
            "{ y = ArgMax <axis = 1, keepdims = 0> (x) }",
            "ReduceARG_MAX[2]");
        row("gelu of erf", 13,
            "g (float[2,3] x) => (float[2,3] y) "
            "<float r = {1.4142135}, float one = {1}, float h = {0.5}> "
            "{ a = Div(x, r) b = Erf(a) c = Add(one, b) d = Mul(c, h) y = Mul(d, x) }",
            "GELU[2,3]");
        row("gelu with identities", 13,
            "g (float[2,3] x) => (float[2,3] y, float[2,3] z) "
            "<float r = {1.4142135}, float one = {1}, float h = {0.5}> "
            "{ s = Identity(x) z = Identity(s) a = Div(z, r) t = Identity(a) b = Erf(t) "
            "c = Add(one, b) d = Mul(c, h) y = Mul(d, x) }",
            "GELU[2,3]");
        row("gelu of tanh", 13,
            "g (float[2,3] x) => (float[2,3] y) "
            "<float k = {0.044715}, float s = {0.7978846}, float n = {3}, float one = {1}, "
            "float h = {0.5}> "
            "{ a = Pow(x, n) b = Mul(a, k) c = Add(x, b) d = Mul(s, c) e = Tanh(d) "
            "f = Add(e, one) i = Mul(x, h) y = Mul(i, f) }",
            "GELU[2,3]");
        row("no gelu: another factor", 13,
            "g (float[2,3] x) => (float[2,3] y) "
            "<float r = {1.4142135}, float one = {1}, float h = {0.6}> "
            "{ a = Div(x, r) b = Erf(a) c = Add(one, b) d = Mul(c, h) y = Mul(d, x) }",
            "DIVIDE[2,3] ERF[2,3] ADD[2,3] MULTIPLY[2,3] MULTIPLY[2,3]");
        row("layer norm", 17,
            "g (float[2,3] x, float[3] s, float[3] b) => (float[2,3] y) "
            "{ y = LayerNormalization(x, s, b) }",
            "Norm[2,3]");
    }

    /// Convolutions with one number are planned together; the plan options of one apply to all.
    void convolutionsWithOneNumber() {
        const auto model = [](const std::string& more) {
            return "g (float16[1,8,8,8] x, float16[8,8,3,3] w, float16[8,8,3,3] v) => "
                   "(float16[1,8,6,6] y) { a = Conv <__multi_conv = 3> (x, w) "
                   "b = Conv <__multi_conv = 3" +
                   more +
                   "> (x, v) c = Conv <__multi_conv = 0> (x, v) d = Add (a, b) y = Add (c, d) }";
        };
        const Graph graph = importText(model(", __multi_conv_plan_type = 1, "
                                             "__multi_conv_reserved_tiles = 7, "
                                             "__multi_conv_cycle_back_off = 0.25"));
        const auto& first = graph.ops[OpId(0)].multiConv;
        QVERIFY(first && first == graph.ops[OpId(1)].multiConv);
        QVERIFY(graph.ops[OpId(2)].multiConv && graph.ops[OpId(2)].multiConv != first);
        QVERIFY((*first == MultiConv{false, 7, 0.25}));
        QVERIFY_THROWS_EXCEPTION(UserError,
                                 importText(model(", __multi_conv_cycle_back_off = 2.0")));
        QVERIFY_THROWS_EXCEPTION(UserError,
                                 importText(model(", __multi_conv_reserved_tiles = -1")));
    }
};

TILESCOPE_TEST(FrontendNodesTest)

} // namespace frontend_nodes_test

#include "frontend_nodes_test.moc"
