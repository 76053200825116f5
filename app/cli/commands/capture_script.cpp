// `capture-script`: the script that captures a profile of Poplar where its SDK is.
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include "app/cli/commands/capture_script.h"
#include "app/cli/commands/commands.h"
#include "app/cli/commands/common.h"
#include "core/base/atomic_file.h"

namespace tilescope::cli {
namespace {

constexpr std::string_view captureScript =
#include "capture_script_text.inc"
    ;

struct ScriptArguments {
    std::string output;
};

int printScript(const ScriptArguments& arguments, const Streams& streams) {
    if (arguments.output.empty())
        streams.out << captureScript;
    else
        writeFileAtomically(arguments.output, captureScript);
    return exitYes;
}

} // namespace

std::string_view captureScriptText() {
    return captureScript;
}

void addCaptureScriptCommand(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand(
        "capture-script", "Prints tilescope_capture.py, which copies a profile of Poplar into a "
                          "file for 'import' where Poplar's SDK is");
    const auto a = std::make_shared<ScriptArguments>();
    command->add_option("-o,--output", a->output, "file to write [standard output]");
    setAction(*command, action, a, printScript);
}

} // namespace tilescope::cli
