// `info`: the summary of a profile.
#include <boost/json.hpp>
#include <memory>
#include <ostream>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/common.h"
#include "app/cli/summary_output.h"
#include "core/base/damaged_profile.h"

namespace tilescope::cli {

namespace {

int info(const std::string& profile, const FormatFlags& flags, const Streams& streams) {
    const ProfileReader reader = openProfile(profile);
    const std::vector<Message> messages = reader.messages();
    const SummarySource source{reader.info(), memorySummary(reader), messages, reader.file()};
    if (flags.json)
        writeJson(streams.out, summaryJson(source));
    else
        writeSummary(streams.out, source);
    return exitYes;
}

} // namespace

void addInfoCommand(CLI::App& app, Action& action) {
    struct InfoArguments {
        std::string profile;
        FormatFlags flags;
    };
    CLI::App* command = app.add_subcommand("info", "Prints the summary of a profile");
    const auto arguments = std::make_shared<InfoArguments>();
    command->add_option("PROFILE", arguments->profile, "profile.pop, or the directory it is in")
        ->required();
    addJsonFlag(*command, arguments->flags);
    command->callback([arguments, &action] {
        action = [arguments](const Streams& streams) {
            return namingFile(arguments->profile,
                              [&] { return info(arguments->profile, arguments->flags, streams); });
        };
    });
}

} // namespace tilescope::cli
