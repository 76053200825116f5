#include "app/cli/commands/cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <new>
#include <string_view>
#include <system_error>

#include "app/cli/commands/abbreviations.h"
#include "app/cli/commands/commands.h"
#include "app/cli/commands/topic_help.h"
#include "app/cli/document.h"
#include "core/base/error.h"
#include "core/base/suggest.h"

namespace tilescope::cli {
namespace {

std::vector<std::string> commandNames(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        if (!command->get_group().empty())
            names.push_back(command->get_name());
    return names;
}

std::vector<std::string> optionNames(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options())
        for (const std::string& name : option->get_lnames())
            names.push_back("--" + name);
    return names;
}

/// The command that was chosen, down to "zoo export".
CLI::App& chosenCommand(CLI::App& app) {
    CLI::App* command = &app;
    while (!command->get_subcommands().empty())
        command = command->get_subcommands().front();
    return *command;
}

std::string fullName(const CLI::App& command) {
    return command.get_parent() == nullptr
               ? std::string("tilescope")
               : fullName(*command.get_parent()) + " " + command.get_name();
}

/// "tilescope zoo" of "tilescope zoo export"; "" of the program itself.
std::string parentName(const CLI::App& command) {
    return command.get_parent() == nullptr ? std::string() : fullName(*command.get_parent());
}

/// An argument that the parser did not accept: a mistyped command or option, or one too many.
std::string describeExtra(const CLI::App& command, const std::string& extra) {
    const std::string help = fmt::format("See '{} --help'.", fullName(command));
    if (extra.starts_with("-")) {
        const std::string name = extra.substr(0, extra.find('='));
        return fmt::format("unknown option '{}' of '{}'.{} {}", name, fullName(command),
                           didYouMean(name, optionNames(command)), help);
    }
    const std::vector<std::string> commands = commandNames(command);
    if (commands.empty())
        return fmt::format("'{}' takes no argument '{}'. {}", fullName(command), extra, help);
    return fmt::format("unknown command '{}'.{} {}", extra, didYouMean(extra, commands), help);
}

std::string describe(CLI::App& app, const CLI::ParseError& error) {
    const CLI::App& command = chosenCommand(app);
    std::vector<std::string> extras = command.remaining();
    if (extras.empty())
        extras = app.remaining(true);
    // The unknown option is a better explanation than the argument it left without a value.
    const auto option = std::find_if(extras.begin(), extras.end(), [](const std::string& extra) {
        return extra.starts_with("-");
    });
    if (!extras.empty())
        return describeExtra(command, option == extras.end() ? extras.front() : *option);
    if (command.get_subcommands([](const CLI::App*) { return true; }).empty())
        return fmt::format("{}. See '{} --help'.", error.what(), fullName(command));
    return fmt::format("a command is missing: {}. See '{} --help'.",
                       fmt::join(commandNames(command), ", "), fullName(command));
}

int fail(const Streams& streams, int status, const std::string& text) {
    streams.err << "tilescope: error: " << printable(boundedMessage(text), Lines::Keep) << '\n';
    return status;
}

/// oneTBB reports it as a plain std::runtime_error (its misc_ex.cpp).
bool isLackOfThreads(const std::exception& error) {
    return std::string_view(error.what()).starts_with("pthread_create has failed");
}

int internal(const Streams& streams, const std::string& what,
             const std::vector<std::string>& args) {
    return fail(streams, exitInternal,
                fmt::format("internal error: {} (in 'tilescope {}'). This is a fault of "
                            "TileScope, please report it.",
                            what, fmt::join(args, " ")));
}

int parseAndRun(const std::vector<std::string>& args, const Streams& streams, sim::KeptWork* kept) {
    CLI::App app("Simulates the Graphcore IPU and shows where every byte and cycle went.",
                 "tilescope");
    app.set_version_flag("--version", std::string("TileScope ") + TILESCOPE_VERSION);
    app.require_subcommand(1);
    Action action;
    // A command may follow options of the program.
    const auto optionsOf = [&](std::string_view command) {
        return std::find(args.begin(), args.end(), command) == args.end() ? TableOptions::None
                                                                          : TableOptions::All;
    };
    addRunCommand(app, action, kept, optionsOf("run"));
    for (const auto add :
         {addModelsCommand, addTargetsCommand, addSchemaCommand, addInfoCommand, addReportCommand,
          addDiffCommand, addQueryCommand, addExportCommand, addZooCommand})
        add(app, action);
    addSweepCommand(app, action, optionsOf("sweep"));
    addSweepWorkerCommand(app, action);
    addTryCommand(app, action);
    addImportCommand(app, action);
    addCaptureScriptCommand(app, action);
    addCalibrateCommand(app, action);
    addOpCommand(app, action, !args.empty() && args.front() == "op");
    addPythonCommand(app, action);
    try {
        // The parser takes its arguments in reverse order.
        const std::vector<std::string> whole = withWholeOptions(app, args);
        app.parse(std::vector<std::string>(whole.rbegin(), whole.rend()));
    } catch (const CLI::CallForHelp&) {
        CLI::App& command = chosenCommand(app);
        streams.out << helpText(command, parentName(command), args);
        return exitYes;
    } catch (const CLI::CallForAllHelp&) {
        const CLI::App& command = chosenCommand(app);
        streams.out << command.help(parentName(command));
        return exitYes;
    } catch (const CLI::CallForVersion& version) {
        streams.out << version.what() << '\n';
        return exitYes;
    } catch (const CLI::ParseError& error) {
        return fail(streams, exitUsage, describe(app, error));
    }
    return action(streams);
}

} // namespace

int runCli(const std::vector<std::string>& args, const Streams& streams, sim::KeptWork* kept) {
    try {
        return parseAndRun(args, streams, kept);
    } catch (const UserError& error) {
        return fail(streams, exitUsage, error.what());
    } catch (const std::bad_alloc&) {
        return fail(streams, exitUsage, "not enough memory on this computer");
    } catch (const std::system_error& error) {
        return fail(streams, exitUsage,
                    fmt::format("the operating system reports: {}", error.what()));
    } catch (const std::exception& error) {
        if (isLackOfThreads(error))
            return fail(streams, exitUsage,
                        fmt::format("this computer cannot start another thread: {}", error.what()));
        return internal(streams, error.what(), args);
    } catch (...) {
        return internal(streams, "unknown exception", args);
    }
}

} // namespace tilescope::cli
