// Suggestions against losses, simulated: their gains compared with the predictions.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/insights/insights.h"
#include "core/profile/profile.h"
#include "core/sweep/point_result.h"
#include "core/table/table.h"

namespace tilescope {

enum class TrialVerdict {
    Fits,        ///< the run before did not
    OutOfMemory, ///< needs more memory than there is
    AsPredicted, ///< gains at least half of the predicted maximum, and hardly more than all of it
    Less,        ///< gains, but less than that
    Wrong,       ///< a gain was predicted, and there is none
    Faster,      ///< nothing was predicted
    NoGain,      ///< likewise
    Failed,      ///< the run ended with an error
    More         ///< gains more than predicted as possible
};
template <>
inline constexpr auto enumNames<TrialVerdict> = std::to_array<std::string_view>(
    {"fits", "outOfMemory", "asPredicted", "less", "wrong", "faster", "noGain", "failed", "more"});
template <>
inline constexpr auto enumTitles<TrialVerdict> = std::to_array<std::string_view>(
    {"fits now", "out of memory", "as predicted", "less than predicted", "wrong: no gain", "faster",
     "no gain", "failed", "more than predicted"});

/// One suggestion, simulated with everything else unchanged.
struct Trial {
    Advice advice;
    double predicted = 0; ///< share of the time of a sample that is saved at most; 0: not predicted
    double gained = 0;    ///< likewise as simulated; negative if a sample takes longer
    PointResult result;
    TrialVerdict verdict = TrialVerdict::Failed;
};

/// `before`: the run for which the suggestion was made.
Trial trialOf(const ProfileInfo& before, const Advice& advice, PointResult result);

/// A row for each trial, first those that fit, by gain. `profile` is the directory of its profile.
Table trialsTable(std::vector<Trial> trials);

} // namespace tilescope
