#include "app/cli/commands/op_tools.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

#include "core/base/error.h"
#include "core/options/option_table.h"
#include "core/options/run_options.h"

namespace tilescope::cli {
namespace {

/// A list as the tools write it: "{56,56}", "56,56" or "3".
Numbers listOfNumbers(const std::string& key, const std::string& text) {
    Numbers values;
    std::string digits;
    const auto finish = [&] {
        if (!digits.empty())
            values.push_back(std::stoll(std::exchange(digits, {})));
    };
    for (const char c : text) {
        if (std::isdigit(static_cast<unsigned char>(c)) != 0 && digits.size() < 12)
            digits += c;
        else if (c == ',' || c == '{' || c == '}' || c == ' ')
            finish();
        else
            throw UserError(
                fmt::format("{}: '{}' is not a list of numbers such as {{56,56}}", key, text));
    }
    finish();
    if (values.empty())
        throw UserError(fmt::format("{}: '{}' contains no number", key, text));
    return values;
}

} // namespace

std::int64_t OpArguments::number(const std::string& key) const {
    return listOfNumbers("--" + key, text(key)).front();
}

Numbers OpArguments::list(const std::string& key) const {
    return listOfNumbers("--" + key, text(key));
}

bool OpArguments::flag(const std::string& key) const {
    if (text(key).empty()) // given as a flag
        return true;
    const std::string& given = oneOf(key, {"true", "false", "1", "0"});
    return given == "true" || given == "1";
}

const std::string& OpArguments::oneOf(const std::string& key,
                                      const std::vector<std::string>& known) const {
    const std::string& given = text(key);
    if (std::find(known.begin(), known.end(), given) == known.end())
        throw UserError(
            fmt::format("--{}: '{}' is not one of {}", key, given, fmt::join(known, ", ")));
    return given;
}

double OpArguments::real(const std::string& key) const {
    const std::string& given = text(key);
    double value = 0;
    const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), value);
    if (error != std::errc() || end != given.data() + given.size())
        throw UserError(fmt::format("--{}: '{}' is not a number", key, given));
    return value;
}

sim::Passes OpArguments::passes() const {
    const std::string& phase = oneOf("single-phase", {"all", "fwd", "bwd", "wu"});
    const bool all = phase == "all";
    return {all || phase == "fwd", all || phase == "bwd", all || phase == "wu"};
}

sim::DataType OpArguments::type(const std::string& key) const {
    return dataTypeOf(text(key) == "data-type" ? dataType : oneOf(key, {"half", "float"}));
}

Numbers OpArguments::forEachDim(const std::string& key, const Numbers& field) const {
    Numbers values = list(key);
    if (values.size() == 1)
        values.resize(field.size(), values.front());
    if (values.size() != field.size())
        throw UserError(fmt::format("--{}: {} values for {} field dimensions", key, values.size(),
                                    field.size()));
    return values;
}

sim::DataType dataTypeOf(const std::string& name) {
    return name == "float" ? sim::DataType::Float : sim::DataType::Half;
}

sim::OperationOptions operationOptions(const OpArguments& arguments) {
    sim::OperationOptions options;
    RunOptions run;
    setRunOption(run, "target", arguments.target);
    if (!arguments.tilesPerIpu.empty())
        setRunOption(run, "tilesPerIpu", arguments.tilesPerIpu);
    if (!arguments.proportion.empty())
        setRunOption(run, "availableMemoryProportion", arguments.proportion);
    setRunOption(run, "partialsType", arguments.partialsType);
    validate(run);
    options.target = run.machine.target;
    options.planning = run.planning;
    options.dataType = dataTypeOf(arguments.dataType);
    return options;
}

std::vector<Tool> opTools() {
    std::vector<Tool> all;
    for (auto* family : {convolutionTools, multiConvTools, productTools, recurrentTools, ctcTools})
        for (Tool& tool : family())
            all.push_back(std::move(tool));
    return all;
}

} // namespace tilescope::cli
