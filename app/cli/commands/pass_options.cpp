#include "app/cli/commands/pass_options.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "core/base/atomic_file.h"
#include "core/base/units.h"
#include "simulator/graph/graph_text.h"

namespace tilescope::cli {
namespace {

std::size_t operationsOf(const sim::Graph& graph) {
    std::size_t count = graph.ops.size();
    for (const sim::Graph& function : graph.functions)
        count += function.ops.size();
    return count;
}

} // namespace

void addPassOptions(CLI::App& command, PassOptions& options) {
    const auto hidden = [](CLI::Option* option) { return option->group(""); };
    hidden(command.add_flag("--pass-timing", options.timing,
                            "print the time of each pass that prepares the graph"));
    hidden(command.add_option("--pass-off", options.off, "leave a pass out")
               ->type_name("PASS")
               ->allow_extra_args(false));
    hidden(command.add_option("--pass-dump", options.dump, "write the graph after each pass")
               ->type_name("DIR"));
}

sim::PassControl passControl(const PassOptions& options, std::ostream& err) {
    return {options.off, [&options, &err, number = 0](const sim::PassReport& pass) mutable {
                ++number;
                if (options.timing)
                    fmt::print(err, "{:<24} {:>10} {:>8} operations\n", pass.name,
                               formatSeconds(pass.seconds), operationsOf(pass.graph));
                if (!options.dump.empty())
                    writeFileAtomically(std::filesystem::path(options.dump) /
                                            fmt::format("{:02} {}.txt", number, pass.name),
                                        sim::graphText(pass.graph));
            }};
}

} // namespace tilescope::cli
