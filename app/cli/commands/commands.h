// The commands. Each adds itself to the parser and, if it is chosen, leaves what it does in `run`.
#pragma once

#include <functional>

#include "app/cli/streams.h"

namespace CLI {
class App;
}
namespace tilescope::sim {
struct KeptWork;
}

namespace tilescope::cli {

/// What to do once the command line is parsed; gives the exit status. May throw UserError.
using Action = std::function<int(const Streams&)>;

/// `kept`: what simulations share, nullptr for one alone.
void addRunCommand(CLI::App& app, Action& action, sim::KeptWork* kept);
void addModelsCommand(CLI::App& app, Action& action);
void addTargetsCommand(CLI::App& app, Action& action);
void addSchemaCommand(CLI::App& app, Action& action);
void addInfoCommand(CLI::App& app, Action& action);
void addReportCommand(CLI::App& app, Action& action);
void addDiffCommand(CLI::App& app, Action& action);
void addExportCommand(CLI::App& app, Action& action);
void addQueryCommand(CLI::App& app, Action& action);
void addSweepCommand(CLI::App& app, Action& action);
void addSweepWorkerCommand(CLI::App& app, Action& action);
void addTryCommand(CLI::App& app, Action& action);
void addZooCommand(CLI::App& app, Action& action);
void addOpCommand(CLI::App& app, Action& action);

} // namespace tilescope::cli
