// Inputs that arrive as another type than the model's.
#include <QtTest>

#include "core/trace/trace_index.h"
#include "simulator/simulate.h"
#include "simulator/transforms/decompose.h"
#include "support/graph_builder.h"
#include "support/invariants.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace input_type_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

/// A convolution of an image, and a look-up with whole numbers.
Graph twoInputs(DataType type) {
    GraphBuilder g(type);
    const TensorId image = g.input({2, 16, 12, 12});
    const TensorId conv = g.conv("conv", image, 16, 3);
    const TensorId words = g.gather("words", g.weight({40, 8}), g.indices({6}), 0);
    return g.finish({g.unary("relu", ElementwiseFunction::Relu, conv), words});
}

std::int64_t bytesFromHost(const Profile& profile) {
    const TraceIndex trace(profile.trace, profile.info.target.ipus,
                           profile.info.target.tilesPerIpu);
    const TraceRun& run = trace.runs().back();
    return trace.statistics(IpuId(0), {run.start, run.start + run.cycles}).sums.hostBytesIn;
}

Profile simulated(const Graph& graph, InputType type) {
    RunOptions options;
    options.machine.target.tilesPerIpu = 16;
    options.host.inputType = type;
    return simulate(graph, options);
}

} // namespace

class InputTypeTest : public QObject {
    Q_OBJECT

private slots:
    void castsWhatIsFloatingPoint() {
        const Graph graph = withInputType(twoInputs(DataType::Float), InputType::Int8);
        checkGraph(graph);
        QCOMPARE(graph.ops.size(), std::size_t(4));
        const Op& cast = graph.ops[OpId(0)];
        QCOMPARE(text(cast.name), "x0/Cast");
        QVERIFY(std::get<ElementwiseAttributes>(cast.attributes).function ==
                ElementwiseFunction::Cast);
        QCOMPARE(text(graph.tensors[graph.inputs[0]].name), "x0");
        QVERIFY(graph.tensors[graph.inputs[0]].type == DataType::Int8);
        QVERIFY(graph.tensors[graph.inputs[0]].role == TensorRole::Input);
        QVERIFY(graph.tensors[graph.inputs[1]].type == DataType::Int32);
        QVERIFY(graph.ops[OpId(1)].inputs[0] == cast.outputs[0]);
        QVERIFY(graph.messages.empty());
    }

    void leavesAsItIsWhatHasTheType() {
        const Graph half = twoInputs(DataType::Half);
        QCOMPARE(withInputType(half, InputType::AsModel).ops.size(), half.ops.size());
        const Graph same = withInputType(half, InputType::Half);
        QCOMPARE(same.ops.size(), half.ops.size());
        QCOMPARE(same.messages.size(), std::size_t(1));
        QVERIFY(text(same.messages[0].text).startsWith("option inputType has no effect"));
        QCOMPARE(withInputType(half, InputType::Float).ops.size(), half.ops.size() + 1);
    }

    /// Half halves what the host sends of the image, 8 bits quarter it.
    void dividesTheTransfer() {
        constexpr std::int64_t pixels = 2 * 16 * 12 * 12;
        constexpr std::int64_t indexBytes = 6 * 4;
        const Graph graph = twoInputs(DataType::Float);
        for (const auto& [type, bytes] :
             {std::pair(InputType::AsModel, 4), std::pair(InputType::Half, 2),
              std::pair(InputType::Int8, 1)}) {
            const Profile profile = simulated(graph, type);
            QCOMPARE(bytesFromHost(profile), pixels * bytes + indexBytes);
            const std::string wrong = complaints(profile);
            QVERIFY2(wrong.empty(), wrong.c_str());
        }
    }

    /// The cast runs in the stage that reads the input, also where --split names that stage.
    void castsInTheStageOfTheReader() {
        GraphBuilder g;
        const TensorId a = g.matMul("a/fc", g.input({4, 16}), g.weight({16, 16}));
        const TensorId b = g.matMul("b/fc", a, g.weight({16, 16}));
        const TensorId late = g.input({4, 16});
        const Graph graph =
            g.finish({g.binary("b/add", ElementwiseFunction::Add, b, late, {4, 16})});
        RunOptions options;
        options.machine.target.ipus = 2;
        options.machine.target.tilesPerIpu = 8;
        options.execution.scheme = Execution::Pipelined;
        options.batch.deviceIterations = 4;
        options.execution.split = {"b"};
        options.host.inputType = InputType::Half;
        const Profile profile = simulate(graph, options);
        const std::string wrong = complaints(profile);
        QVERIFY2(wrong.empty(), wrong.c_str());
        int casts = 0;
        for (const ComputeSet& set : profile.computeSets)
            if (set.name.ends_with("/Cast/Op/Cast")) {
                ++casts;
                const bool isLate = set.name.starts_with(graph.tensors[late].name + "/");
                QCOMPARE(set.cycles.runs().front().first >= 8, isLate);
            }
        QCOMPARE(casts, 2);
    }
};

TILESCOPE_TEST(InputTypeTest)

} // namespace input_type_test

#include "input_type_test.moc"
