// The compiler's changes to a model must not change its results: weights after training steps
// are the same however the model is split, scheduled, recomputed, outlined, moved off the chip or
// replicated.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <map>

#include "simulator/compute/machine.h"
#include "simulator/prepare/prepare.h"
#include "simulator/values/inference.h"
#include "simulator/values/model_values.h"
#include "tests/support/qt_text.h"
#include "tests/support/run_options_of.h"
#include "tests/support/test_main.h"

namespace same_results_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

using Options = std::map<std::string, std::string>;

/// Values of one sample; the same for the same sample number, whichever replica computes it.
TensorData sampleOf(const Tensor& input, std::int64_t number) {
    return generatedInput(input.name, input.type, input.shape, static_cast<std::uint64_t>(number));
}

struct Trained {
    NamedWeights weights;
    std::vector<double> losses; ///< by number of the micro-batch
};

/// The model with dropout where it has a ReLU.
Graph withDropout(Graph graph) {
    for (Op& op : graph.ops)
        if (auto* function = std::get_if<ElementwiseAttributes>(&op.attributes);
            function != nullptr && function->function == ElementwiseFunction::Relu)
            *function = {ElementwiseFunction::Dropout, 0.5};
    return graph;
}

Trained trained(const std::string& model, const Options& given, bool drops = false) {
    constexpr int calls = 2;
    const RunOptions options = optionsOf(given);
    const Graph graph = valuedModel(model, options);
    const Graph prepared = preparedGraph(drops ? withDropout(graph) : graph, options);
    Machine machine(prepared, options);
    Trained result;
    const std::int64_t each = options.batch.microBatchesOfCall() * options.replication.replicas;
    result.losses.resize(static_cast<std::size_t>(each * calls));
    HostPort port;
    std::int64_t first = 0;
    port.input = [&](const Tensor& input, const BatchPlace& place) {
        return sampleOf(input, first + indexOf(place, options.batch, options.replication.replicas));
    };
    port.output = [&](const Tensor&, const BatchPlace& place, const TensorData& value) {
        result.losses[static_cast<std::size_t>(
            first + indexOf(place, options.batch, options.replication.replicas))] = value.number(0);
    };
    for (int call = 0; call < calls; ++call, first += each)
        machine.run(port);
    for (const std::string& name : machine.weights())
        result.weights[name] = machine.weight(name);
    return result;
}

/// The largest difference of two sets of weights, relative to the largest value of each weight.
double distance(const NamedWeights& a, const NamedWeights& b) {
    double most = 0;
    for (const auto& [name, weight] : a) {
        const auto other = b.find(name);
        if (other == b.end() || other->second.shape() != weight.shape())
            return INFINITY;
        double largest = 1e-12;
        double off = 0;
        for (std::int64_t i = 0; i < weight.elements(); ++i) {
            largest = std::max(largest, std::fabs(weight.number(i)));
            off = std::max(off, std::fabs(weight.number(i) - other->second.number(i)));
        }
        most = std::max(most, off / largest);
    }
    return a.size() == b.size() ? most : INFINITY;
}

Options with(Options options, const Options& more) {
    for (const auto& [key, value] : more)
        options[key] = value;
    return options;
}

const Options& plain() {
    static const Options options{
        {"mode", "training"},      {"batchSize", "2"},     {"gradientAccumulation", "8"},
        {"deviceIterations", "2"}, {"optimizer", "adamw"}, {"learningRate", "0.01"},
        {"outline", "off"},        {"compute", "on"},      {"data", "none"}};
    return options;
}

} // namespace

class SameResultsTest : public QObject {
    Q_OBJECT

    std::map<std::string, Trained> plain_;
    const Trained& plainOf(const std::string& model) {
        if (!plain_.contains(model))
            plain_[model] = trained(model, plain());
        return plain_.at(model);
    }

private slots:
    void trainingMovesTheWeights() {
        const Trained& result = plainOf("mnist-cnn");
        const RunOptions options = optionsOf(plain());
        NamedWeights before;
        for (const Tensor& tensor : valuedModel("mnist-cnn", options).tensors)
            if (tensor.role == TensorRole::Weight)
                before[tensor.name] = *tensor.value;
        QCOMPARE(before.size(), result.weights.size());
        const double moved = distance(before, result.weights);
        QVERIFY2(moved > 1e-3 && moved < 10, qPrintable(QString::number(moved)));
        for (const double loss : result.losses)
            QVERIFY(std::isfinite(loss) && loss > 0);
    }

    void transformsChangeNothing_data() {
        QTest::addColumn<Options>("options");
        const Options twoStages{{"ipus", "2"}, {"execution", "pipelined"}};
        const Options fourStages{{"ipus", "4"}, {"execution", "pipelined"}};
        QTest::newRow("outlined") << Options{{"outline", "on"}};
        QTest::newRow("recomputed") << Options{{"recompute", "all"}};
        QTest::newRow("sharded") << Options{{"ipus", "2"}, {"execution", "sharded"}};
        QTest::newRow("phased") << Options{{"ipus", "2"}, {"execution", "phased"}, {"phases", "4"}};
        QTest::newRow("pipelined") << twoStages;
        QTest::newRow("pipelined in four") << fourStages;
        QTest::newRow("grouped") << with(fourStages, {{"schedule", "grouped"}});
        QTest::newRow("interleaved") << with(fourStages, {{"schedule", "interleaved"}});
        QTest::newRow("sequential") << with(fourStages, {{"schedule", "sequential"}});
        QTest::newRow("pipelined, recomputed") << with(fourStages, {{"recompute", "pipeline"}});
        QTest::newRow("grouped, recomputed")
            << with(fourStages, {{"schedule", "grouped"}, {"recompute", "pipeline"}});
        QTest::newRow("optimizer offloaded") << Options{{"offload", "optimizer"}};
        QTest::newRow("weights offloaded") << Options{{"offload", "optimizer,weights"}};
        QTest::newRow("activations offloaded") << Options{{"offload", "activations"}};
        QTest::newRow("all, pipelined, offloaded")
            << with(fourStages, {{"offload", "optimizer"}, {"outline", "on"}});
    }

    /// Bit for bit: the order of sums is that of the plain program.
    void transformsChangeNothing() {
        QFETCH(Options, options);
        for (const char* model : {"mnist-cnn", "mnist-tutorial"}) {
            const Trained result = trained(model, with(plain(), options));
            const Trained& expected = plainOf(model);
            QCOMPARE(distance(expected.weights, result.weights), 0.0);
            QCOMPARE(result.losses, expected.losses);
        }
    }

    void updatesAsFunctions_data() {
        QTest::addColumn<QString>("optimizer");
        for (const char* optimizer : {"momentum", "adamw", "lamb", "lars", "rmsprop"})
            QTest::newRow(optimizer) << QString(optimizer);
    }

    /// Equal weights share the steps of their updates, whose operands are copied in and back.
    void updatesAsFunctions() {
        QFETCH(QString, optimizer);
        const Options own = with(plain(), {{"optimizer", optimizer.toStdString()}});
        const Options outlined = with(
            own, {{"outline", "on"}, {"outlineThreshold", "0"}, {"outlineCopyCostPruning", "off"}});
        const RunOptions options = optionsOf(outlined);
        const Graph prepared = preparedGraph(valuedModel("mlp", options), options);
        const bool has = std::any_of(prepared.ops.begin(), prepared.ops.end(), [](const Op& op) {
            return op.pass == Pass::Update && std::holds_alternative<CallAttributes>(op.attributes);
        });
        QVERIFY(has);
        const Trained expected = trained("mlp", own);
        for (const Options& more : {Options{}, Options{{"offload", "optimizer"}}}) {
            const Trained result = trained("mlp", with(outlined, more));
            QCOMPARE(distance(expected.weights, result.weights), 0.0);
            QCOMPARE(result.losses, expected.losses);
        }
    }

    /// A mask is that of its micro-batch, forward, backward and when it is made again.
    void dropoutIsTheSame() {
        const Trained expected = trained("mnist-cnn", plain(), true);
        QVERIFY(distance(plainOf("mnist-cnn").weights, expected.weights) > 1e-3);
        const Options four{{"ipus", "4"}, {"execution", "pipelined"}};
        for (const Options& options :
             {Options{{"outline", "on"}}, Options{{"recompute", "all"}}, four,
              with(four, {{"recompute", "pipeline"}}), with(four, {{"schedule", "grouped"}}),
              with(four, {{"schedule", "interleaved"}}), with(four, {{"schedule", "sequential"}})})
            QCOMPARE(distance(expected.weights,
                              trained("mnist-cnn", with(plain(), options), true).weights),
                     0.0);
    }

    void replicasAreAccumulation_data() {
        QTest::addColumn<Options>("options");
        const Options eight{{"replicas", "8"}, {"gradientAccumulation", "1"}};
        QTest::newRow("8 replicas") << eight;
        QTest::newRow("4 replicas, accumulating twice")
            << Options{{"replicas", "4"}, {"gradientAccumulation", "2"}};
        QTest::newRow("sharded state") << with(eight, {{"replicatedTensorSharding", "on"}});
    }

    /// One replica that accumulates eight micro-batches sees what eight replicas do together.
    void replicasAreAccumulation() {
        QFETCH(Options, options);
        const Trained result = trained("mnist-cnn", with(plain(), options));
        const double off = distance(plainOf("mnist-cnn").weights, result.weights);
        QVERIFY2(off < 1e-4, qPrintable(QString::number(off)));
    }

    void inferenceIsTheSameInPipelines() {
        const Options single{{"compute", "on"}, {"deviceIterations", "8"}};
        const InferenceResult one = computeResults("mnist-cnn", optionsOf(single));
        const InferenceResult piped = computeResults(
            "mnist-cnn", optionsOf(with(single, {{"ipus", "4"}, {"execution", "pipelined"}})));
        QCOMPARE(one.outputs.size(), piped.outputs.size());
        for (std::size_t i = 0; i < one.outputs.size(); ++i)
            QVERIFY(!differenceOf(one.outputs[i].name, piped.outputs[i].data, one.outputs[i].data,
                                  0, 0));
    }
};

TILESCOPE_TEST(SameResultsTest)

} // namespace same_results_test

#include "same_results_test.moc"
