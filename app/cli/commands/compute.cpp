#include "app/cli/commands/compute.h"

#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ostream>
#include <set>

#include "app/cli/document.h"
#include "app/cli/progress_line.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "simulator/values/inference.h"
#include "simulator/values/training.h"

namespace tilescope::cli {
namespace {

namespace fs = std::filesystem;

std::string percent(const std::optional<double>& share) {
    constexpr double hundred = 100;
    return share ? fmt::format("{:.2f} %", *share * hundred) : std::string("-");
}

/// A line for each epoch, under a heading before the first.
std::string epochLine(const sim::EpochResult& result) {
    std::string line;
    if (result.epoch == 1)
        line = fmt::format("{:>5}  {:>7}  {:>8}  {:>8}  {:>9}  {:>13}{}\n", "Epoch", "Updates",
                           "Loss", "Accuracy", "Test loss", "Test accuracy",
                           result.lossScale ? "  Loss scale" : "");
    line += fmt::format("{:>5}  {:>7}  {:>8.4f}  {:>8}  {:>9}  {:>13}", result.epoch,
                        result.updates, result.loss, percent(result.accuracy),
                        result.evalLoss ? fmt::format("{:.4f}", *result.evalLoss) : "-",
                        percent(result.evalAccuracy));
    if (result.lossScale)
        line += fmt::format("  {:>10}", *result.lossScale);
    return line + '\n';
}

boost::json::object epochJson(const sim::EpochResult& result) {
    const auto orNull = [](const std::optional<double>& number) {
        return number ? boost::json::value(*number) : boost::json::value(nullptr);
    };
    return {{"epoch", result.epoch},
            {"updates", result.updates},
            {"learningRate", result.learningRate},
            {"loss", result.loss},
            {"accuracy", orNull(result.accuracy)},
            {"evalLoss", orNull(result.evalLoss)},
            {"evalAccuracy", orNull(result.evalAccuracy)},
            {"lossScale", orNull(result.lossScale)},
            {"seconds", result.seconds}};
}

ComputedText trained(const std::string& model, const RunOptions& options, ProgressLine& line) {
    ComputedText computed;
    boost::json::array epochs;
    sim::TrainingProgress progress;
    progress.step = [&](std::int64_t epoch, double done) {
        const auto all = static_cast<double>(options.compute.epochs);
        line.show((static_cast<double>(epoch - 1) + done) / all,
                  fmt::format("epoch {} of {}", epoch, options.compute.epochs));
    };
    computed.text = "\nTraining\n";
    sim::TrainingResult training = sim::trainModel(model, options, progress);
    computed.values = std::move(training.values);
    for (const sim::EpochResult& result : training.epochs) {
        computed.text += epochLine(result);
        epochs.push_back(epochJson(result));
    }
    computed.json["training"] = std::move(epochs);
    if (!options.compute.saveModel.empty())
        computed.text += fmt::format("Model with its weights: {}\n", options.compute.saveModel);
    return computed;
}

/// A valid file name for an output, unique in its folder.
std::string fileNameOf(const std::string& output, std::set<std::string>& used) {
    std::string name;
    for (const char c : output)
        name += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.'
                    ? c
                    : '_';
    constexpr std::size_t longest = 100;
    name.resize(std::min(name.size(), longest));
    if (name.empty() || name.front() == '.')
        name.insert(0, "output");
    std::string unique = name;
    for (int i = 1; !used.insert(unique).second; ++i)
        unique = fmt::format("{}_{}", name, i);
    return unique + ".npy";
}

std::string differenceText(const sim::Difference& difference) {
    return fmt::format("{}: {} of {} elements differ; the worst is [{}]: {:.7g}, expected {:.7g}\n",
                       difference.output, difference.elements, difference.of,
                       fmt::join(difference.position, ","), difference.got, difference.wanted);
}

ComputedText inferred(const std::string& model, const RunOptions& options) {
    if (!options.compute.saveOutputs.empty()) // fail early if it cannot be written
        checkWritable(fs::path(options.compute.saveOutputs) / "output.npy");
    sim::InferenceResult result = sim::computeResults(model, options);
    ComputedText computed;
    computed.values = std::move(result.values);
    computed.text = "\nResults\n";
    if (result.generatedInputs)
        computed.text += "of generated inputs (--inputs gives your own)\n";
    boost::json::array outputs;
    std::set<std::string> used;
    for (const sim::NamedArray& output : result.outputs) {
        boost::json::object entry{{"name", output.name}, {"shape", boost::json::array()}};
        for (const std::int64_t size : output.data.shape())
            entry["shape"].as_array().push_back(size);
        computed.text += fmt::format("{} {}", output.name, sim::toString(output.data.shape()));
        if (!options.compute.saveOutputs.empty()) {
            const fs::path file =
                fs::path(options.compute.saveOutputs) / fileNameOf(output.name, used);
            sim::writeNpy(file, output.data);
            computed.text += " in " + file.string();
            entry["file"] = file.string();
        }
        computed.text += '\n';
        outputs.push_back(std::move(entry));
    }
    computed.json["outputs"] = std::move(outputs);
    if (options.compute.expect.empty())
        return computed;
    boost::json::array differences;
    for (const sim::Difference& difference : result.differences) {
        computed.text += differenceText(difference);
        boost::json::array position;
        for (const std::int64_t at : difference.position)
            position.push_back(at);
        differences.push_back(boost::json::object{{"output", difference.output},
                                                  {"elements", difference.elements},
                                                  {"of", difference.of},
                                                  {"position", std::move(position)},
                                                  {"got", difference.got},
                                                  {"expected", difference.wanted}});
    }
    computed.asExpected = differences.empty();
    if (computed.asExpected)
        computed.text += fmt::format("as expected (rtol {}, atol {})\n", options.compute.rtol,
                                     options.compute.atol);
    computed.json["differences"] = std::move(differences);
    return computed;
}

} // namespace

ComputedText computeValues(const std::string& model, const RunOptions& options,
                           const Streams& streams, bool progressLines) {
    if (!options.compute.enabled)
        return {};
    ProgressLine line(streams,
                      progressLines ? ProgressLine::Form::Lines : ProgressLine::Form::Terminal);
    return options.compute.data.empty() ? inferred(model, options) : trained(model, options, line);
}

} // namespace tilescope::cli
