#include "app/cli/commands/abbreviations.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"

namespace tilescope::cli {
namespace {

const CLI::App* subcommand(const CLI::App& app, const std::string& name) {
    const auto found =
        app.get_subcommands([&](const CLI::App* one) { return one->check_name(name); });
    return found.empty() ? nullptr : found.front();
}

/// Options that begin with `start`, "--" included; an exact match is returned alone.
std::vector<std::string> optionsFrom(const CLI::App& tool, const std::string& start) {
    std::vector<std::string> found;
    for (const CLI::Option* option : tool.get_options()) {
        const std::string name =
            "--" + (option->get_lnames().empty() ? std::string() : option->get_lnames().front());
        if (name == start)
            return {name};
        if (name.starts_with(start))
            found.push_back(name);
    }
    return found;
}

} // namespace

std::vector<std::string> withWholeOptions(const CLI::App& app, std::vector<std::string> arguments) {
    if (arguments.size() < 2 || arguments[0] != "op")
        return arguments;
    const CLI::App* op = subcommand(app, arguments[0]);
    const CLI::App* tool = op == nullptr ? nullptr : subcommand(*op, arguments[1]);
    if (tool == nullptr)
        return arguments;
    for (std::string& argument : arguments) {
        const std::string start = argument.substr(0, argument.find('='));
        if (!start.starts_with("--") || start.size() == 2)
            continue;
        const std::vector<std::string> options = optionsFrom(*tool, start);
        if (options.size() > 1)
            throw UserError(fmt::format("op {}: '{}' is ambiguous: {}; write one of them",
                                        arguments[1], start, fmt::join(options, ", ")));
        if (!options.empty())
            argument.replace(0, start.size(), options.front());
    }
    return arguments;
}

} // namespace tilescope::cli
