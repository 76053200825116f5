#include "app/cli/sweep/batch_script.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilescope::cli {
namespace {

/// Quoted for a shell; plain words unchanged.
std::string quoted(const std::string& word) {
    const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 ||
               std::string_view("-_./=:,").find(static_cast<char>(c)) != std::string_view::npos;
    });
    if (plain)
        return word;
    std::string result = "'";
    for (const char c : word)
        result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

} // namespace

std::string slurmScript(std::int64_t ranks, const std::string& directory,
                        const std::vector<std::string>& words) {
    std::vector<std::string> command;
    for (const std::string& word : words)
        command.push_back(quoted(word));
    return fmt::format("#!/bin/sh\n"
                       "#SBATCH --job-name=tilescope-sweep\n"
                       "#SBATCH --ntasks={}\n"
                       "#SBATCH --cpus-per-task=1\n"
                       "#SBATCH --output={}\n"
                       "# The same script goes on where a job was cut off.\n"
                       "srun --mpi=pmix {}\n",
                       ranks, quoted(directory + "/slurm-%j.log"), fmt::join(command, " "));
}

} // namespace tilescope::cli
