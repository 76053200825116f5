// The numbers of optimizers.
#pragma once

#include <string_view>
#include <vector>

#include "core/options/training_options.h"

namespace tilescope {

/// A number that is given although the chosen optimizer does not have it.
struct IdleNumber {
    const char* option;
    const char* why;
};
std::vector<IdleNumber> idleOptimizerNumbers(const TrainingOptions& options);

/// Why an optimizer has no use for a number, by its option's key; nullptr if it has.
const char* whyIdle(Optimizer optimizer, std::string_view option);

} // namespace tilescope
