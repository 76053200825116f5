// How the learning rate changes while a model trains.
#pragma once

#include <cstdint>
#include <string>

namespace tilescope {

/// A factor of the learning rate for each update of the weights; all forms are those of PyTorch
/// (torch/optim/lr_scheduler.py), stepped after each update.
struct LearningRateSchedule {
    enum class Form {
        Constant, ///< 1
        Step,     ///< gamma to the number of whole periods so far (StepLR)
        Cosine,   ///< (1 + cos(pi t / T)) / 2 (CosineAnnealingLR, least rate 0)
        Linear    ///< 1 - t / T (LinearLR from 1 to 0)
    };
    Form form = Form::Constant;
    std::int64_t period = 1; ///< of Step, in updates
    double gamma = 1;        ///< of Step
    /// Updates in which the factor rises linearly to one, before the form begins (LinearLR from 1 /
    /// warmup, SequentialLR).
    std::int64_t warmup = 0;

    /// The factor for update `update` (counted from zero) of `updates` in all.
    [[nodiscard]] double factor(std::int64_t update, std::int64_t updates) const;
    friend bool operator==(const LearningRateSchedule&, const LearningRateSchedule&) = default;
};

/// "constant", "step:100:0.5", "cosine", "linear", each also after "warmup:50,"; "warmup:50" alone
/// is constant afterwards. Throws std::invalid_argument saying what is wrong.
LearningRateSchedule learningRateScheduleFrom(const std::string& text);
std::string toString(const LearningRateSchedule& schedule);

} // namespace tilescope
