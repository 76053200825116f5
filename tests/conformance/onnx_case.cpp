#include "onnx_case.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include "core/base/error.h"
#include "simulator/compute/machine.h"
#include "simulator/frontend/import.h"
#include "simulator/frontend/onnx_types/weight_values.h"
#include "simulator/prepare/prepare.h"

namespace tilescope::test {

namespace fs = std::filesystem;
using namespace tilescope::sim;

namespace {

template <class Message> Message parsed(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    Message message;
    if (!message.ParseFromIstream(&stream))
        throw UserError(fmt::format("{}: cannot be parsed", file.string()));
    return message;
}

TensorData dataIn(const onnx::TensorProto& tensor, const fs::path& file) {
    try {
        return readTensor(tensor, file.parent_path());
    } catch (const std::invalid_argument& error) {
        throw UserError(fmt::format("{}: {}", file.string(), error.what()));
    }
}

/// Whether values of 64 bits need them.
bool needsMoreThan32Bits(const onnx::TensorProto& tensor) {
    const auto type = static_cast<ElementType>(tensor.data_type());
    if (type != ElementType::Int64 && type != ElementType::UInt64)
        return false;
    const Constant constant = constantFrom(tensor);
    const bool isSigned = type == ElementType::Int64;
    const std::int64_t least = isSigned ? std::numeric_limits<std::int32_t>::min() : 0;
    const std::int64_t most = isSigned ? std::numeric_limits<std::int32_t>::max()
                                       : std::int64_t{std::numeric_limits<std::uint32_t>::max()};
    return std::any_of(constant.ints.begin(), constant.ints.end(),
                       [&](std::int64_t value) { return value < least || value > most; });
}

/// Names of a model's inputs that are no initialisers, in order: test data are numbered so.
std::vector<std::string> inputNames(const onnx::ModelProto& model) {
    std::set<std::string> given;
    for (const auto& initializer : model.graph().initializer())
        given.insert(initializer.name());
    std::vector<std::string> names;
    for (const auto& input : model.graph().input())
        if (!given.contains(input.name()))
            names.push_back(input.name());
    return names;
}

std::vector<std::string> operatorsOf(const onnx::ModelProto& model) {
    std::set<std::string> names;
    for (const auto& node : model.graph().node())
        if (node.op_type() != "Constant" || model.graph().node_size() == 1)
            names.insert(node.domain().empty() ? node.op_type()
                                               : node.domain() + "." + node.op_type());
    return {names.begin(), names.end()};
}

/// Operators whose results follow from a random generator that ONNX does not define.
bool drawsNumbers(const Graph& graph) {
    return std::any_of(graph.ops.begin(), graph.ops.end(), [](const Op& op) {
        const auto* e = std::get_if<ElementwiseAttributes>(&op.attributes);
        using enum ElementwiseFunction;
        return e != nullptr && (e->function == RandomUniform || e->function == RandomNormal ||
                                (e->function == Dropout && e->alpha > 0));
    });
}

struct Statistics {
    double mean = 0, deviation = 0;
};
Statistics statisticsOf(const TensorData& data) {
    Statistics result;
    const auto count = static_cast<double>(data.elements());
    for (std::int64_t i = 0; i < data.elements(); ++i)
        result.mean += data.number(i) / count;
    for (std::int64_t i = 0; i < data.elements(); ++i)
        result.deviation += std::pow(data.number(i) - result.mean, 2) / count;
    result.deviation = std::sqrt(result.deviation);
    return result;
}

/// The same shape, and means and deviations that numbers of one distribution have.
std::string statisticalDifference(const TensorData& got, const TensorData& expected) {
    const Statistics a = statisticsOf(got);
    const Statistics b = statisticsOf(expected);
    constexpr double errors = 5; // standard errors of a difference of means
    const double spread = std::max({a.deviation, b.deviation, 1e-3});
    const double most =
        errors * spread *
        std::sqrt(2.0 / static_cast<double>(std::max<std::int64_t>(expected.elements(), 1)));
    const bool alike =
        std::abs(a.mean - b.mean) <= most && std::abs(a.deviation - b.deviation) <= most;
    return alike ? ""
                 : fmt::format("mean {} and deviation {} where {} and {} are expected", a.mean,
                               a.deviation, b.mean, b.deviation);
}

Graph importedWithValues(const fs::path& model) {
    ImportOptions options;
    options.values = true;
    return importOnnx(model, options);
}

TensorData valueOf(const Tensor& tensor, const std::map<std::string, TensorData>& inputs) {
    const TensorData& given = inputs.at(tensor.name);
    if (given.shape() != tensor.shape)
        throw std::runtime_error(fmt::format("input '{}' has shape {} in the graph, {} in its data",
                                             tensor.name, toString(tensor.shape),
                                             toString(given.shape())));
    return converted(given, tensor.type);
}

struct TestData {
    std::map<std::string, TensorData> inputs;
    std::vector<TensorData> outputs;
    bool wide = false; ///< needs whole numbers of more than 32 bits
};

TestData readSet(const fs::path& folder, const std::vector<std::string>& names) {
    TestData set;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const fs::path file = folder / fmt::format("input_{}.pb", i);
        const auto tensor = parsed<onnx::TensorProto>(file);
        set.wide = set.wide || needsMoreThan32Bits(tensor);
        set.inputs[names[i]] = dataIn(tensor, file);
    }
    for (int i = 0;; ++i) {
        const fs::path file = folder / fmt::format("output_{}.pb", i);
        if (!fs::exists(file))
            break;
        const auto tensor = parsed<onnx::TensorProto>(file);
        set.wide = set.wide || needsMoreThan32Bits(tensor);
        set.outputs.push_back(dataIn(tensor, file));
    }
    return set;
}

/// Whether data that the graph reads have no elements.
bool readsNothing(const Graph& graph, const TestData& set) {
    return std::any_of(graph.inputs.begin(), graph.inputs.end(), [&](TensorId input) {
        const auto found = set.inputs.find(graph.tensors[input].name);
        return found != set.inputs.end() && found->second.elements() == 0;
    });
}

/// The refusal without file and names in it, so that equal reasons count together.
std::string reasonOf(std::string text, const std::string& file) {
    if (const auto at = text.find(file); at != std::string::npos)
        text.erase(at, file.size() + 2);
    if (const auto at = text.find("; replace "); at != std::string::npos)
        text.erase(at);
    std::string result;
    bool quoted = false;
    for (const char c : text) {
        quoted = c == '\'' ? !quoted : quoted;
        if (!quoted && c != '\'' && c != '\n')
            result += c;
    }
    constexpr std::size_t longest = 200;
    return result.substr(0, longest);
}

void compareSet(const Graph& graph, const TestData& set, const Tolerance& tolerance,
                CaseOutcome& outcome) {
    const std::vector<TensorData> outputs =
        computedOutputs(graph, [&](const Tensor& tensor) { return valueOf(tensor, set.inputs); });
    if (outputs.size() != set.outputs.size())
        throw std::runtime_error(
            fmt::format("{} outputs where {} are expected", outputs.size(), set.outputs.size()));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        std::string difference;
        if (outputs[i].shape() != set.outputs[i].shape())
            difference = fmt::format("shape {} where {} is expected", toString(outputs[i].shape()),
                                     toString(set.outputs[i].shape()));
        else if (outcome.byStatistics)
            difference = statisticalDifference(outputs[i], set.outputs[i]);
        else
            difference = differenceOf(outputs[i], set.outputs[i], tolerance);
        if (!difference.empty() && outcome.result == CaseResult::Right) {
            outcome.result = CaseResult::Wrong;
            outcome.reason = fmt::format("output {}: {}", i, difference);
        }
    }
}

} // namespace

TensorData readData(const fs::path& file) {
    return dataIn(parsed<onnx::TensorProto>(file), file);
}

std::string differenceOf(const TensorData& got, const TensorData& expected,
                         const Tolerance& tolerance) {
    if (got.shape() != expected.shape())
        return fmt::format("shape {} where {} is expected", toString(got.shape()),
                           toString(expected.shape()));
    std::int64_t differing = 0;
    std::string first;
    for (std::int64_t i = 0; i < expected.elements(); ++i) {
        const double a = got.number(i);
        const double b = expected.number(i);
        const double most =
            expected.isReal() ? tolerance.absolute + tolerance.relative * std::abs(b) : 0;
        const bool near = a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= most;
        if (!near && differing++ == 0)
            first = fmt::format("element {} is {} where {} is expected", i, a, b);
    }
    return differing == 0
               ? ""
               : fmt::format("{} ({} of {} differ)", first, differing, expected.elements());
}

std::vector<TensorData> computedOutputs(const Graph& graph, const InputValues& inputs) {
    const RunOptions options;
    const Graph prepared = preparedGraph(graph, options);
    Machine machine(prepared, options);
    HostPort port;
    port.input = [&](const Tensor& tensor, const BatchPlace&) { return inputs(tensor); };
    std::vector<TensorData> outputs;
    port.output = [&](const Tensor&, const BatchPlace&, const TensorData& value) {
        outputs.push_back(value.copy());
    };
    machine.run(port);
    return outputs;
}

std::vector<TensorData> computedOutputs(const fs::path& model, const InputValues& inputs) {
    return computedOutputs(importedWithValues(model), inputs);
}

CaseOutcome runCase(const fs::path& file, const Tolerance& tolerance) {
    CaseOutcome outcome;
    const auto refuse = [&](const std::string& why) {
        outcome.result = CaseResult::Refused;
        outcome.reason = why;
    };
    try {
        const auto model = parsed<onnx::ModelProto>(file);
        outcome.operators = operatorsOf(model);
        const Graph graph = importedWithValues(file);
        outcome.byStatistics = drawsNumbers(graph);
        for (const auto& entry : fs::directory_iterator(file.parent_path())) {
            if (!entry.is_directory())
                continue;
            const TestData set = readSet(entry.path(), inputNames(model));
            if (set.wide)
                return refuse("its values need more than the device's 32 bits"), outcome;
            if (readsNothing(graph, set))
                return refuse(fmt::format("{}: its data have no elements; a batch of 0 is taken "
                                          "for 1",
                                          fmt::join(outcome.operators, ", "))),
                       outcome;
            compareSet(graph, set, tolerance, outcome);
        }
    } catch (const UserError& error) {
        refuse(reasonOf(error.what(), file.string()));
    } catch (const std::exception& error) {
        outcome.result = CaseResult::Wrong;
        outcome.reason = error.what();
    }
    return outcome;
}

} // namespace tilescope::test
