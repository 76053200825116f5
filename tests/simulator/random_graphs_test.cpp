// Invariants of profiles of random graphs, on few tiles and on many.
#include <QtTest>

#include "simulator/simulate.h"
#include "support/holds.h"
#include "support/invariants.h"
#include "support/random_graph.h"
#include "tests/support/test_main.h"

namespace random_graphs_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

const int graphs = test::hasAddressSanitizer() ? 400 : 1500;

std::string describe(const Graph& graph) {
    std::string text;
    for (const Op& op : graph.ops) {
        text += op.name + "(";
        for (const TensorId input : op.inputs)
            text += graph.tensors[input].name + toString(graph.tensors[input].shape) + " ";
        text += ") -> " + toString(graph.tensors[op.outputs[0]].shape) + "\n";
    }
    return text;
}

/// The complaints about a graph's profile, with the graph; empty if all holds.
std::string judge(const Graph& graph, const RunOptions& options) {
    try {
        const std::string wrong = complaints(simulate(graph, options));
        return wrong.empty() ? wrong : describe(graph) + wrong;
    } catch (const std::exception& error) {
        return describe(graph) + error.what();
    }
}

} // namespace

class RandomGraphsTest : public QObject {
    Q_OBJECT

private slots:
    void fewTiles() {
        QVERIFY(holds("graphs on few tiles", graphs, [] {
            RunOptions options;
            options.machine.target.tilesPerIpu = static_cast<std::int32_t>(anyFrom(1, 24));
            options.batch.deviceIterations = anyFrom(1, 2);
            const std::string wrong = judge(anyGraph(), options);
            if (!wrong.empty())
                RC_FAIL(wrong);
        }));
    }

    void fedInAnyWay() {
        QVERIFY(holds("graphs with I/O tiles", graphs / 2, [] {
            RunOptions options;
            options.machine.ioTiles = *rc::gen::element(0, 32);
            options.machine.target.tilesPerIpu =
                options.machine.ioTiles + static_cast<std::int32_t>(anyFrom(4, 24));
            options.batch.deviceIterations = anyFrom(1, 5);
            if (options.machine.ioTiles > 0)
                options.host.exchangeStrategy = *rc::gen::element(
                    ExchangeStrategy::JustInTime, ExchangeStrategy::OverlapInnerLoop,
                    ExchangeStrategy::OverlapLoops);
            options.host.inputType =
                *rc::gen::element(InputType::AsModel, InputType::Half, InputType::Int8);
            options.host.prefetchDepth = static_cast<std::int32_t>(anyFrom(1, 3));
            options.host.hostRate = *rc::gen::element(0.0, 1e3, 1e5);
            const std::string wrong = judge(anyGraph(), options);
            if (!wrong.empty())
                RC_FAIL(wrong);
        }));
    }

    void aWholeChip() {
        QVERIFY(holds("graphs on a chip", graphs, [] {
            RunOptions options;
            options.machine.target = targetPreset(*rc::gen::element<std::string>("mk1", "mk2"));
            options.planning.availableMemoryProportion = *rc::gen::element(0.6, 0.001);
            const std::string wrong = judge(anyGraph(), options);
            if (!wrong.empty())
                RC_FAIL(wrong);
        }));
    }
};

TILESCOPE_TEST(RandomGraphsTest)

} // namespace random_graphs_test

#include "random_graphs_test.moc"
