#include <charconv>
#include <cstdlib>
#include <string_view>

#include "app/cli/sweep/ranks.h"

namespace tilescope::cli {

std::size_t launchedRanks() {
    // Slurm also sets its variable for a batch script, which is one process; it counts ranks only
    // within a step.
    const bool step =
        std::getenv("SLURM_STEP_ID") != nullptr && std::getenv("SLURM_STEP_NUM_TASKS") != nullptr;
    for (const char* variable :
         {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", step ? "SLURM_STEP_NUM_TASKS" : ""}) {
        const char* text = *variable == '\0' ? nullptr : std::getenv(variable);
        if (text == nullptr)
            continue;
        const std::string_view digits = text;
        std::size_t ranks = 0;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), ranks);
        if (error == std::errc() && ranks > 0)
            return ranks;
    }
    return 1;
}

} // namespace tilescope::cli
