// Models that are too large are refused early, naming the tensor; contents of names do not matter.
#include <QElapsedTimer>
#include <QTest>
#include <ctime>
#include <onnx/onnx_pb.h>

#include "core/store/profile_relations.h"
#include "model_text.h"
#include "simulator/frontend/keras/keras.h"
#include "simulator/planner/planner.h"
#include "simulator/simulate.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace size_bounds_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

/// Of all threads. Each row takes a tenth of it, as a busy machine makes processors slower, too.
const double mostProcessorSeconds = test::hasAddressSanitizer() ? 100 : 10;

/// A sequential Keras model; `shape` and `layers` without the brackets around them.
QByteArray kerasModel(const QByteArray& shape, const QByteArray& layers) {
    return R"({"class_name": "Sequential", "config": {"name": "m", "layers": [
        {"class_name": "InputLayer", "config": {"name": "in", "batch_input_shape": [)" +
           shape + "]}}," + layers + "]}}";
}

QString refusal(const std::string& model) {
    return userError([&] { static_cast<void>(simulate(importText(model), RunOptions())); });
}

onnx::ModelProto convolution(const std::string& name) {
    onnx::ModelProto model = parseModel("g (float[1,8,12,12] x, float[16,8,3,3] w) => "
                                        "(float[1,16,10,10] y) { c = Conv(x, w) y = Relu(c) }");
    auto& node = *model.mutable_graph()->mutable_node(0);
    node.set_name(name);
    node.set_output(0, name + "/out");
    model.mutable_graph()->mutable_node(1)->set_input(0, name + "/out");
    model.mutable_graph()->mutable_node(1)->set_name("relu");
    return model;
}

Profile profileOf(const std::string& name) {
    const Profile profile = simulate(importOnnx(convolution(name), "net", {}), RunOptions());
    checkRelations(profile);
    return profile;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
    return text;
}

} // namespace

class SizeBoundsTest : public QObject {
    Q_OBJECT

private slots:
    void aTensorBeyondTheMachineIsNamed() {
        const QString text =
            refusal("g (float[1,3,40000,400000] image) => (float[1,3,40000,400000] "
                    "y) { y = Relu(image) }");
        QVERIFY2(text.contains("tensor 'image' of shape [1,3,40000,400000] takes 179 GiB"),
                 qPrintable(text));
        QVERIFY2(text.contains("times the memory of the machine (897 MiB in 1,472 tiles)") ||
                     text.contains("times the memory of the machine ("),
                 qPrintable(text));
    }

    /// Of models in a few hundred bytes: they are refused, or simulated as what does not fit.
    void smallFilesAreDoneSoon_data() {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QString>("expected");
        const auto onnx = [](const char* name, const char* model, const char* expected) {
            QTest::newRow(name) << QByteArray(model) << expected;
        };
        onnx("2^32 + 1 output channels",
             "g (float[1,1,4,4] x, float[1,4294967297,3,3] w) => (float[u] y) "
             "{ y = ConvTranspose(x, w) }",
             "tensor 'w' of shape [1,4294967297,3,3] takes 144 GiB");
        onnx("2^30 + 3 output channels",
             "g (float[1,1,1,1] x, float[1,1073741827,1,1] w) => (float[u] y) "
             "{ y = ConvTranspose(x, w) }",
             "");
        onnx("channels of many factors",
             "g (float[1,73513440,4,4] x, float[1,73513440,3,3] w) => (float[u] y) "
             "{ y = Conv(x, w) }",
             "");
        onnx("a long kernel",
             "g (float[1,1,4,4] x, float[1,1,65536,65536] w) => (float[u] y) "
             "{ y = ConvTranspose(x, w) }",
             "");
        onnx("a product of many rows",
             "g (float[735134400,7] x, float[7,24] w) => (float[u,v] y) { y = MatMul(x, w) }", "");
        const auto keras = [](const char* name, const char* shape, const char* layers,
                              const char* expected) {
            QTest::newRow(name) << kerasModel(shape, layers) << expected;
        };
        const char* dense = R"({"class_name": "Dense", "config": {"name": "d", "units": 10,
            "activation": "relu", "use_bias": true}})";
        const char* conv = R"({"class_name": "Conv2D", "config": {"name": "c", "filters": 4,
            "kernel_size": [3, 3], "strides": [1, 1], "padding": "same", "use_bias": true}})";
        keras("a batch of 1e9, a product", "1000000000, 8", dense, "");
        keras("a batch of 1e9, a convolution", "1000000000, 28, 28, 1", conv,
              "tensor of shape [1000000000,4,28,28] is too large");
        keras("a batch of 1e9, a small convolution", "1000000000, 4, 4, 1", conv,
              "times the memory of the machine");
        const char* transposed = R"({"class_name": "Conv2DTranspose", "config": {"name": "t",
            "filters": 4, "kernel_size": [65536, %1], "strides": [1, 1], "padding": "same",
            "use_bias": true}})";
        const auto among = [&](int width) {
            return QByteArray(conv) + ',' + QString(transposed).arg(width).toUtf8() + ',' +
                   QByteArray(conv).replace("\"c\"", "\"e\"");
        };
        keras("a long kernel among layers", "null, 28, 28, 1", among(3), "");
        keras("a large kernel among layers", "null, 28, 28, 1", among(65536),
              "times the memory of the machine");
    }
    void smallFilesAreDoneSoon() {
        QFETCH(QByteArray, file);
        QFETCH(QString, expected);
        QVERIFY(file.size() < 1024);
        const std::string text = file.toStdString();
        for (const char* mode : {"inference", "training"}) {
            const std::clock_t start = std::clock();
            const QString said = userError([&] {
                RunOptions options;
                options.batch.mode = mode;
                const Graph graph = text.starts_with('{')
                                        ? importKeras(text, "model.json", {})
                                        : importOnnx(parseModel(text), "model.onnx", {});
                static_cast<void>(simulate(graph, options));
            });
            const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
            QVERIFY2(seconds < mostProcessorSeconds, qPrintable(QString::number(seconds)));
            if (!expected.isEmpty())
                QVERIFY2(said.contains(expected), qPrintable(said));
        }
    }

    /// Channels as many as no list of factors can be tried one by one.
    void manyChannelsArePlannedSoon() {
        ConvProblem problem;
        problem.inChans = 1;
        problem.outChans = 4294967291; // a prime
        problem.field = {{4, 4, 1, 1, 1, 0}};
        QElapsedTimer clock;
        clock.start();
        try {
            static_cast<void>(planConv(targetPreset("mk2"), problem, 0.6));
        } catch (const NoPlan& none) {
            QVERIFY(text(none.what()).contains("4294967291"));
        }
        constexpr qint64 mostMilliseconds = 60'000; // under sanitizers, beside other processes
        QVERIFY(clock.elapsed() < mostMilliseconds);
    }

    /// The same program, but for the name.
    void namesAreNotRead_data() {
        QTest::addColumn<QByteArray>("name");
        for (const char* name : {"a\x01"
                                 "500000000\x01"
                                 "b",
                                 "a\x01"
                                 "0\x01"
                                 "b#",
                                 "copy0_x", "#", "x/Convolve", "x/ExchangePre"})
            QTest::newRow(QByteArray(name).toPercentEncoding()) << QByteArray(name);
        QTest::newRow("zero") << QByteArray("a\0b", 3);
    }
    void namesAreNotRead() {
        QFETCH(QByteArray, name);
        const std::string hostile = name.toStdString();
        const std::string plain = "plainName";
        const Profile wanted = profileOf(plain);
        const Profile got = profileOf(hostile);
        QCOMPARE(got.info.cycles, wanted.info.cycles);
        QCOMPARE(got.programs.size(), wanted.programs.size());
        for (std::size_t i = 0; i < got.programs.size(); ++i)
            QCOMPARE(text(got.programs[ProgramId(i)].name),
                     text(replaced(wanted.programs[ProgramId(i)].name, plain, hostile)));
        for (std::size_t i = 0; i < got.variables.size(); ++i)
            QCOMPARE(text(got.variables[VariableId(i)].name),
                     text(replaced(wanted.variables[VariableId(i)].name, plain, hostile)));
    }
};

TILESCOPE_TEST(SizeBoundsTest)

} // namespace size_bounds_test

#include "size_bounds_test.moc"
