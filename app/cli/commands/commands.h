// The commands. Each adds itself to the parser and, if chosen, stores its work in `action`.
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

/// What to do once the command line is parsed; returns the exit status. May throw UserError.
using Action = std::function<int(const Streams&)>;

/// Whether a command gets the options of a run. They are hundreds and take longer than the rest of
/// a start, so that only the command that is called gets them.
enum class TableOptions { None, All };

/// `kept`: work shared by several simulations, nullptr for a single one.
void addRunCommand(CLI::App& app, Action& action, sim::KeptWork* kept, TableOptions options);
void addModelsCommand(CLI::App& app, Action& action);
void addTargetsCommand(CLI::App& app, Action& action);
void addSchemaCommand(CLI::App& app, Action& action);
void addInfoCommand(CLI::App& app, Action& action);
void addReportCommand(CLI::App& app, Action& action);
void addDiffCommand(CLI::App& app, Action& action);
void addExportCommand(CLI::App& app, Action& action);
void addQueryCommand(CLI::App& app, Action& action);
void addSweepCommand(CLI::App& app, Action& action, TableOptions options);
void addSweepWorkerCommand(CLI::App& app, Action& action);
void addTryCommand(CLI::App& app, Action& action);
void addZooCommand(CLI::App& app, Action& action);
/// `withTools`: their options, several hundred, which take longer than the rest of a start.
void addOpCommand(CLI::App& app, Action& action, bool withTools);
void addPythonCommand(CLI::App& app, Action& action);
void addImportCommand(CLI::App& app, Action& action);
void addCalibrateCommand(CLI::App& app, Action& action);
void addCaptureScriptCommand(CLI::App& app, Action& action);

} // namespace tilescope::cli
