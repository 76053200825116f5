#include "core/options/compute_options.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "core/options/option_rows.h"

namespace tilescope {
namespace {

constexpr RowsOf compute(OptionTopic::Compute, &RunOptions::compute);

/// For options without a meaning if no values are computed.
OptionSpec ofValues(OptionSpec row) {
    return std::move(row).needing(
        [](const RunOptions& options) {
            return options.compute.enabled || options.compute.byProgram;
        },
        "values are only computed with --compute");
}

/// For options of training on data; a program brings its own data.
OptionSpec onData(OptionSpec row) {
    return ofValues(std::move(row))
        .needing([](const RunOptions& options) { return !options.compute.data.empty(); },
                 "only training with --data uses this");
}

/// For inputs and outputs of inference.
OptionSpec ofInference(OptionSpec row) {
    return ofValues(std::move(row))
        .needing([](const RunOptions& options) { return !options.isTraining(); },
                 "training takes its data from --data and prints its losses; leave the option out");
}

OptionSpec scheduleRow() {
    return compute.own(
        "learningRateSchedule", OptionSpec::Type::Text,
        "how the learning rate changes: constant, step:N:F (times F after each N updates of the "
        "weights), cosine or linear to zero, each also after warmup:N and a comma",
        [](const OptionSpec& self, ComputeOptions& options, const std::string& value) {
            try {
                options.schedule = learningRateScheduleFrom(value);
            } catch (const std::invalid_argument& error) {
                throw OptionError(self.key, error.what());
            }
        },
        [](const ComputeOptions& options) { return toString(options.schedule); });
}

struct ExceptionName {
    const char* name;
    bool FpExceptions::*member;
};
constexpr auto exceptionNames = std::to_array<ExceptionName>({
    {"invalid", &FpExceptions::invalid},
    {"division", &FpExceptions::division},
    {"overflow", &FpExceptions::overflow},
    {"nan-on-overflow", &FpExceptions::nanOnOverflow},
});

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
    return compute
        .own(
            "fpExceptions", OptionSpec::Type::Text,
            "floating-point exceptions that end a run with values, a list: invalid, division (by "
            "zero), overflow; nan-on-overflow: halves that are too large become NaN instead of the "
            "largest half; all",
            [](const OptionSpec& self, ComputeOptions& options, const std::string& value) {
                options.fpExceptions = exceptionsOf(self, value);
            },
            [](const ComputeOptions& options) { return exceptionsText(options.fpExceptions); })
        .knownAs({{Face::PopTorch, "Precision.enableFloatingPointExceptions"},
                  {Face::PopartSession,
                   "enableFloatingPointChecks",
                   {{"true", "all"}, {"false", "none"}}}});
}

/// A path, which is not checked before it is used; with its mandatory suffix, if any.
OptionSpec pathRow(const char* key, std::string ComputeOptions::*member, const char* help,
                   const char* suffix = "") {
    return compute.text(
        key, member, help, [suffix](const OptionSpec& self, const std::string& value) {
            if (!value.empty() && value.find_first_not_of(' ') == std::string::npos)
                throw OptionError(self.key,
                                  fmt::format("'{}' is not the name of a file or folder", value));
            if (!value.empty() && !value.ends_with(suffix))
                throw OptionError(self.key, fmt::format("'{}' is not a {} file", value, suffix));
        });
}

OptionSpec automaticLossScalingRow() {
    OptionSpec made = ofValues(
        compute
            .toggle("automaticLossScaling", &ComputeOptions::automaticLossScaling,
                    "training doubles --loss-scaling after each weight update, and halves it "
                    "when gradients are too large; affects values only, not cycles or bytes")
            .knownAs({{Face::PopTorch, "Training.setAutomaticLossScaling"},
                      {Face::PopartSession, "automaticLossScalingSettings.enabled"}}));
    return std::move(made)
        .needing(
            [](const RunOptions& options) {
                return options.compute.byProgram || !options.compute.data.empty();
            },
            "only training with --data uses this")
        .needing([](const RunOptions& options) { return options.isTraining(); },
                 "there is a loss in training only; add --mode training, or leave it out");
}

/// Files that values are computed from and compared with.
std::vector<OptionSpec> fileRows() {
    constexpr OptionRange tolerances{0, 1e6};
    return {
        compute.flag("compute", &ComputeOptions::enabled,
                     "compute values too: results of the model, or training on data"),
        ofInference(pathRow("inputs", &ComputeOptions::inputs,
                            "values of the inputs: .npy, .npz, ONNX .pb, or a folder of them "
                            "(input_0.pb); by default they are generated")),
        ofInference(pathRow("saveOutputs", &ComputeOptions::saveOutputs,
                            "folder for the results, one .npy file each")),
        ofInference(pathRow("expect", &ComputeOptions::expect,
                            "results to compare with, in the same forms as --inputs; exit 1 if "
                            "they differ")),
        compute.number("rtol", &ComputeOptions::rtol, tolerances, "relative tolerance of --expect"),
        compute.number("atol", &ComputeOptions::atol, tolerances, "absolute tolerance of --expect"),
    };
}

std::vector<OptionSpec> learningRows() {
    constexpr double mostEpochs = 1e6;
    constexpr double mostSeed = 1e12; // a double holds it
    return {
        ofValues(pathRow("data", &ComputeOptions::data,
                         "folder of training data: MNIST's four files, gzipped or not (IDX)"))
            .needing([](const RunOptions& options) { return options.isTraining(); },
                     "only training uses data; add --mode training"),
        onData(pathRow(
            "evalData", &ComputeOptions::evalData,
            "folder of data to evaluate on after each epoch; by default the test files of --data")),
        onData(compute.integer("epochs", &ComputeOptions::epochs, {1, mostEpochs},
                               "passes over the training data")),
        onData(scheduleRow()),
        compute
            .integer("seed", &ComputeOptions::seed, {0, mostSeed},
                     "random seed for weights, data order, generated inputs and dropout")
            .knownAs({{Face::PopTorch, "randomSeed"}}),
        onData(pathRow("saveModel", &ComputeOptions::saveModel,
                       "ONNX file for the model with its trained weights", ".onnx")),
        onData(pathRow("resume", &ComputeOptions::resume,
                       "ONNX file written by --save-model, from whose weights training continues",
                       ".onnx")),
    };
}

std::vector<OptionSpec> arithmeticRows() {
    constexpr double mostSampledIterations = 10'000;
    return {
        ofValues(compute.choice(
            "arithmetic", &ComputeOptions::arithmetic, {"device", "float"},
            "arithmetic of values: rounded as on the device, or all in float for comparison")),
        ofValues(compute.choice("values", &ComputeOptions::values, {"all", "curves", "off"},
                                "what the profile records of values: statistics of tensors and the "
                                "curves of training")),
        ofValues(compute.integer(
            "valueSamples", &ComputeOptions::valueSamples, {1, mostSampledIterations},
            "number of weight updates, evenly spread, at which the profile samples tensors")),
        ofValues(compute
                     .toggle("stochasticRounding", &ComputeOptions::stochasticRounding,
                             "round halves at random, so that sums are right on average; --seed "
                             "determines the random numbers")
                     .knownAs({{Face::PopTorch, "Precision.enableStochasticRounding"},
                               {Face::PopartSession, "enableStochasticRounding"}})),
        ofValues(exceptionsRow()),
        automaticLossScalingRow(),
    };
}

} // namespace

std::vector<OptionSpec> computeRows() {
    std::vector<OptionSpec> rows = fileRows();
    for (auto more : {learningRows(), arithmeticRows()})
        std::move(more.begin(), more.end(), std::back_inserter(rows));
    return rows;
}

void checkCompute(const RunOptions& options) {
    refuse(options.compute.enabled && options.isTraining() && options.compute.data.empty(),
           "compute", "training needs data; give its folder with --data");
}

} // namespace tilescope
