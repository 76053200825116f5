// Stages, copies between them, activation buffers and recomputation, as changes of a graph.
#include <QtTest>
#include <algorithm>
#include <map>
#include <set>

#include "simulator/pipeline/buffers.h"
#include "simulator/pipeline/inter_ipu_copies.h"
#include "simulator/pipeline/recompute.h"
#include "simulator/pipeline/stages.h"
#include "simulator/prepare/prepare.h"
#include "support/graph_builder.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace transforms_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

/// a -> b -> c -> d, and a skip from a to d.
Graph skipModel() {
    GraphBuilder g;
    const TensorId x = g.input({4, 16});
    const TensorId a = g.matMul("a/fc", x, g.weight({16, 16}));
    const TensorId b = g.matMul("b/fc", a, g.weight({16, 16}));
    const TensorId c = g.unary("c/relu", ElementwiseFunction::Relu, b);
    return g.finish({g.binary("d/add", ElementwiseFunction::Add, c, a, {4, 16})});
}

/// a -> b -> d, where d reads a's weight again, and a's result.
Graph tiedModel() {
    GraphBuilder g;
    const TensorId x = g.input({4, 16});
    const TensorId tied = g.weight({16, 16});
    const TensorId a = g.matMul("a/fc", x, tied);
    const TensorId b = g.matMul("b/fc", a, g.weight({16, 16}));
    const TensorId d = g.matMul("d/fc", b, tied);
    return g.finish({g.binary("d/add", ElementwiseFunction::Add, d, a, {4, 16})});
}

QString messageAbout(const Graph& graph, const std::string& words) {
    for (const auto& message : graph.messages)
        if (message.text.find(words) != std::string::npos)
            return text(message.text);
    return {};
}

QStringList stagesOf(const Graph& graph) {
    QStringList list;
    for (const Op& op : graph.ops)
        list << text(op.name) + "@" + QString::number(op.stage);
    return list;
}

RunOptions training(int ipus) {
    RunOptions options;
    options.batch.mode = "training";
    options.machine.target.ipus = ipus;
    options.machine.target.tilesPerIpu = 4;
    options.execution.scheme = Execution::Pipelined;
    options.batch.gradientAccumulation = 24;
    return options;
}

template <class A> std::vector<const Op*> opsOf(const Graph& graph) {
    std::vector<const Op*> found;
    for (const Op& op : graph.ops)
        if (std::holds_alternative<A>(op.attributes))
            found.push_back(&op);
    return found;
}

} // namespace

class TransformsTest : public QObject {
    Q_OBJECT

private slots:
    void splitsAtNamesAndScopes() {
        Graph graph = skipModel();
        splitAt(graph, {"b", "d/add"});
        QCOMPARE(stagesOf(graph), (QStringList{"a/fc@0", "b/fc@1", "c/relu@1", "d/add@2"}));
        QVERIFY(!isInScope("layer30/conv", "layer3"));
        QVERIFY(isInScope("layer3/conv", "layer3"));
        QVERIFY(isInScope("layer3", "layer3"));
    }

    void splitsEvenly() {
        Graph graph = skipModel();
        splitEvenly(graph, 2, {3, 3, 3, 3});
        QCOMPARE(stagesOf(graph), (QStringList{"a/fc@0", "b/fc@0", "c/relu@1", "d/add@1"}));
        splitEvenly(graph, 4, {100, 0, 0, 0});
        QCOMPARE(stagesOf(graph).last(), QString("d/add@3"));
        splitEvenly(graph, 3, {1, 1, 8, 1});
        QCOMPARE(stagesOf(graph), (QStringList{"a/fc@0", "b/fc@0", "c/relu@1", "d/add@2"}));
    }

    /// What is needed two stages on hops through the one between.
    void copiesHopFromStageToStage() {
        Graph graph = skipModel();
        splitAt(graph, {"b", "d"});
        graph.stageIpus = {IpuId(0), IpuId(1), IpuId(2)};
        insertInterIpuCopies(graph, nullptr);
        checkGraph(graph);
        const auto copies = opsOf<IpuCopyAttributes>(graph);
        QCOMPARE(copies.size(), std::size_t(3)); // a to 1, c to 2, a on to 2
        for (const Op* copy : copies) {
            const auto& hop = std::get<IpuCopyAttributes>(copy->attributes);
            QCOMPARE(hop.toStage, hop.fromStage + 1);
        }
        for (const Op& op : graph.ops)
            for (const TensorId in : op.inputs)
                if (graph.tensors[in].role == TensorRole::Activation &&
                    !std::holds_alternative<IpuCopyAttributes>(op.attributes)) {
                    const OpId maker = graph.producers()[in.index()];
                    const Op& made = graph.ops[maker];
                    const auto* hop = std::get_if<IpuCopyAttributes>(&made.attributes);
                    QCOMPARE(hop ? hop->toStage : made.stage, op.stage);
                }
    }

    /// A weight that a stage shares with an earlier one on its IPU needs no copy; an activation
    /// waits there as long as micro-batches pass between the two.
    void stagesThatComeBackShareWeights() {
        for (const Schedule schedule : {Schedule::PopArt, Schedule::Grouped}) {
            RunOptions options = training(2);
            options.execution.schedule = schedule;
            options.execution.split = {"b", "d"};
            options.execution.deviceMapping = {0, 1, 0};
            const Graph graph = preparedGraph(tiedModel(), options);
            checkGraph(graph);
            QVERIFY(messageAbout(graph, "is copied").isEmpty());
            for (const Op* copy : opsOf<IpuCopyAttributes>(graph))
                QVERIFY2(copy->onnxNode.find("w0") == std::string::npos, copy->name.c_str());
            const PipelineSchedule plan(schedule, 3, true, 24);
            std::map<std::string, std::int64_t> rows;
            for (const Op* stash : opsOf<StashAttributes>(graph))
                rows[stash->name] = std::get<StashAttributes>(stash->attributes).rows;
            for (const Op* fifo : opsOf<FifoAttributes>(graph))
                rows[fifo->name] = std::get<FifoAttributes>(fifo->attributes).rows;
            const std::string wait = plan.usesFifo() ? "/fifo" : "/stash";
            QVERIFY(rows.contains("a/fc:0_s2" + wait));
            QCOMPARE(rows.at("a/fc:0_s2" + wait), plan.rowsBetween(0, 2));
        }
    }

    /// A weight on two IPUs is named with its bytes, and the mapping that avoids its copies.
    void namesWeightsCopiedForEachMicroBatch() {
        RunOptions options = training(2);
        options.execution.split = {"b"};
        const QString message = messageAbout(preparedGraph(tiedModel(), options), "is copied");
        QVERIFY2(message.startsWith("weight 'w0' (1.00 KiB) of stage 0 is copied from IPU 0 to IPU "
                                    "1 for every micro-batch and its gradient back, about "),
                 qPrintable(message));
        QVERIFY2(message.endsWith("because 'd/fc' reads it there; let a further stage begin at 'd' "
                                  "on IPU 0: --split b,d --device-mapping 0,1,0"),
                 qPrintable(message));
    }

    /// Without --split the tail that shares the first stage's weight comes back to its IPU, with
    /// the transpose of the weight; a count that its further stage would forbid leaves the plain
    /// split.
    void balancedStagesComeBackToo() {
        GraphBuilder g;
        const TensorId x = g.input({4, 16});
        const TensorId tied = g.weight({16, 16});
        const TensorId turned = g.transpose("head/turn", tied, {1, 0});
        TensorId y = g.matMul("a/fc", x, tied);
        for (const char* name : {"b/fc", "c/fc", "d/fc"})
            y = g.matMul(name, y, g.weight({16, 16}));
        const Graph model = g.finish({g.matMul("head/fc", y, turned)});
        RunOptions options = training(2);
        options.batch.mode = "inference";
        options.batch.gradientAccumulation = 1;
        options.outline.enabled = false;
        options.batch.deviceIterations = 3;
        const Graph graph = preparedGraph(model, options);
        checkGraph(graph);
        QCOMPARE(graph.stageIpus, (std::vector<IpuId>{IpuId(0), IpuId(1), IpuId(0)}));
        QCOMPARE(stagesOf(graph).filter("head/"), (QStringList{"head/turn@2", "head/fc@2"}));
        QVERIFY(!messageAbout(graph, "one more from 'head/turn' on").isEmpty());
        QVERIFY(stagesOf(graph).contains("a/fc@0")); // the weight stays there
        QVERIFY(messageAbout(graph, "is copied").isEmpty());
        options.batch.deviceIterations = 2;
        const Graph plain = preparedGraph(model, options);
        QCOMPARE(plain.stages(), 2);
        QVERIFY(!messageAbout(plain, "is copied").isEmpty());
    }

    void neighboursOnOneIpuAreOneStage() {
        Graph graph = skipModel();
        splitAt(graph, {"b", "c", "d"});
        graph.stageIpus = {IpuId(0), IpuId(0), IpuId(1), IpuId(0)};
        mergeNeighbours(graph);
        QCOMPARE(stagesOf(graph), (QStringList{"a/fc@0", "b/fc@0", "c/relu@1", "d/add@2"}));
        QCOMPARE(graph.stageIpus, (std::vector<IpuId>{IpuId(0), IpuId(1), IpuId(0)}));
    }

    /// A stash has the schedule's rows, and the backward pass reads no activation but restored
    /// ones.
    void backwardReadsOnlyBuffers() {
        for (const Schedule schedule :
             {Schedule::PopArt, Schedule::Grouped, Schedule::Interleaved}) {
            RunOptions options = training(3);
            options.execution.schedule = schedule;
            options.execution.split = {"b", "d"};
            const Graph graph = preparedGraph(skipModel(), options);
            checkGraph(graph);
            const PipelineSchedule plan(schedule, 3, true, 24);
            const auto stashes = opsOf<StashAttributes>(graph);
            const auto fifos = opsOf<FifoAttributes>(graph);
            QCOMPARE(stashes.empty(), plan.usesFifo());
            QCOMPARE(fifos.empty(), !plan.usesFifo());
            for (const Op* stash : stashes)
                QCOMPARE(std::get<StashAttributes>(stash->attributes).rows,
                         plan.bufferDepth(stash->stage));
            for (const Op* fifo : fifos)
                QCOMPARE(std::get<FifoAttributes>(fifo->attributes).rows,
                         plan.bufferDepth(fifo->stage));
            const std::vector<OpId> producers = graph.producers();
            for (const Op& op : graph.ops)
                for (const TensorId in : op.inputs) {
                    const OpId maker = producers[in.index()];
                    if (op.pass != Pass::Backward || !maker.valid() ||
                        graph.ops[maker].pass != Pass::Forward || plan.bufferDepth(op.stage) == 0)
                        continue;
                    const Attributes& from = graph.ops[maker].attributes;
                    QVERIFY2(std::holds_alternative<StashAttributes>(from) ||
                                 std::holds_alternative<FifoAttributes>(from),
                             op.name.c_str());
                }
        }
    }

    /// Pipeline recomputation runs all but the last stage again; checkpoints are kept, and what is
    /// sent to other stages.
    void recomputesWholeStages() {
        RunOptions options = training(3);
        options.execution.split = {"b", "d"};
        options.memory.recompute = Recompute::Pipeline;
        options.memory.checkpoints = {"c"};
        const Graph graph = preparedGraph(skipModel(), options);
        checkGraph(graph);
        std::set<TensorId> sent;
        for (const Op& op : graph.ops)
            if (std::holds_alternative<IpuCopyAttributes>(op.attributes))
                sent.insert(op.inputs[0]);
        QVERIFY(!sent.empty());
        for (const Op& op : graph.ops) {
            if (op.pass != Pass::Forward ||
                std::holds_alternative<IpuCopyAttributes>(op.attributes) ||
                std::holds_alternative<StashAttributes>(op.attributes))
                continue;
            const bool kept =
                isInScope(op.name, "c") || op.stage == 2 || sent.contains(op.outputs[0]);
            QVERIFY2((op.recomputeGroup < 0) == kept, op.name.c_str());
        }
    }

    /// In the last stage only operations before its last checkpoint run again: without one, none
    /// does.
    void theLastStageKeepsWhatFollowsItsCheckpoints() {
        GraphBuilder g;
        TensorId x = g.input({4, 16});
        for (const char* name : {"a/fc", "b/one", "b/two", "b/three", "b/four"})
            x = g.matMul(name, x, g.weight({16, 16}));
        const Graph model = g.finish({x});
        const auto again = [&](const std::vector<std::string>& checkpoints) {
            RunOptions options = training(2);
            options.execution.split = {"b"};
            options.outline.enabled = false;
            options.memory.recompute = Recompute::Pipeline;
            options.memory.checkpoints = checkpoints;
            QStringList names;
            for (const Op& op : preparedGraph(model, options).ops)
                if (op.recomputeGroup >= 0 && isInScope(op.name, "b"))
                    names << text(op.name);
            return names;
        };
        QCOMPARE(again({}), QStringList());
        QCOMPARE(again({"b/two"}), QStringList{"b/one"});
        QCOMPARE(again({"b/one", "b/three"}), QStringList{"b/two"});
        QCOMPARE(again({"b/four"}), (QStringList{"b/one", "b/two", "b/three"}));
    }

    void recomputesUpToTheLastCheckpoint() {
        RunOptions options = training(1);
        options.execution.scheme = Execution::Single;
        options.memory.recompute = Recompute::All;
        options.memory.checkpoints = {"b"};
        const Graph graph = preparedGraph(skipModel(), options);
        for (const Op& op : graph.ops)
            if (op.pass == Pass::Forward)
                QCOMPARE(op.recomputeGroup >= 0, isInScope(op.name, "a"));
    }
};

TILESCOPE_TEST(TransformsTest)

} // namespace transforms_test

#include "transforms_test.moc"
