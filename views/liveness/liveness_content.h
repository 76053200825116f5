// What the plot of the liveness report shows, made on a worker thread.
#pragma once

#include <optional>
#include <stop_token>

#include "core/analysis/compare/profile_pair.h"
#include "core/analysis/compare/step_alignment.h"
#include "core/analysis/insights/losses.h"
#include "core/analysis/liveness/liveness.h"
#include "core/base/units.h"
#include "views/liveness/lifetime_strip.h"
#include "views/plot/series/step_plot.h"

namespace tilescope::views {

/// How the steps of two profiles share an axis: each at its own number, or with the same operations
/// at the same place; AsFits chooses the latter if most steps have a counterpart.
enum class StepsAlign { AsFits, Steps, Operations };

struct LivenessOptions {
    TileSelection tiles;
    bool includeAlwaysLive = true;
    bool apart = false; ///< two profiles below each other instead of overlaid
    QString filter{};   ///< shows only steps whose names contain this, ignoring case
    bool limit = false; ///< a line at the memory of the tiles
    ByteUnits units{};  ///< of its label
    StepsAlign align = StepsAlign::AsFits;
    std::optional<LossKind> loss{}; ///< shows only steps that it counts
};

/// The steps of a profile and those that pass the filter, in the order of the axis.
struct StepList {
    std::vector<std::string> names; ///< of all steps
    std::vector<StepId> shown;
    /// Places of the shown steps on the axis, ascending; empty if there are no gaps between them.
    std::vector<std::int32_t> places;
    /// Length of the axis up to the last shown one.
    [[nodiscard]] std::size_t length() const;
    /// The place of the i-th shown step.
    [[nodiscard]] std::int32_t placeAt(std::size_t i) const {
        return places.empty() ? static_cast<std::int32_t>(i) : places[i];
    }
    /// The place of a step on the axis; -1 if it is not shown.
    [[nodiscard]] int placeOf(StepId step) const;
    /// The step at a place; none outside and in a gap.
    [[nodiscard]] StepId at(double place) const;
    /// Places [from, to) of the shown steps of an interval; empty if there are none.
    [[nodiscard]] Lifetime::Span placesOf(const StepInterval& interval) const;
};

/// The plot and the steps that it shows.
struct LivenessContent {
    StepPlot::Content plot;                  ///< of both profiles unless they are apart
    std::optional<StepPlot::Content> target; ///< if they are
    StepList sourceSteps;
    StepList targetSteps;             ///< empty unless two profiles are compared
    bool aligned = false;             ///< by operation
    StepId peak;                      ///< of the source
    std::vector<TileId> fullestTiles; ///< of the source, the fullest first
};

/// Always-live and not-always-live bytes by step, of one or both profiles.
LivenessContent livenessContent(const ProfilePair& profiles, const LivenessOptions& options,
                                const Theme& theme, const std::stop_token& stop);

/// When variables of the source are live, and those of the target with the same names.
std::vector<Lifetime> lifetimes(const ProfilePair& profiles,
                                const std::vector<VariableId>& variables,
                                const StepList& sourceSteps, const StepList& targetSteps,
                                const Theme& theme, const std::stop_token& stop);

/// The names of a profile's steps.
std::vector<std::string> namesOfSteps(const ProfileView& profile, const std::stop_token& stop);

} // namespace tilescope::views
