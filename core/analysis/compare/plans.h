// How the plan of an operation changed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

/// A part of a plan that differs.
struct PlanDifference {
    std::string key;    ///< "partition.outChansSerial"
    std::string source; ///< JSON text; empty where that side has none
    std::string target;
    friend bool operator==(const PlanDifference&, const PlanDifference&) = default;
};

/// What the planner expected of a plan, where it says so.
struct PlanEstimate {
    std::optional<std::int64_t> cycles;
    std::optional<std::int64_t> tempBytes;
};

/// Differences between two plans (JSON objects as profiles have them; empty: no plan) in the order
/// of the source. What follows from the choice (the estimate, whether the memory target was kept)
/// is not part of it. Throws UserError if a plan of a damaged profile is no JSON object.
std::vector<PlanDifference> planDifferences(std::string_view source, std::string_view target);

PlanEstimate planEstimate(std::string_view plan);

/// Differences as one line: "method AMP -> SLIC, field [16,46] -> [32,46]"; "" if there are none.
std::string planText(const std::vector<PlanDifference>& differences);

} // namespace tilescope
