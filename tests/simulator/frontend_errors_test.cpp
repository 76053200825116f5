// Bad input is refused with the file, the place and the remedy.
#include <filesystem>
#include <fstream>

#include <QTemporaryDir>
#include <QtTest>

#include "core/base/error.h"
#include "model_text.h"
#include "simulator/zoo/zoo.h"
#include "tests/support/test_main.h"

namespace frontend_errors_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

std::string errorOf(const std::function<void()>& action) {
    try {
        action();
    } catch (const UserError& error) {
        return error.what();
    }
    return "no error";
}

std::string errorOf(const std::string& text, int opset = 17, const ImportOptions& options = {}) {
    return errorOf([&] { importOnnx(parseModel(text, opset), "test.onnx", options); });
}

bool says(const std::string& text, const std::vector<std::string>& parts) {
    for (const auto& part : parts) {
        if (text.find(part) == std::string::npos) {
            qWarning("'%s' is not in: %s", part.c_str(), text.c_str());
            return false;
        }
    }
    return true;
}

} // namespace

class FrontendErrorsTest : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;

    std::filesystem::path write(const std::string& name, const std::string& bytes) {
        const auto file = std::filesystem::path(directory_.path().toStdString()) / name;
        std::ofstream(file, std::ios::binary) << bytes;
        return file;
    }

    static std::string errorOfFile(const std::filesystem::path& file) {
        return errorOf([&] { importOnnx(file, {}); });
    }

private slots:
    void files() {
        QVERIFY(says(errorOfFile("missing.onnx"), {"missing.onnx", "no such file"}));
        QVERIFY(says(errorOfFile(directory_.path().toStdString()), {"is a directory"}));
        QVERIFY(says(errorOfFile(write("empty.onnx", "")), {"empty.onnx", "is empty"}));
        QVERIFY(says(errorOfFile(write("text.onnx", "hello, world\n")), {"is not an ONNX model"}));
        QVERIFY(says(errorOfFile("/dev/null"), {"is not a regular file"}));
    }

    void truncatedAnywhere() {
        const std::string whole = zooModel("mnist-cnn").SerializeAsString();
        for (std::size_t size = 1; size < whole.size(); size += 7) {
            const std::string text = errorOfFile(write("cut.onnx", whole.substr(0, size)));
            QVERIFY2(says(text, {"cut.onnx"}), text.c_str());
        }
        QVERIFY(says(errorOfFile(write("cut.onnx", whole.substr(0, whole.size() / 2))),
                     {"truncated or damaged"}));
    }

    void damagedAnywhere() {
        const std::string whole = zooModel("mnist-cnn").SerializeAsString();
        for (std::size_t at = 0; at < whole.size(); ++at) {
            std::string damaged = whole;
            damaged[at] = static_cast<char>(~damaged[at]);
            onnx::ModelProto model;
            if (!model.ParseFromString(damaged))
                continue;
            // It may import, for a name or a size can change to another one that fits.
            errorOf([&] { checkGraph(importOnnx(model, "damaged.onnx", {})); });
        }
    }

    void unreadableFile() {
        const auto file = write("secret.onnx", "x");
        std::filesystem::permissions(file, std::filesystem::perms::none);
        if (std::ifstream(file).good())
            QSKIP("left out: this user may read every file");
        QVERIFY(says(errorOfFile(file), {"secret.onnx", "permissions"}));
    }

    void newerOperatorSet() {
        QVERIFY(says(errorOf("g (float[2] x) => (float[2] y) { y = Relu(x) }", 99),
                     {"test.onnx", "operator set 99", "21", "opset_version=21"}));
    }

    void newerIrVersionIsAccepted() {
        auto model = parseModel("g (float[2] x) => (float[2] y) { y = Relu(x) }");
        model.set_ir_version(10);
        const Graph graph = importOnnx(model, "test.onnx", {});
        QVERIFY(says(graph.messages.at(0).text, {"IR version 10"}));
    }

    void allUnsupportedOperatorsAtOnce() {
        const std::string text = errorOf("g (float[4] x) => (float[4] y) { a = Unique(x) b = "
                                         "Unique(a) c = Det(b) y = Relu(c) }");
        QVERIFY(says(text, {"test.onnx", "Unique (first in node 'a': how many values it finds",
                            "Det (first in node 'c')", "Supported operators: Abs, "}));
    }

    void zeroPointsOfRowsThatAreNotThere() {
        QVERIFY(says(errorOf("g (float x, float s, uint8[3] z) => (uint8 y) "
                             "{ y = QuantizeLinear (x, s, z) }"),
                     {"node 'y' (QuantizeLinear)", "operand 2 has 3 values", "without rows"}));
    }

    void recurrentOperandsWithoutDirections() {
        const char* const network = "g (float[2,1,4] x, float[1,3,4] w, float%1 r, float%2 b) => "
                                    "(float[2,1,1,3] y) { y = RNN <hidden_size = 3> (x, w, r, b) }";
        const auto error = [&](const char* weights, const char* bias) {
            return errorOf(QString(network).arg(weights, bias).toStdString());
        };
        const std::string scalarBias = error("[1,3,3]", "");
        QVERIFY2(says(scalarBias, {"node 'y' (RNN)", "operand 3 has shape []", "[1,6]"}),
                 scalarBias.c_str());
        const std::string scalarWeights = error("", "[1,6]");
        QVERIFY2(says(scalarWeights, {"node 'y' (RNN)"}), scalarWeights.c_str());
    }

    void filtersOfAnotherRank() {
        const std::string error =
            errorOf("g (uint8[1,1,7] x, float s, uint8 z, uint8[1,1,3,3,3] w) => (uint8[1,1,5] y) "
                    "{ y = QLinearConv (x, s, z, w, s, z, s, z) }");
        QVERIFY2(says(error, {"node 'y' (QLinearConv)", "its filters of shape [1,1,3,3,3] do not"}),
                 error.c_str());
    }

    void moreRowsThanCanBeListed() {
        const std::string padded = errorOf("g (float[4] x) => (float[4000000004] y) "
                                           "<int64[2] p = {0,4000000000}> "
                                           "{ y = Pad <mode = \"edge\"> (x, p) }");
        QVERIFY2(says(padded, {"node 'y' (Pad)", "4000000000 rows along one dimension"}),
                 padded.c_str());
        QVERIFY(says(errorOf("g (float[1,1,4,4] x) => (float[1,1,4000000000,4] y) "
                             "<float[4] s = {1.0,1.0,1000000000.0,1.0}> { y = Resize(x, , s) }"),
                     {"node 'y' (Resize)", "4000000000 rows along one dimension"}));
    }

    void foreignDomain() {
        auto model = parseModel("g (float[2] x) => (float[2] y) { y = Relu(x) }");
        model.mutable_graph()->mutable_node(0)->set_domain("com.microsoft");
        model.mutable_graph()->mutable_node(0)->set_op_type("FusedGelu");
        QVERIFY(says(errorOf([&] { importOnnx(model, "test.onnx", {}); }),
                     {"com.microsoft.FusedGelu", "node 'y'"}));
    }

    void checkerComplaints() {
        QVERIFY(says(errorOf("g (float[2] x) => (float[2] y) { y = Relu(z) }"),
                     {"test.onnx", "rules of ONNX", "z"}));
        QVERIFY(says(errorOf("g (float[2] x) => (float[2] y) { y = Relu <nonsense = 1> (x) }"),
                     {"nonsense", "Relu"}));
    }

    void symbolicDimensions() {
        QVERIFY(says(errorOf("g (float[N,seq,4] x) => (float[N,seq,4] y) { y = Relu(x) }"),
                     {"test.onnx", "dimension 1 of input 'x'", "'seq'", "fixed sizes"}));
        const Graph graph =
            importText("g (float[N,N] x) => (float[N,N] y) { y = Relu(x) }", 17, {.batchSize = 5});
        QCOMPARE(graph.tensors[graph.inputs[0]].shape, (Shape{5, 5}));
    }

    void shapesThatDoNotFollow() {
        QVERIFY(says(errorOf("g (float[4] x, int64[1] t) => (float[a] y) { y = Reshape(x, t) }"),
                     {"node 'y' (Reshape)", "output 'y'", "'t' [1]"}));
    }

    void operandsThatDoNotFit() {
        QVERIFY(says(errorOf("g (float[1,5,8,8] x, float[4,3,3,3] w) => (float[1,4,6,6] y) "
                             "{ y = Conv(x, w) }"),
                     {"node 'y' (Conv)", "[4,3,3,3]", "[1,5,8,8]"}));
        QVERIFY(says(errorOf("g (float[1,1,4,4] x) => (float[1,1,a,b] y) "
                             "{ y = MaxPool <kernel_shape = [2,2], strides = [0,0]> (x) }"),
                     {"node 'y' (MaxPool)", "'strides'"}));
    }

    void numbersThatDivideByNothing() {
        QVERIFY(says(
            errorOf("g (float[1,1,4,4] x) => (float[1,1,a,b] y) { y = MaxPool "
                    "<kernel_shape = [2,2], strides = [0,0], auto_pad = \"SAME_UPPER\"> (x) }"),
            {"node 'y' (MaxPool)", "'strides'"}));
        // Its square is 0 in 64 bits.
        QVERIFY(says(errorOf("g (float[1,4,4,4] x) => (float[1,a,b,c] y) "
                             "{ y = DepthToSpace <blocksize = 4294967296> (x) }"),
                     {"node 'y' (DepthToSpace)", "'blocksize' is 4294967296"}));
        QVERIFY(says(errorOf("g (float[1,0,4] x) => (float[1,a,b] y) "
                             "<float[3] s = {1.0,2.0,1.0}> { y = Resize(x, , s) }"),
                     {"dimension 1 of input 'x'"}));
    }

    void numbersThatOverflow() {
        QVERIFY(
            says(errorOf("g (float[1,1,4,4] x) => (float[1,1,a,b] y) { y = MaxPool <kernel_shape "
                         "= [2,2], pads = [9223372036854775807,0,9223372036854775807,0]> (x) }"),
                 {"node 'y' (MaxPool)", "'pads'"}));
        QVERIFY(says(errorOf("g (float[1099511627776,1099511627776] x) => (float[a,b] y) "
                             "{ y = Relu(x) }"),
                     {"input 'x'", "too large"}));
    }

    void constantsOfTwoTypes() {
        QVERIFY(says(errorOf("g (float[2] x) => (float[2] y) "
                             "<float[2] a = {1.0,2.0}, int64[2] b = {1,2}> "
                             "{ c = Concat <axis = 0> (a, b) y = Reshape(x, c) }"),
                     {"node 'c' (Concat)", "differ in type"}));
    }

    void textsAreNotTensors() {
        QVERIFY(says(errorOf("g (string[2] x) => (string[2] y) { y = Identity(x) }"),
                     {"test.onnx", "string"}));
    }

    void batchSizeMustBePositive() {
        QVERIFY(
            says(errorOf("g (float[2] x) => (float[2] y) { y = Relu(x) }", 17, {.batchSize = 0}),
                 {"batch size 0"}));
    }

    void batchThatIsBuiltIn() {
        QVERIFY(says(errorOf("g (float[1,4] x, float[1,4] c) => (float[1,8] y) "
                             "<int64[2] t = {1,4}, float[4] w = {1.0,2.0,3.0,4.0}> "
                             "{ r = Reshape(w, t) y = Concat <axis = 1> (x, r) }",
                             17, {.batchSize = 4, .forceBatch = true}),
                     {"node 'y' (Concat)", "batch size 1", "symbolic batch"}));
    }
};

TILESCOPE_TEST(FrontendErrorsTest)

} // namespace frontend_errors_test

#include "frontend_errors_test.moc"
