// What suggestions against losses gave when they were simulated, beside what was predicted.
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
    AsPredicted, ///< gains at least half of what was predicted at most, and hardly more than that
    Less,        ///< gains, but less than that
    Wrong,       ///< a gain was predicted, and there is none
    Faster,      ///< nothing was predicted
    NoGain,      ///< likewise
    Failed,      ///< the run ended with an error
    More         ///< gains more than was thought possible
};
template <>
inline constexpr auto enumNames<TrialVerdict> = std::to_array<std::string_view>(
    {"fits", "outOfMemory", "asPredicted", "less", "wrong", "faster", "noGain", "failed", "more"});
template <>
inline constexpr auto enumTitles<TrialVerdict> = std::to_array<std::string_view>(
    {"fits now", "out of memory", "as predicted", "less than predicted", "wrong: no gain", "faster",
     "no gain", "failed", "more than predicted"});

/// One suggestion, simulated with everything else as it was.
struct Trial {
    Advice advice;
    double predicted = 0; ///< share of the time of a sample that is saved at most; 0: not predicted
    double gained = 0;    ///< likewise as simulated; negative if a sample takes longer
    PointResult result;
    TrialVerdict verdict = TrialVerdict::Failed;
};

/// `before`: the run that the suggestion was made for.
Trial trialOf(const ProfileInfo& before, const Advice& advice, PointResult result);

/// A row for each trial, what fits and gains most first. `profile` is where its profile is.
Table trialsTable(std::vector<Trial> trials);

} // namespace tilescope
