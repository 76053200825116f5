// `python`: the interpreter with TileScope's packages, and those that bear other frameworks' names.
#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "app/cli/commands/commands.h"
#include "core/base/error.h"

namespace tilescope::cli {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : value;
}

/// The folder that this program's bin is in.
fs::path prefix() {
    std::error_code error;
    return fs::read_symlink("/proc/self/exe", error).parent_path().parent_path();
}

/// Of the virtual environment that this program is installed in or that is active, else the
/// system's, for which Debian's packages are.
std::string interpreter() {
    if (std::string given = environment("TILESCOPE_PYTHON"); !given.empty())
        return given;
    const fs::path system = "/usr/bin/python3";
    std::error_code error;
    if (fs::exists(prefix() / "pyvenv.cfg", error))
        return (prefix() / "bin/python3").string();
    return environment("VIRTUAL_ENV").empty() && fs::exists(system, error) ? system.string()
                                                                           : "python3";
}

/// Folders of packages beside this program, in a build or as installed.
std::vector<std::string> packageFolders() {
    std::error_code error;
    std::vector<std::string> folders;
    for (const char* folder : {"python-frameworks", "lib/tilescope/frameworks", "python"})
        if (fs::is_directory(prefix() / folder, error))
            folders.push_back((prefix() / folder).string());
    return folders;
}

int startPython(const std::vector<std::string>& arguments) {
    std::vector<std::string> path = packageFolders();
    if (path.empty())
        throw UserError("the Python packages are not there: install python3-tilescope, or build "
                        "TileScope where python3-dev and pybind11-dev are installed");
    if (const std::string before = environment("PYTHONPATH"); !before.empty())
        path.push_back(before);
    ::setenv("PYTHONPATH", fmt::format("{}", fmt::join(path, ":")).c_str(), 1);
    std::string program = interpreter();
    std::vector<std::string> words = arguments;
    std::vector<char*> started{program.data()};
    for (std::string& word : words)
        started.push_back(word.data());
    started.push_back(nullptr);
    // As the shell would start it: this program ignores them.
    for (const int signal : {SIGPIPE, SIGXFSZ})
        std::signal(signal, SIG_DFL);
    ::execvp(program.c_str(), started.data());
    throw UserError(fmt::format("cannot start '{}': {}; install python3, or set TILESCOPE_PYTHON",
                                program, std::strerror(errno)));
}

} // namespace

void addPythonCommand(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand(
        "python", "Starts a Python script with 'poptorch', 'popart', 'tensorflow' and 'pva' over "
                  "the simulator; what follows is Python's: SCRIPT.py ARGUMENTS, or -m MODULE. "
                  "TILESCOPE_PYTHON names another interpreter");
    command->prefix_command();
    command->callback([command, &action] {
        action = [arguments = command->remaining()](const Streams& streams) {
            streams.out.flush();
            return startPython(arguments);
        };
    });
}

} // namespace tilescope::cli
