#include "tests/bench/damage/cli_visit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>

#include "app/cli/cli.h"
#include "tests/support/reading_commands.h"

namespace tilescope::bench {
namespace {

/// What a command's end means. A message about damage names the file; others may be about an option,
/// such as a step that is gone.
Verdict verdictOf(int status, const std::string& error, const std::string& profile) {
    constexpr int exitInternal = 3;
    if (status >= exitInternal)
        return Verdict::Internal;
    if (status == 0)
        return Verdict::Fine;
    const bool named = error.find("damaged") == std::string::npos ||
                       error.find(profile) != std::string::npos;
    return error.starts_with("tilescope: error: ") && named ? Verdict::Message : Verdict::NoMessage;
}

} // namespace

JobResult visitByCommands(const std::string& profile, const std::string& good, const Progress& at) {
    JobResult result;
    for (const auto& command : test::readingCommands(profile, good)) {
        at(fmt::format("{}", fmt::join(command, " ")));
        std::ostringstream out;
        std::ostringstream err;
        const int status = cli::runCli(command, {out, err});
        const Verdict verdict = verdictOf(status, err.str(), profile);
        if (verdict > result.verdict) {
            result.verdict = verdict;
            result.text = fmt::format("{}: {}", fmt::join(command, " "), err.str());
        }
    }
    return result;
}

} // namespace tilescope::bench
