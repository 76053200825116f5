#include <algorithm>
#include <boost/json.hpp>
#include <fmt/format.h>
#include <iterator>

#include "core/options/option_limits.h"
#include "core/options/option_rows.h"
#include "core/options/option_values.h"

namespace tilescope {
namespace {

using namespace limits;
using Type = OptionSpec::Type;

OptionSpec targetRow() {
    OptionSpec spec = row(OptionTopic::Machine, "target", "--target", Type::Choice, "mk2",
                          "IPU to simulate (see 'tilescope targets')");
    for (const Target& preset : targetPresets())
        spec.choices.push_back(preset.name);
    return with(
        std::move(spec),
        [](const OptionSpec& self, RunOptions& options, const std::string& value) {
            options.target = targetPreset(choiceValue(self, value));
        },
        [](const RunOptions& options) { return options.target.name; });
}

OptionSpec tilesRow() {
    OptionSpec spec = row(OptionTopic::Machine, "tilesPerIpu", "--tiles-per-ipu", Type::Integer, "",
                          "tiles used of each IPU, from 4 to what the target has");
    spec.range = [](const RunOptions& options) {
        return OptionRange{leastTiles,
                           static_cast<double>(targetPreset(options.target.name).tilesPerIpu)};
    };
    return with(
        std::move(spec),
        [](const OptionSpec& self, RunOptions& options, const std::string& value) {
            options.target.tilesPerIpu =
                static_cast<std::int32_t>(integerValue(self, value, self.range(options)));
        },
        [](const RunOptions& options) { return std::to_string(options.target.tilesPerIpu); });
}

OptionSpec batchRow() {
    // A tile of memory holds fewer bytes than this; a larger batch is a mistake.
    constexpr OptionRange bounds{1, 1'000'000};
    OptionSpec spec = row(OptionTopic::BatchAndRun, "batchSize", "--batch-size", Type::Integer, "",
                          "samples of a micro-batch; without it the model's own, or 1");
    spec.range = [bounds](const RunOptions&) { return bounds; };
    return with(
        std::move(spec),
        [bounds](const OptionSpec& self, RunOptions& options, const std::string& value) {
            options.batchSize = integerValue(self, value, bounds);
        },
        [](const RunOptions& options) {
            return options.batchSize ? std::to_string(*options.batchSize) : std::string();
        });
}

constexpr OptionRange proportionBounds{0, 1};

/// "0.6", "ipu0=0.3" or "ipu0=0.3,ipu1=0.5"; a bare number among them is for the other IPUs.
void setProportion(const OptionSpec& self, RunOptions& options, const std::string& value) {
    for (const std::string& part : splitAt(value, ',')) {
        const std::size_t equals = part.find('=');
        if (equals == std::string::npos) {
            options.availableMemoryProportion = numberValue(self, part, proportionBounds);
            continue;
        }
        const std::string ipu = part.substr(0, equals);
        if (!ipu.starts_with("ipu"))
            throw OptionError(
                self.key, fmt::format("'{}' is not X or ipuN=X, such as 0.6 or ipu0=0.6", part));
        const std::int64_t number =
            integerValue(self, ipu.substr(3), {0, options.target.ipus - 1.0});
        options.availableMemoryProportionByIpu[static_cast<std::int32_t>(number)] =
            numberValue(self, part.substr(equals + 1), proportionBounds);
    }
}

std::string proportionText(const RunOptions& options) {
    std::string text = numberText(options.availableMemoryProportion);
    for (const auto& [ipu, proportion] : options.availableMemoryProportionByIpu)
        text += fmt::format(",ipu{}={}", ipu, numberText(proportion));
    return text;
}

OptionSpec proportionRow() {
    OptionSpec spec = row(OptionTopic::MemoryAndPlanning, "availableMemoryProportion",
                          "--available-memory-proportion", Type::Proportion, "0.6",
                          "share of a tile's memory for temporary data of a convolution or matmul, "
                          "0 to 1; X, or ipu0=X,ipu1=Y");
    spec.range = [](const RunOptions&) { return proportionBounds; };
    return with(std::move(spec), setProportion, proportionText);
}

/// {"name": 0.3, ...}; replaces what was set before.
void setProportionByOperation(const OptionSpec& self, RunOptions& options,
                              const std::string& value) {
    const boost::json::value parsed = parseJson(value, "option " + optionName(self.key));
    const boost::json::object* object = parsed.if_object();
    if (object == nullptr)
        throw OptionError(self.key, "a JSON object of operation names and numbers from 0 to 1 is "
                                    "needed, such as {\"layer1/conv\": 0.3}");
    options.availableMemoryProportionByOperation.clear();
    for (const auto& [name, proportion] : *object)
        options.availableMemoryProportionByOperation[std::string(name)] =
            numberValue(self, optionText(proportion, false), proportionBounds);
}

std::string proportionByOperationText(const RunOptions& options) {
    if (options.availableMemoryProportionByOperation.empty())
        return "";
    boost::json::object object;
    for (const auto& [name, proportion] : options.availableMemoryProportionByOperation)
        object[name] = proportion;
    return boost::json::serialize(object);
}

/// "sequenceLength=384,head=squad", or the same as a JSON object.
void setModelOptions(const OptionSpec& self, RunOptions& options, const std::string& value) {
    for (const auto& [key, text] : pairsValue(self, value))
        options.modelOptions[key] = text;
}

void append(std::vector<OptionSpec>& table, std::vector<OptionSpec> rows) {
    std::move(rows.begin(), rows.end(), std::back_inserter(table));
}

std::vector<OptionSpec> makeTable() {
    std::vector<OptionSpec> table{
        targetRow(),
        integerRow(
            row(OptionTopic::Machine, "ipus", "--ipus", Type::Integer, "1", "IPUs of one replica"),
            {1, mostIpus}, [](auto& options) -> auto& { return options.target.ipus; }),
        integerRow(row(OptionTopic::Machine, "replicas", "--replicas", Type::Integer, "1",
                       "copies of the model, each on --ipus IPUs with its own data"),
                   {1, mostIpus}, &RunOptions::replicas),
        tilesRow(),
        with(
            row(OptionTopic::BatchAndRun, "mode", "--mode", Type::Choice, "inference",
                "what the model is compiled for", {"inference", "training"}),
            [](const OptionSpec& self, RunOptions& options, const std::string& value) {
                options.mode = choiceValue(self, value);
            },
            [](const RunOptions& options) { return options.mode; }),
        batchRow(),
        integerRow(row(OptionTopic::BatchAndRun, "gradientAccumulation", "--gradient-accumulation",
                       Type::Integer, "1", "micro-batches of one weight update"),
                   {1, mostIterations}, &RunOptions::gradientAccumulation),
        integerRow(row(OptionTopic::BatchAndRun, "deviceIterations", "--device-iterations",
                       Type::Integer, "1", "batches that one run processes"),
                   {1, mostIterations}, &RunOptions::deviceIterations),
        integerRow(row(OptionTopic::BatchAndRun, "stepsPerExecution", "--steps-per-execution",
                       Type::Integer, "",
                       "Keras' name and count of it: micro-batches of one run over all replicas, "
                       "with --framework keras"),
                   {1, mostIterations}, &RunOptions::stepsPerExecution),
        with(
            row(OptionTopic::Numbers, "precision", "--precision", Type::Choice, "",
                "element type of the model's floating-point tensors; without it as the model says",
                {"float", "half"}),
            [](const OptionSpec& self, RunOptions& options, const std::string& value) {
                options.precision =
                    choiceValue(self, value) == "half" ? Precision::Half : Precision::Float;
            },
            [](const RunOptions& options) -> std::string {
                return !options.precision                      ? ""
                       : *options.precision == Precision::Half ? "half"
                                                               : "float";
            }),
        enumRow(row(OptionTopic::Numbers, "partialsType", "--partials-type", Type::Choice, "float",
                    "element type of partial sums of convolutions and matmuls", {"float", "half"}),
                &RunOptions::partialsType),
        proportionRow(),
        with(row(OptionTopic::MemoryAndPlanning, "availableMemoryProportionByOperation",
                 "--available-memory-proportion-by-operation", Type::Json, "",
                 "the same for single operations, a JSON object of names and numbers; has "
                 "precedence over the attribute __available_memory of an ONNX node"),
             setProportionByOperation, proportionByOperationText),
        switchRow(row(OptionTopic::MemoryAndPlanning, "relaxMemoryTarget", "--relax-memory-target",
                      Type::Choice, "on",
                      "where no plan keeps to the available memory proportion, double it until one "
                      "does instead of planning for least memory",
                      {"on", "off"}),
                  &RunOptions::relaxMemoryTarget),
        with(
            row(OptionTopic::MemoryAndPlanning, "inputMapping", "--input-mapping", Type::Choice,
                "by-use",
                "how inputs and weights lie over the tiles: as their first user wants, or linearly",
                {"by-use", "linear"}),
            [](const OptionSpec& self, RunOptions& options, const std::string& value) {
                options.linearInputs = choiceValue(self, value) == "linear";
            },
            [](const RunOptions& options) {
                return std::string(options.linearInputs ? "linear" : "by-use");
            }),
        switchRow(row(OptionTopic::Machine, "ipuModel", "--ipu-model", Type::Flag, "off",
                      "account as the IPU Model does, which runs on the host: no code, no stacks, "
                      "no host latency",
                      {"on", "off"}),
                  &RunOptions::ipuModel),
    };
    append(table, executionRows());
    append(table, trainingRows());
    append(table, replicationRows());
    append(table, feedingRows());
    append(
        table,
        {
            with(row(OptionTopic::ModelAndEngine, "modelOptions", "--model-option", Type::Pairs, "",
                     "size or variant of a built-in model (see 'tilescope models'), KEY=VALUE; may "
                     "be given several times"),
                 setModelOptions,
                 [](const RunOptions& options) { return pairsText(options.modelOptions); }),
            with(
                row(OptionTopic::ModelAndEngine, "executableCache", "--executable-cache",
                    Type::Text, "",
                    "directory that keeps compiled programs: the same model with the same options "
                    "is not compiled again"),
                [](const OptionSpec& self, RunOptions& options, const std::string& value) {
                    if (!value.empty() && value.find_first_not_of(' ') == std::string::npos)
                        throw OptionError(self.key,
                                          fmt::format("'{}' is no name of a directory; name one, "
                                                      "or leave it out",
                                                      value));
                    options.executableCache = value;
                },
                [](const RunOptions& options) { return options.executableCache; }),
            with(
                row(OptionTopic::ModelAndEngine, "customOperations", "--custom-operations",
                    Type::Text, "",
                    "JSON file that declares operations of other domains: layouts of operands, "
                    "cycles and bytes as formulas, vertex class"),
                [](const OptionSpec& self, RunOptions& options, const std::string& value) {
                    if (!value.empty() && !value.ends_with(".json"))
                        throw OptionError(
                            self.key,
                            fmt::format("'{}' is no .json file; give one that declares operations",
                                        value));
                    options.customOperations = value;
                },
                [](const RunOptions& options) { return options.customOperations; }),
            with(
                row(OptionTopic::ModelAndEngine, "engineOptions", "--engine-options", Type::Json,
                    "", "Poplar engine options, as POPLAR_ENGINE_OPTIONS has them"),
                [](const OptionSpec& self, RunOptions& options, const std::string& value) {
                    addEngineOptions(options, value, "option " + optionName(self.key));
                },
                [](const RunOptions& options) { return engineOptionsJson(options.engineOptions); }),
        });
    append(table, computeRows());
    return table;
}

} // namespace

const std::vector<OptionSpec>& runOptionTable() {
    static const std::vector<OptionSpec> table = makeTable();
    return table;
}

const OptionSpec* findOption(std::string_view key) {
    for (const OptionSpec& spec : runOptionTable())
        if (spec.key == key)
            return &spec;
    return nullptr;
}

} // namespace tilescope
