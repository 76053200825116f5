// `info`: the summary of a profile.
#include <boost/json.hpp>
#include <memory>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/common.h"
#include "app/cli/summary_output.h"

namespace tilescope::cli {

void addInfoCommand(CLI::App& app, Action& action) {
    struct InfoArguments {
        std::string profile;
        FormatFlags flags;
    };
    CLI::App* command = app.add_subcommand("info", "Prints the summary of a profile");
    const auto arguments = std::make_shared<InfoArguments>();
    addProfileArgument(*command, arguments->profile);
    addJsonFlag(*command, arguments->flags);
    setProfileAction(*command, action, arguments,
                     [](const InfoArguments& a, const Streams& streams) {
                         const ProfileView profile = openProfile(a.profile, streams);
                         if (a.flags.json)
                             writeJson(streams.out, summaryJson(summaryOf(profile)));
                         else
                             writeSummary(streams.out, summaryOf(profile));
                         return exitYes;
                     });
}

} // namespace tilescope::cli
