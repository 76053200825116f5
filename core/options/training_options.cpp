#include "core/options/training_options.h"

#include <fmt/format.h>

#include "core/options/optimizer_numbers.h"
#include "core/options/option_rows.h"

namespace tilescope {
namespace {

constexpr RowsOf training(OptionTopic::Training, &RunOptions::training);

OptionSpec lossRow() {
    std::vector<std::string> names;
    for (const std::string_view name : lossFunctionNames())
        names.emplace_back(name);
    return training.own(
        "loss", OptionSpec::Type::Choice,
        "loss of the model's first output, by TileScope's name or Keras'; auto: the model's own (a "
        "loss operator, a Keras model's compile_config), otherwise softmax cross-entropy",
        [](const OptionSpec& self, TrainingOptions& options, const std::string& value) {
            const auto loss = lossFunctionFrom(value);
            options.loss = loss ? *loss : *lossFunctionFrom(choiceValue(self, value));
        },
        [](const TrainingOptions& options) { return std::string(toString(options.loss)); },
        std::move(names));
}

OptionSpec lossOutputRow() {
    return training.text("lossOutput", &TrainingOptions::lossOutput,
                         "output of the model that is the loss itself, a single number; the other "
                         "outputs are returned as well",
                         [](const OptionSpec& self, const std::string& value) {
                             if (value.find_first_of(", ") != std::string::npos)
                                 throw OptionError(
                                     self.key,
                                     fmt::format("'{}' is not the name of a single output", value));
                         });
}

/// Between 0 and 1: the share of its state that an optimizer keeps.
OptionSpec shareRow(const char* key, double TrainingOptions::*member, const char* help) {
    return training.number(key, member, {0, 0.999999}, help);
}

OptionSpec parameterGroupsRow() {
    return training.own(
        "parameterGroups", OptionSpec::Type::Json,
        "weights with their own optimizer numbers, by name or by the scope before a dot, a JSON "
        "object: {\"encoder,head.bias\": {\"learningRate\": 0.01, \"weightDecay\": 0}}",
        [](const OptionSpec&, TrainingOptions& options, const std::string& value) {
            options.parameterGroups = parameterGroupsFrom(value);
        },
        [](const TrainingOptions& options) {
            return parameterGroupsText(options.parameterGroups);
        });
}

std::vector<OptionSpec> lossRows() {
    return {
        inTraining(lossRow(), "there is a loss"),
        inTraining(lossOutputRow(), "there is a loss")
            .needing(
                [](const RunOptions& options) {
                    return options.training.loss == LossFunction::Automatic;
                },
                "the output is the loss itself, so no loss is computed from it; leave --loss out"),
        inTraining(training.names("frozen", &TrainingOptions::frozen,
                                  "weights that training does not change, by name or by the scope "
                                  "before a dot, separated by commas"),
                   "weights are updated"),
        inTraining(training.choice("optimizer", &TrainingOptions::optimizer,
                                   {"sgd", "momentum", "adam", "adamw", "lamb", "lars", "rmsprop"},
                                   "how weights are updated"),
                   "weights are updated"),
        inTraining(
            training
                .choice("accumulationReduction", &TrainingOptions::accumulationReduction,
                        {"sum", "mean"}, "how gradients of micro-batches are combined")
                .knownAs({{Face::PopTorch, "Training.accumulationAndReplicationReductionType"},
                          {Face::Keras, "gradient_accumulation_reduction_method"}}),
            "gradients are accumulated"),
        inTraining(training.choice("accumulationType", &TrainingOptions::accumulationType,
                                   {"float", "half"}, "element type of gradient accumulators"),
                   "gradients are accumulated"),
        inTraining(training.choice("optimizerStateType", &TrainingOptions::optimizerStateType,
                                   {"float", "half"},
                                   "element type of momentum and other optimizer state"),
                   "an optimizer keeps state"),
        inTraining(training.number(
                       "lossScaling", &TrainingOptions::lossScaling, {1e-6, 1e9},
                       "factor of the loss's gradient, which the optimizer divides out again: in "
                       "SGD's learning rate, by a product for each weight in Adam, AdamW and LAMB"),
                   "there is a loss"),
    };
}

OptionSpec clipRow(const char* key, std::optional<double> TrainingOptions::*member,
                   const char* help) {
    return training.maybeNumber(key, member, {1e-9, 1e9}, help)
        .needing([](const RunOptions& options) { return !options.compute.automaticLossScaling; },
                 "gradients are bounded with a factor of the loss that does not change; leave "
                 "--automatic-loss-scaling out");
}

/// The numbers of optimizers.
std::vector<OptionSpec> numberRows() {
    return {
        training.number("learningRate", &TrainingOptions::learningRate, {0, 1e3},
                        "step size of each update"),
        training.maybeNumber("weightDecay", &TrainingOptions::weightDecay, {0, 1},
                             "share of a weight that each update subtracts, times the learning "
                             "rate; by default 0.01 with adamw, 0.0005 with lars, otherwise 0"),
        shareRow("momentum", &TrainingOptions::momentum,
                 "share of the velocity that momentum, lars and rmsprop keep"),
        shareRow("beta1", &TrainingOptions::beta1, "share that Adam's first moment keeps"),
        shareRow("beta2", &TrainingOptions::beta2,
                 "share that the second moment of Adam and of rmsprop (its alpha) keeps"),
        training.number("optimizerEpsilon", &TrainingOptions::optimizerEpsilon, {0, 1},
                        "added to the root of Adam's second moment"),
        training.toggle("biasCorrection", &TrainingOptions::biasCorrection,
                        "divide the moments of adam, adamw and lamb by what they can have grown "
                        "to since they began at zero"),
        training.maybeNumber("maxWeightNorm", &TrainingOptions::maxWeightNorm, {0, 1e9},
                             "bound of the weight's norm in lamb's trust ratio; by default none"),
        training.flag("nesterov", &TrainingOptions::nesterov,
                      "let the step of momentum look ahead by its velocity"),
        training.flag("centered", &TrainingOptions::centered,
                      "let rmsprop divide by the deviation of the gradients, not by their size"),
        training.flag("amsgrad", &TrainingOptions::amsgrad,
                      "divide by the largest second moment so far in adam and adamw"),
        clipRow("clipValue", &TrainingOptions::clipValue,
                "bound of each element of a gradient; by default none"),
        clipRow("clipNorm", &TrainingOptions::clipNorm,
                "bound of the norm of each weight's gradient; by default none"),
        clipRow("globalClipNorm", &TrainingOptions::globalClipNorm,
                "bound of the norm of all gradients together; by default none")
            .needing(
                [](const RunOptions& options) {
                    return !options.replication.replicatedTensorSharding;
                },
                "the norm of gradients that are spread over replicas is not simulated; leave one "
                "of the two out"),
        parameterGroupsRow(),
    };
}

} // namespace

double TrainingOptions::weightDecayInForce() const {
    constexpr double ofAdamW = 0.01;
    constexpr double ofLars = 0.0005;
    if (weightDecay)
        return *weightDecay;
    return optimizer == Optimizer::AdamW ? ofAdamW : optimizer == Optimizer::Lars ? ofLars : 0;
}

std::vector<OptionSpec> trainingRows() {
    std::vector<OptionSpec> rows = lossRows();
    for (OptionSpec& number : numberRows())
        rows.push_back(inTraining(std::move(number), "weights are updated"));
    return rows;
}

void checkTraining(const RunOptions& options) {
    checkParameterGroups(options.training);
}

} // namespace tilescope
