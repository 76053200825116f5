// Pipelines compute what one IPU computes, whatever of their stages runs again.
#include <QtTest>
#include <fmt/format.h>
#include <map>

#include "simulator/compute/machine.h"
#include "simulator/lowering/lower.h"
#include "simulator/prepare/prepare.h"
#include "simulator/values/inference.h"
#include "support/graph_builder.h"
#include "support/holds.h"
#include "tests/support/run_options_of.h"
#include "tests/support/test_main.h"

namespace same_values_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

using Options = std::map<std::string, std::string>;
constexpr int layers = 4;
constexpr std::int64_t width = 4;
const Shape shape{width, width};

bool any() {
    return *rc::gen::arbitrary<bool>();
}

std::string oneOf(const std::vector<std::string>& texts) {
    return *rc::gen::elementOf(texts);
}

/// Layers that read earlier results, inputs of the host and views of both; the backward pass reads
/// operands of some functions and results of others.
class AnyLayers {
public:
    AnyLayers()
        : made_{b_.input(shape), b_.input(shape)} {}

    Graph finish() {
        for (int layer = 0; layer < layers; ++layer)
            addLayer(fmt::format("s{}", layer));
        std::vector<TensorId> outputs{made_.back()};
        if (any())
            outputs.push_back(earlier());
        if (outputs.back() == outputs.front() || outputs.back().value() < 2)
            outputs.resize(1);
        Graph graph = b_.finish(outputs);
        std::uint64_t seed = 0;
        for (Tensor& tensor : graph.tensors)
            if (tensor.role == TensorRole::Weight)
                tensor.value = std::make_shared<TensorData>(
                    generatedInput(tensor.name, tensor.type, tensor.shape, ++seed));
        return graph;
    }

private:
    TensorId earlier() {
        return made_[static_cast<std::size_t>(anyFrom(0, std::ssize(made_) - 1))];
    }

    void addLayer(const std::string& scope) {
        TensorId x = b_.matMul(scope + "/fc", made_.back(), b_.weight(shape));
        const auto steps = anyFrom(1, 4);
        for (int step = 0; step < steps; ++step) {
            made_.push_back(x);
            x = changed(fmt::format("{}/{}", scope, step), x);
        }
        made_.push_back(x);
    }

    TensorId changed(const std::string& name, TensorId x) {
        switch (anyFrom(0, 6)) {
        case 0:
            return b_.binary(name + "/skip", ElementwiseFunction::Add, x, earlier(), shape);
        case 1:
            return b_.binary(name + "/gate", ElementwiseFunction::Multiply, x, earlier(), shape);
        case 2:
            return b_.transpose(name + "/turn", x, {1, 0});
        case 3:
            return b_.reshape(name + "/shape", b_.reshape(name + "/flat", x, {width * width}),
                              shape);
        case 4:
            return b_.unary(name + "/sine", ElementwiseFunction::Sin, x);
        case 5:
            return b_.softmax(name + "/normShare", x);
        default:
            return b_.unary(name + "/tanh", ElementwiseFunction::Tanh, x);
        }
    }

    GraphBuilder b_;
    std::vector<TensorId> made_;
};

Options plain() {
    return {{"mode", "training"}, {"gradientAccumulation", "16"}, {"deviceIterations", "2"},
            {"optimizer", "sgd"}, {"learningRate", "0.1"},        {"compute", "on"}};
}

Options anyPipeline(const Graph& graph) {
    Options options = plain();
    options["execution"] = "pipelined";
    const bool four = any();
    options["ipus"] = four ? "4" : "2";
    options["split"] = four ? "s1,s2,s3" : "s2";
    options["schedule"] = oneOf({"popart", "popart", "grouped", "interleaved", "sequential"});
    // Interleaved stages have an IPU each.
    if (four && options["schedule"] != "interleaved" && any()) {
        options["ipus"] = "2";
        options["deviceMapping"] = oneOf({"0,1,0,1", "0,1,1,0"});
    }
    options["outline"] = oneOf({"on", "off"});
    options["recompute"] = oneOf({"pipeline", "pipeline", "standard", "norm-only", "none"});
    if (options["recompute"] == "none")
        return options;
    const auto kept = anyFrom(0, 3);
    for (int i = 0; i < kept; ++i) {
        const auto op = static_cast<std::size_t>(anyFrom(0, std::ssize(graph.ops) - 1));
        options["checkpoint"] +=
            (options["checkpoint"].empty() ? "" : ",") + graph.ops[OpId(op)].name;
    }
    return options;
}

/// What a call of the host leaves and returns, by name.
using Results = std::map<std::string, TensorData>;

Results computed(const Graph& prepared, const RunOptions& options) {
    Results results;
    HostPort port;
    port.input = [&](const Tensor& input, const BatchPlace& place) {
        return generatedInput(input.name, input.type, input.shape,
                              static_cast<std::uint64_t>(indexOf(place, options.batch, 1)));
    };
    port.output = [&](const Tensor& output, const BatchPlace& place, const TensorData& value) {
        results[fmt::format("{} of {}", output.name, indexOf(place, options.batch, 1))] = value;
    };
    Machine machine(prepared, options);
    machine.run(port);
    for (const std::string& name : machine.weights())
        results[name] = machine.weight(name);
    return results;
}

std::string difference(const Results& a, const Results& b) {
    if (a.size() != b.size())
        return "other results";
    for (const auto& [name, value] : a) {
        const auto other = b.find(name);
        if (other == b.end() || other->second.shape() != value.shape())
            return name;
        for (std::int64_t i = 0; i < value.elements(); ++i)
            if (std::abs(value.number(i) - other->second.number(i)) >
                1e-4 * (1 + std::abs(value.number(i))))
                return name;
    }
    return {};
}

std::string toText(const Options& options) {
    std::string text;
    for (const auto& [key, value] : options)
        text += fmt::format("{}={} ", key, value);
    return text;
}

} // namespace

class SameValuesTest : public QObject {
    Q_OBJECT

private slots:
    void pipelinesComputeWhatOneIpuDoes() {
        QVERIFY(holds("the values of one IPU", test::hasAddressSanitizer() ? 60 : 300, [] {
            const Graph graph = AnyLayers().finish();
            const Options given = anyPipeline(graph);
            const RunOptions single = optionsOf(plain());
            const Results expected = computed(preparedGraph(graph, single), single);
            RunOptions options = optionsOf(given);
            options.machine.target.tilesPerIpu = 4;
            const Graph prepared = preparedGraph(graph, options);
            try {
                static_cast<void>(lowerGraph(
                    prepared, options, PlanTable(prepared, options.machine, options.planning)));
            } catch (const InternalError& error) {
                RC_FAIL(toText(given) + error.what());
            }
            const std::string where = difference(expected, computed(prepared, options));
            if (!where.empty())
                RC_FAIL(toText(given) + ": " + where);
        }));
    }
};

TILESCOPE_TEST(SameValuesTest)

} // namespace same_values_test

#include "same_values_test.moc"
