#include "tests/bench/damage/cli_visit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>

#include "app/cli/commands/cli.h"
#include "tests/support/reading_commands.h"

namespace tilescope::bench {
namespace {

/// What a command's end means. A message about damage names the file; others may be about an
/// option, such as a step that is gone.
Verdict verdictOf(int status, const std::string& error, const std::string& profile) {
    constexpr int exitInternal = 3;
    if (status >= exitInternal)
        return Verdict::Internal;
    if (status == 0)
        return Verdict::Fine;
    const bool named =
        error.find("damaged") == std::string::npos || error.find(profile) != std::string::npos;
    return error.starts_with("tilescope: error: ") && named ? Verdict::Message : Verdict::NoMessage;
}

struct Said {
    std::string command;
    int status = 0;
    std::string error;
};

std::vector<Said> sayings(const std::string& profile, const std::string& good, const Progress& at) {
    std::vector<Said> all;
    for (const auto& command : test::readingCommands(profile, good)) {
        all.push_back({fmt::format("{}", fmt::join(command, " ")), 0, {}});
        at(all.back().command);
        std::ostringstream out;
        std::ostringstream err;
        all.back().status = cli::runCli(command, {out, err});
        all.back().error = err.str();
    }
    return all;
}

std::string without(std::string text, const std::string& path) {
    for (std::size_t found = text.find(path); found != std::string::npos; found = text.find(path))
        text.erase(found, path.size());
    return text;
}

} // namespace

JobResult visitByCommands(const std::string& profile, const std::string& good, const Progress& at) {
    // A good profile may lack an execution, or a step that is asked for: that is no damage.
    static const std::vector<Said> usual = sayings(good, good, at);
    const std::vector<Said> all = sayings(profile, good, at);
    JobResult result;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Verdict verdict = verdictOf(all[i].status, all[i].error, profile);
        if (verdict > result.verdict &&
            without(all[i].error, profile) != without(usual.at(i).error, good)) {
            result.verdict = verdict;
            result.text = fmt::format("{}: {}", all[i].command, all[i].error);
        }
    }
    return result;
}

} // namespace tilescope::bench
