// The machine computes a model in the order in which its program runs.
#include <QtTest>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

#include "simulator/compute/machine.h"
#include "simulator/lowering/lower.h"
#include "simulator/prepare/prepare.h"
#include "support/graph_builder.h"
#include "support/holds.h"
#include "tests/support/run_options_of.h"
#include "tests/support/test_main.h"

namespace same_order_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

using Options = std::map<std::string, std::string>;

/// Names of operations, one for each time that one runs.
using Order = std::vector<std::string>;

/// A step of an operation that follows another of its own is the same time.
void add(Order& order, const std::string& name) {
    if (order.empty() || order.back() != name)
        order.push_back(name);
}

void addSteps(const Profile& profile, ProgramId id, Order& order) {
    const Program& program = profile.programs[id];
    if (program.target.valid())
        return addSteps(profile, program.target, order);
    if (program.children.empty() && program.operation.valid())
        add(order, profile.operations[program.operation].name);
    for (std::int64_t i = 0; i < program.count; ++i)
        for (const ProgramId child : program.children)
            addSteps(profile, child, order);
}

Order lowered(const Graph& prepared, const RunOptions& options) {
    const Profile profile =
        lowerGraph(prepared, options, PlanTable(prepared, options.machine, options.planning))
            .profile;
    Order order;
    for (const ProgramId control : profile.controlPrograms)
        if (profile.programs[control].name == "outer")
            addSteps(profile, control, order);
    return order;
}

Order computed(const Graph& prepared, const RunOptions& options) {
    Order order;
    HostPort port;
    port.input = [](const Tensor& input, const BatchPlace&) {
        return TensorData::filled(input.type, input.shape, 0);
    };
    port.record = [&](const MadeValue& made) { add(order, made.op.name); };
    Machine(prepared, options).run(port);
    return order;
}

/// What the other order has, too: views have no steps, copies with streaming memory share theirs,
/// and a stash makes no value. The steps of calls are around those of their functions.
Order common(const Graph& prepared, const Order& order, const Order& other) {
    std::set<std::string> known(other.begin(), other.end());
    std::vector<const Graph*> graphs{&prepared};
    for (const Graph& function : prepared.functions)
        graphs.push_back(&function);
    for (const Graph* graph : graphs)
        for (const Op& op : graph->ops)
            if (std::holds_alternative<CallAttributes>(op.attributes))
                known.erase(op.name);
    Order kept;
    for (const std::string& name : order)
        if (known.contains(name))
            add(kept, name);
    return kept;
}

/// Without the first moves of FIFOs, in which nothing has come through them yet: as many as the
/// machine made no value in.
Order withoutFilling(const Graph& prepared, const Order& program, const Order& machine) {
    std::map<std::string, std::ptrdiff_t> left;
    for (const Op& op : prepared.ops)
        if (std::holds_alternative<FifoAttributes>(op.attributes))
            left[op.name] = std::count(program.begin(), program.end(), op.name) -
                            std::count(machine.begin(), machine.end(), op.name);
    Order kept;
    for (const std::string& name : program)
        if (const auto fifo = left.find(name); fifo == left.end() || fifo->second-- <= 0)
            kept.push_back(name);
    return kept;
}

constexpr int layers = 4;

/// Layers of which some read an earlier one, too.
Graph anyLayers() {
    GraphBuilder b;
    const Shape shape{2, 4};
    std::vector<TensorId> made{b.input(shape)};
    for (int i = 0; i < layers; ++i) {
        const std::string scope = fmt::format("s{}", i);
        TensorId x = b.matMul(scope + "/fc", made.back(), b.weight({4, 4}));
        if (*rc::gen::arbitrary<bool>())
            x = b.binary(scope + "/skip", ElementwiseFunction::Add, x,
                         made[static_cast<std::size_t>(anyFrom(0, std::ssize(made) - 1))], shape);
        if (*rc::gen::arbitrary<bool>())
            x = b.unary(scope + "/relu", ElementwiseFunction::Relu, x);
        made.push_back(x);
    }
    Graph graph = b.finish({made.back()});
    for (Tensor& tensor : graph.tensors)
        if (tensor.role == TensorRole::Weight)
            tensor.value =
                std::make_shared<TensorData>(TensorData::filled(tensor.type, tensor.shape, 0.5));
    return graph;
}

std::string oneOf(const std::vector<std::string>& texts) {
    return *rc::gen::elementOf(texts);
}

Options anyPipeline(bool training) {
    Options options{{"execution", "pipelined"}};
    const bool four = *rc::gen::arbitrary<bool>();
    options["ipus"] = four ? "4" : "2";
    options["split"] = four ? "s1,s2,s3" : "s2";
    options["schedule"] = oneOf({"popart", "grouped", "interleaved", "sequential"});
    // Interleaved stages have an IPU each.
    if (four && options["schedule"] != "interleaved" && *rc::gen::arbitrary<bool>()) {
        options["ipus"] = "2";
        options["deviceMapping"] = oneOf({"0,1,0,1", "0,1,1,0"});
    }
    // What all schedules of four stages take.
    options[training ? "gradientAccumulation" : "deviceIterations"] = oneOf({"8", "16"});
    return options;
}

Options anyOptions() {
    const bool training = *rc::gen::arbitrary<bool>();
    const std::string execution = oneOf({"single", "sharded", "phased", "pipelined", "pipelined"});
    Options options;
    if (execution == "pipelined")
        options = anyPipeline(training);
    else {
        options = {{"deviceIterations", oneOf({"1", "3"})}};
        if (training)
            options["gradientAccumulation"] = oneOf({"1", "3"});
        if (execution != "single") {
            options["execution"] = execution;
            options["ipus"] = "2";
            options["split"] = execution == "phased" ? "s1,s2,s3" : "s2";
        }
    }
    options["outline"] = oneOf({"on", "off"});
    if (!training)
        return options;
    options["mode"] = "training";
    options["optimizer"] = oneOf({"sgd", "adamw"});
    options["recompute"] =
        oneOf(execution == "pipelined" ? std::vector<std::string>{"none", "standard", "pipeline"}
                                       : std::vector<std::string>{"none", "standard", "all"});
    if (options["recompute"] != "none" && *rc::gen::arbitrary<bool>())
        options["checkpoint"] = oneOf({"s0", "s1,s2", "s1/fc,s2/fc"});
    if (execution != "phased" && *rc::gen::arbitrary<bool>())
        options["offload"] =
            options["optimizer"] == "sgd" ? "activations" : "activations,optimizer";
    return options;
}

std::string toText(const Options& options, const Order& program, const Order& machine) {
    std::string text;
    for (const auto& [key, value] : options)
        text += fmt::format("{}={} ", key, value);
    const auto at = std::mismatch(program.begin(), program.end(), machine.begin(), machine.end());
    return text + fmt::format("\nprogram: {}\nmachine: {}", fmt::join(at.first, program.end(), " "),
                              fmt::join(at.second, machine.end(), " "));
}

} // namespace

class SameOrderTest : public QObject {
    Q_OBJECT

private slots:
    void theMachineFollowsTheProgram() {
        QVERIFY(holds("the order of the program", 300, [] {
            const Options given = anyOptions();
            RunOptions options = optionsOf(given);
            options.machine.target.tilesPerIpu = 4;
            const Graph prepared = preparedGraph(anyLayers(), options);
            const Order machine = computed(prepared, options);
            const Order program = withoutFilling(prepared, lowered(prepared, options), machine);
            const Order ofProgram = common(prepared, program, machine);
            const Order ofMachine = common(prepared, machine, program);
            RC_ASSERT(!ofMachine.empty());
            if (ofProgram != ofMachine)
                RC_FAIL(toText(given, ofProgram, ofMachine));
        }));
    }
};

TILESCOPE_TEST(SameOrderTest)

} // namespace same_order_test

#include "same_order_test.moc"
