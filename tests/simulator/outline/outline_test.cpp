// Outlining: which parts become functions, and that calls compute the same as the original parts.
#include <map>
#include <set>

#include <QtTest>
#include <fmt/format.h>

#include "simulator/outline/outline.h"
#include "simulator/outline/overwrites.h"
#include "simulator/outline/sequence.h"
#include "simulator/prepare/prepare.h"
#include "support/graph_builder.h"
#include "support/holds.h"
#include "tests/support/test_main.h"

namespace outline_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

/// What a graph computes: a number for each distinct computation, the same for equal ones in all
/// graphs that one Meaning reads.
class Meaning {
public:
    using Computation = std::pair<Attributes, std::vector<std::int64_t>>;

    /// Numbers of all operations that run, calls taken apart.
    std::multiset<std::int64_t> of(const Graph& graph) {
        std::multiset<std::int64_t> operations;
        std::vector<std::int64_t> inputs;
        for (std::size_t i = 0; i < graph.tensors.size(); ++i)
            inputs.push_back(-1 - static_cast<std::int64_t>(i));
        run(graph, graph.functions, inputs, operations);
        return operations;
    }

private:
    void run(const Graph& graph, const std::vector<Graph>& functions,
             std::vector<std::int64_t>& values, std::multiset<std::int64_t>& operations) {
        for (const Op& op : graph.ops) {
            std::vector<std::int64_t> operands;
            for (const TensorId in : op.inputs)
                operands.push_back(values[in.index()]);
            if (const auto* call = std::get_if<CallAttributes>(&op.attributes)) {
                const Graph& callee = functions[static_cast<std::size_t>(call->function)];
                std::vector<std::int64_t> inside(callee.tensors.size(), 0);
                for (std::size_t i = 0; i < operands.size(); ++i)
                    inside[callee.inputs[i].index()] = operands[i];
                run(callee, functions, inside, operations);
                for (std::size_t i = 0; i < op.outputs.size(); ++i)
                    values[op.outputs[i].index()] = inside[callee.outputs[i].index()];
                continue;
            }
            const auto next = static_cast<std::int64_t>(numbers_.size());
            const std::int64_t number =
                numbers_.emplace(Computation(op.attributes, operands), next).first->second;
            operations.insert(number);
            for (const TensorId out : op.outputs)
                values[out.index()] = number;
        }
    }

    std::map<Computation, std::int64_t> numbers_;
};

std::size_t calls(const Graph& graph) {
    std::size_t count = 0;
    for (const Op& op : graph.ops)
        count += std::holds_alternative<CallAttributes>(op.attributes) ? 1 : 0;
    return count;
}

/// Two products of different shapes and what is between and after them, `layers` times.
Graph tower(int layers) {
    GraphBuilder b;
    TensorId x = b.input({16, 32});
    for (int i = 0; i < layers; ++i) {
        const std::string layer = fmt::format("layer{}", i);
        const TensorId y = b.matMul(layer + "/first", x, b.weight({32, 64}));
        const TensorId softmax = b.softmax(layer + "/softmax", y);
        const TensorId z = b.matMul(layer + "/second", softmax, b.weight({64, 32}));
        x = b.binary(layer + "/add", ElementwiseFunction::Add, z, x, {16, 32});
    }
    return b.finish({b.unary("last", ElementwiseFunction::Tanh, x)});
}

/// Operations on tensors of one shape, with parts that are likely to repeat.
Graph repetitiveGraph() {
    GraphBuilder b;
    std::vector<TensorId> made{b.input({8, 8})};
    int named = 0;
    const auto operand = [&](std::int64_t back) {
        const auto size = static_cast<std::int64_t>(made.size());
        return made[static_cast<std::size_t>(std::max<std::int64_t>(0, size - 1 - back))];
    };
    struct Step {
        std::int64_t kind, first, second;
    };
    const auto addStep = [&](const Step& step) {
        const std::string name = fmt::format("scope{}/op{}", named / 5, named);
        ++named;
        if (step.kind == 0)
            made.push_back(b.matMul(name, operand(step.first), b.weight({8, 8})));
        else if (step.kind == 1)
            made.push_back(b.unary(name, ElementwiseFunction::Relu, operand(step.first)));
        else if (step.kind == 2)
            made.push_back(b.softmax(name, operand(step.first)));
        else
            made.push_back(b.binary(name, ElementwiseFunction::Add, operand(step.first),
                                    operand(step.second), {8, 8}));
    };
    for (auto blocks = anyFrom(1, 3); blocks > 0; --blocks) {
        std::vector<Step> block(static_cast<std::size_t>(anyFrom(1, 6)));
        for (Step& step : block)
            step = {anyFrom(0, 3), anyFrom(0, 3), anyFrom(0, 3)};
        for (auto times = anyFrom(1, 5); times > 0; --times) {
            for (const Step& step : block)
                addStep(step);
            if (anyFrom(0, 3) == 0)
                addStep({anyFrom(0, 3), anyFrom(0, 8), anyFrom(0, 8)});
        }
    }
    Graph graph = b.finish({made.back(), operand(4)});
    // Parts that another stage or a recomputation runs.
    const auto second = anyFrom(0, static_cast<std::int64_t>(graph.ops.size()));
    const auto third = anyFrom(second, static_cast<std::int64_t>(graph.ops.size()));
    for (auto i = static_cast<std::size_t>(second); i < graph.ops.size(); ++i)
        graph.ops[OpId(i)].stage = 1;
    for (auto i = static_cast<std::size_t>(third); i < graph.ops.size(); ++i)
        graph.ops[OpId(i)].recomputeGroup = 0;
    return graph;
}

/// Every operation is represented by one that does the same, and each of these represents one.
void checkStandIns(const Graph& graph, const Graph& made) {
    std::map<std::string, const Op*> run;
    const auto add = [&](const Graph& part) {
        for (const Op& op : part.ops)
            if (!std::holds_alternative<CallAttributes>(op.attributes))
                run[op.name] = &op;
    };
    add(made);
    for (const Graph& function : made.functions)
        add(function);
    std::set<std::string> used;
    for (const Op& op : graph.ops) {
        const auto standIn = made.functionPlaces.find(op.name);
        const std::string& name =
            standIn == made.functionPlaces.end() ? op.name : standIn->second.operation;
        RC_ASSERT(run.contains(name));
        RC_ASSERT(run[name]->attributes == op.attributes);
        used.insert(name);
    }
    RC_ASSERT(used.size() == run.size());
}

} // namespace

class OutlineTest : public QObject {
    Q_OBJECT

private slots:
    /// As many repeats as operations, each at nearly as many places: they cannot all be listed.
    void aLongChainIsCutInEqualParts() {
        GraphBuilder b;
        TensorId x = b.input({16});
        constexpr int length = 1 << 16;
        for (int i = 0; i < length; ++i)
            x = b.unary(fmt::format("relu{}", i), ElementwiseFunction::Relu, x);
        RunOptions options;
        options.outline.copyCostPruning = false; // the copies in and out cost more
        const Graph graph = outlined(b.finish({x}), options.outline, options.planning);
        checkGraph(graph);
        // The shortest half of a half that is worth more than the threshold: what is longer calls
        // it and adds nothing.
        QCOMPARE(graph.functions.size(), std::size_t{1});
        QCOMPARE(graph.functions[0].ops.size(), std::size_t{16});
        QCOMPARE(calls(graph), std::size_t{length / 16});
        QCOMPARE(Meaning().of(graph).size(), std::size_t{length});
    }

    void layersBecomeOneFunction() {
        const Graph graph = outlined(tower(6), {}, {});
        checkGraph(graph);
        QCOMPARE(graph.functions.size(), std::size_t{1});
        QCOMPARE(graph.functions[0].name, std::string("call_subgraph(0)"));
        QCOMPARE(calls(graph), std::size_t{6});
        QCOMPARE(graph.ops.size(), std::size_t{7});
        QCOMPARE(graph.ops[OpId(0)].name, std::string("layer0/call_subgraph(0)"));
        // The layer's input and its two weights.
        QCOMPARE(graph.functions[0].inputs.size(), std::size_t{3});
        QCOMPARE(graph.functions[0].outputs.size(), std::size_t{1});
    }

    void nothingRepeatsInOneLayer() {
        const Graph graph = outlined(tower(1), {}, {});
        QVERIFY(graph.functions.empty());
        QCOMPARE(graph.ops.size(), tower(1).ops.size());
    }

    /// Cheap operations are not worth a function of their own.
    void elementwiseStaysInline() {
        GraphBuilder b;
        TensorId x = b.input({64});
        for (int i = 0; i < 8; ++i)
            x = b.unary(fmt::format("relu{}", i), ElementwiseFunction::Relu, x);
        const Graph plain = b.finish({x});
        QVERIFY(outlined(plain, {}, {}).functions.empty());
        RunOptions options;
        options.outline.threshold = 0;
        QVERIFY(outlined(plain, options.outline, options.planning).functions.empty());
        options.outline.copyCostPruning = false;
        QVERIFY(!outlined(plain, options.outline, options.planning).functions.empty());
    }

    void aHighThresholdOutlinesNothing() {
        RunOptions options;
        options.outline.threshold = 1e9;
        QVERIFY(outlined(tower(6), options.outline, options.planning).functions.empty());
    }

    void equalOperationsConnectedDifferentlyAreDifferent() {
        GraphBuilder b;
        const TensorId x = b.input({8, 8});
        const TensorId y = b.input({8, 8});
        const auto part = [&](const std::string& name, TensorId left, TensorId right) {
            const TensorId p = b.matMul(name + "/product", left, right);
            return b.binary(name + "/add", ElementwiseFunction::Add, p, right, {8, 8});
        };
        const Graph graph = b.finish({part("a", x, y), part("b", x, x)});
        RunOptions options;
        options.outline.copyCostPruning = false;
        const Graph made = outlined(graph, options.outline, options.planning);
        checkGraph(made);
        for (const Graph& function : made.functions)
            QCOMPARE(function.ops.size(), std::size_t{1});
    }

    /// Operations that no function can hold move after the call or before it.
    void accumulationsMoveBehind() {
        GraphBuilder b;
        TensorId x = b.input({8, 8});
        std::vector<TensorId> results;
        for (int i = 0; i < 3; ++i) {
            const std::string layer = fmt::format("layer{}", i);
            const TensorId y = b.matMul(layer + "/a", x, b.weight({8, 16}));
            results.push_back(b.binary(layer + "/accumulate", ElementwiseFunction::ScaledAdd,
                                       b.weight({8, 16}), y, {8, 16}));
            x = b.matMul(layer + "/b", b.softmax(layer + "/softmax", y), b.weight({16, 8}));
        }
        results.push_back(x);
        const Graph graph = b.finish(results);
        const Graph made = outlined(graph, {}, {});
        checkGraph(made);
        QCOMPARE(calls(made), std::size_t{3});
        QCOMPARE(made.ops[OpId(1)].name, std::string("layer0/accumulate"));
        Meaning meaning;
        QVERIFY(meaning.of(graph) == meaning.of(made));
    }

    /// No function takes the common beginning of normalisations that end differently.
    void normalisationsStayWhole() {
        for (const bool alike : {false, true}) {
            GraphBuilder b;
            TensorId x = b.input({8, 16});
            for (int i = 0; i < 4; ++i) {
                const std::string layer = fmt::format("layer{}", i);
                const TensorId y = b.matMul(layer + "/product", x, b.weight({16, 16}));
                const TensorId square = b.unary(layer + "/square", ElementwiseFunction::Square, y);
                x = b.unary(layer + "/end",
                            alike || i % 2 == 0 ? ElementwiseFunction::Exp
                                                : ElementwiseFunction::Sqrt,
                            square);
            }
            Graph graph = b.finish({x});
            for (Op& op : graph.ops)
                if (!isPlanned(op.attributes)) {
                    op.type = "LayerNormalization";
                    op.onnxNode = op.name.substr(0, op.name.find('/')) + "/norm";
                }
            const Graph made = outlined(graph, {}, {});
            checkGraph(made);
            QVERIFY(!made.functions.empty());
            std::map<std::string, int> parts;
            for (const Graph& function : made.functions)
                for (const Op& op : function.ops)
                    if (!isPlanned(op.attributes) &&
                        !std::holds_alternative<CallAttributes>(op.attributes))
                        ++parts[function.name + " " + op.onnxNode];
            for (const auto& [norm, count] : parts)
                QVERIFY2(count == 2, norm.c_str());
            QVERIFY(!alike || !parts.empty());
        }
    }

    /// A call would need the results of all operations that run again for it at once.
    void functionsEndWhereOperationsRunAgain() {
        for (const bool pipelined : {false, true}) {
            RunOptions options;
            options.batch.mode = "training";
            options.machine.target.tilesPerIpu = 4;
            options.batch.gradientAccumulation = 8;
            options.memory.recompute = pipelined ? Recompute::Pipeline : Recompute::All;
            for (int i = 0; i < 8; ++i)
                options.memory.checkpoints.push_back(fmt::format("layer{}/add", i));
            if (pipelined) {
                options.execution.scheme = Execution::Pipelined;
                options.machine.target.ipus = 2;
                options.execution.split = {"layer4"};
            }
            const Graph graph = preparedGraph(tower(8), options);
            const std::vector<OpId> producers = graph.producers();
            std::set<std::int32_t> seen;
            std::size_t runAgain = 0;
            for (const Op& op : graph.ops) {
                std::set<std::int32_t> now;
                for (const TensorId in : op.inputs)
                    if (const OpId maker = producers[in.index()];
                        op.pass == Pass::Backward && maker.valid() &&
                        graph.ops[maker].recomputeGroup >= 0 &&
                        seen.insert(graph.ops[maker].recomputeGroup).second)
                        now.insert(graph.ops[maker].recomputeGroup);
                QVERIFY2(now.size() <= 1, op.name.c_str());
                runAgain += now.size();
            }
            QVERIFY(runAgain >= 6);
        }
    }

    /// A function also overwrites inputs through the functions that it calls.
    void inputsThatAreOverwritten() {
        GraphBuilder inner;
        const TensorId by = inner.input({8});
        const TensorId of = inner.input({8});
        const TensorId updated =
            inner.binary("update", ElementwiseFunction::ScaledAdd, of, by, {8});
        const Graph callee =
            inner.finish({inner.unary("tanh", ElementwiseFunction::Tanh, updated), updated});
        GraphBuilder outer;
        const TensorId first = outer.input({8});
        const TensorId second = outer.input({8});
        const TensorId third = outer.input({8});
        outer.binary("call", ElementwiseFunction::Add, first, third, {8});
        Graph caller = outer.finish({second});
        caller.ops[OpId(0)].attributes = CallAttributes{0};
        const TensorId result = caller.tensors.add(caller.tensors[first]);
        caller.ops[OpId(0)].outputs.push_back(result);
        caller.outputs = {caller.ops[OpId(0)].outputs[0], result, second};
        const Overwrites found = overwritesOf(caller, {callee});
        QCOMPARE(found.inputs, (std::vector<bool>{false, false, true}));
        QCOMPARE(found.outputs, (std::vector<std::int32_t>{-1, 2, 1}));
    }

    /// A tensor that is overwritten does not enter a function together with a view of it.
    void whatIsOverwrittenComesByOneName() {
        for (const bool byView : {false, true}) {
            GraphBuilder b;
            std::vector<TensorId> results;
            for (int i = 0; i < 3; ++i) {
                const std::string name = fmt::format("weight{}", i);
                const TensorId weight = b.weight({8, 8});
                const TensorId read = byView ? b.reshape(name + "/view", weight, {64}) : weight;
                const TensorId square =
                    b.add(name + "/norm",
                          ReduceAttributes{ReduceFunction::SquareAdd,
                                           byView ? std::vector<std::int64_t>{0}
                                                  : std::vector<std::int64_t>{0, 1},
                                           false},
                          {read}, {});
                results.push_back(b.binary(name + "/update", ElementwiseFunction::ScaledAdd, weight,
                                           square, {8, 8}));
            }
            Graph graph = b.finish(results);
            for (Op& op : graph.ops)
                if (!isView(op.attributes))
                    op.pass = Pass::Update;
            RunOptions options;
            options.outline.copyCostPruning = false;
            const Graph made = outlined(graph, options.outline, options.planning);
            checkGraph(made);
            bool together = false;
            for (const Graph& function : made.functions)
                together = together || function.ops.size() > 1;
            QCOMPARE(together, !byView);
        }
    }

    void functionsStayOnAnIpu() {
        Graph graph = tower(4);
        graph.stageIpus = {IpuId(0), IpuId(1)};
        for (std::size_t i = 8; i < graph.ops.size(); ++i)
            graph.ops[OpId(i)].stage = 1;
        const Graph made = outlined(graph, {}, {});
        checkGraph(made);
        QCOMPARE(made.functions.size(), std::size_t{2});
        for (const Graph& function : made.functions)
            for (const Op& op : function.ops)
                QCOMPARE(op.stage, function.ops[OpId(0)].stage);
        graph.stageIpus = {IpuId(0), IpuId(0)}; // a stage that comes back shares them
        QCOMPARE(outlined(graph, {}, {}).functions.size(), std::size_t{1});
    }

    void aCallIsWhatStoodThere() {
        QVERIFY(holds("outlined graphs", 1000, [] {
            const Graph graph = repetitiveGraph();
            RunOptions options;
            options.outline.threshold = *rc::gen::element(0.0, 1.0, 1000.0);
            options.outline.copyCostPruning = anyFrom(0, 1) == 1;
            const Graph made = outlined(graph, options.outline, options.planning);
            checkGraph(made);
            Meaning meaning;
            RC_ASSERT(meaning.of(graph) == meaning.of(made));
            checkStandIns(graph, made);
            for (const Graph& function : made.functions) {
                RC_ASSERT(function.ops.size() > 0U);
                for (const Op& op : function.ops)
                    RC_ASSERT(op.stage == function.ops[OpId(0)].stage);
            }
        }));
    }
};

TILESCOPE_TEST(OutlineTest)

} // namespace outline_test

#include "outline_test.moc"
