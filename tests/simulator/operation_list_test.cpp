// Programs of PopLibs calls in job files.
#include <QtTest>

#include "simulator/frontend/operation_list.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace operation_list_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

Graph read(const QByteArray& model, const ImportOptions& options = {}) {
    return importOperationList("{\"model\": " + model.toStdString() + "}", "job.json", options);
}

} // namespace

class OperationListTest : public QObject {
    Q_OBJECT

private slots:
    void chain() {
        const Graph graph = read(R"({"variables": {"a": [4, 8], "b": [8, 2]}, "operations": [
            {"name": "c", "type": "matMul", "inputs": ["a", "b"]},
            {"name": "d", "type": "add", "inputs": ["c", "c"]}]})");
        QVERIFY(graph.ownProgram);
        QVERIFY(graph.inputs.empty() && graph.outputs.empty());
        QCOMPARE(graph.ops.size(), std::size_t(2));
        const Tensor& d = graph.tensors[graph.ops[OpId(1)].outputs[0]];
        QCOMPARE(text(toString(d.shape)), "[4,2]");
        QVERIFY(d.type == DataType::Float);
    }

    void precisionOverrides() {
        ImportOptions options;
        options.half = true;
        const Graph graph = read(R"({"variables": {"a": [4]}, "operations": [
            {"name": "b", "type": "exp", "inputs": ["a"]}]})",
                                 options);
        QVERIFY(graph.tensors[TensorId(0)].type == DataType::Half);
    }

    void refuses_data() {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<QString>("error");
        const auto row = [](const char* name, const char* model, const char* error) {
            QTest::newRow(name) << QByteArray(model) << QString(error);
        };
        row("unknown key", R"({"variable": {}})",
            "job.json: model: unknown key 'variable'. Did you mean 'variables'? The keys are name, "
            "dataType, variables, operations");
        row("no operations", R"({"variables": {"a": [1]}, "operations": []})",
            "job.json: model: 'operations' must be a list of one or more operations");
        row("size of zero", R"({"variables": {"a": [0]}, "operations": [{}]})",
            "job.json: variables: 'a' must be a list of sizes from 1, 2^40 elements at most");
        row("too many elements",
            R"({"variables": {"a": [1000000000, 1000000000]}, "operations": [{}]})",
            "job.json: variables: 'a' must be a list of sizes from 1, 2^40 elements at most");
        row("unknown input",
            R"({"variables": {"a": [1]}, "operations": [
                {"name": "b", "type": "relu", "inputs": ["x"]}]})",
            "job.json: operation 'b': the input \"x\" is neither a variable nor the result of an "
            "earlier operation");
        row("operands",
            R"({"variables": {"a": [1]}, "operations": [
                {"name": "b", "type": "add", "inputs": ["a"]}]})",
            "job.json: operation 'b': 'inputs' must name two operands");
        row("a name twice",
            R"({"variables": {"a": [1]}, "operations": [
                {"name": "a", "type": "relu", "inputs": ["a"]}]})",
            "job.json: the name 'a' is given twice");
    }
    void refuses() {
        QFETCH(QByteArray, model);
        QFETCH(QString, error);
        QCOMPARE(userError([&] { (void)read(model); }), error);
    }

    void shapesThatDoNotFit() {
        const QString error = userError([] {
            (void)read(R"({"variables": {"a": [4, 8], "b": [7, 2]}, "operations": [
                {"name": "c", "type": "matMul", "inputs": ["a", "b"]}]})");
        });
        QVERIFY2(error.startsWith("job.json: operation 'c': "), qPrintable(error));
    }

    void batchSizeIsRefused() {
        ImportOptions options;
        options.forceBatch = true;
        QCOMPARE(userError([&] { (void)read("{}", options); }),
                 "job.json: the shapes of an operation list are fixed; leave out the option "
                 "batchSize (--batch-size)");
    }
};

TILESCOPE_TEST(OperationListTest)

} // namespace operation_list_test

#include "operation_list_test.moc"
