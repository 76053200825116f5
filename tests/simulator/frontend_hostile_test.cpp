// Models that no exporter writes: types that no operator takes, constants too large for any
// computer, amounts that are not numbers. Each is refused with its place.
#include <filesystem>
#include <fstream>

#include <QTemporaryDir>
#include <QTest>

#include "model_text.h"
#include "simulator/frontend/custom/custom_operations.h"
#include "simulator/simulate.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace frontend_hostile_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

/// A model with the operators of PopART, and a domain of a user's own.
Graph imported(const std::string& text, const ImportOptions& options) {
    onnx::ModelProto model = parseModel(text);
    for (const char* domain : {"ai.graphcore", "own.ops"}) {
        auto& set = *model.add_opset_import();
        set.set_domain(domain);
        set.set_version(1);
    }
    return importOnnx(model, "test.onnx", options);
}

ImportOptions withValues() {
    ImportOptions options;
    options.values = true;
    return options;
}

} // namespace

class FrontendHostileTest : public QObject {
    Q_OBJECT

private slots:
    void operandsOfWrongTypes_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const char* model, const char* expected) {
            QTest::newRow(name) << model << expected;
        };
        row("a mean of both", "g (int16 x, float[2] z) => (float[2] y) { y = Mean(x, z) }",
            "operand 0 ('x') is of type int16, and Mean takes reals there");
        row("a mean whose second is whole",
            "g (float[2] x, int64[2] z) => (float[2] y) { y = Mean(x, z) }",
            "operand 1 ('z') is of type int64, and Mean takes reals there");
        row("a sum of both", "g (int32[2] x, float[2] z) => (int32[2] y) { y = Add(x, z) }",
            "operand 1 ('z') is of type float, and operand 0 is int32, where Add takes one type");
        row("rows of both",
            "g (float[2] x, int32[2] z) => (float[4] y) { y = Concat<axis = 0>(x, z) }",
            "operand 1 ('z') is of type int32, and operand 0 is float");
        row("a root of whole numbers", "g (int32[2] x) => (int32[2] y) { y = Sqrt(x) }",
            "Sqrt takes reals there");
        row("errors of whole numbers", "g (int32[2] x) => (int32[2] y) { y = Erf(x) }",
            "Erf takes reals there");
        row("logic of reals", "g (float[2] x, bool[2] z) => (bool[2] y) { y = And(x, z) }",
            "operand 0 ('x') is of type float, and And takes whole numbers there");
        row("softmax", "g (int32[2,2] x) => (int32[2,2] y) { y = Softmax(x) }",
            "Softmax takes reals there");
        row("part of a function", "g (bool[2,2] x) => (bool[2,2] y) { y = HardSwish(x) }",
            "takes reals there");
        row("PopART's function", "g (int32[2] x) => (int32[2] y) { y = ai.graphcore.Gelu(x) }",
            "Gelu takes reals there");
        row("PopART's bits",
            "g (float[2] x, float[2] z) => (float[2] y) { y = ai.graphcore.BitwiseAnd(x, z) }",
            "BitwiseAnd takes whole numbers there");
        row("PopART's pairs",
            "g (int32[2] x, float[2] z) => (int32[2] y) { y = ai.graphcore.Fmod(x, z) }",
            "operand 1 ('z') is of type float, and operand 0 is int32");
    }

    /// There is no kernel for them. Operations that are only simulated have no values of any type.
    void operandsOfWrongTypes() {
        QFETCH(QString, model);
        QFETCH(QString, expected);
        const std::string text = model.toStdString();
        const QString said = userError([&] { imported(text, withValues()); });
        QVERIFY2(said.contains(expected) && said.contains("test.onnx: node 'y'") &&
                     said.contains("Cast"),
                 qPrintable(said));
        imported(text, {});
    }

    void typesThatAreComputed_data() {
        QTest::addColumn<QString>("model");
        for (const char* model :
             {"g (float[2] x, float16[2] z) => (float[2] y) { y = Add(x, z) }",
              "g (int64[2] x, int32[2] z) => (int64[2] y) { y = Mul(x, z) }",
              "g (bool[2] x, float[2] z) => (float[2] y) { y = Where(x, z, z) }",
              "g (float[2] x, int32[2] z) => (float[2] y) { y = Pow(x, z) }",
              "g (float[4] x, int64[2] z) => (float[2] y) { y = Gather(x, z) }",
              "g (int32[2] x) => (float[2] y) { y = Cast<to = 1>(x) }"})
            QTest::newRow(model) << model;
    }
    void typesThatAreComputed() {
        QFETCH(QString, model);
        const std::string text = model.toStdString();
        QVERIFY(!imported(text, withValues()).ops.empty());
    }

    /// Larger than any tensor that can be computed: refused before computing begins.
    void constantsBeyondTheComputer_data() {
        QTest::addColumn<QString>("model");
        QTest::newRow("filled") << "g (float[1] x) => (float[8589934592] y) "
                                   "<int64[1] n = {8589934592}> { y = ConstantOfShape(n) }";
        QTest::newRow("counted") << "g (float[1] x) => (int64[8589934592] y) "
                                    "<int64 a = {0}, int64 b = {8589934592}, int64 c = {1}> "
                                    "{ y = Range(a, b, c) }";
    }
    void constantsBeyondTheComputer() {
        QFETCH(QString, model);
        const std::string text = model.toStdString();
        try {
            const Graph graph = imported(text, withValues());
            for (const Tensor& tensor : graph.tensors)
                QVERIFY(!tensor.value || tensor.value->elements() < 2);
        } catch (const UserError& error) {
            QVERIFY2(QString(error.what()).contains("test.onnx"), error.what());
        }
    }

    void declaredAmounts_data() {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("formula");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* key, const char* formula, const char* expected) {
            QTest::newRow(QByteArray(key) + ' ' + formula) << key << formula << expected;
        };
        for (const char* key : {"flops", "cycles", "stateBytes", "temporaryBytes"}) {
            row(key, "-5", "makes -5 for");
            row(key, "0/0", "nan for");
            row(key, "1/0", "makes inf for");
            row(key, "1e30", "makes 1e+30 for");
            row(key, "n - 1000", "for");
            row(key, "1e999", "formula '1e999'");
        }
    }

    /// Negative, infinite or NaN: the declaration's key and formula are named.
    void declaredAmounts() {
        QFETCH(QString, key);
        QFETCH(QString, formula);
        QFETCH(QString, expected);
        const QTemporaryDir directory;
        const std::filesystem::path file = directory.filePath("ops.json").toStdString();
        const QString cycles = key == "cycles" ? formula : QString("20");
        QString body = QString(R"("vertex": "V", "inputs": ["like-result"], "cycles": "%1")");
        body = body.arg(cycles);
        if (key != "cycles")
            body += QString(R"(, "%1": "%2")").arg(key, formula);
        std::ofstream(file) << QString("{\"own.ops.B\": {%1}}").arg(body).toStdString();
        const QString said = userError([&] {
            ImportOptions options;
            options.customOperations = readCustomOperations(file);
            static_cast<void>(simulate(
                imported("g (float[4,8] x) => (float[4,8] y) { y = own.ops.B (x) }", options),
                RunOptions()));
        });
        QVERIFY2(said.contains(expected) && said.contains("'" + key + "'") &&
                     said.contains("'" + formula + "'"),
                 qPrintable(said));
    }
};

TILESCOPE_TEST(FrontendHostileTest)

} // namespace frontend_hostile_test

#include "frontend_hostile_test.moc"
