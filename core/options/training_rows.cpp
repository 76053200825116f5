// Rows of the option table: training, what replicas share and what lives in streaming memory.
#include "core/options/option_limits.h"
#include "core/options/option_rows.h"

#include <fmt/format.h>

namespace tilescope {
namespace {

using Type = OptionSpec::Type;

OptionSpec precisionChoice(const char* key, const char* flag, const char* help,
                           Precision RunOptions::*member) {
    return enumRow(
        row(OptionTopic::Training, key, flag, Type::Choice, "float", help, {"float", "half"}),
        member);
}

OptionSpec lossRow() {
    OptionSpec spec =
        row(OptionTopic::Training, "loss", "--loss", Type::Choice, "auto",
            "loss of the model's first output, by our name or Keras's; auto: the model's own (a "
            "loss operator, a Keras model's compile_config), else softmax cross-entropy");
    for (const std::string_view name : lossFunctionNames())
        spec.choices.emplace_back(name);
    return with(
        std::move(spec),
        [](const OptionSpec& self, RunOptions& options, const std::string& value) {
            const auto loss = lossFunctionFrom(value);
            options.loss = loss ? *loss : *lossFunctionFrom(choiceValue(self, value));
        },
        [](const RunOptions& options) { return std::string(toString(options.loss)); });
}

OptionSpec lossOutputRow() {
    return with(
        row(OptionTopic::Training, "lossOutput", "--loss-output", Type::Text, "",
            "output of the model that is the loss itself, one number; the other outputs are "
            "returned beside it"),
        [](const OptionSpec& self, RunOptions& options, const std::string& value) {
            if (value.find_first_of(", ") != std::string::npos)
                throw OptionError(self.key, fmt::format("'{}' is no name of one output", value));
            options.lossOutput = value;
        },
        [](const RunOptions& options) { return options.lossOutput; });
}

OptionSpec weightDecayRow() {
    static constexpr OptionRange bounds{0, 1};
    OptionSpec spec = row(OptionTopic::Training, "weightDecay", "--weight-decay", Type::Number, "",
                          "share of a weight that an update takes away, times the learning rate; "
                          "without it 0.01 with adamw, 0.0005 with lars, else 0");
    spec.range = [](const RunOptions&) { return bounds; };
    return with(
        std::move(spec),
        [](const OptionSpec& self, RunOptions& options, const std::string& value) {
            options.weightDecay = numberValue(self, value, bounds);
        },
        [](const RunOptions& options) {
            return options.weightDecay ? numberText(*options.weightDecay) : std::string();
        });
}

/// Between 0 and 1: what an optimizer keeps of its state.
OptionSpec shareRow(const char* key, const char* flag, const char* standard, const char* help,
                    double RunOptions::*member) {
    constexpr OptionRange bounds{0, 0.999999};
    return numberRow(row(OptionTopic::Training, key, flag, Type::Number, standard, help), bounds,
                     member);
}

} // namespace

std::vector<OptionSpec> trainingRows() {
    return {
        lossRow(),
        lossOutputRow(),
        namesRow(row(OptionTopic::Training, "frozen", "--frozen", Type::Text, "",
                     "weights that training leaves as they are, by name or by the scope before a "
                     "dot, with commas between them"),
                 &RunOptions::frozen),
        enumRow(row(OptionTopic::Training, "optimizer", "--optimizer", Type::Choice, "sgd",
                    "how weights are updated",
                    {"sgd", "momentum", "adam", "adamw", "lamb", "lars", "rmsprop"}),
                &RunOptions::optimizer),
        enumRow(row(OptionTopic::Training, "accumulationReduction", "--accumulation-reduction",
                    Type::Choice, "sum", "how gradients of micro-batches are combined",
                    {"sum", "mean"}),
                &RunOptions::accumulationReduction),
        precisionChoice("accumulationType", "--accumulation-type",
                        "element type of gradient accumulators", &RunOptions::accumulationType),
        precisionChoice("optimizerStateType", "--optimizer-state-type",
                        "element type of momentum and other optimizer state",
                        &RunOptions::optimizerStateType),
        numberRow(row(OptionTopic::Training, "lossScaling", "--loss-scaling", Type::Number, "1",
                      "factor of the loss's gradient, taken out again by the optimizer: in SGD's "
                      "learning rate, by a product for each weight in Adam, AdamW and LAMB"),
                  {1e-6, 1e9}, &RunOptions::lossScaling),
        numberRow(row(OptionTopic::Training, "learningRate", "--learning-rate", Type::Number,
                      "0.001", "step size of each update"),
                  {0, 1e3}, &RunOptions::learningRate),
        weightDecayRow(),
        shareRow("momentum", "--momentum", "0.9",
                 "share that momentum, lars and rmsprop keep of a velocity", &RunOptions::momentum),
        shareRow("beta1", "--beta1", "0.9", "share that Adam's first moment keeps",
                 &RunOptions::beta1),
        shareRow("beta2", "--beta2", "0.999",
                 "share that Adam's second moment keeps, and that of rmsprop (its alpha)",
                 &RunOptions::beta2),
        numberRow(row(OptionTopic::Training, "optimizerEpsilon", "--optimizer-epsilon",
                      Type::Number, "1e-08", "added to the root of Adam's second moment"),
                  {0, 1}, &RunOptions::optimizerEpsilon),
        with(
            row(OptionTopic::Training, "parameterGroups", "--parameter-groups", Type::Json, "",
                "weights with numbers of their own, by name or by the scope before a dot, a JSON "
                "object: {\"encoder,head.bias\": {\"learningRate\": 0.01, \"weightDecay\": 0}}"),
            [](const OptionSpec&, RunOptions& options, const std::string& value) {
                options.parameterGroups = parameterGroupsFrom(value);
            },
            [](const RunOptions& options) { return parameterGroupsText(options.parameterGroups); }),
    };
}

namespace {

using Type = OptionSpec::Type;

// More than a POD256 has on its chips.
constexpr double mostBufferBytes = 1e12;
constexpr double mostElements = 1e12;

constexpr std::pair<OffChip, std::string_view> offChipNames[] = {
    {OffChip::Optimizer, "optimizer"},
    {OffChip::Activations, "activations"},
    {OffChip::Weights, "weights"},
};

OffChip offChipFrom(const OptionSpec& self, std::string_view text) {
    std::string names;
    for (const auto& [what, name] : offChipNames) {
        if (text == name)
            return what;
        names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
    }
    throw OptionError(self.key, fmt::format("'{}' is none of {}", text, names));
}

/// "optimizer,activations"
OptionSpec offloadRow() {
    return with(
        row(OptionTopic::MemoryAndPlanning, "offload", "--offload", Type::Text, "",
            "what lives in streaming memory and comes to the chip while it is needed: optimizer, "
            "activations, weights, with commas between them"),
        [](const OptionSpec& self, RunOptions& options, const std::string& value) {
            options.offload.clear();
            if (!value.empty())
                for (const std::string& part : splitAt(value, ','))
                    options.offload.insert(offChipFrom(self, part));
        },
        [](const RunOptions& options) {
            std::string text;
            for (const auto& [what, name] : offChipNames)
                if (options.isOffChip(what))
                    text += fmt::format("{}{}", text.empty() ? "" : ",", name);
            return text;
        });
}

} // namespace

std::vector<OptionSpec> replicationRows() {
    return {
        offloadRow(),
        switchRow(row(OptionTopic::Replicas, "replicatedTensorSharding",
                      "--replicated-tensor-sharding", Type::Flag, "off",
                      "spread optimizer state over the replicas, a shard each", {"on", "off"}),
                  &RunOptions::replicatedTensorSharding),
        integerRow(row(OptionTopic::Replicas, "minElementsForReplicatedTensorSharding",
                       "--min-elements-for-replicated-tensor-sharding", Type::Integer, "8192",
                       "elements of the smallest weight whose optimizer state "
                       "--replicated-tensor-sharding spreads"),
                   {0, mostElements}, &RunOptions::minElementsForReplicatedTensorSharding),
        integerRow(row(OptionTopic::Replicas, "maxCrossReplicaBufferSize",
                       "--max-cross-replica-buffer-size", Type::Integer, "0",
                       "bytes of gradients that wait to be summed over the replicas together; 0: "
                       "each gradient by itself"),
                   {0, mostBufferBytes}, &RunOptions::maxCrossReplicaBufferSize),
        integerRow(row(OptionTopic::Replicas, "distributedBatchNormReplicaGroupSize",
                       "--distributed-batch-norm-replica-group-size", Type::Integer, "1",
                       "neighbouring replicas over whose batches batch normalisations take their "
                       "statistics in training; 1: each over its own"),
                   {1, limits::mostIpus}, &RunOptions::distributedBatchNormReplicaGroupSize),
    };
}

} // namespace tilescope
