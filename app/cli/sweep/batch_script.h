// A sweep as a batch job of a cluster.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilescope::cli {

/// A script for sbatch that runs `words` (a command and its arguments) as that many ranks, one core
/// each. The job's output goes next to the results in `directory`. An interrupted job can be
/// submitted again and resumes.
std::string slurmScript(std::int64_t ranks, const std::string& directory,
                        const std::vector<std::string>& words);

} // namespace tilescope::cli
