// What the liveness report shows, made on a worker thread.
#pragma once

#include <stop_token>

#include "core/analysis/liveness.h"
#include "views/plot/series/step_plot.h"
#include "views/session/open_profile.h"
#include "views/tables/data_table.h"

namespace tilescope::views {

/// The plot with what belongs to its steps.
struct LivenessContent {
    StepPlot::Content plot;
    std::vector<std::string> stepNames; ///< of the source
    StepId peak;                        ///< of the source
};

/// Always-live and not-always-live bytes by step; with two profiles those of both, overlaid.
LivenessContent livenessContent(const ProfilePair& profiles, const TileSelection& tiles,
                                bool includeAlwaysLive, const Theme& theme,
                                const std::stop_token& stop);

/// Always-live variables, largest first; compared if there are two profiles.
DataTable alwaysLiveTable(const ProfilePair& profiles, const TileSelection& tiles, ByteUnits units,
                          const std::stop_token& stop);
/// Variables live at a step that are not always live. The target is asked for its step of the same
/// name (or, failing that, the same number).
DataTable notAlwaysLiveTable(const ProfilePair& profiles, const TileSelection& tiles, StepId step,
                             ByteUnits units, const std::stop_token& stop);
/// Vertices of the step's compute set.
DataTable stepVerticesTable(const ProfilePair& profiles, const TileSelection& tiles, StepId step,
                            const std::stop_token& stop);
/// Estimated cycles of the step on each IPU.
DataTable cycleTable(const ProfilePair& profiles, StepId step, const std::stop_token& stop);

/// The target's step that corresponds to a step of the source.
StepId matchingStep(const ProfilePair& profiles, StepId step, const std::stop_token& stop);

} // namespace tilescope::views
