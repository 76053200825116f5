// Training a model on labelled images, epoch by epoch.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/options/run_options.h"
#include "simulator/values/recorder.h"

namespace tilescope::sim {

/// Results of an epoch. Losses are means over samples; accuracies are shares of samples, where the
/// model is a classifier.
struct EpochResult {
    std::int64_t epoch = 1;   ///< from one on
    std::int64_t updates = 0; ///< of the weights, in all epochs so far
    double loss = 0;
    double learningRate = 0;                      ///< of its last update
    std::optional<double> accuracy;               ///< while it trained
    std::optional<double> evalLoss, evalAccuracy; ///< after it, where there are data for it
    std::optional<double> lossScale;              ///< at the end, where it is automatic
    double seconds = 0;                           ///< of this machine
};

struct TrainingResult {
    std::vector<EpochResult> epochs;
    RunValues values; ///< for the profile, according to options.compute.values
};

struct TrainingProgress {
    /// After each call of the host: the epoch and the share of it that is done.
    std::function<void(std::int64_t epoch, double done)> step;
    std::function<void(const EpochResult&)> epoch;
};

/// Trains options.compute.epochs epochs on options.compute.data, in the order of PopTorch's
/// DataLoader with shuffling, the last batch dropped if it is not whole; writes
/// options.compute.saveModel in the end. Throws UserError for data that do not fit the model.
TrainingResult trainModel(const std::string& model, const RunOptions& options,
                          const TrainingProgress& progress = {});

} // namespace tilescope::sim
