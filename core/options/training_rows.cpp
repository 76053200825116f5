// Rows of the option table: training.
#include "core/options/option_rows.h"

namespace tilescope {
namespace {

using Type = OptionSpec::Type;

OptionSpec optimizerRow() {
    return enumRow(row(OptionTopic::Training, "optimizer", "--optimizer", Type::Choice, "sgd",
                       "how weights are updated", {"sgd", "momentum", "adam", "adamw", "lamb"}),
                   &RunOptions::optimizer);
}

OptionSpec precisionChoice(const char* key, const char* flag, const char* help,
                           Precision RunOptions::*member) {
    return enumRow(
        row(OptionTopic::Training, key, flag, Type::Choice, "float", help, {"float", "half"}),
        member);
}

OptionSpec lossScalingRow() {
    return numberRow(
        row(OptionTopic::Training, "lossScaling", "--loss-scaling", Type::Number, "1",
            "factor of the loss's gradient, taken out again by the optimizer: in SGD's "
            "learning rate, by a product for each weight in Adam, AdamW and LAMB"),
        {1e-6, 1e9}, &RunOptions::lossScaling);
}

} // namespace

std::vector<OptionSpec> trainingRows() {
    return {
        optimizerRow(),
        enumRow(row(OptionTopic::Training, "accumulationReduction", "--accumulation-reduction",
                    Type::Choice, "sum", "what becomes of the gradients of micro-batches",
                    {"sum", "mean"}),
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
