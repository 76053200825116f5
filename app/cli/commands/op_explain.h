// What `op --explain` prints: the planner's alternatives with every term of their cost.
#pragma once

#include <vector>

#include <boost/json.hpp>

#include "app/cli/document.h"
#include "simulator/operations/explain.h"

namespace tilescope::cli {

/// A table for each operation, the chosen plan marked with '*'.
std::vector<Table> explanationTables(const std::vector<sim::ExplainedOperation>& operations);

/// [{"operation", "availableMemoryProportion", "plans": [a plan as in "plan" with "chosen", ...]}]
boost::json::array explanationJson(const std::vector<sim::ExplainedOperation>& operations);

} // namespace tilescope::cli
