// Loops with values: their gradients by autodiff against differences of the loss.
#include <algorithm>
#include <cmath>
#include <map>

#include <QtTest>

#include "compute/one_op.h"
#include "core/options/run_options.h"
#include "simulator/compute/machine.h"
#include "simulator/graph/shape_rules.h"
#include "simulator/recurrent/cell.h"
#include "simulator/training/autodiff.h"
#include "simulator/transforms/decompose.h"
#include "tests/support/test_main.h"

namespace loops_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;
using enum ElementwiseFunction;

namespace {

constexpr std::int64_t steps = 4;

struct LoopCase {
    const char* name = "";
    RecurrentCell cell;
    bool backwards = false, startsEmpty = false;
};

RecurrentCell cellOf(CellKind kind) {
    RecurrentCell cell;
    cell.kind = kind;
    cell.batch = 2;
    cell.inputs = 3;
    cell.units = 2;
    cell.name = "step";
    if (kind == CellKind::Rnn)
        cell.functions = {ElementwiseAttributes{Tanh}};
    else
        cell.functions = {ElementwiseAttributes{Sigmoid}, ElementwiseAttributes{Tanh},
                          ElementwiseAttributes{Tanh}};
    return cell;
}

std::vector<LoopCase> loopCases() {
    std::vector<LoopCase> cases;
    const auto add = [&](const char* name, CellKind kind) -> LoopCase& {
        cases.push_back({name, cellOf(kind)});
        return cases.back();
    };
    add("LSTM", CellKind::Lstm);
    add("LSTM backwards", CellKind::Lstm).backwards = true;
    add("LSTM that starts empty", CellKind::Lstm).startsEmpty = true;
    add("LSTM without sequence", CellKind::Lstm).cell.sequence = false;
    add("LSTM with peepholes", CellKind::Lstm).cell.peepholes = true;
    add("LSTM with lengths", CellKind::Lstm).cell.masked = true;
    add("LSTM of weighted inputs", CellKind::Lstm).cell.preWeighted = true;
    add("LSTM within bounds", CellKind::Lstm).cell.clip = 0.7;
    add("GRU", CellKind::Gru);
    add("GRU backwards", CellKind::Gru).backwards = true;
    add("GRU that starts empty", CellKind::Gru).startsEmpty = true;
    add("GRU with lengths", CellKind::Gru).cell.masked = true;
    add("GRU of weighted inputs", CellKind::Gru).cell.preWeighted = true;
    add("GRU, reset after", CellKind::Gru).cell.resetAfter = true;
    LoopCase& both = add("GRU, reset after, of weighted inputs", CellKind::Gru);
    both.cell.resetAfter = both.cell.preWeighted = true;
    add("RNN", CellKind::Rnn);
    // More weights than what all steps keep for their gradients: these are a loop of their own.
    for (const auto& [name, kind] : {std::pair("LSTM of many inputs", CellKind::Lstm),
                                     std::pair("GRU of many inputs", CellKind::Gru),
                                     std::pair("RNN of many inputs", CellKind::Rnn)})
        add(name, kind).cell.inputs = 24;
    add("RNN without biases", CellKind::Rnn).cell.bias = false;
    return cases;
}

/// A loop and a loss of all of its results.
class LoopGraph {
public:
    explicit LoopGraph(const LoopCase& one)
        : cell_(one.cell) {
        graph_.name = "loop";
        const Shape state{cell_.batch, cell_.units};
        graph_.functions.push_back(stepOf(cell_));
        LoopAttributes loop = loopOf(cell_, 0, steps);
        loop.backwards = one.backwards;
        std::vector<TensorId> operands;
        if (one.startsEmpty)
            loop.zeroStates = loop.states;
        else
            for (std::int32_t i = 0; i < loop.states; ++i)
                operands.push_back(weight("state", state));
        operands.push_back(weight("x", cell_.preWeighted
                                           ? Shape{steps, cell_.gates(), cell_.batch, cell_.units}
                                           : Shape{steps, cell_.batch, cell_.inputs}));
        if (cell_.masked)
            operands.push_back(lengths());
        for (const CellWeight& each : weightsOf(cell_))
            if (!each.outside)
                operands.push_back(weight(each.name, each.shape));
        std::vector<TensorId> results;
        for (std::int32_t i = 0; i < loop.states; ++i)
            results.push_back(graph_.tensors.add({"last", state}));
        if (cell_.sequence)
            results.push_back(graph_.tensors.add({"rows", {steps, cell_.batch, cell_.units}}));
        graph_.ops.add({"loop", "Loop", "loop", loop, operands, results});
        addLossOf(results);
    }

    [[nodiscard]] const Graph& graph() const { return graph_; }

    [[nodiscard]] double loss() const { return outputsOf(graph_).front().number(0); }

    /// By tensor of the weight.
    [[nodiscard]] std::map<TensorId, TensorData> gradients(bool decomposes) const {
        Graph graph = graph_;
        Tensor one{"one", {}};
        one.role = TensorRole::Constant;
        one.value = std::make_shared<TensorData>(TensorData::scalar(DataType::Float, 1));
        const TensorId start = graph.tensors.add(std::move(one));
        const auto weights = addGradients(graph, {graph.outputs.front(), start});
        for (const WeightGradient& pair : weights)
            graph.outputs.push_back(pair.parts.front());
        if (decomposes)
            graph = decomposed(graph);
        checkGraph(graph);
        const std::vector<TensorData> values = outputsOf(graph);
        std::map<TensorId, TensorData> made;
        for (std::size_t i = 0; i < weights.size(); ++i)
            made[weights[i].weight] = values.at(i + 1);
        return made;
    }

    [[nodiscard]] double slope(TensorId weight, std::int64_t element) const {
        constexpr double step = 1e-2;
        const auto lossAt = [&](double change) {
            LoopGraph moved = *this;
            TensorData value = graph_.tensors[weight].value->copy();
            value.setNumber(element, value.number(element) + change);
            moved.graph_.tensors[weight].value = std::make_shared<TensorData>(std::move(value));
            return moved.loss();
        };
        return (lossAt(step) - lossAt(-step)) / (2 * step);
    }

private:
    TensorId weight(const std::string& name, const Shape& shape) {
        Tensor made{name, shape};
        made.role = TensorRole::Weight;
        made.value = std::make_shared<TensorData>(someReals(shape, ++seed_));
        return graph_.tensors.add(std::move(made));
    }
    /// The first sample ends before the others.
    TensorId lengths() {
        const Shape shape{steps, cell_.batch, 1};
        Tensor running{"running", shape, DataType::Bool, TensorRole::Constant};
        TensorData values = TensorData::filled(DataType::Bool, shape, 1);
        for (std::int64_t step = 2; step < steps; ++step)
            values.setNumber(step * cell_.batch, 0);
        running.value = std::make_shared<TensorData>(std::move(values));
        return graph_.tensors.add(std::move(running));
    }
    TensorId add(const std::string& name, Attributes attributes, std::vector<TensorId> inputs,
                 Shape shape) {
        const TensorId out = graph_.tensors.add({name, std::move(shape)});
        graph_.ops.add({name, name, name, std::move(attributes), std::move(inputs), {out}});
        return out;
    }
    /// Numbers of their own for all elements, so that none cancel.
    void addLossOf(const std::vector<TensorId>& results) {
        TensorId loss;
        for (std::size_t i = 0; i < results.size(); ++i) {
            const Shape shape = graph_.tensors[results[i]].shape;
            const std::string name = std::to_string(i);
            Tensor factors{"factors" + name, shape};
            factors.role = TensorRole::Constant;
            factors.value = std::make_shared<TensorData>(someReals(shape, ++seed_));
            const TensorId numbers = graph_.tensors.add(std::move(factors));
            const TensorId product = add("product" + name, ElementwiseAttributes{Multiply},
                                         {results[i], numbers}, shape);
            ReduceAttributes all{ReduceFunction::Add, {}, false};
            for (std::size_t d = 0; d < shape.size(); ++d)
                all.axes.push_back(static_cast<std::int64_t>(d));
            const TensorId sum = add("sum" + name, all, {product}, {});
            loss = loss.valid() ? add("loss" + name, ElementwiseAttributes{Add}, {loss, sum}, {})
                                : sum;
        }
        graph_.outputs = {loss};
    }
    static std::vector<TensorData> outputsOf(const Graph& graph) {
        const RunOptions options;
        Machine machine(graph, options);
        HostPort port;
        std::vector<TensorData> outputs;
        port.output = [&](const Tensor&, const BatchPlace&, const TensorData& value) {
            outputs.push_back(value.copy());
        };
        machine.run(port);
        return outputs;
    }

    RecurrentCell cell_;
    Graph graph_;
    unsigned seed_ = 40;
};

} // namespace

class LoopsTest : public QObject {
    Q_OBJECT

private slots:
    void gradients_data() {
        QTest::addColumn<int>("index");
        const auto all = loopCases();
        for (std::size_t i = 0; i < all.size(); ++i)
            QTest::newRow(all[i].name) << static_cast<int>(i);
    }
    void gradients() {
        QFETCH(int, index);
        // Tolerance for differences of sums in float over steps of a hundredth.
        constexpr double close = 4e-3;
        const LoopGraph loop(loopCases().at(static_cast<std::size_t>(index)));
        const auto byAutodiff = loop.gradients(false);
        const auto inParts = loop.gradients(true);
        for (std::size_t i = 0; i < loop.graph().tensors.size(); ++i) {
            const TensorId id(i);
            const Tensor& tensor = loop.graph().tensors[id];
            if (tensor.role != TensorRole::Weight)
                continue;
            QVERIFY2(byAutodiff.contains(id), tensor.name.c_str());
            QCOMPARE(byAutodiff.at(id).elements(), tensor.elements());
            for (std::int64_t k = 0; k < tensor.elements(); ++k) {
                const double slope = loop.slope(id, k);
                for (const auto* made : {&byAutodiff, &inParts}) {
                    const double got = made->at(id).number(k);
                    const std::string text =
                        fmt::format("{}[{}]: {} where {}", tensor.name, k, got, slope);
                    QVERIFY2(std::abs(got - slope) < close * std::max(1.0, std::abs(slope)),
                             text.c_str());
                }
            }
        }
    }
};

TILESCOPE_TEST(LoopsTest)

} // namespace loops_test

#include "loops_test.moc"
