// Rows of the option table: training.
#include <fmt/format.h>

#include "core/options/option_limits.h"
#include "core/options/option_rows.h"

namespace tilescope {
namespace {

using Type = OptionSpec::Type;

OptionSpec optimizerRow() {
    return enumRow(row("optimizer", "--optimizer", Type::Choice, "sgd", "how weights are updated",
                       {"sgd", "momentum", "adam", "adamw", "lamb"}),
                   &RunOptions::optimizer);
}

OptionSpec precisionChoice(const char* key, const char* flag, const char* help,
                           Precision RunOptions::*member) {
    return enumRow(row(key, flag, Type::Choice, "float", help, {"float", "half"}), member);
}

OptionSpec lossScalingRow() {
    return with(
        row("lossScaling", "--loss-scaling", Type::Number, "1",
            "factor of the loss's gradient, taken out again by the optimizer: in SGD's "
            "learning rate, by a product for each weight in Adam, AdamW and LAMB"),
        [](const OptionSpec& self, RunOptions& options, const std::string& value) {
            options.lossScaling =
                numberValue(self, value, limits::leastLossScaling, limits::mostLossScaling);
        },
        [](const RunOptions& options) { return fmt::format("{}", options.lossScaling); });
}

} // namespace

std::vector<OptionSpec> trainingRows() {
    return {
        optimizerRow(),
        enumRow(row("accumulationReduction", "--accumulation-reduction", Type::Choice, "sum",
                    "what becomes of the gradients of micro-batches", {"sum", "mean"}),
                &RunOptions::accumulationReduction),
        precisionChoice("accumulationType", "--accumulation-type",
                        "element type of gradient accumulators", &RunOptions::accumulationType),
        precisionChoice("optimizerStateType", "--optimizer-state-type",
                        "element type of momentum and other optimizer state",
                        &RunOptions::optimizerStateType),
        lossScalingRow(),
    };
}

} // namespace tilescope
