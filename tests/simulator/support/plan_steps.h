// The planner's estimate of each operation beside the cycles of the steps that it was lowered to.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/profile/profile.h"

namespace tilescope::test {

/// Cycles of a planned operation by the terms of sim::ConvCost.
struct PlanTerms {
    static constexpr std::array<std::string_view, 5> names{"compute", "exchange", "reduce",
                                                           "serial", "rearrange"};
    std::array<std::int64_t, names.size()> cycles{};
    [[nodiscard]] std::int64_t total() const;
};

struct PlanSteps {
    OperationId operation;
    PlanTerms estimated, timed;
};

/// Of each convolution and product of a profile; those with the same estimate, steps and plan once.
/// A compute set takes as long as its slowest tile, an exchange as its busiest; a loop over slices
/// counts its steps.
std::vector<PlanSteps> planStepsOf(const Profile& profile);

} // namespace tilescope::test
