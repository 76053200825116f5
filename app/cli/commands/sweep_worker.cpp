// `sweep-worker`: started by `sweep` to simulate its points. Not for users.
#include <CLI/CLI.hpp>
#include <iostream>

#include "app/cli/commands/cli.h"
#include "app/cli/commands/commands.h"
#include "app/cli/sweep/point_worker.h"
#include "simulator/kept_work.h"

namespace tilescope::cli {

void addSweepWorkerCommand(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand(sweepWorkerCommand, "Runs points of a sweep");
    command->group(""); // not listed in the help
    command->callback([&action] {
        action = [](const Streams& streams) {
            sim::KeptWork kept;
            return servePoints(std::cin, streams.out,
                               [&kept](const std::vector<std::string>& words, const Streams& own) {
                                   return runCli(words, own, &kept);
                               });
        };
    });
}

} // namespace tilescope::cli
