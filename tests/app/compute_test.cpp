// `tilescope run --compute`: results, comparison with expected ones, training on digits.
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>
#include <limits>

#include "simulator/data/array_files.h"
#include "tests/app/cli_result.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace compute_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

CliResult computed(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "run");
    arguments.insert(arguments.end(), {"--no-profile", "--compute"});
    return runCommand(std::move(arguments));
}

} // namespace

class ComputeTest : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;

private slots:
    void initTestCase() {
        QVERIFY(QDir::setCurrent(directory_.path()));
        QCOMPARE(computed({"mlp", "--batch-size", "2", "--save-outputs", "first"}).status, 0);
    }

    void savedResultsAreWhatIsExpected() {
        const CliResult result = computed({"mlp", "--batch-size", "2", "--expect", "first"});
        QCOMPARE(result.err, "");
        QCOMPARE(result.status, 0);
        QVERIFY(result.out.contains("as expected (rtol 0.001, atol 1e-05)"));
    }

    /// A model of another seed has other weights.
    void differencesAreNamedAndExitOne() {
        const CliResult result =
            computed({"mlp", "--batch-size", "2", "--expect", "first", "--seed", "7", "--json"});
        QCOMPARE(result.status, 1);
        const QJsonArray differences = json(result)["differences"].toArray();
        QCOMPARE(differences.size(), 1);
        QCOMPARE(differences[0]["output"].toString(), "output");
        QCOMPARE(differences[0]["of"].toInt(), 20);
        QVERIFY(differences[0]["elements"].toInt() > 0);
        QCOMPARE(differences[0]["position"].toArray().size(), 2);
    }

    /// ONNX's own folders: inputs and outputs by position, regardless of the names in their files.
    void foldersOfOnnx_data() {
        QTest::addColumn<QString>("test");
        for (const char* test :
             {"test_sub", "test_slice", "test_reshape_reordered_all_dims",
              "test_gemm_all_attributes", "test_where_example", "test_batchnorm_epsilon"})
            QTest::newRow(test) << test;
    }
    void foldersOfOnnx() {
        QFETCH(QString, test);
        const QString folder = "/usr/share/libonnx-testdata/data/node/" + test;
        if (!QFile::exists(folder))
            QSKIP("libonnx-testdata is not installed");
        const std::string set = (folder + "/test_data_set_0").toStdString();
        const CliResult result =
            computed({(folder + "/model.onnx").toStdString(), "--inputs", set, "--expect", set});
        QCOMPARE(result.err, "");
        QCOMPARE(result.status, 0);
        QVERIFY(result.out.contains("as expected"));
    }

    void badInputsEndWithAMessage_data() {
        QTest::addColumn<double>("value");
        QTest::addColumn<int>("columns");
        QTest::addColumn<QString>("message");
        QTest::newRow("shape") << 0.5 << 783 << "has shape [2,783]; it takes [2,784]";
        QTest::newRow("NaN") << std::numeric_limits<double>::quiet_NaN() << 784
                             << "holds values that are not finite (NaN or infinity)";
    }
    void badInputsEndWithAMessage() {
        QFETCH(double, value);
        QFETCH(int, columns);
        QFETCH(QString, message);
        sim::writeNpy("bad.npy",
                      sim::TensorData::filled(sim::DataType::Float, {2, columns}, value));
        const CliResult result = computed(
            {"mlp", "--batch-size", "2", "--inputs", "bad.npy", "--save-outputs", "never"});
        QCOMPARE(result.status, 2);
        QVERIFY2(result.err.contains("bad.npy: array 'bad' for input"), qPrintable(result.err));
        QVERIFY2(result.err.contains(message), qPrintable(result.err));
        QVERIFY(!QFile::exists("never"));
    }

    void missingDataAreNamed() {
        const CliResult inputs = computed({"mlp", "--inputs", "nothing.npy"});
        QCOMPARE(inputs.status, 2);
        QVERIFY2(inputs.err.contains("nothing.npy"), qPrintable(inputs.err));
        QVERIFY(QDir().mkpath("empty"));
        const CliResult data = computed({"mlp", "--mode", "training", "--data", "empty"});
        QCOMPARE(data.status, 2);
        QVERIFY2(data.err.contains("train-images-idx3-ubyte"), qPrintable(data.err));
    }

    void imagesThatDoNotFitAreRefused() {
        const CliResult result = computed({"resnet50", "--mode", "training", "--data",
                                           TILESCOPE_DIGITS, "--tiles-per-ipu", "1472"});
        QCOMPARE(result.status, 2);
        QVERIFY2(result.err.contains("images of 784 pixels do not fit input"),
                 qPrintable(result.err));
    }

    /// Computed values are in the profile, in inference and training.
    void profilesHaveValues() {
        QCOMPARE(runCommand({"run", "mlp", "--compute", "-o", "inferred"}).status, 0);
        const CliResult tensors = runCommand({"report", "inferred", "values", "--json"});
        QVERIFY(json(tensors)["tensors"].toArray().size() > 5);
        QCOMPARE(runCommand({"run", "mlp", "-o", "plain"}).status, 0);
        QVERIFY(runCommand({"report", "plain", "values"}).out.contains("--compute"));
        const std::vector<std::string> training{"run",
                                                "mlp",
                                                "--compute",
                                                "--mode",
                                                "training",
                                                "--data",
                                                TILESCOPE_DIGITS,
                                                "--value-samples",
                                                "3",
                                                "--batch-size",
                                                "400",
                                                "-o",
                                                "trained"};
        QCOMPARE(runCommand(training).status, 0);
        const CliResult curve =
            runCommand({"report", "trained", "values", "--by", "update", "--json"});
        QCOMPARE(json(curve)["curve"].toArray().size(), 20);
        QCOMPARE(json(curve)["sampledIterations"].toInt(), 3);
    }

    /// Learns, saves, and continues from there.
    void trainingSaysWhatItReached() {
        const std::vector<std::string> common{
            "mlp",          "--mode", "training",    "--data", TILESCOPE_DIGITS,
            "--batch-size", "100",    "--optimizer", "adam",   "--json"};
        std::vector<std::string> first = common;
        first.insert(first.end(), {"--epochs", "2", "--save-model", "trained.onnx",
                                   "--learning-rate-schedule", "step:100:0.5"});
        const CliResult result = computed(first);
        QCOMPARE(result.err, "");
        QCOMPARE(result.status, 0);
        const QJsonArray epochs = json(result)["training"].toArray();
        QCOMPARE(epochs.size(), 2);
        QCOMPARE(epochs[1]["epoch"].toInt(), 2);
        QCOMPARE(epochs[1]["updates"].toInt(), 160);
        QCOMPARE(epochs[0]["learningRate"].toDouble(), 0.001);
        QCOMPARE(epochs[1]["learningRate"].toDouble(), 0.0005);
        QVERIFY(epochs[1]["loss"].toDouble() < epochs[0]["loss"].toDouble());
        QVERIFY(epochs[1]["evalAccuracy"].toDouble() > 0.9);
        std::vector<std::string> next = common;
        next.insert(next.end(), {"--resume", "trained.onnx"});
        const QJsonArray more = json(computed(next))["training"].toArray();
        QVERIFY(more[0]["loss"].toDouble() < epochs[0]["loss"].toDouble() / 2);
    }

    /// Gradients beyond the range of half: the run ends at the first one, if requested.
    void exceptionsEndTheRun() {
        const std::vector<std::string> common{"mlp",
                                              "--mode",
                                              "training",
                                              "--data",
                                              TILESCOPE_DIGITS,
                                              "--loss-scaling",
                                              "6e6",
                                              "--precision",
                                              "half",
                                              "--batch-size",
                                              "100"};
        std::vector<std::string> stopped = common;
        stopped.insert(stopped.end(), {"--fp-exceptions", "overflow"});
        const CliResult result = computed(stopped);
        QCOMPARE(result.status, 2);
        QVERIFY2(result.err.contains("overflow in tensor '") &&
                     result.err.contains("beyond the largest half, 65504"),
                 qPrintable(result.err));
        std::vector<std::string> goesOn = common;
        goesOn.insert(goesOn.end(), {"--fp-exceptions", "invalid"});
        QCOMPARE(computed(goesOn).status, 0);
    }

    void theLossScaleFollowsTheGradients() {
        const CliResult result = computed(
            {"mlp", "--mode", "training", "--data", TILESCOPE_DIGITS, "--precision", "half",
             "--partials-type", "half", "--stochastic-rounding", "on", "--batch-size", "100",
             "--optimizer", "adam", "--automatic-loss-scaling", "on", "--json"});
        QCOMPARE(result.err, "");
        const QJsonObject epoch = json(result)["training"].toArray()[0].toObject();
        QVERIFY(epoch["lossScale"].toDouble() > 1 && epoch["lossScale"].toDouble() <= 32768);
        QVERIFY(epoch["evalAccuracy"].toDouble() > 0.8);
    }
};

TILESCOPE_TEST(ComputeTest)

} // namespace compute_test

#include "compute_test.moc"
