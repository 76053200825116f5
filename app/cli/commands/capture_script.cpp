// `capture-script`: the script that captures a profile of Poplar where its SDK is.
#include <memory>
#include <ostream>
#include <string>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/common.h"
#include "core/base/atomic_file.h"
#include "core/remote/capture_script.h"

namespace tilescope::cli {
namespace {

struct ScriptArguments {
    std::string output;
};

int printScript(const ScriptArguments& arguments, const Streams& streams) {
    if (arguments.output.empty())
        streams.out << captureScriptText();
    else
        writeFileAtomically(arguments.output, captureScriptText());
    return exitYes;
}

} // namespace

void addCaptureScriptCommand(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand(
        "capture-script", "Prints tilescope_capture.py, which copies a profile of Poplar into a "
                          "file for 'import' where Poplar's SDK is");
    const auto a = std::make_shared<ScriptArguments>();
    command->add_option("-o,--output", a->output, "file to write [standard output]");
    setAction(*command, action, a, printScript);
}

} // namespace tilescope::cli
