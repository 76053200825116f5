// Ten steps of each optimizer against PyTorch's.
#include <QtTest>

#include "compute/optimizer_reference.h"
#include "compute/run_graph.h"
#include "core/options/learning_rate_schedule.h"
#include "simulator/training/optimizer.h"
#include "support/graph_builder.h"
#include "tests/support/test_main.h"

namespace optimizers_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

constexpr double rate = 0.05;
constexpr int steps = 10;

RunOptions optionsOf(Optimizer optimizer, std::optional<double> decay = {}) {
    RunOptions options;
    options.batch.mode = "training";
    options.training.loss = LossFunction::MeanSquaredError;
    options.training.optimizer = optimizer;
    options.training.weightDecay = decay;
    return options;
}

template <class Change> RunOptions changed(RunOptions options, const Change& change) {
    change(options.training);
    return options;
}

/// With an epsilon so large that its place shows.
RunOptions ofKeras(Optimizer optimizer, double momentum, bool variant) {
    RunOptions options = optionsOf(optimizer);
    options.host.framework = Framework::Keras;
    options.training.momentum = momentum;
    options.training.optimizerEpsilon = 0.01;
    if (optimizer == Optimizer::Rmsprop)
        options.training.beta2 = 0.9;
    bool TrainingOptions::*const member =
        optimizer == Optimizer::Momentum ? &TrainingOptions::nesterov
        : optimizer == Optimizer::Adam   ? &TrainingOptions::amsgrad
                                         : &TrainingOptions::centered;
    options.training.*member = variant;
    return options;
}

/// Those of optimizer_reference.py.
std::vector<std::pair<const char*, RunOptions>> cases() {
    using enum Optimizer;
    return {{"sgd", optionsOf(Sgd)},
            {"sgdDecayed", optionsOf(Sgd, 0.1)},
            {"momentum", optionsOf(Momentum)},
            {"momentumDecayed", optionsOf(Momentum, 0.1)},
            {"adam", optionsOf(Adam)},
            {"adamDecayed", optionsOf(Adam, 0.1)},
            {"adamw", optionsOf(AdamW)},
            {"lamb", optionsOf(Lamb, 0.1)},
            {"lars", optionsOf(Lars, 0.1)},
            {"nesterov", changed(optionsOf(Momentum), [](auto& t) { t.nesterov = true; })},
            {"amsgrad", changed(optionsOf(Adam), [](auto& t) { t.amsgrad = true; })},
            {"rmsprop", changed(optionsOf(Rmsprop),
                                [](auto& t) {
                                    t.beta2 = 0.9;
                                    t.optimizerEpsilon = 0.01;
                                })},
            {"rmspropCentered", changed(optionsOf(Rmsprop),
                                        [](auto& t) {
                                            t.beta2 = 0.9;
                                            t.momentum = 0;
                                            t.optimizerEpsilon = 0.01;
                                            t.centered = true;
                                        })},
            {"clipValue", changed(optionsOf(Sgd), [](auto& t) { t.clipValue = 0.05; })},
            {"clipNorm", changed(optionsOf(Sgd), [](auto& t) { t.clipNorm = 0.25; })},
            {"globalClipNorm", changed(optionsOf(Sgd), [](auto& t) { t.globalClipNorm = 0.25; })},
            {"kerasMomentum", ofKeras(Momentum, 0.9, false)},
            {"kerasNesterov", ofKeras(Momentum, 0.9, true)},
            {"kerasAdam", ofKeras(Adam, 0, false)},
            {"kerasAmsgrad", ofKeras(Adam, 0, true)},
            {"kerasRmsprop", ofKeras(Rmsprop, 0, false)},
            {"kerasRmspropCentered", ofKeras(Rmsprop, 0, true)},
            {"kerasRmspropMomentum", ofKeras(Rmsprop, 0.9, false)},
            {"kerasRmspropBoth", ofKeras(Rmsprop, 0.9, true)}};
}

TensorData numbers(Shape shape, const std::function<double(double)>& function) {
    TensorData data(DataType::Float, std::move(shape));
    for (std::int64_t i = 0; i < data.elements(); ++i)
        data.setNumber(i, function(static_cast<double>(i)));
    return data;
}

/// The loss before the last step, the weights and the bias.
std::vector<double> trained(const RunOptions& options, const LearningRateSchedule& schedule = {}) {
    GraphBuilder g;
    const TensorId x = g.input({5, 3});
    const TensorId w = g.weight({3, 4});
    const TensorId b = g.weight({4});
    const TensorId y = g.binary("y", ElementwiseFunction::Add, g.matMul("xw", x, w), b, {5, 4});
    const Graph graph = trainingGraph(g.finish({y}), options);
    checkGraph(graph);
    GraphValues values{
        {x, numbers({5, 3}, [](double i) { return std::cos(2 * i); })},
        {w, numbers({3, 4}, [](double i) { return std::sin(i + 1) / 2; })},
        {b, numbers({4}, [](double i) { return std::cos(i) / 4; })},
        {graph.inputs.back(), numbers({5, 4}, [](double i) { return std::sin(3 * i); })}};
    for (int i = 0; i < steps; ++i) {
        const double step = (options.training.optimizer == Optimizer::Lars ? 100 : 1) * rate *
                            schedule.factor(i, steps);
        for (std::int64_t m = 0; m < options.batch.gradientAccumulation; ++m)
            runGraph(graph, values, step, [](const Op& op) { return op.pass != Pass::Update; });
        runGraph(graph, values, step, [](const Op& op) { return op.pass == Pass::Update; });
    }
    std::vector<double> result{values.at(graph.outputs.front()).number(0)};
    for (const TensorId id : {w, b})
        for (std::int64_t i = 0; i < values.at(id).elements(); ++i)
            result.push_back(values.at(id).number(i));
    return result;
}

double worst(const std::vector<double>& a, const std::vector<double>& b) {
    double most = a.size() == b.size() ? 0 : INFINITY;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        most = std::max(most, std::fabs(a[i] - b[i]));
    return most;
}

} // namespace

class OptimizersTest : public QObject {
    Q_OBJECT

private slots:
    /// Two weights of a sum have one gradient: the decay of one must not reach the other.
    void decayDoesNotReachOtherWeights() {
        RunOptions options = optionsOf(Optimizer::Momentum, 0.5);
        GraphBuilder g;
        const TensorId x = g.input({4});
        const TensorId w = g.weight({4});
        const TensorId b = g.weight({4});
        const TensorId xw = g.binary("xw", ElementwiseFunction::Add, x, w, {4});
        const TensorId y = g.binary("y", ElementwiseFunction::Add, xw, b, {4});
        const Graph graph = trainingGraph(g.finish({y}), options);
        checkGraph(graph);
        const auto all = [](double value) { return numbers({4}, [=](double) { return value; }); };
        GraphValues values{{x, all(1)}, {w, all(2)}, {b, all(3)}, {graph.inputs.back(), all(4)}};
        runGraph(graph, values, rate);
        // The gradient of ((x + w + b) - 4)^2 / 4, and half of the weight.
        const double gradient = 2 * (6.0 - 4) / 4;
        QVERIFY(std::fabs(values.at(w).number(0) - (2 - rate * (gradient + 1))) < 1e-6);
        QVERIFY(std::fabs(values.at(b).number(0) - (3 - rate * (gradient + 1.5))) < 1e-6);
    }

    /// PyTorch's BCELoss: no logarithm is below -100, and nothing is divided by less than 1e-12.
    void binaryCrossEntropyOfCertaintyIsFinite() {
        GraphBuilder g;
        const TensorId p = g.weight({4});
        const TensorId y = g.unary("copy", ElementwiseFunction::Abs, p);
        Graph graph = g.finish({y});
        const Loss loss = addLoss(graph, LossFunction::BinaryCrossEntropy);
        const std::vector<WeightGradient> gradients = addGradients(graph, loss);
        const std::vector<double> probabilities{0, 1, 0.5, 1};
        const std::vector<double> labels{0, 1, 1, 0};
        const auto of = [](const std::vector<double>& list) {
            return numbers({4}, [&](double i) { return list[static_cast<std::size_t>(i)]; });
        };
        GraphValues values{{p, of(probabilities)}, {graph.inputs.back(), of(labels)}};
        runGraph(graph, values);
        QVERIFY(std::fabs(values.at(graph.outputs.front()).number(0) - (std::log(2.0) + 100) / 4) <
                1e-5);
        const TensorData& slopes = values.at(gradients.front().parts.front());
        for (std::int64_t i = 0; i < 4; ++i)
            QVERIFY(std::isfinite(slopes.number(i)));
        QVERIFY(std::fabs(slopes.number(2) + 0.5) < 1e-6);
        QVERIFY(slopes.number(3) > 1e11);
    }

    void asPyTorch_data() {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < cases().size(); ++i)
            QTest::newRow(cases()[i].first) << static_cast<int>(i);
    }
    void asPyTorch() {
        QFETCH(int, index);
        const auto [name, options] = cases().at(static_cast<std::size_t>(index));
        const std::vector<double> expected = optimizerReference().at(name);
        QVERIFY2(worst(trained(options), expected) < 2e-5,
                 std::to_string(worst(trained(options), expected)).c_str());
    }

    /// Also the state of PyTorch's momentum is independent of the rate, that of Keras' is not.
    void asPyTorchWithASchedule_data() {
        QTest::addColumn<QString>("name");
        for (const char* name :
             {"sgd", "momentum", "momentumDecayed", "adam", "adamw", "nesterov", "kerasMomentum",
              "kerasNesterov", "kerasAdam", "kerasAmsgrad", "kerasRmsprop", "kerasRmspropCentered",
              "kerasRmspropMomentum", "kerasRmspropBoth"})
            QTest::newRow(name) << name;
    }
    void asPyTorchWithASchedule() {
        QFETCH(QString, name);
        const auto all = cases();
        const auto chosen = std::find_if(all.begin(), all.end(),
                                         [&](const auto& one) { return name == one.first; });
        QVERIFY(chosen != all.end());
        const double difference =
            worst(trained(chosen->second, learningRateScheduleFrom("step:3:0.5")),
                  optimizerReference().at(name.toStdString() + "Stepped"));
        QVERIFY2(difference < 2e-5, std::to_string(difference).c_str());
    }

    void lossScalingIsTakenOutAgain_data() { asPyTorch_data(); }
    void lossScalingIsTakenOutAgain() {
        QFETCH(int, index);
        auto [name, options] = cases().at(static_cast<std::size_t>(index));
        options.training.lossScaling = 128;
        std::vector<double> all = trained(options);
        all.front() = optimizerReference().at(name).front(); // the loss itself is not scaled
        QVERIFY(worst(all, optimizerReference().at(name)) < 2e-5);
    }

    void theMeanOfEqualMicroBatchesIsOne_data() { asPyTorch_data(); }
    void theMeanOfEqualMicroBatchesIsOne() {
        QFETCH(int, index);
        auto [name, options] = cases().at(static_cast<std::size_t>(index));
        options.batch.gradientAccumulation = 4;
        options.training.accumulationReduction = Reduction::Mean;
        QVERIFY(worst(trained(options), optimizerReference().at(name)) < 2e-5);
    }

private:
};

TILESCOPE_TEST(OptimizersTest)

} // namespace optimizers_test

#include "optimizers_test.moc"
