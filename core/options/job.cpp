#include "core/options/job.h"

#include <array>
#include <boost/json.hpp>
#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/indented_json.h"
#include "core/base/suggest.h"
#include "core/options/option_table.h"
#include "core/options/option_values.h"
#include "core/target/target_file.h"

namespace tilescope {
namespace fs = std::filesystem;
namespace json = boost::json;
namespace {

void checkKey(std::string_view key, const std::string& origin) {
    if (key == "model" || findOption(key) != nullptr)
        return;
    std::vector<std::string> keys{"model"};
    for (const OptionSpec& spec : runOptionTable())
        keys.push_back(spec.key);
    throw UserError(fmt::format("{}: unknown key '{}'.{} 'tilescope schema --job' lists the keys.",
                                origin, shortened(key), didYouMean(key, keys)));
}

void checkKind(const OptionSpec& spec, const json::value& value, const std::string& origin) {
    const bool isJson = spec.type == OptionSpec::Type::Json;
    if (spec.type == OptionSpec::Type::Pairs && value.is_object())
        return;
    if (isJson ? value.is_object() : value.is_string() || value.is_number() || value.is_bool())
        return;
    throw UserError(fmt::format("{}: the value of '{}' must be {}", origin, spec.key,
                                isJson ? "an object" : "text, a number, true or false"));
}

bool looksLikePath(const std::string& model) {
    return model.find('/') != std::string::npos || model.ends_with(".onnx") ||
           model.ends_with(".json");
}

/// What Keras writes (model.to_json()): the file is the model, and no option is in it.
bool isKerasModel(const json::object& object) {
    return object.contains("class_name") && object.contains("config");
}

/// What to simulate: a name, a path, or the job file itself where it lists operations.
std::string modelOf(const json::value& value, const std::string& origin,
                    const fs::path& directory) {
    if (value.is_object())
        return origin;
    if (!value.is_string() || value.as_string().empty())
        throw UserError(fmt::format(
            "{}: the value of 'model' must be text, or an object that lists operations", origin));
    std::string model(value.as_string());
    if (looksLikePath(model) && fs::path(model).is_relative())
        return (directory / model).string();
    return model;
}

json::object propertyOf(const OptionSpec& spec) {
    using Type = OptionSpec::Type;
    json::object property{{"description", spec.help}};
    // In the order of the types; those of a choice are its values.
    const std::array<json::value, 8> types{"integer",
                                           "number",
                                           "string",
                                           nullptr,
                                           "boolean",
                                           "object",
                                           json::array{"number", "string"},
                                           json::array{"object", "string"}};
    if (spec.type == Type::Choice)
        property["enum"] = json::array(spec.choices.begin(), spec.choices.end());
    else
        property["type"] = types.at(static_cast<std::size_t>(spec.type));
    if (!spec.defaultValue.empty()) {
        const bool quoted = spec.type == Type::Text || spec.type == Type::Choice;
        property["default"] = quoted                    ? json::value(spec.defaultValue)
                              : spec.type == Type::Flag ? json::value(spec.defaultValue == "on")
                                                        : json::parse(spec.defaultValue);
    }
    return property;
}

} // namespace

Job readJob(const fs::path& file) {
    return parseJob(readFile(file), file.string(), file.parent_path());
}

Job parseJob(std::string_view text, const std::string& origin, const fs::path& directory) {
    const json::value parsed = parseJson(text, origin);
    const json::object* object = parsed.if_object();
    if (object == nullptr)
        throw UserError(fmt::format("{}: a job is a JSON object with the key \"model\"", origin));
    Job job;
    if (isKerasModel(*object)) {
        job.model = origin;
        return job;
    }
    for (const auto& [key, value] : *object) {
        checkKey(key, origin);
        if (key == "model") {
            job.model = modelOf(value, origin, directory);
            continue;
        }
        checkKind(*findOption(key), value, origin);
        std::string& stored = job.options[std::string(key)] = optionText(value, false);
        // A file beside the job, as the model is.
        const bool isFile = key == "customOperations" || (key == "target" && isTargetFile(stored));
        if (isFile && !stored.empty() && fs::path(stored).is_relative())
            stored = (directory / stored).string();
    }
    if (job.model.empty())
        throw UserError(fmt::format(
            "{}: the key 'model' is missing; it names an .onnx file or a zoo model", origin));
    return job;
}

std::string jobSchema() {
    json::object properties{
        {"model",
         {{"description",
           "path of an .onnx file (relative to the job file), zoo name, or an object "
           "that lists variables and operations"},
          {"type", json::array{"string", "object"}}}}};
    for (const OptionSpec& spec : runOptionTable())
        properties[spec.key] = propertyOf(spec);
    // A target is a preset or a file.
    json::object& target = properties["target"].as_object();
    target["anyOf"] = json::array{json::object{{"enum", target["enum"]}},
                                  json::object{{"type", "string"}, {"pattern", "\\.json$"}}};
    target.erase("enum");
    const json::object schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                              {"title", "TileScope job"},
                              {"type", "object"},
                              {"required", json::array{"model"}},
                              {"additionalProperties", false},
                              {"properties", std::move(properties)}};
    return indentedJson(schema);
}

} // namespace tilescope
