// What several commands share.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "app/cli/commands/commands.h"
#include "app/cli/document.h"
#include "core/base/damaged_profile.h"
#include "core/store/profile_reader.h"
#include "core/view/profile_view.h"

namespace tilescope::cli {

/// --json, and --csv where a command has a table.
struct FormatFlags {
    bool json = false;
    bool csv = false;
    [[nodiscard]] Format format() const {
        return json ? Format::Json : csv ? Format::Csv : Format::Text;
    }
};
void addJsonFlag(CLI::App& command, FormatFlags& flags);
void addFormatFlags(CLI::App& command, FormatFlags& flags);

/// PROFILE, and the profile that it names: a file, or a directory that contains a profile.pop, on
/// this machine or on another one (ssh://host/path).
void addProfileArgument(CLI::App& command, std::string& profile);
ProfileView openProfile(const std::string& path, const Streams& streams);
/// The file itself, or the copy of a remote one.
std::filesystem::path localFile(const std::string& name, const Streams& streams);

/// What a command does once it is chosen: run(arguments, streams).
template <class Arguments, class Run>
void setAction(CLI::App& command, Action& action, std::shared_ptr<Arguments> arguments, Run run) {
    command.callback([arguments, run, &action] {
        action = [arguments, run](const Streams& streams) { return run(*arguments, streams); };
    });
}

/// Likewise; errors in a file name the profile among the arguments.
template <class Arguments, class Run>
void setProfileAction(CLI::App& command, Action& action, std::shared_ptr<Arguments> arguments,
                      Run run) {
    setAction(command, action, arguments, [run](const Arguments& a, const Streams& streams) {
        return namingFile(a.profile, [&] { return run(a, streams); });
    });
}

} // namespace tilescope::cli
