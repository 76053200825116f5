#include "simulator/frontend/keras/model_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/options/option_values.h"

namespace tilescope::sim {
namespace {

namespace json = boost::json;

/// Depth of nested models: more than any model has, and little enough for recursion.
constexpr int mostNested = 16;

std::string textOf(const json::value* value) {
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
}

bool isModelType(const std::string& type) {
    return type == "Sequential" || type == "Functional" || type == "Model";
}

class Reader {
public:
    Reader(std::string origin, int version)
        : origin_(std::move(origin))
        , version_(version) {}

    KerasModel model(const json::object& object, int depth) const {
        const std::string type = textOf(object.if_contains("class_name"));
        if (!isModelType(type))
            throw UserError(fmt::format(
                "{}: class_name '{}' is neither Sequential nor Functional; a subclassed model "
                "does not describe its layers: build it with the functional interface",
                origin_, type));
        const json::value* config = object.if_contains("config");
        // Keras 1 wrote a list of layers here.
        if (config == nullptr || !config->is_object())
            throw UserError(fmt::format(
                "{}: '{}': 'config' must be an object with the key 'layers'; save the model "
                "again with Keras 2 or later",
                origin_, type));
        KerasModel result;
        result.version = version_;
        result.name = textOf(config->get_object().if_contains("name"));
        return type == "Sequential" ? sequential(std::move(result), config->get_object(), depth)
                                    : functional(std::move(result), config->get_object(), depth);
    }

private:
    [[nodiscard]] UserError error(const std::string& layer, std::string_view key,
                                  std::string_view what) const {
        return UserError(fmt::format("{}: layer '{}': '{}' {}", origin_, layer, key, what));
    }

    [[nodiscard]] const json::array& layersOf(const json::object& config,
                                              const std::string& model) const {
        const json::value* layers = config.if_contains("layers");
        if (layers == nullptr || !layers->is_array() || layers->get_array().empty())
            throw UserError(fmt::format(
                "{}: model '{}': 'layers' must be a list of one or more layers", origin_, model));
        return layers->get_array();
    }

    [[nodiscard]] KerasLayer layer(const json::value& value, int depth) const {
        const json::object* object = value.if_object();
        KerasLayer result;
        result.type = object == nullptr ? "" : textOf(object->if_contains("class_name"));
        const json::value* config = object == nullptr ? nullptr : object->if_contains("config");
        if (result.type.empty() || config == nullptr || !config->is_object())
            throw UserError(
                fmt::format("{}: an entry of 'layers' has no class_name and config", origin_));
        result.config = config->get_object();
        result.name = textOf(object->if_contains("name"));
        if (result.name.empty())
            result.name = textOf(result.config.if_contains("name"));
        if (result.name.empty())
            throw UserError(
                fmt::format("{}: a layer of class {} has no name", origin_, result.type));
        if (isModelType(result.type)) {
            if (depth >= mostNested)
                throw error(result.name, "layers",
                            fmt::format("is nested deeper than {} models", mostNested));
            result.nested.push_back(model(*object, depth + 1));
        }
        return result;
    }

    // --- Sequential ---

    /// The shape that a model without an InputLayer was built with.
    [[nodiscard]] std::optional<json::value> builtShape(const json::object& config,
                                                        const KerasLayer& first) const {
        for (const char* key : {"batch_input_shape", "batch_shape"})
            if (const json::value* shape = first.config.if_contains(key))
                return *shape;
        if (const json::value* shape = config.if_contains("build_input_shape");
            shape != nullptr && shape->is_array())
            return *shape;
        return std::nullopt;
    }

    KerasModel sequential(KerasModel result, const json::object& config, int depth) const {
        for (const json::value& entry : layersOf(config, result.name))
            result.layers.push_back(layer(entry, depth));
        if (result.layers.front().type != "InputLayer" && depth == 0) {
            const std::optional<json::value> shape = builtShape(config, result.layers.front());
            if (!shape)
                throw UserError(
                    fmt::format("{}: model '{}' was saved without the shape of its input; give its "
                                "first layer an input_shape and save it again",
                                origin_, result.name));
            KerasLayer input{result.layers.front().name + "_input", "InputLayer", {}, {}, {}};
            input.config["batch_shape"] = *shape;
            if (const json::value* type = result.layers.front().config.if_contains("dtype"))
                input.config["dtype"] = *type;
            result.layers.insert(result.layers.begin(), std::move(input));
        } else if (result.layers.front().type != "InputLayer") {
            result.layers.insert(result.layers.begin(),
                                 {result.name + "_input", "InputLayer", {}, {}, {}});
        }
        for (std::size_t i = 0; i < result.layers.size(); ++i)
            result.layers[i].calls = {i == 0 ? KerasCall{} : KerasCall{{{i - 1, 0, 0}}, -1}};
        result.inputs = {{0, 0, 0}};
        result.outputs = {{result.layers.size() - 1, 0, 0}};
        assignSequentialStages(result, config);
        return result;
    }

    /// One stage for each layer but the InputLayer, which Sequential does not count among its
    /// layers.
    void assignSequentialStages(KerasModel& model, const json::object& config) const {
        const json::array* stages = stagesOf(config);
        if (stages == nullptr)
            return;
        if (stages->size() != model.layers.size() - 1)
            throw UserError(fmt::format(
                "{}: model '{}': 'pipeline_stage_assignment' has {} stages for {} layers", origin_,
                model.name, stages->size(), model.layers.size() - 1));
        for (std::size_t i = 0; i < stages->size(); ++i)
            model.layers[i + 1].calls[0].stage = stageOf((*stages)[i], model.name);
    }

    [[nodiscard]] static const json::array* stagesOf(const json::object& config) {
        const json::value* stages = config.if_contains("pipeline_stage_assignment");
        return stages != nullptr && stages->is_array() && !stages->get_array().empty()
                   ? &stages->get_array()
                   : nullptr;
    }

    [[nodiscard]] int stageOf(const json::value& value, const std::string& model) const {
        constexpr std::int64_t mostStages = 1 << 16;
        const std::int64_t* stage = value.if_int64();
        if (stage == nullptr || *stage < 0 || *stage > mostStages)
            throw UserError(
                fmt::format("{}: model '{}': 'pipeline_stage_assignment' must have stages from 0",
                            origin_, model));
        return static_cast<int>(*stage);
    }

    // --- Functional ---

    KerasModel functional(KerasModel result, const json::object& config, int depth) const {
        const json::array& layers = layersOf(config, result.name);
        std::map<std::string, std::size_t, std::less<>> known;
        for (const json::value& entry : layers) {
            result.layers.push_back(layer(entry, depth));
            if (!known.emplace(result.layers.back().name, result.layers.size() - 1).second)
                throw UserError(fmt::format("{}: two layers have the name '{}'", origin_,
                                            result.layers.back().name));
        }
        for (std::size_t i = 0; i < layers.size(); ++i)
            result.layers[i].calls = calls(layers[i].get_object(), result.layers[i], known);
        result.inputs = ends(config, "input_layers", result.name, known);
        result.outputs = ends(config, "output_layers", result.name, known);
        checkSources(result);
        assignFunctionalStages(result, config);
        return result;
    }

    using Names = std::map<std::string, std::size_t, std::less<>>;

    [[nodiscard]] std::size_t number(const json::value& value, const std::string& where,
                                     std::string_view key) const {
        const std::int64_t* n = value.if_int64();
        if (n == nullptr || *n < 0)
            throw error(where, key, "must count nodes and tensors from 0");
        return static_cast<std::size_t>(*n);
    }

    /// ["name", node, tensor, ...]
    [[nodiscard]] KerasSource source(const json::array& entry, const std::string& where,
                                     std::string_view key, const Names& known) const {
        if (entry.size() < 3 || !entry[0].is_string())
            throw error(where, key, "must have entries [\"layer\", node, tensor]");
        const auto at = known.find(std::string_view(entry[0].get_string()));
        if (at == known.end())
            throw error(where, key,
                        fmt::format("names the layer '{}', which is not there",
                                    std::string_view(entry[0].get_string())));
        return {at->second, number(entry[1], where, key), number(entry[2], where, key)};
    }

    [[nodiscard]] static bool isSource(const json::value& value) {
        return value.is_array() && value.get_array().size() >= 3 &&
               value.get_array()[0].is_string();
    }

    /// Tensors within the arguments of a call, in their order (Keras 3).
    void addKerasTensors(const json::value& value, const std::string& where, const Names& known,
                         std::vector<KerasSource>& sources) const {
        if (const json::array* list = value.if_array()) {
            for (const json::value& entry : *list)
                addKerasTensors(entry, where, known, sources);
            return;
        }
        const json::object* object = value.if_object();
        if (object == nullptr || textOf(object->if_contains("class_name")) != "__keras_tensor__")
            return;
        const json::value* config = object->if_contains("config");
        const json::value* history = config != nullptr && config->is_object()
                                         ? config->get_object().if_contains("keras_history")
                                         : nullptr;
        if (history == nullptr || !history->is_array())
            throw error(where, "inbound_nodes", "has a tensor without keras_history");
        sources.push_back(source(history->get_array(), where, "inbound_nodes", known));
    }

    [[nodiscard]] KerasCall call(const json::value& node, const std::string& where,
                                 const Names& known) const {
        KerasCall result;
        if (const json::object* arguments = node.if_object()) {
            if (const json::value* positional = arguments->if_contains("args"))
                addKerasTensors(*positional, where, known, result.inputs);
            if (const json::value* named = arguments->if_contains("kwargs");
                named != nullptr && named->is_object())
                for (const char* key : operandKeys)
                    if (const json::value* value = named->get_object().if_contains(key))
                        addKerasTensors(*value, where, known, result.inputs);
            return result;
        }
        if (!node.is_array())
            throw error(where, "inbound_nodes", "must be a list of calls");
        // One tensor may come without a list around it.
        if (isSource(node)) {
            result.inputs.push_back(source(node.get_array(), where, "inbound_nodes", known));
            return result;
        }
        for (const json::value& tensor : node.get_array()) {
            if (!isSource(tensor))
                throw error(where, "inbound_nodes", "must have entries [\"layer\", node, tensor]");
            result.inputs.push_back(source(tensor.get_array(), where, "inbound_nodes", known));
            addNamedOperands(tensor.get_array(), where, known, result);
        }
        return result;
    }

    /// Keras 2 has a call's named arguments after its first tensor.
    void addNamedOperands(const json::array& tensor, const std::string& where, const Names& known,
                          KerasCall& call) const {
        const json::object* named = tensor.size() > 3 ? tensor[3].if_object() : nullptr;
        if (named == nullptr)
            return;
        for (const char* key : operandKeys)
            if (const json::value* value = named->if_contains(key);
                value != nullptr && isSource(*value))
                call.inputs.push_back(source(value->get_array(), where, "inbound_nodes", known));
    }

    [[nodiscard]] std::vector<KerasCall> calls(const json::object& entry, const KerasLayer& layer,
                                               const Names& known) const {
        std::vector<KerasCall> result;
        const json::value* nodes = entry.if_contains("inbound_nodes");
        if (nodes != nullptr && !nodes->is_array())
            throw error(layer.name, "inbound_nodes", "must be a list of calls");
        if (nodes != nullptr)
            for (const json::value& node : nodes->get_array())
                result.push_back(call(node, layer.name, known));
        if (layer.type == "InputLayer")
            result.assign(1, {});
        return result;
    }

    /// A list of sources, or one that comes without a list around it.
    [[nodiscard]] std::vector<KerasSource> ends(const json::object& config, std::string_view key,
                                                const std::string& model,
                                                const Names& known) const {
        const json::value* value = config.if_contains(key);
        std::vector<KerasSource> result;
        if (value != nullptr && isSource(*value))
            result.push_back(source(value->get_array(), model, key, known));
        else if (value != nullptr && value->is_array())
            for (const json::value& entry : value->get_array()) {
                if (!isSource(entry))
                    throw error(model, key, "must have entries [\"layer\", node, tensor]");
                result.push_back(source(entry.get_array(), model, key, known));
            }
        if (result.empty())
            throw error(model, key, "must name one or more layers");
        return result;
    }

    void checkSources(const KerasModel& model) const {
        const auto check = [&](const KerasSource& source, const std::string& where) {
            if (source.call >= model.layers[source.layer].calls.size())
                throw error(where, "inbound_nodes",
                            fmt::format("takes call {} of layer '{}', which has {}", source.call,
                                        model.layers[source.layer].name,
                                        model.layers[source.layer].calls.size()));
        };
        for (const KerasLayer& layer : model.layers)
            for (const KerasCall& call : layer.calls)
                for (const KerasSource& source : call.inputs)
                    check(source, layer.name);
        for (const KerasSource& source : model.inputs)
            check(source, model.name);
        for (const KerasSource& source : model.outputs)
            check(source, model.name);
    }

    /// [layer index, node, stage] for each call.
    void assignFunctionalStages(KerasModel& model, const json::object& config) const {
        const json::array* stages = stagesOf(config);
        if (stages == nullptr)
            return;
        for (const json::value& entry : *stages) {
            const json::array* triple = entry.if_array();
            if (triple == nullptr || triple->size() != 3)
                throw error(model.name, "pipeline_stage_assignment",
                            "must have entries [layer, node, stage]");
            const std::size_t layer = number((*triple)[0], model.name, "pipeline_stage_assignment");
            const std::size_t call = number((*triple)[1], model.name, "pipeline_stage_assignment");
            if (layer >= model.layers.size() || call >= model.layers[layer].calls.size())
                throw error(model.name, "pipeline_stage_assignment",
                            fmt::format("names call {} of layer number {}, which is not there",
                                        call, layer));
            model.layers[layer].calls[call].stage = stageOf((*triple)[2], model.name);
        }
    }

    /// Arguments of calls that are operands (of attention), in the order in which a layer takes
    /// them.
    static constexpr std::array operandKeys{"query", "value", "key"};

    std::string origin_;
    int version_;
};

/// The name of the loss in compile_config: a text, or an object of a class or a function.
std::string lossOf(const json::value& value) {
    if (value.is_string())
        return std::string(value.get_string());
    if (const json::array* list = value.if_array())
        return list->empty() ? "" : lossOf(list->front());
    const json::object* object = value.if_object();
    if (object == nullptr || object->empty())
        return "";
    const std::string type = textOf(object->if_contains("class_name"));
    const json::value* config = object->if_contains("config");
    if (type == "function" && config != nullptr)
        return textOf(config);
    // Without a class: losses by the names of the outputs.
    return type.empty() ? lossOf(object->begin()->value()) : type;
}

/// Keras 3 gives each layer the module of its class; its version is beside the model where that
/// was saved in a file.
int versionOf(const json::object& model) {
    const std::string stated = textOf(model.if_contains("keras_version"));
    int major = 0;
    std::from_chars(stated.data(), stated.data() + stated.size(), major);
    if (major > 0)
        return major;
    return model.contains("module") || model.contains("registered_name") ? 3 : 2;
}

} // namespace

bool isKerasModel(std::string_view text) {
    boost::system::error_code failure;
    const json::value parsed = json::parse(text, failure);
    const json::object* object = failure ? nullptr : parsed.if_object();
    return object != nullptr && object->contains("class_name") && object->contains("config");
}

KerasModel parseKerasModel(std::string_view text, const std::string& origin) {
    const json::value parsed = parseJson(text, origin);
    const json::object* object = parsed.if_object();
    if (object == nullptr)
        throw UserError(
            fmt::format("{}: is not a Keras model: an object with class_name and config", origin));
    KerasModel model = Reader(origin, versionOf(*object)).model(*object, 0);
    if (const json::value* compiled = object->if_contains("compile_config");
        compiled != nullptr && compiled->is_object())
        if (const json::value* loss = compiled->get_object().if_contains("loss"))
            model.loss = lossOf(*loss);
    return model;
}

} // namespace tilescope::sim
