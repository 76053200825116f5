// The tables of the liveness report, made on a worker thread.
#pragma once

#include <span>
#include <stop_token>

#include "core/analysis/compare/profile_pair.h"
#include "core/target/selection.h"
#include "views/tables/cell_text.h"
#include "views/tables/value_tree.h"

namespace tilescope::views {

/// Steps are the source's; the target's are the corresponding ones (ProfileMatching). Several steps
/// are side by side, a column each.
using Steps = std::span<const StepId>;

/// Always-live variables, largest first.
Table alwaysLiveTable(const ProfilePair& profiles, const TileSelection& tiles,
                      const std::stop_token& stop);
/// Variables live at steps that are not always live.
Table notAlwaysLiveTable(const ProfilePair& profiles, const TileSelection& tiles, Steps steps,
                         const std::stop_token& stop);
/// Vertices of the steps' compute sets.
Table stepVerticesTable(const ProfilePair& profiles, const TileSelection& tiles, Steps steps,
                        const std::stop_token& stop);
/// Estimated cycles of the steps on each IPU.
Table cycleTable(const ProfilePair& profiles, Steps steps, const std::stop_token& stop);

/// Live bytes over tiles: least, mean, most and deviation over `tiles`, then each of `chosen`;
/// columns are the always-live bytes, the most not always live, and each step.
Table tileStatisticsTable(const ProfilePair& profiles, const TileSelection& tiles,
                          std::span<const TileId> chosen, Steps steps, const std::stop_token& stop);

/// Details of a variable of the source, and of the one of the same name in the target: its purpose,
/// where it lies, when it is live, and which programs write and read it.
ValueTree variableTree(const ProfilePair& profiles, VariableId variable,
                       const std::stop_token& stop);

} // namespace tilescope::views
