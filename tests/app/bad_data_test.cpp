// Damaged or unsuitable data: a message that names them, exit status 2, nothing written.
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <functional>

#include "simulator/data/array_files.h"
#include "tests/app/cli_result.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace bad_data_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr int images = 60;
constexpr int side = 28;

/// The files of a set of images; each case changes something.
struct DigitFiles {
    QByteArray images, labels;
};

QByteArray idx(char type, const std::vector<int>& shape, const QByteArray& data) {
    QByteArray bytes("\0\0", 2);
    bytes += type;
    bytes += static_cast<char>(shape.size());
    for (const int size : shape)
        for (const int shift : {24, 16, 8, 0})
            bytes += static_cast<char>(size >> shift);
    return bytes + data;
}

DigitFiles digits(int count = images, char label = 1, int rows = side) {
    return {idx(8, {count, rows, side}, QByteArray(count * rows * side, 'x')),
            idx(8, {count}, QByteArray(count, label))};
}

using Damage = std::function<void(DigitFiles&)>;

} // namespace

class BadDataTest : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;

    static void write(const QString& name, const QByteArray& bytes) {
        QFile file(name);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    }
    static void writeDigits(const DigitFiles& files, const QString& prefix = "train") {
        QVERIFY(QDir().mkpath("digits"));
        write("digits/" + prefix + "-images-idx3-ubyte", files.images);
        write("digits/" + prefix + "-labels-idx1-ubyte", files.labels);
    }
    static CliResult trained(const std::vector<std::string>& more) {
        std::vector<std::string> arguments{
            "run", "mlp",       "--mode", "training", "--tiles-per-ipu",
            "64",  "--compute", "--data", "digits",   "--batch-size",
            "10",  "-o",        "profile"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return runCommand(arguments);
    }
    static void verifyRefused(const CliResult& result, const QString& message) {
        QVERIFY2(result.status == 2 && result.err.contains(message), qPrintable(result.err));
        QVERIFY(!QFile::exists("profile"));
        QVERIFY(!QFile::exists("saved.onnx"));
    }

private slots:
    void initTestCase() { QVERIFY(QDir::setCurrent(directory_.path())); }
    void init() { QDir("digits").removeRecursively(); }

    void trainingData_data() {
        QTest::addColumn<Damage>("damage");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* name, const Damage& damage, const char* message) {
            QTest::newRow(name) << damage << message;
        };
        row(
            "fewer labels", [](auto& files) { files.labels = digits(images - 1).labels; },
            "labels-idx1-ubyte: has 59 labels for 60 images");
        row(
            "label beyond the classes", [](auto& files) { files.labels.back() = 10; },
            "digits: label 10 is not one of 10 classes, which begin with 0");
        row(
            "label below zero",
            [](auto& files) { files.labels = idx(9, {images}, QByteArray(images, -1)); },
            "labels-idx1-ubyte: label -1 is below zero");
        row(
            "other size", [](auto& files) { files = digits(images, 1, 20); },
            "digits: images of 560 pixels do not fit input 'input' of shape [10,784]");
        row(
            "fewer than a batch", [](auto& files) { files = digits(5); },
            "digits: has 5 samples, fewer than one call takes");
        row(
            "none", [](auto& files) { files = digits(0); }, "has the impossible shape [0,28,28]");
        row(
            "truncated", [](auto& files) { files.images.chop(9); },
            "images-idx3-ubyte: is truncated or damaged; copy it again");
        row(
            "too long", [](auto& files) { files.labels += "xx"; },
            "labels-idx1-ubyte: has more data than its header says; copy it again");
        row(
            "no IDX", [](auto& files) { files.images = "\x89PNG and more"; },
            "images-idx3-ubyte: is not an IDX file");
        row(
            "impossible", [](auto& files) { files.images = idx(8, std::vector<int>(255, -1), {}); },
            "images-idx3-ubyte: has the impossible shape");
        row(
            "reals",
            [](auto& files) {
                files.images =
                    idx(0x0D, {images, side, side}, QByteArray(images * side * side * 4, '\0'));
            },
            "where images are [count, rows, columns] of bytes");
    }
    void trainingData() {
        QFETCH(Damage, damage);
        QFETCH(QString, message);
        DigitFiles files = digits();
        damage(files);
        writeDigits(files);
        verifyRefused(trained({"--save-model", "saved.onnx"}), message);
    }

    /// Before the first epoch, not after it.
    void dataToEvaluateWith() {
        writeDigits(digits());
        writeDigits(digits(images, 12), "t10k");
        verifyRefused(trained({"--save-model", "saved.onnx", "--epochs", "1000000"}),
                      "digits: label 12 is not one of 10 classes");
        QVERIFY(QDir().mkpath("nothing"));
        verifyRefused(trained({"--eval-data", "nothing"}),
                      "nothing: has no t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte");
    }

    void placesToSave() {
        writeDigits(digits());
        QVERIFY(QDir().mkpath("folder.onnx"));
        write("file", "x");
        const std::string epochs = "1000000"; // too many to wait for
        verifyRefused(trained({"--save-model", "folder.onnx", "--epochs", epochs}),
                      "cannot write 'folder.onnx': it is a directory");
        verifyRefused(trained({"--save-model", "file/saved.onnx", "--epochs", epochs}),
                      "cannot create directory 'file'");
        verifyRefused(runCommand({"run", "mlp", "--compute", "--save-outputs", "file",
                                  "--tiles-per-ipu", "64", "-o", "profile"}),
                      "cannot create directory 'file'");
    }

    void weightsOfAnotherModel() {
        writeDigits(digits());
        const CliResult first = runCommand({"run", "mlp", "--mode", "training", "--tiles-per-ipu",
                                            "64", "--compute", "--data", "digits", "--batch-size",
                                            "10", "--save-model", "mlp.onnx", "--no-profile"});
        QCOMPARE(first.err, "");
        QCOMPARE(first.status, 0);
        verifyRefused(runCommand({"run", "mnist-cnn", "--mode", "training", "--compute", "--data",
                                  "digits", "--batch-size", "10", "--resume", "mlp.onnx",
                                  "--save-model", "saved.onnx", "-o", "profile"}),
                      "mlp.onnx: has no weight 'B1/conv1.weight' of 'mnist-cnn'");
        write("damaged.onnx", "hello");
        verifyRefused(trained({"--resume", "damaged.onnx"}), "damaged.onnx");
    }

    void resultsToCompareWith() {
        verifyRefused(
            runCommand({"run", "mlp", "--compute", "--expect", "missing.npy", "--save-outputs",
                        "saved", "--tiles-per-ipu", "64", "-o", "profile"}),
            "missing.npy: there is no such file");
        sim::writeNpy("other.npy", sim::TensorData::filled(sim::DataType::Float, {3}, 0));
        verifyRefused(
            runCommand({"run", "mlp", "--compute", "--expect", "other.npy", "--save-outputs",
                        "saved", "--tiles-per-ipu", "64", "-o", "profile"}),
            "has shape");
        QVERIFY(!QFile::exists("saved"));
    }
};

TILESCOPE_TEST(BadDataTest)

} // namespace bad_data_test

#include "bad_data_test.moc"
