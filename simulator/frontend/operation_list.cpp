#include "simulator/frontend/operation_list.h"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <stdexcept>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/options/option_values.h"
#include "simulator/graph/elementwise_traits.h"
#include "simulator/graph/shape_rules.h"

namespace tilescope::sim {
namespace {

namespace json = boost::json;

/// popops' names of the functions (popops/ElementWise.hpp).
const std::map<std::string, ElementwiseFunction>& elementwiseTypes() {
    using F = ElementwiseFunction;
    static const std::map<std::string, F> types{
        {"abs", F::Abs},         {"add", F::Add},
        {"div", F::Divide},      {"exp", F::Exp},
        {"inv", F::Inverse},     {"log", F::Log},
        {"max", F::Max},         {"min", F::Min},
        {"mul", F::Multiply},    {"neg", F::Negate},
        {"pow", F::Power},       {"relu", F::Relu},
        {"rsqrt", F::Rsqrt},     {"scaledAddTo", F::ScaledAdd},
        {"sigmoid", F::Sigmoid}, {"sqrt", F::Sqrt},
        {"square", F::Square},   {"sub", F::Subtract},
        {"tanh", F::Tanh}};
    return types;
}

class ListReader {
public:
    ListReader(std::string origin, const ImportOptions& options)
        : origin_(std::move(origin)) {
        if (options.forceBatch)
            throw UserError(fmt::format("{}: the shapes of an operation list are fixed; leave out "
                                        "the option batchSize (--batch-size)",
                                        origin_));
        half_ = options.half;
    }

    Graph read(const json::object& model) {
        checkKeys(model, "model", {"name", "dataType", "variables", "operations"});
        graph_.ownProgram = true;
        graph_.name = model.contains("name") ? text(model, "model", "name") : "";
        type_ = half_ ? DataType::Half : dataType(model);
        const json::value* variables = model.if_contains("variables");
        if (variables == nullptr || !variables->is_object())
            throw error("model", "variables", "must be an object of names and shapes");
        for (const auto& [name, shape] : variables->get_object())
            define(name, {std::string(name), shapeOf(name, shape), type_, TensorRole::Weight});
        const json::value* operations = model.if_contains("operations");
        if (operations == nullptr || !operations->is_array() || operations->get_array().empty())
            throw error("model", "operations", "must be a list of one or more operations");
        for (const json::value& operation : operations->get_array()) {
            if (!operation.is_object())
                throw error("model", "operations", "has an entry that is not an object");
            add(operation.get_object());
        }
        return std::move(graph_);
    }

private:
    [[nodiscard]] UserError error(std::string_view where, std::string_view key,
                                  std::string_view what) const {
        return UserError(fmt::format("{}: {}: '{}' {}", origin_, where, key, what));
    }

    void checkKeys(const json::object& object, const std::string& where,
                   const std::vector<std::string>& keys) const {
        for (const auto& [key, value] : object)
            if (std::find(keys.begin(), keys.end(), std::string_view(key)) == keys.end())
                throw UserError(fmt::format("{}: {}: unknown key '{}'.{} The keys are {}", origin_,
                                            where, std::string_view(key), didYouMean(key, keys),
                                            fmt::join(keys, ", ")));
    }

    [[nodiscard]] std::string text(const json::object& object, const std::string& where,
                                   std::string_view key) const {
        const json::value* value = object.if_contains(key);
        if (value == nullptr || !value->is_string() || value->get_string().empty())
            throw error(where, key, "must be text");
        return std::string(value->get_string());
    }

    [[nodiscard]] DataType dataType(const json::object& model) const {
        const std::string name = model.contains("dataType") ? text(model, "model", "dataType") : "";
        if (name.empty() || name == "float")
            return DataType::Float;
        if (name != "half")
            throw error("model", "dataType", "must be float or half");
        return DataType::Half;
    }

    [[nodiscard]] Shape shapeOf(std::string_view name, const json::value& value) const {
        // Far beyond the memory of any number of tiles; keeps products within 64 bits.
        constexpr std::int64_t mostElements = std::int64_t{1} << 40;
        const json::array* sizes = value.if_array();
        Shape shape;
        std::int64_t elements = 1;
        for (const json::value& size : sizes == nullptr ? json::array() : *sizes) {
            const std::int64_t* n = size.if_int64();
            if (n == nullptr || *n < 1 || *n > mostElements / elements)
                throw error("variables", name,
                            "must be a list of sizes from 1, 2^40 elements at most");
            elements *= *n;
            shape.push_back(*n);
        }
        if (shape.empty())
            throw error("variables", name, "must be a list of sizes, such as [4, 8]");
        return shape;
    }

    TensorId define(const std::string& name, Tensor tensor) {
        if (known_.contains(name))
            throw UserError(fmt::format("{}: the name '{}' is given twice", origin_, name));
        return known_[name] = graph_.tensors.add(std::move(tensor));
    }

    [[nodiscard]] std::vector<TensorId> inputsOf(const json::object& operation,
                                                 const std::string& where) const {
        const json::value* names = operation.if_contains("inputs");
        if (names == nullptr || !names->is_array())
            throw error(where, "inputs", "must be a list of names");
        std::vector<TensorId> inputs;
        for (const json::value& name : names->get_array()) {
            const auto found =
                name.is_string() ? known_.find(std::string(name.get_string())) : known_.end();
            if (found == known_.end())
                throw UserError(fmt::format("{}: {}: the input {} is neither a variable nor the "
                                            "result of an earlier operation",
                                            origin_, where, json::serialize(name)));
            inputs.push_back(found->second);
        }
        return inputs;
    }

    [[nodiscard]] Attributes attributesOf(const std::string& type, const std::string& where,
                                          std::size_t inputs) const {
        if (type == "matMul") {
            if (inputs != 2)
                throw error(where, "inputs", "must name two operands");
            return MatMulAttributes{};
        }
        const auto found = elementwiseTypes().find(type);
        if (found == elementwiseTypes().end()) {
            std::vector<std::string> names{"matMul"};
            for (const auto& [name, function] : elementwiseTypes())
                names.push_back(name);
            throw UserError(fmt::format("{}: {}: unknown type '{}'.{} The types are {}", origin_,
                                        where, type, didYouMean(type, names),
                                        fmt::join(names, ", ")));
        }
        const std::size_t wanted = traitsOf(found->second).leastOperands;
        if (inputs != wanted)
            throw error(where, "inputs",
                        wanted == 1 ? "must name one operand" : "must name two operands");
        return ElementwiseAttributes{found->second, 0, 0};
    }

    void add(const json::object& operation) {
        const std::string name = text(operation, "operations", "name");
        const std::string where = fmt::format("operation '{}'", name);
        checkKeys(operation, where, {"name", "type", "inputs"});
        const std::string type = text(operation, where, "type");
        const std::vector<TensorId> inputs = inputsOf(operation, where);
        const Attributes attributes = attributesOf(type, where, inputs.size());
        std::vector<Shape> shapes;
        for (const TensorId input : inputs)
            shapes.push_back(graph_.tensors[input].shape);
        try {
            Shape shape = outputShape(attributes, shapes).value();
            const TensorId out =
                define(name, {name, std::move(shape), type_, TensorRole::Activation});
            graph_.ops.add({name, type, name, attributes, inputs, {out}});
        } catch (const std::invalid_argument& problem) {
            throw UserError(fmt::format("{}: {}: {}", origin_, where, problem.what()));
        }
    }

    std::string origin_;
    bool half_ = false;
    DataType type_ = DataType::Float;
    Graph graph_;
    std::map<std::string, TensorId> known_;
};

} // namespace

Graph importOperationList(const std::filesystem::path& job, const ImportOptions& options) {
    Graph graph = importOperationList(readFile(job), job.string(), options);
    if (graph.name.empty())
        graph.name = job.stem().string();
    return graph;
}

Graph importOperationList(std::string_view job, const std::string& origin,
                          const ImportOptions& options) {
    const json::value parsed = parseJson(job, origin);
    const json::object* object = parsed.if_object();
    const json::value* model = object == nullptr ? nullptr : object->if_contains("model");
    if (model == nullptr || !model->is_object())
        throw UserError(
            fmt::format("{}: there is no operation list under the key 'model'", origin));
    Graph graph = ListReader(origin, options).read(model->get_object());
    checkGraph(graph);
    return graph;
}

} // namespace tilescope::sim
