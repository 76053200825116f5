// Stages and recomputation from annotations of ONNX nodes.
#include <QtTest>

#include "core/base/error.h"
#include "model_text.h"
#include "simulator/pipeline/stages.h"
#include "simulator/prepare/prepare.h"
#include "tests/support/test_main.h"

namespace hints_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

/// Three products in a row with an activation after each; `stages` are their annotations ("" for
/// none).
Graph chain(const std::vector<std::string>& annotations) {
    std::string text = "g (float[4,16] x0, float[16,16] u, float[16,16] v, float[16,16] w) => "
                       "(float[4,16] x3) {";
    const std::vector<std::string> weights{"u", "v", "w"};
    for (std::size_t i = 0; i < 3; ++i) {
        const std::string n = std::to_string(i);
        text += " h" + n + " = MatMul" +
                (annotations[i].empty() ? "" : " <" + annotations[i] + ">") + " (x" + n + ", " +
                weights[i] + ") x" + std::to_string(i + 1) + " = Relu(h" + n + ")";
    }
    Graph graph = importText(text + " }");
    for (const TensorId id : std::vector<TensorId>(graph.inputs.begin() + 1, graph.inputs.end()))
        graph.tensors[id].role = TensorRole::Weight;
    graph.inputs.resize(1);
    return graph;
}

RunOptions onIpus(std::int32_t ipus) {
    RunOptions options;
    options.outline.enabled = false; // operations are listed
    options.machine.target.ipus = ipus;
    options.execution.scheme = Execution::Sharded;
    return options;
}

std::string stagesOf(const Graph& graph) {
    std::string text;
    for (const Op& op : graph.ops)
        if (!std::holds_alternative<IpuCopyAttributes>(op.attributes))
            text += op.name + std::to_string(op.stage) + " ";
    return text;
}

/// The messages that a user reads.
QString refusal(const std::vector<std::string>& annotations, std::int32_t ipus) {
    try {
        (void)preparedGraph(chain(annotations), onIpus(ipus));
    } catch (const UserError& error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

} // namespace

class HintsTest : public QObject {
    Q_OBJECT

private slots:
    void annotationsDecideTheStages() {
        const Graph graph =
            preparedGraph(chain({"__pipeline_stage = 0", "", "__ipu_number = 1"}), onIpus(2));
        QCOMPARE(stagesOf(graph), std::string("h00 x10 h10 x20 h21 x31 "));
    }

    void aSplitGoesFirst() {
        RunOptions options = onIpus(2);
        options.execution.split = {"h1"};
        const Graph graph =
            preparedGraph(chain({"__pipeline_stage = 0", "", "__pipeline_stage = 1"}), options);
        QCOMPARE(stagesOf(graph), std::string("h00 x10 h11 x21 h21 x31 "));
    }

    /// PyTorch's exporter begins scopes with a slash, which names here do not have.
    void aSplitMayBeginWithASlash() {
        RunOptions options = onIpus(2);
        options.execution.split = {"/h1"};
        QCOMPARE(stagesOf(preparedGraph(chain({"", "", ""}), options)),
                 std::string("h00 x10 h11 x21 h21 x31 "));
        QVERIFY(isInScope("/layer2/0/conv", "layer2") && isInScope("layer2/0", "/layer2"));
        QVERIFY(!isInScope("layer22", "/layer2"));
    }

    /// A stage may come back to an IPU: __ipu_number beside __pipeline_stage says which runs it.
    void annotationsMapStagesToIpus() {
        const std::vector<std::string> annotations{"__pipeline_stage = 0, __ipu_number = 0",
                                                   "__pipeline_stage = 1, __ipu_number = 1",
                                                   "__pipeline_stage = 2, __ipu_number = 0"};
        const Graph graph = preparedGraph(chain(annotations), onIpus(2));
        QCOMPARE(stagesOf(graph), std::string("h00 x10 h11 x21 h22 x32 "));
        QCOMPARE(graph.stageIpus, (std::vector<IpuId>{IpuId(0), IpuId(1), IpuId(0)}));
        RunOptions options = onIpus(2);
        options.execution.deviceMapping = {1, 0, 1}; // the option goes first
        QCOMPARE(preparedGraph(chain(annotations), options).stageIpus,
                 (std::vector<IpuId>{IpuId(1), IpuId(0), IpuId(1)}));
    }

    void refusals_data() {
        QTest::addColumn<QString>("first");
        QTest::addColumn<QString>("last");
        QTest::addColumn<int>("ipus");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const char* first, const char* last, int ipus,
                            const char* says) {
            QTest::newRow(name) << first << last << ipus << says;
        };
        row("backwards", "__pipeline_stage = 1", "__pipeline_stage = 0", 2, "later stage 1");
        row("too many", "__pipeline_stage = 0", "__pipeline_stage = 5", 2, "--ipus 6");
        row("hole", "__pipeline_stage = 0", "__pipeline_stage = 2", 3, "stage 1 of 3");
        row("disagreement", "__pipeline_stage = 0, __ipu_number = 0",
            "__pipeline_stage = 0, __ipu_number = 1", 2, "__pipeline_stage 0 on __ipu_number 1");
        row("no such IPU", "__ipu_number = 0", "__ipu_number = 2", 2, "--ipus 3");
        row("negative", "__pipeline_stage = -1", "", 2, "whole number");
    }

    void refusals() {
        QFETCH(QString, first);
        QFETCH(QString, last);
        QFETCH(int, ipus);
        QFETCH(QString, says);
        const QString text = refusal({first.toStdString(), "", last.toStdString()}, ipus);
        QVERIFY2(text.contains(says), qPrintable(text));
        QVERIFY2(text.contains("h0") || text.contains("h2") || text.contains("stage 1"),
                 qPrintable(text));
    }

    void recomputationIsAnnotatedToo() {
        RunOptions options;
        options.batch.mode = "training";
        const Graph graph =
            preparedGraph(chain({"__recompute_output = 1", "", "__recompute_output = 1"}), options);
        for (const Op& op : graph.ops) {
            if (op.name == "h0")
                QCOMPARE(op.recomputeGroup, 0);
            if (op.name == "h1")
                QCOMPARE(op.recomputeGroup, -1);
            if (op.name == "h2")
                QCOMPARE(op.recomputeGroup, 1);
        }
        options.memory.recompute = Recompute::All;
        const Graph kept =
            preparedGraph(chain({"__recompute_output = 0", "", "__recompute_output = 0"}), options);
        for (const Op& op : kept.ops) {
            if (op.name == "h0" || op.name == "h2")
                QCOMPARE(op.recomputeGroup, -1);
            if (op.name == "x1")
                QVERIFY(op.recomputeGroup >= 0);
        }
    }

    /// Annotations for phases are those of phased execution only.
    void executionPhases() {
        RunOptions options = onIpus(1);
        options.execution.scheme = Execution::Phased;
        const Graph graph = preparedGraph(
            chain({"__execution_phase = 0", "__execution_phase = 1", "__execution_phase = 2"}),
            options);
        std::string phases;
        for (const Op& op : graph.ops)
            if (std::holds_alternative<MatMulAttributes>(op.attributes))
                phases += std::to_string(op.executionPhase);
        QCOMPARE(QString::fromStdString(phases), QString("012"));
        QString error;
        try {
            preparedGraph(chain({"__execution_phase = 0", "", "__execution_phase = 2"}), options);
        } catch (const UserError& refused) {
            error = refused.what();
        }
        QCOMPARE(error, QString("no node is annotated for phase 1 of 3: annotate one with "
                                "__execution_phase = 1, give fewer --phases, or name the phases by "
                                "--split"));
    }
};

TILESCOPE_TEST(HintsTest, QCoreApplication)

} // namespace hints_test

#include "hints_test.moc"
