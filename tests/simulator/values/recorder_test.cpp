// Records of values in a profile against the values themselves.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/analysis/insights/insights.h"
#include "simulator/compute/machine.h"
#include "simulator/prepare/prepare.h"
#include "simulator/simulate.h"
#include "simulator/values/inference.h"
#include "simulator/values/model_values.h"
#include "simulator/values/training.h"
#include "tests/simulator/values/few_digits.h"
#include "tests/support/qt_text.h"
#include "tests/support/run_options_of.h"
#include "tests/support/test_main.h"

namespace recorder_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

using Options = std::map<std::string, std::string>;

Options with(Options options, const Options& more) {
    for (const auto& [key, value] : more)
        options[key] = value;
    return options;
}

const Options& digits() {
    static const Options options{{"mode", "training"},          {"batchSize", "40"},
                                 {"gradientAccumulation", "5"}, {"optimizer", "adamw"},
                                 {"learningRate", "0.001"},     {"compute", "on"},
                                 {"data", fewDigits()},         {"valueSamples", "5"}};
    return options;
}

RunValues trainedValues(const Options& more) {
    return trainModel("mnist-tutorial", optionsOf(with(digits(), more))).values;
}

/// Values fed to a graph step by step, and what was made at each.
struct Run {
    RunValues recorded;
    std::map<std::pair<std::string, std::int64_t>, TensorData> made; ///< by tensor and iteration
};

/// `known`: the recorder is told how long the run is.
Run runOf(const Options& given, int calls, bool known = true) {
    const RunOptions options = optionsOf(given);
    const Graph prepared = preparedGraph(valuedModel("mnist-cnn", options), options);
    Machine machine(prepared, options);
    ValueRecorder recorder(prepared, options.batch, options.compute,
                           known ? std::optional(calls * options.batch.deviceIterations)
                                 : std::nullopt);
    Run run;
    HostPort port;
    std::int64_t call = 0;
    port.input = [&](const Tensor& input, const BatchPlace& place) {
        return generatedInput(
            input.name, input.type, input.shape,
            static_cast<std::uint64_t>(
                call * 1000 + indexOf(place, options.batch, options.replication.replicas)));
    };
    port.watch = [&](const Graph& graph, TensorId tensor, const BatchPlace& place,
                     const TensorData& value) {
        const std::int64_t iteration = call * options.batch.deviceIterations + place.iteration + 1;
        if (place.replica == 0 && place.microBatch == 0)
            run.made[{graph.tensors[tensor].name, iteration}] = value.copy();
    };
    for (; call < calls; ++call) {
        recorder.beginCall(port);
        machine.run(port);
        recorder.endCall();
    }
    run.recorded = recorder.take();
    return run;
}

const Options& small() {
    static const Options options{{"mode", "training"},      {"batchSize", "2"},
                                 {"deviceIterations", "2"}, {"gradientAccumulation", "8"},
                                 {"optimizer", "momentum"}, {"outline", "off"},
                                 {"compute", "on"},         {"data", "none"},
                                 {"valueSamples", "3"}};
    return options;
}

std::vector<Insight> insights(const Options& more) {
    const RunOptions options = optionsOf(with(digits(), more));
    Profile profile = simulateModel("mnist-tutorial", options);
    addValues(profile, trainModel("mnist-tutorial", options).values);
    return findInsights(profile);
}

std::optional<Insight> oneOf(const std::vector<Insight>& all, std::string_view rule) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Insight& one) { return one.rule == rule; });
    return found == all.end() ? std::nullopt : std::optional(*found);
}

/// Samples by the tensor's name, without tensors that only some programs have.
std::map<std::pair<std::string, std::int64_t>, ValueSample> byName(const RunValues& run) {
    std::map<std::pair<std::string, std::int64_t>, ValueSample> samples;
    for (ValueSample sample : run.values.samples) {
        const std::string name = run.values.tensors[sample.tensor].name;
        sample.tensor = {};
        samples.emplace(std::pair(name, sample.iteration), sample);
    }
    return samples;
}

} // namespace

class RecorderTest : public QObject {
    Q_OBJECT

private slots:
    void iterationsAreSpreadEvenly() {
        QCOMPARE(sampledIterations(5, 50), (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
        QCOMPARE(sampledIterations(9, 3), (std::vector<std::int64_t>{1, 5, 9}));
        QCOMPARE(sampledIterations(100, 1), (std::vector<std::int64_t>{1}));
        const auto many = sampledIterations(1'000'000'007, 50);
        QCOMPARE(many.size(), std::size_t{50});
        QCOMPARE(many.back(), 1'000'000'007);
        QVERIFY(std::adjacent_find(many.begin(), many.end(), std::greater_equal<>()) == many.end());
    }

    void samplesAreOfTheValues() {
        const Run run = runOf(small(), 4); // eight updates, of which 1, 5 and 8 are sampled
        const ProfileValues& values = run.recorded.values;
        QVERIFY(values.tensors.size() > 20);
        std::map<ValueKind, int> kinds;
        for (const ValueSample& sample : values.samples) {
            const ValueTensor& tensor = values.tensors[sample.tensor];
            QVERIFY(sample.iteration == 1 || sample.iteration == 5 || sample.iteration == 8);
            if (tensor.kind == ValueKind::Weight || tensor.kind == ValueKind::OptimizerState)
                continue;
            ++kinds[tensor.kind];
            const auto made = run.made.find({tensor.name, sample.iteration});
            QVERIFY2(made != run.made.end(), tensor.name.c_str());
            ElementStatistics expected(made->second.type());
            expected.add(made->second.reals());
            QVERIFY2(expected.sample(sample.tensor, sample.iteration) == sample,
                     tensor.name.c_str());
        }
        QVERIFY(kinds[ValueKind::Activation] > 5 && kinds[ValueKind::Gradient] > 5);
    }

    /// Every iteration as long as there is room, then every second one, and so on.
    void runsOfAnyLengthAreSampled() {
        for (const auto& [calls, wanted] :
             std::map<int, std::set<std::int64_t>>{{1, {1, 2}}, {2, {1, 3}}, {4, {1, 5}}}) {
            const Run run = runOf(small(), calls, false);
            std::set<std::int64_t> iterations;
            for (const ValueSample& sample : run.recorded.values.samples) {
                iterations.insert(sample.iteration);
                const auto& tensor = run.recorded.values.tensors[sample.tensor];
                const auto made = run.made.find({tensor.name, sample.iteration});
                if (made != run.made.end() && tensor.kind == ValueKind::Activation)
                    QCOMPARE(sample.elements, made->second.elements());
            }
            QCOMPARE(iterations, wanted);
        }
    }

    void weightsAndStateAreThoseAfterTheUpdate() {
        const Run run = runOf(small(), 4);
        const ProfileValues& values = run.recorded.values;
        int weights = 0;
        int states = 0;
        for (const ValueTensor& tensor : values.tensors) {
            if (tensor.kind == ValueKind::Weight) {
                ++weights;
                QVERIFY(run.made.contains({tensor.name + "_var_update", 5}));
                QVERIFY(!tensor.place.empty() && tensor.place.find("update") == std::string::npos);
            }
            states += tensor.kind == ValueKind::OptimizerState ? 1 : 0;
        }
        QVERIFY(weights > 3);
        QCOMPARE(states, weights);
    }

    /// The model's tensors at the model's places, whatever the program is.
    void transformsChangeNothing_data() {
        QTest::addColumn<Options>("options");
        QTest::newRow("outlined") << Options{{"outline", "on"}};
        QTest::newRow("recomputed") << Options{{"recompute", "all"}};
        QTest::newRow("pipelined") << Options{{"ipus", "4"}, {"execution", "pipelined"}};
    }
    void transformsChangeNothing() {
        QFETCH(Options, options);
        static const auto plain = byName(runOf(small(), 2).recorded);
        const auto other = byName(runOf(with(small(), options), 2).recorded);
        std::size_t same = 0;
        for (const auto& [key, sample] : plain)
            if (const auto found = other.find(key); found != other.end()) {
                ++same;
                // What runs again is counted again.
                if (found->second.elements == sample.elements)
                    QVERIFY2(found->second == sample, key.first.c_str());
            }
        QVERIFY2(same * 10 > plain.size() * 9, qPrintable(QString::number(same)));
    }

    void theCurveIsThatOfTheEpochs() {
        const RunOptions options = optionsOf(with(digits(), {{"epochs", "2"}}));
        const TrainingResult result = trainModel("mnist-tutorial", options);
        const ProfileValues& values = result.values.values;
        QCOMPARE(values.epochs.size(), result.epochs.size());
        QCOMPARE(values.curve.size(), std::size_t{20});
        double loss = 0;
        double accuracy = 0;
        for (std::size_t i = 0; i < 10; ++i) {
            QCOMPARE(values.curve[i].iteration, static_cast<std::int64_t>(i + 1));
            loss += values.curve[i].loss / 10;
            accuracy += *values.curve[i].accuracy / 10;
        }
        QVERIFY(std::fabs(loss - result.epochs[0].loss) < 1e-9);
        QVERIFY(std::fabs(accuracy - *result.epochs[0].accuracy) < 1e-9);
        QCOMPARE(values.epochs[1].evalAccuracy, result.epochs[1].evalAccuracy);
        QCOMPARE(values.curve[0].learningRate, 0.001);
        QCOMPARE(values.curve[0].lossScale, 1.0);
    }

    void lessIsRecordedIfAsked() {
        const ProfileValues curves = trainedValues({{"values", "curves"}}).values;
        QCOMPARE(curves.curve.size(), std::size_t{10});
        QVERIFY(curves.tensors.empty());
        QVERIFY(trainedValues({{"values", "off"}}).values.empty());
    }

    void resultsDoNotDependOnIt() {
        const auto lossOf = [](const char* values) {
            return trainModel("mnist-tutorial", optionsOf(with(digits(), {{"values", values}})))
                .epochs.back()
                .evalLoss;
        };
        QCOMPARE(lossOf("all"), lossOf("off"));
    }

    void operationsAreTheProfiles() {
        const RunOptions options =
            optionsOf({{"compute", "on"}, {"outline", "on"}, {"deviceIterations", "2"}});
        Profile profile = simulateModel("mnist-cnn", options);
        addValues(profile, computeResults("mnist-cnn", options).values);
        std::map<ValueKind, int> kinds;
        for (const ValueTensor& tensor : profile.values.tensors) {
            QVERIFY2(tensor.operation.valid(), tensor.name.c_str());
            ++kinds[tensor.kind];
        }
        QVERIFY(kinds[ValueKind::Weight] > 3 && kinds[ValueKind::Activation] > 5);
        QVERIFY(profile.values.curve.empty());
    }

    // Without loss scaling gradients in half are lost; the insight says where and what to try.
    void gradientsInHalfUnderflow() {
        const auto lost = oneOf(insights({{"precision", "half"}}), "gradientUnderflow");
        QVERIFY(lost);
        QVERIFY(lost->cost.share > 0.01);
        QVERIFY(!lost->evidence.empty() && lost->evidence[0].operation.valid());
        QCOMPARE(text(lost->advice.at(0).option), "lossScaling");
        const double tried = QString::fromStdString(lost->advice[0].value).toDouble();
        QVERIFY(tried >= 8 && std::exp2(std::round(std::log2(tried))) == tried);
        const Options scaled{{"precision", "half"}, {"lossScaling", lost->advice[0].value}};
        const std::vector<Insight> better = insights(scaled);
        const auto after = oneOf(better, "gradientUnderflow");
        QVERIFY(!after || after->cost.share < lost->cost.share / 4);
        QVERIFY(!oneOf(better, "overflow"));
        QVERIFY(!oneOf(insights({}), "gradientUnderflow"));
    }

    /// Against the same product with sums in float, on the same operands.
    void halfPartialsLoseSomething() {
        const Options half{{"precision", "half"}, {"lossScaling", "1024"}};
        const auto errors = [&](const Options& options) {
            std::vector<double> list;
            for (const ValueSample& sample : trainedValues(options).values.samples)
                if (sample.partialsError)
                    list.push_back(*sample.partialsError);
            return list;
        };
        QVERIFY(errors(half).empty());
        const std::vector<double> lost = errors(with(half, {{"partialsType", "half"}}));
        QVERIFY(lost.size() >= 50); // of five iterations
        const double most = *std::max_element(lost.begin(), lost.end());
        const double least = *std::min_element(lost.begin(), lost.end());
        QVERIFY2(most > 1e-4 && most < 0.5, qPrintable(QString::number(most)));
        QVERIFY2(least < 1e-3, qPrintable(QString::number(least)));
    }

    void tooMuchScalingOverflows() {
        const auto over =
            oneOf(insights({{"precision", "half"}, {"lossScaling", "1e6"}}), "overflow");
        QVERIFY(over && over->level == InsightLevel::Problem);
        QCOMPARE(text(over->advice.at(0).option), "lossScaling");
        QVERIFY(over->advice[0].direction == Advice::Direction::Lower);
    }
};

TILESCOPE_TEST(RecorderTest)

} // namespace recorder_test

#include "recorder_test.moc"
