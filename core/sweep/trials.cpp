#include "core/sweep/trials.h"

#include <algorithm>

namespace tilescope {
namespace {

// A gain below this share of a sample's time does not count: plans differ a little by chance.
constexpr double leastGain = 0.005;
// Relative to the upper bound of the prediction: a larger gain has another cause than the predicted
// one.
constexpr double mostOfPredicted = 1.25;

TrialVerdict verdictOf(const ProfileInfo& before, const Trial& trial) {
    if (trial.result.status == PointStatus::Error)
        return TrialVerdict::Failed;
    if (trial.result.status == PointStatus::OutOfMemory)
        return TrialVerdict::OutOfMemory;
    if (!before.fits)
        return TrialVerdict::Fits;
    if (trial.predicted <= 0)
        return trial.gained >= leastGain ? TrialVerdict::Faster : TrialVerdict::NoGain;
    if (trial.gained < leastGain)
        return TrialVerdict::Wrong;
    if (trial.gained > mostOfPredicted * trial.predicted)
        return TrialVerdict::More;
    return trial.gained >= trial.predicted / 2 ? TrialVerdict::AsPredicted : TrialVerdict::Less;
}

double throughputOf(const Trial& trial) {
    return trial.result.time ? trial.result.time->throughput : 0;
}

int orderOf(PointStatus status) {
    return status == PointStatus::Fits ? 0 : status == PointStatus::OutOfMemory ? 1 : 2;
}

} // namespace

Trial trialOf(const ProfileInfo& before, const Advice& advice, PointResult result) {
    Trial trial{advice, 0, 0, std::move(result), {}};
    if (before.cycles > 0)
        trial.predicted = static_cast<double>(advice.gain) / static_cast<double>(before.cycles);
    if (trial.result.time && trial.result.time->throughput > 0 && before.throughput > 0)
        trial.gained = 1 - before.throughput / trial.result.time->throughput;
    trial.verdict = verdictOf(before, trial);
    return trial;
}

Table trialsTable(std::vector<Trial> trials) {
    std::stable_sort(trials.begin(), trials.end(), [](const Trial& a, const Trial& b) {
        return std::pair(orderOf(a.result.status), -throughputOf(a)) <
               std::pair(orderOf(b.result.status), -throughputOf(b));
    });
    Table table{"trials",
                "",
                {{"change", "Tried"},
                 in(Shown::Data, {"option", "Option"}),
                 in(Shown::Data, {"value", "Value"}),
                 {"predicted", "Predicted gain", Unit::Share,
                  "Of the time of a sample, at most; a dash where nothing can be predicted"},
                 {"gained", "Simulated gain", Unit::Share,
                  "Of the time of a sample; negative if it takes longer"},
                 in(Shown::Data, {"verdict", "Verdict"}),
                 in(Shown::Text, {"outcome", "Outcome"}),
                 {"throughput", "Samples/s", Unit::Rate},
                 {"maxTileIncludingGaps", "Fullest tile", Unit::Bytes},
                 {"message", "Message"},
                 in(Shown::Data, {"profile", "Profile"})}};
    table.emptyText = "nothing to try: no option helps against the losses";
    for (const Trial& trial : trials) {
        const PointResult& result = trial.result;
        const bool timed = result.time.has_value();
        table.add({changeOf(trial.advice), trial.advice.option, trial.advice.value,
                   trial.predicted > 0 ? Cell(trial.predicted) : Cell(),
                   timed && trial.verdict != TrialVerdict::Fits ? Cell(trial.gained) : Cell(),
                   std::string(toString(trial.verdict)), std::string(displayName(trial.verdict)),
                   timed ? Cell(result.time->throughput) : Cell(),
                   result.memory ? Cell(result.memory->maxTileIncludingGaps) : Cell(),
                   textOrNone(result.message), textOrNone(result.profile)});
    }
    return table;
}

} // namespace tilescope
