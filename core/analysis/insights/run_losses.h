// The cycles of a run by kind of loss alone, as comparisons need them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "core/analysis/insights/losses.h"
#include "core/view/profile_view.h"

namespace tilescope {

/// Of the last run, a mean over the IPUs; see findLosses().
struct RunLosses {
    std::int64_t cycles = 0;                            ///< of the run
    std::array<double, lossKinds.size()> byKind{};      ///< add up to these
    std::array<std::string, lossKinds.size()> places{}; ///< the largest of each kind; may be empty
};

/// None if nothing ran. Throws UserError for a damaged profile, Cancelled after a stop.
std::optional<RunLosses> runLosses(const ProfileView& profile, const std::stop_token& stop = {});

} // namespace tilescope
