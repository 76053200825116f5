// A loss scale that follows the gradients must not change the result of training, where numbers
// have the range for both.
#include <QtTest>

#include "simulator/compute/loss_scale.h"
#include "simulator/compute/machine.h"
#include "simulator/prepare/prepare.h"
#include "simulator/training/autodiff.h"
#include "simulator/values/inference.h"
#include "simulator/values/model_values.h"
#include "tests/support/qt_text.h"
#include "tests/support/run_options_of.h"
#include "tests/support/test_main.h"

namespace loss_scaling_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

using Options = std::map<std::string, std::string>;

struct Trained {
    NamedWeights weights;
    std::vector<double> scales; ///< after each call
};

Trained trained(const Options& given, bool automatic) {
    constexpr int calls = 4;
    RunOptions options = optionsOf(given);
    options.compute.automaticLossScaling = automatic;
    const Graph prepared = preparedGraph(valuedModel("mnist-tutorial", options), options);
    Machine machine(prepared, options);
    Trained result;
    HostPort port;
    std::int64_t call = 0;
    port.input = [&](const Tensor& input, const BatchPlace& place) {
        const auto number = static_cast<std::uint64_t>(
            call * 100 + indexOf(place, options.batch, options.replication.replicas));
        return generatedInput(input.name, input.type, input.shape, number);
    };
    for (; call < calls; ++call) {
        machine.run(port);
        result.scales.push_back(machine.lossScale());
    }
    for (const std::string& name : machine.weights())
        result.weights[name] = machine.weight(name);
    return result;
}

std::int64_t differing(const NamedWeights& a, const NamedWeights& b) {
    std::int64_t count = a.size() == b.size() ? 0 : -1;
    for (const auto& [name, weight] : a)
        for (std::int64_t i = 0; i < weight.elements(); ++i)
            count += weight.number(i) == b.at(name).number(i) ? 0 : 1;
    return count;
}

const Options plain{{"mode", "training"}, {"batchSize", "4"}, {"learningRate", "0.01"}};

Options with(Options more) {
    more.insert(plain.begin(), plain.end());
    return more;
}

/// A gradient as a convolution makes it.
Op gradientOf(Pass pass) {
    Op op;
    op.attributes = ConvGradWeightsAttributes{};
    op.pass = pass;
    return op;
}

LossScale scaleOf(double given, DataType type) {
    Graph graph;
    Tensor constant{"lossScaling", {}, type};
    constant.lossScaling = LossScalingPart::Factor;
    constant.role = TensorRole::Constant;
    graph.tensors.add(constant);
    TrainingOptions options;
    options.lossScaling = given;
    return {graph, options, true};
}

TensorData gradients(DataType type, double largest) {
    TensorData data = TensorData::filled(type, {100}, 1e-3);
    data.setNumber(7, largest);
    return data;
}

} // namespace

class LossScalingTest : public QObject {
    Q_OBJECT

private slots:
    /// Scales are powers of two, so that every number differs by its exponent alone.
    void weightsAreThoseOfAConstantScale_data() {
        QTest::addColumn<QString>("optimizer");
        QTest::addColumn<Options>("more");
        const Options none;
        for (const char* optimizer : {"sgd", "momentum", "adam", "adamw", "lamb", "lars"})
            QTest::newRow(optimizer) << QString(optimizer) << none;
        QTest::newRow("decay") << "momentum" << Options{{"weightDecay", "0.1"}};
        QTest::newRow("accumulated") << "momentum" << Options{{"gradientAccumulation", "3"}};
        QTest::newRow("pipelined")
            << "adamw"
            << Options{{"ipus", "2"}, {"execution", "pipelined"}, {"gradientAccumulation", "8"}};
        QTest::newRow("replicas") << "sgd" << Options{{"replicas", "2"}, {"weightDecay", "0.1"}};
        QTest::newRow("scaled") << "adam" << Options{{"lossScaling", "16"}};
    }
    void weightsAreThoseOfAConstantScale() {
        QFETCH(QString, optimizer);
        QFETCH(Options, more);
        Options options = with(more);
        options["optimizer"] = optimizer.toStdString();
        const Trained constant = trained(options, false);
        const Trained automatic = trained(options, true);
        const double first = more.contains("lossScaling") ? 16 : 1;
        QCOMPARE(constant.scales.back(), first);
        QVERIFY(
            (automatic.scales == std::vector<double>{2 * first, 4 * first, 8 * first, 16 * first}));
        QCOMPARE(differing(constant.weights, automatic.weights), std::int64_t(0));
    }

    /// As in popx/op/lossscaleupdatex.cpp.
    void largeGradientsHalveIt() {
        LossScale scale = scaleOf(8, DataType::Half);
        QVERIFY(!scale.update()); // nothing was seen
        scale.see(gradientOf(Pass::Backward), {gradients(DataType::Half, 4000)});
        QVERIFY(scale.update());
        QCOMPARE(scale.value(), 16.0);
        // A sixteenth of the range.
        scale.see(gradientOf(Pass::Backward), {gradients(DataType::Half, -4096)});
        QVERIFY(scale.update());
        QCOMPARE(scale.value(), 8.0);
        scale.see(gradientOf(Pass::Forward), {gradients(DataType::Half, 60000)});
        QVERIFY(!scale.update());
        // The next doubling leaves the past behind.
        scale.see(gradientOf(Pass::Backward), {gradients(DataType::Float, 4e4)});
        QVERIFY(scale.update());
        QCOMPARE(scale.value(), 16.0);
        scale.see(gradientOf(Pass::Backward), {gradients(DataType::Float, 3e37)});
        QVERIFY(scale.update());
        QCOMPARE(scale.value(), 8.0);
    }

    void itStaysWithinHalves() {
        LossScale scale = scaleOf(16384, DataType::Half);
        const auto step = [](LossScale& one) {
            one.see(gradientOf(Pass::Backward), {gradients(DataType::Half, 1)});
            return one.update();
        };
        QVERIFY(step(scale));
        QCOMPARE(scale.value(), 32768.0);
        QVERIFY(!step(scale));
        LossScale ofFloat = scaleOf(16384, DataType::Float);
        QVERIFY(step(ofFloat) && step(ofFloat));
        QCOMPARE(ofFloat.value(), 65536.0);
    }
};

TILESCOPE_TEST(LossScalingTest)

} // namespace loss_scaling_test

Q_DECLARE_METATYPE(loss_scaling_test::Options)

#include "loss_scaling_test.moc"
