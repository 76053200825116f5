// For a build without MPI, in which one process is all ranks.

#include <fmt/format.h>

#include "app/cli/sweep/ranks.h"
#include "core/base/error.h"

namespace tilescope::cli {

Ranks::Ranks() {
    if (launchedRanks() > 1)
        throw UserError(fmt::format(
            "sweep: {} processes were started together, but this build has no MPI; install "
            "libopenmpi-dev and build from source, or start one process with --jobs",
            launchedRanks()));
}

Ranks::~Ranks() = default;

bool Ranks::attend(const NextPoint&, const std::function<void(const RankResult&)>&) {
    return working_ > 0;
}

std::optional<std::size_t> Ranks::ask(std::size_t) {
    return std::nullopt;
}

void Ranks::tell(const RankResult&) {
    throw InternalError("a result for another rank in a build without MPI");
}

void Ranks::abandon(int status) {
    std::_Exit(status);
}

} // namespace tilescope::cli
