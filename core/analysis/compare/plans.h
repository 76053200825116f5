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

/// The planner's own estimates for a plan, where the plan has them.
struct PlanEstimate {
    std::optional<std::int64_t> cycles;
    std::optional<std::int64_t> tempBytes;
};

/// Differences between two plans (JSON objects as in profiles; empty: no plan) in the source's
/// order. Consequences of the choice (the estimate, whether the memory target was kept) are not
/// compared. Throws UserError if a plan of a damaged profile is not a JSON object.
std::vector<PlanDifference> planDifferences(std::string_view source, std::string_view target);

PlanEstimate planEstimate(std::string_view plan);

/// Differences as one line: "method AMP -> SLIC, field [16,46] -> [32,46]"; "" if there are none.
std::string planText(const std::vector<PlanDifference>& differences);

} // namespace tilescope
