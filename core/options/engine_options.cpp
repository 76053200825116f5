#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/options/engine_options.h"
#include "core/options/option_notes.h"
#include "core/options/option_rows.h"
#include "core/options/option_values.h"

namespace tilescope {
namespace {

std::string valueOf(const EngineOptions& options, std::string_view key) {
    const auto given = options.given.find(std::string(key));
    return given == options.given.end() ? "" : given->second;
}

bool isAllowed(const EngineOption& option, std::string_view value) {
    return option.values.empty() ||
           std::find(option.values.begin(), option.values.end(), value) != option.values.end();
}

std::string_view remarkOn(const EngineOption& option, std::string_view value) {
    return option.remark.when == (value != "false") ? option.remark.text : std::string_view();
}

} // namespace

const EngineOption* findEngineOption(std::string_view key) {
    const auto& table = engineOptionTable();
    const auto found = std::find_if(table.begin(), table.end(), [key](const EngineOption& option) {
        return option.key == key;
    });
    return found == table.end() ? nullptr : &*found;
}

void addEngineOptions(EngineOptions& options, std::string_view json, const std::string& origin) {
    const boost::json::value parsed = parseJson(json, origin);
    const boost::json::object* object = parsed.if_object();
    if (object == nullptr)
        throw UserError(fmt::format(
            R"({}: engine options are a JSON object such as {{"autoReport.all":"true"}})", origin));
    for (const auto& [key, value] : *object) {
        if (value.is_object() || value.is_array() || value.is_null())
            throw UserError(fmt::format(
                "{}: the value of engine option '{}' must be text, a number, true or false", origin,
                std::string_view(key)));
        options.given[std::string(key)] = optionText(value, true);
        const EngineOption* known = findEngineOption(key);
        if (known != nullptr && engineNumber(options, key, known->least) < known->least)
            throw UserError(fmt::format("{}: engine option '{}' must be at least {}, not {}",
                                        origin, std::string_view(key), known->least,
                                        options.given[std::string(key)]));
    }
}

std::string engineOptionsJson(const EngineOptions& options) {
    if (options.given.empty())
        return "";
    boost::json::object object;
    for (const auto& [key, value] : options.given)
        object[key] = value;
    return boost::json::serialize(object);
}

std::vector<OptionNote> engineOptionNotes(const EngineOptions& options) {
    std::vector<std::string> keys;
    for (const EngineOption& option : engineOptionTable())
        keys.emplace_back(option.key);
    std::vector<OptionNote> notes;
    for (const auto& [key, value] : options.given) {
        const EngineOption* known = findEngineOption(key);
        if (known == nullptr)
            notes.push_back({true, fmt::format("unknown engine option '{}': it is kept in the "
                                               "profile and has no effect.{}",
                                               key, didYouMean(key, keys))});
        else if (!isAllowed(*known, value))
            notes.push_back(
                {true, fmt::format("engine option '{}' is '{}', not one of {}; using {}", key,
                                   value, fmt::join(known->values, ", "), known->values.front())});
        else if (known->effect == EngineEffect::Recorded)
            notes.push_back(
                {false, fmt::format("engine option '{}' is recorded only and has no effect on the "
                                    "simulation: {}",
                                    key, known->what)});
        else if (known->effect == EngineEffect::NoMeaning)
            notes.push_back(
                {false, fmt::format("engine option '{}' has no meaning in a simulator: {}", key,
                                    known->what)});
        else if (const std::string_view text = remarkOn(*known, value); !text.empty())
            notes.push_back({false, std::string(text)});
    }
    return notes;
}

std::vector<OptionSpec> engineRows() {
    constexpr RowsOf engine(OptionTopic::ModelAndEngine, &RunOptions::engine);
    return {
        engine
            .text("executableCache", &EngineOptions::executableCache,
                  "directory for compiled programs: the same model with the same options is not "
                  "compiled again",
                  [](const OptionSpec& self, const std::string& value) {
                      if (!value.empty() && value.find_first_not_of(' ') == std::string::npos)
                          throw OptionError(
                              self.key,
                              fmt::format(
                                  "'{}' is not the name of a directory; give one, or leave it out",
                                  value));
                  })
            .knownAs(
                {{Face::PopTorch, "enableExecutableCaching"}, {Face::PopartSession, "cachePath"}}),
        engine
            .own(
                "engineOptions", OptionSpec::Type::Json,
                "Poplar engine options, in the form of POPLAR_ENGINE_OPTIONS",
                [](const OptionSpec& self, EngineOptions& options, const std::string& value) {
                    addEngineOptions(options, value, "option " + optionName(self.key));
                },
                engineOptionsJson)
            .knownAs({{Face::Keras, "compilation_poplar_options"}}),
    };
}

std::string_view engineChoice(const EngineOptions& options, std::string_view key) {
    const EngineOption& option = *findEngineOption(key);
    const std::string value = valueOf(options, key);
    const auto found = std::find(option.values.begin(), option.values.end(), value);
    return found == option.values.end() ? option.values.front() : *found;
}

bool engineSwitch(const EngineOptions& options, std::string_view key, bool byDefault) {
    const std::string value = valueOf(options, key);
    return value.empty() ? byDefault : value != "false";
}

std::int64_t engineNumber(const EngineOptions& options, std::string_view key,
                          std::int64_t byDefault) {
    const std::string text = valueOf(options, key);
    const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    const char* const first = text.data() + (hexadecimal ? 2 : 0);
    const char* const end = text.data() + text.size();
    std::int64_t value = 0;
    const auto [read, error] = std::from_chars(first, end, value, hexadecimal ? 16 : 10);
    return error == std::errc() && read == end ? value : byDefault;
}

CallbackThreads callbackThreads(const EngineOptions& options) {
    const std::string_view mode = engineChoice(options, "streamCallbacks.multiThreadMode");
    if (mode != "collaborative")
        return {mode == "dedicated", 1};
    // 0 or "auto" leaves the number to Poplar; *assumed*: as many as there are streams.
    const std::int64_t workers = engineNumber(options, "streamCallbacks.numWorkerThreads", 0);
    return {workers <= 0, std::max<std::int64_t>(1, workers)};
}

} // namespace tilescope
