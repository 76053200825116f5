#include "core/target/target_file.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <type_traits>
#include <vector>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/indented_json.h"
#include "core/base/printable.h"
#include "core/base/suggest.h"

namespace tilescope {
namespace json = boost::json;
namespace {

// Beyond what any machine has.
constexpr double mostSyncCycles = 1e6;
constexpr double mostOfRate = 1e15; // B/s or Hz
constexpr double mostSeconds = 10;
constexpr std::size_t longestName = 200;

/// Constants in cycles, seconds or per second.
bool isOfTime(std::string_view name) {
    return name.ends_with("SyncCycles") || name.ends_with("Seconds") ||
           name.ends_with("PerSecond") || name == "clockHz";
}

// A machine without latency is one; without a clock or a link it is none.
bool mayBeZero(std::string_view name) {
    return !name.ends_with("PerSecond") && name != "clockHz";
}

double mostOf(std::string_view name) {
    return name.ends_with("Cycles")      ? mostSyncCycles
           : name.ends_with("PerSecond") ? mostOfRate
           : name == "clockHz"           ? mostOfRate
                                         : mostSeconds;
}

/// Calls visit(name, field) for each constant that a file may set.
template <class AnyTarget, class Visitor> void visitSettable(AnyTarget& target, Visitor visit) {
    visitTargetFields(target, [&](const char* name, auto& field, int) {
        if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(field)>>)
            if (isOfTime(name))
                visit(std::string_view(name), field);
    });
}

class Reader {
public:
    explicit Reader(std::string_view file)
        : file_(file) {}

    Target read() const {
        json::error_code failed;
        const json::value value = json::parse(readFile(std::string(file_)), failed);
        if (failed || !value.is_object())
            refuse("it is not a JSON object. 'tilescope calibrate -o FILE.json' writes one");
        const json::object& object = value.as_object();
        const json::value* base = object.if_contains("base");
        if (base == nullptr || !base->is_string())
            refuse("key 'base' must name the target that it changes, such as \"mk2\"");
        Target target = presetOf(std::string(base->as_string()));
        target.description = std::filesystem::path(file_).stem().string();
        target.name = std::filesystem::absolute(file_).string();
        if (const json::value* name = object.if_contains("name"))
            setName(target, *name);
        if (const json::value* constants = object.if_contains("constants")) {
            if (!constants->is_object())
                refuse("key 'constants' must be an object");
            for (const auto& [key, number] : constants->as_object())
                set(target, key, number);
        }
        return target;
    }

private:
    [[noreturn]] void refuse(const std::string& what) const {
        throw UserError(fmt::format("target '{}': {}", file_, printable(what)));
    }

    [[nodiscard]] Target presetOf(const std::string& name) const {
        try {
            return targetPreset(name);
        } catch (const UserError& error) {
            refuse(fmt::format("key 'base': {}", error.what()));
        }
    }

    void setName(Target& target, const json::value& name) const {
        if (!name.is_string() || name.as_string().size() > longestName)
            refuse(fmt::format("key 'name' must be text of at most {} bytes", longestName));
        target.description = printable(std::string(name.as_string()));
    }

    void set(Target& target, std::string_view key, const json::value& value) const {
        std::vector<std::string> known;
        bool found = false;
        visitSettable(target, [&](std::string_view name, auto& field) {
            known.emplace_back(name);
            if (name != key)
                return;
            found = true;
            using Type = std::remove_reference_t<decltype(field)>;
            const double number = numberOf(key, value);
            field = std::is_integral_v<Type> ? static_cast<Type>(std::llround(number))
                                             : static_cast<Type>(number);
        });
        if (!found)
            refuse(fmt::format("there is no constant '{}' that can be set: {} can.{}", key,
                               fmt::join(known, ", "), didYouMean(std::string(key), known)));
    }

    [[nodiscard]] double numberOf(std::string_view key, const json::value& value) const {
        const double number = value.is_number() ? value.to_number<double>() : std::nan("");
        if (!(number >= 0 && number <= mostOf(key)) || (number == 0 && !mayBeZero(key)))
            refuse(fmt::format("constant '{}' must be a number {} 0, up to {}", key,
                               mayBeZero(key) ? "from" : "above", mostOf(key)));
        return number;
    }

    std::string_view file_;
};

json::object constantsSchema() {
    json::object properties;
    const Target any;
    std::vector<std::string_view> settable;
    visitSettable(any, [&](std::string_view name, const auto&) { settable.push_back(name); });
    for (const TargetConstant& constant : targetConstants(any)) {
        if (std::find(settable.begin(), settable.end(), constant.name) == settable.end())
            continue;
        properties[constant.name] = {{"description", fmt::format("in {}", constant.unit)},
                                     {"type", "number"},
                                     {mayBeZero(constant.name) ? "minimum" : "exclusiveMinimum", 0},
                                     {"maximum", mostOf(constant.name)}};
    }
    return properties;
}

} // namespace

bool isTargetFile(std::string_view name) {
    return name.ends_with(".json");
}

Target namedTarget(std::string_view name) {
    return isTargetFile(name) ? Reader(name).read() : targetPreset(name);
}

std::string machineName(const Target& target) {
    return isTargetFile(target.name) ? target.description : target.name;
}

std::string targetFileSchema() {
    json::array presets;
    for (const Target& preset : targetPresets())
        presets.emplace_back(preset.name);
    const json::object properties{
        {"base",
         {{"description", "the target whose other constants it has"},
          {"enum", std::move(presets)}}},
        {"name", {{"description", "for people"}, {"type", "string"}, {"maxLength", longestName}}},
        {"constants",
         {{"description", "constants of time; 'tilescope targets --json' says what they mean"},
          {"type", "object"},
          {"additionalProperties", false},
          {"properties", constantsSchema()}}},
        {"fitted",
         {{"description", "what 'tilescope calibrate' fitted a constant to, for people"},
          {"type", "object"}}}};
    return indentedJson(json::object{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                                     {"title", "TileScope target"},
                                     {"type", "object"},
                                     {"required", json::array{"base"}},
                                     {"properties", properties}});
}

std::string targetFileText(const Target& preset, const Target& target, const std::string& name,
                           const FitNotes& fitted) {
    json::object constants;
    std::map<std::string, double> before;
    visitSettable(preset, [&](std::string_view key, const auto& field) {
        before[std::string(key)] = static_cast<double>(field);
    });
    visitSettable(target, [&](std::string_view key, const auto& field) {
        if (before[std::string(key)] != static_cast<double>(field))
            constants[key] = field;
    });
    json::object notes;
    for (const auto& [constant, numbers] : fitted) {
        json::object& note = notes[constant].emplace_object();
        for (const auto& [key, number] : numbers)
            note[key] = number;
    }
    const json::object object{{"base", preset.name},
                              {"name", name},
                              {"constants", std::move(constants)},
                              {"fitted", std::move(notes)}};
    return json::serialize(object) + "\n";
}

} // namespace tilescope
