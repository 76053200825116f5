// What every view and section says of a run, added up: whether parts make their whole.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/analysis/accounting/cost_rows.h"
#include "core/view/profile_view.h"

namespace tilescope::test {

/// The rows of each layer of the accounting, for a test to spoil.
struct Figures {
    std::vector<std::vector<CostRow>> layers; ///< by CostLayer
    std::vector<std::vector<CostRow>> scopes; ///< by depth, from 1
};
Figures figuresOf(const ProfileView& profile);

/// A line for each figure that contradicts another, empty if all agree: rows of every layer against
/// the Summary, the trace's statistics, the program tree, the graph and the memory of the tiles.
std::string contradictions(const ProfileView& profile, const Figures& figures);

} // namespace tilescope::test
