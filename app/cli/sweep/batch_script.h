// A sweep as a batch job of a cluster.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilescope::cli {

/// A script for sbatch that runs `words` (a command and its arguments) as that many ranks, one core
/// each. What the job prints goes beside the results in `directory`. A job that is cut off can be
/// handed in again: it goes on.
std::string slurmScript(std::int64_t ranks, const std::string& directory,
                        const std::vector<std::string>& words);

} // namespace tilescope::cli
