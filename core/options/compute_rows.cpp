// Rows of the option table: computation with values.
#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>
#include <utility>

#include "core/options/option_error.h"
#include "core/options/option_rows.h"

namespace tilescope {
namespace {

using Type = OptionSpec::Type;

OptionSpec enabledRow() {
    return with(
        row(OptionTopic::Compute, "compute", "--compute", Type::Flag, "off",
            "compute values too: results of the model, or training on data", {"on", "off"}),
        [](const OptionSpec& self, RunOptions& options, const std::string& value) {
            options.compute.enabled = choiceValue(self, value) == "on";
        },
        [](const RunOptions& options) {
            return std::string(options.compute.enabled ? "on" : "off");
        });
}

OptionSpec arithmeticRow() {
    return with(
        row(OptionTopic::Compute, "arithmetic", "--arithmetic", Type::Choice, "device",
            "of values: as the device rounds, or all in float to compare with",
            {"device", "float"}),
        [](const OptionSpec& self, RunOptions& options, const std::string& value) {
            options.compute.arithmetic =
                choiceValue(self, value) == "float" ? Arithmetic::Float : Arithmetic::Device;
        },
        [](const RunOptions& options) {
            return std::string(options.compute.arithmetic == Arithmetic::Float ? "float"
                                                                               : "device");
        });
}

OptionSpec scheduleRow() {
    return with(
        row(OptionTopic::Compute, "learningRateSchedule", "--learning-rate-schedule", Type::Text,
            "constant",
            "how the learning rate changes: constant, step:N:F (times F after each N updates of "
            "the weights), cosine or linear to zero, each also after warmup:N and a comma"),
        [](const OptionSpec& self, RunOptions& options, const std::string& value) {
            try {
                options.compute.schedule = learningRateScheduleFrom(value);
            } catch (const std::invalid_argument& error) {
                throw OptionError(self.key, error.what());
            }
        },
        [](const RunOptions& options) { return toString(options.compute.schedule); });
}

OptionSpec valuesRow() {
    static const std::vector<std::string> names{"all", "curves", "off"};
    return with(
        row(OptionTopic::Compute, "values", "--values", Type::Choice, "all",
            "what the profile keeps of values: statistics of tensors and the curves of training",
            names),
        [](const OptionSpec& self, RunOptions& options, const std::string& value) {
            const auto at = std::find(names.begin(), names.end(), choiceValue(self, value));
            options.compute.values = static_cast<RecordedValues>(at - names.begin());
        },
        [](const RunOptions& options) {
            return names.at(static_cast<std::size_t>(options.compute.values));
        });
}

OptionSpec switchRow(const char* key, const char* flag, const char* help,
                     bool ComputeOptions::*member) {
    return with(
        row(OptionTopic::Compute, key, flag, Type::Choice, "off", help, {"on", "off"}),
        [member](const OptionSpec& self, RunOptions& options, const std::string& value) {
            options.compute.*member = choiceValue(self, value) == "on";
        },
        [member](const RunOptions& options) {
            return std::string(options.compute.*member ? "on" : "off");
        });
}

struct ExceptionName {
    const char* name;
    bool FpExceptions::*member;
};
constexpr ExceptionName exceptionNames[] = {
    {"invalid", &FpExceptions::invalid},
    {"division", &FpExceptions::division},
    {"overflow", &FpExceptions::overflow},
    {"nan-on-overflow", &FpExceptions::nanOnOverflow},
};

FpExceptions exceptionsOf(const OptionSpec& self, const std::string& value) {
    FpExceptions chosen;
    if (value == "none")
        return chosen;
    std::string rest = value + ',';
    for (std::size_t end = rest.find(','); end != std::string::npos; end = rest.find(',')) {
        const std::string word = rest.substr(0, end);
        rest.erase(0, end + 1);
        bool isKnown = false;
        for (const auto& [name, member] : exceptionNames)
            if (word == name || word == "all")
                chosen.*member = isKnown = true;
        if (!isKnown)
            throw OptionError(self.key, fmt::format("'{}' is not one of invalid, division, "
                                                    "overflow, nan-on-overflow, all, none",
                                                    word));
    }
    return chosen;
}

std::string exceptionsText(const FpExceptions& chosen) {
    std::string text;
    for (const auto& [name, member] : exceptionNames)
        if (chosen.*member)
            text += (text.empty() ? "" : ",") + std::string(name);
    return text.empty() ? "none" : text;
}

OptionSpec exceptionsRow() {
    return with(
        row(OptionTopic::Compute, "fpExceptions", "--fp-exceptions", Type::Text, "none",
            "exceptions that end a run with values, a list: invalid, division (by zero), "
            "overflow; nan-on-overflow: a half that is too large becomes NaN, not the largest; "
            "all"),
        [](const OptionSpec& self, RunOptions& options, const std::string& value) {
            options.compute.fpExceptions = exceptionsOf(self, value);
        },
        [](const RunOptions& options) { return exceptionsText(options.compute.fpExceptions); });
}

/// A path, which is not looked at before it is used; with a suffix that it has to have, if any.
OptionSpec pathRow(const char* key, const char* flag, const char* help,
                   std::string ComputeOptions::*member, const char* suffix = "") {
    return with(
        row(OptionTopic::Compute, key, flag, Type::Text, "", help),
        [member, suffix](const OptionSpec& self, RunOptions& options, const std::string& value) {
            if (!value.empty() && value.find_first_not_of(' ') == std::string::npos)
                throw OptionError(self.key,
                                  fmt::format("'{}' is no name of a file or folder", value));
            if (!value.empty() && !value.ends_with(suffix))
                throw OptionError(self.key, fmt::format("'{}' is no {} file", value, suffix));
            options.compute.*member = value;
        },
        [member](const RunOptions& options) { return options.compute.*member; });
}

OptionSpec toleranceRow(const char* key, const char* flag, const char* standard, const char* help,
                        double ComputeOptions::*member) {
    constexpr OptionRange bounds{0, 1e6};
    OptionSpec spec = row(OptionTopic::Compute, key, flag, Type::Number, standard, help);
    spec.range = [bounds](const RunOptions&) { return bounds; };
    return with(
        std::move(spec),
        [member, bounds](const OptionSpec& self, RunOptions& options, const std::string& value) {
            options.compute.*member = numberValue(self, value, bounds);
        },
        [member](const RunOptions& options) { return numberText(options.compute.*member); });
}

void refuse(bool given, const char* option, const char* problem) {
    if (given)
        throw OptionError(option, problem);
}

} // namespace

std::vector<OptionSpec> computeRows() {
    constexpr double mostEpochs = 1e6;
    constexpr double mostSeed = 1e12; // a double holds it
    constexpr double mostSampledIterations = 10'000;
    return {
        enabledRow(),
        pathRow("inputs", "--inputs",
                "values of the inputs: .npy, .npz, ONNX .pb, or a folder of them (input_0.pb); "
                "without it they are generated",
                &ComputeOptions::inputs),
        pathRow("saveOutputs", "--save-outputs", "folder for the results, a .npy file each",
                &ComputeOptions::saveOutputs),
        pathRow("expect", "--expect",
                "results to compare with, in the same forms as --inputs; exit 1 if they differ",
                &ComputeOptions::expect),
        toleranceRow("rtol", "--rtol", "0.001", "relative tolerance of --expect",
                     &ComputeOptions::rtol),
        toleranceRow("atol", "--atol", "1e-05", "absolute tolerance of --expect",
                     &ComputeOptions::atol),
        pathRow("data", "--data",
                "folder of training data: MNIST's four files, gzipped or not (IDX)",
                &ComputeOptions::data),
        pathRow("evalData", "--eval-data",
                "folder to evaluate with after each epoch; without it the test files of --data",
                &ComputeOptions::evalData),
        integerRow(
            row(OptionTopic::Compute, "epochs", "--epochs", Type::Integer, "1",
                "passes over the training data"),
            {1, mostEpochs}, [](auto& options) -> auto& { return options.compute.epochs; }),
        scheduleRow(),
        integerRow(
            row(OptionTopic::Compute, "seed", "--seed", Type::Integer, "0",
                "random seed for weights, data order, generated inputs and dropout"),
            {0, mostSeed}, [](auto& options) -> auto& { return options.compute.seed; }),
        pathRow("saveModel", "--save-model", "ONNX file for the model with its trained weights",
                &ComputeOptions::saveModel, ".onnx"),
        pathRow("resume", "--resume",
                "ONNX file of --save-model, whose weights training goes on "
                "with",
                &ComputeOptions::resume, ".onnx"),
        arithmeticRow(),
        valuesRow(),
        integerRow(
            row(OptionTopic::Compute, "valueSamples", "--value-samples", Type::Integer, "50",
                "weight updates, evenly spread, at which the profile looks at tensors"),
            {1, mostSampledIterations},
            [](auto& options) -> auto& { return options.compute.valueSamples; }),
        switchRow("stochasticRounding", "--stochastic-rounding",
                  "halves are rounded at random, so that sums are right on average; random "
                  "numbers follow from --seed",
                  &ComputeOptions::stochasticRounding),
        exceptionsRow(),
        switchRow("automaticLossScaling", "--automatic-loss-scaling",
                  "training doubles --loss-scaling after each weight update, and halves it where "
                  "gradients are too large; of values alone: cycles and bytes do not count it",
                  &ComputeOptions::automaticLossScaling),
    };
}

void checkCompute(const RunOptions& options) {
    const ComputeOptions& compute = options.compute;
    const ComputeOptions none;
    const std::pair<bool, const char*> given[] = {
        {!compute.inputs.empty(), "inputs"},
        {!compute.saveOutputs.empty(), "saveOutputs"},
        {!compute.expect.empty(), "expect"},
        {!compute.data.empty(), "data"},
        {!compute.evalData.empty(), "evalData"},
        {compute.epochs != none.epochs, "epochs"},
        {compute.schedule != none.schedule, "learningRateSchedule"},
        {!compute.saveModel.empty(), "saveModel"},
        {!compute.resume.empty(), "resume"},
        {compute.arithmetic != none.arithmetic, "arithmetic"},
        {compute.values != none.values, "values"},
        {compute.valueSamples != none.valueSamples, "valueSamples"},
        {compute.stochasticRounding, "stochasticRounding"},
        {compute.fpExceptions != none.fpExceptions, "fpExceptions"},
        {compute.automaticLossScaling, "automaticLossScaling"}};
    for (const auto& [isGiven, option] : given)
        refuse(isGiven && !compute.enabled && !compute.byProgram, option,
               "values are only computed with --compute");
    refuse(!compute.data.empty() && !options.isTraining(), "data",
           "a model learns from data in training; add --mode training");
    refuse(compute.automaticLossScaling && compute.byProgram && !options.isTraining(),
           "automaticLossScaling",
           "there is a loss in training only; add --mode training, or leave it out");
    refuse(compute.enabled && options.isTraining() && compute.data.empty(), "compute",
           "training computes on data; give their folder with --data");
    for (const auto& [isGiven, option] : {std::pair(!compute.inputs.empty(), "inputs"),
                                          std::pair(!compute.expect.empty(), "expect"),
                                          std::pair(!compute.saveOutputs.empty(), "saveOutputs")})
        refuse(isGiven && options.isTraining(), option,
               "training takes its data from --data and prints its losses; leave the option out");
    for (const auto& [isGiven, option] :
         {std::pair(!compute.evalData.empty(), "evalData"),
          std::pair(compute.epochs != 1, "epochs"),
          std::pair(compute.schedule != none.schedule, "learningRateSchedule"),
          std::pair(!compute.saveModel.empty(), "saveModel"),
          std::pair(!compute.resume.empty(), "resume"),
          std::pair(compute.automaticLossScaling && !compute.byProgram, "automaticLossScaling")})
        refuse(isGiven && compute.data.empty(), option, "only training with --data has this");
}

} // namespace tilescope
