// Gradients of ONNX's operators are those of PyTorch's autograd (reference_gradients.py).
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <google/protobuf/util/json_util.h>
#include <onnx/onnx_pb.h>

#include <QtTest>

#include "core/base/atomic_file.h"
#include "reference_numbers.h"
#include "simulator/compute/machine.h"
#include "simulator/frontend/import.h"
#include "simulator/graph/elementwise_traits.h"
#include "simulator/prepare/prepare.h"
#include "tests/support/run_options_of.h"
#include "tests/support/test_main.h"

namespace reference_gradients_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

const boost::json::object& references() {
    static const boost::json::value all = boost::json::parse(
        readFile(TILESCOPE_SOURCE_DIR "/tests/conformance/gradient_reference.json"));
    return all.as_object();
}

Graph importedCase(const boost::json::value& model, const std::string& name) {
    onnx::ModelProto proto;
    const auto status =
        google::protobuf::util::JsonStringToMessage(boost::json::serialize(model), &proto);
    if (!status.ok())
        throw std::runtime_error(name + ": " + status.ToString());
    ImportOptions options;
    options.values = true;
    options.training = true;
    return importOnnx(std::move(proto), name, options);
}

/// The loss as the reference has it: the sum of the output's elements times numbers of their own.
void weighLoss(Graph& graph) {
    const TensorId out = graph.outputs.front();
    const Shape shape = graph.tensors[out].shape;
    Tensor factors{"factors", shape};
    factors.role = TensorRole::Constant;
    factors.value = std::make_shared<TensorData>(referenceNumbers("factors", shape));
    const TensorId numbers = graph.tensors.add(std::move(factors));
    const TensorId product = graph.tensors.add({"product", shape});
    graph.ops.add({"product",
                   "product",
                   "product",
                   ElementwiseAttributes{ElementwiseFunction::Multiply},
                   {out, numbers},
                   {product}});
    ReduceAttributes all{ReduceFunction::Add, {}, false};
    for (std::size_t d = 0; d < shape.size(); ++d)
        all.axes.push_back(static_cast<std::int64_t>(d));
    const TensorId loss = graph.tensors.add({"loss", {}});
    graph.ops.add({"loss", "loss", "loss", all, {product}, {loss}});
    graph.outputs = {loss};
}

/// Gradients for the real inputs of a model, by their names: what one step of plain descent with
/// rate one takes from them.
std::map<std::string, TensorData> gradientsOf(Graph graph, const boost::json::object& inputs) {
    std::map<std::string, TensorData> before;
    for (const TensorId id : graph.inputs) {
        Tensor& tensor = graph.tensors[id];
        const auto& range = inputs.at(tensor.name);
        tensor.role = TensorRole::Weight;
        tensor.value = std::make_shared<TensorData>(
            referenceNumbers(tensor.name, tensor.shape, range.at("offset").to_number<double>(),
                             range.at("scale").to_number<double>()));
        before[tensor.name] = tensor.value->copy();
    }
    graph.inputs.clear();
    weighLoss(graph);
    const RunOptions options = optionsOf({{"mode", "training"},
                                          {"compute", "on"},
                                          {"data", "none"},
                                          {"optimizer", "sgd"},
                                          {"learningRate", "1"}});
    const Graph prepared = preparedGraph(graph, options);
    Machine machine(prepared, options);
    HostPort port;
    port.output = [](const Tensor&, const BatchPlace&, const TensorData&) {};
    machine.run(port);
    for (auto& [name, values] : before) {
        const TensorData after = machine.weight(name);
        for (std::int64_t i = 0; i < values.elements(); ++i)
            values.setNumber(i, values.number(i) - after.number(i));
    }
    return before;
}

/// Kinds of operations and elementwise functions of a graph.
void collectKinds(const Graph& graph, std::set<std::string>& kinds) {
    for (const Op& op : graph.ops)
        if (const auto* e = std::get_if<ElementwiseAttributes>(&op.attributes))
            kinds.insert(std::string(traitsOf(e->function).name));
        else
            kinds.insert(std::string(std::visit(
                [](const auto& one) { return std::string_view(one.traits.name); }, op.attributes)));
    for (const Graph& function : graph.functions)
        collectKinds(function, kinds);
}

} // namespace

class ReferenceGradientsTest : public QObject {
    Q_OBJECT

private slots:
    void operators_data() {
        QTest::addColumn<QString>("name");
        for (const auto& [name, reference] : references())
            QTest::newRow(std::string(name).c_str()) << QString::fromStdString(std::string(name));
    }

    void operators() {
        QFETCH(QString, name);
        const boost::json::object& reference = references().at(name.toStdString()).as_object();
        const boost::json::object& inputs = reference.at("inputs").as_object();
        std::map<std::string, TensorData> gradients;
        try {
            gradients =
                gradientsOf(importedCase(reference.at("model"), name.toStdString()), inputs);
        } catch (const std::exception& error) {
            QFAIL(error.what());
        }
        for (const auto& [input, expected] : inputs) {
            const boost::json::array& wanted = expected.at("gradient").as_array();
            const auto found = gradients.find(std::string(input));
            if (wanted.empty()) // it only decides
                continue;
            QVERIFY2(found != gradients.end(), std::string(input).c_str());
            QCOMPARE(found->second.elements(), static_cast<std::int64_t>(wanted.size()));
            for (std::size_t i = 0; i < wanted.size(); ++i) {
                constexpr double near = 1e-4;
                const double want = wanted[i].to_number<double>();
                const double got = found->second.number(static_cast<std::int64_t>(i));
                QVERIFY2(std::abs(got - want) <= near * std::max(1.0, std::abs(want)),
                         fmt::format("{}: gradient {} of {} is {} where {} is expected",
                                     name.toStdString(), i, std::string(input), got, want)
                             .c_str());
            }
        }
    }

    /// The cases lack no kind of operation that has a gradient of its own.
    void everyKind() {
        std::set<std::string> kinds;
        for (const auto& [name, reference] : references())
            collectKinds(importedCase(reference.at("model"), std::string(name)), kinds);
        std::set<std::string> wanted{"Conv",  "ConvGradInput", "MatMul",  "Reduce",    "Pool",
                                     "Lrn",   "Softmax",       "Reshape", "Transpose", "Concat",
                                     "Slice", "Expand",        "Gather",  "Pad",       "Norm",
                                     "Loop",  "MultiUpdate"};
        using enum ElementwiseFunction;
        for (const ElementwiseFunction function :
             {Add,   Subtract, Multiply, Divide,    Power,       Max,       Min,         Select,
              PRelu, Relu,     Clip,     Sigmoid,   Tanh,        Gelu,      Erf,         Exp,
              Log,   Sqrt,     Abs,      Negate,    Square,      Softplus,  Sin,         Cos,
              Tan,   Asin,     Acos,     Atan,      Sinh,        Cosh,      Asinh,       Acosh,
              Atanh, Inverse,  Elu,      LeakyRelu, HardSigmoid, HardSwish, CrossEntropy})
            wanted.insert(std::string(traitsOf(function).name));
        std::string missing;
        for (const std::string& kind : wanted)
            if (!kinds.contains(kind))
                missing += kind + " ";
        QCOMPARE(QString::fromStdString(missing), QString());
    }
};

TILESCOPE_TEST(ReferenceGradientsTest)

} // namespace reference_gradients_test

#include "reference_gradients_test.moc"
