#include <algorithm>
#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

#include "core/options/json_input.h"
#include "core/options/option_values.h"
#include "core/options/run_options.h"

namespace tilescope {
namespace {

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();
// A tile of memory holds fewer bytes than this; larger batches cannot be meant.
constexpr std::int64_t mostBatch = 1'000'000;
constexpr std::int64_t mostIterations = 1'000'000'000'000;
// A POD256.
constexpr std::int64_t mostIpus = 256;
// More than all operations of any model together.
constexpr double mostOutlineThreshold = 1e9;
// Tiles stand in islands of four.
constexpr std::int64_t leastTiles = 4;

using Type = OptionSpec::Type;

/// A row without its functions; they need the row itself for their errors.
OptionSpec row(std::string key, std::string flag, Type type, std::string defaultValue,
               std::string help, std::vector<std::string> choices = {}) {
    OptionSpec spec;
    spec.key = std::move(key);
    spec.flag = std::move(flag);
    spec.type = type;
    spec.defaultValue = std::move(defaultValue);
    spec.help = std::move(help);
    spec.choices = std::move(choices);
    return spec;
}

template <class Set, class Get> OptionSpec with(OptionSpec spec, Set set, Get get) {
    spec.set = [spec, set](RunOptions& options, const std::string& value) {
        set(spec, options, value);
    };
    spec.get = get;
    return spec;
}

/// An option of the contract that this version cannot honour: its default is all it takes.
OptionSpec notYet(OptionSpec spec) {
    const auto refuse = [](const OptionSpec& self, RunOptions&, const std::string& value) {
        if (value == self.defaultValue)
            return;
        if (self.type == Type::Choice)
            choiceValue(self, value);
        if (self.type == Type::Integer)
            integerValue(self, value, 0, unlimited);
        const std::string allowed = self.defaultValue.empty()
                                        ? "leave it out"
                                        : fmt::format("the only value is {}", self.defaultValue);
        throw optionError(
            self, fmt::format("this version does not simulate '{}' yet; {}", value, allowed));
    };
    const std::string constant = spec.defaultValue;
    return with(std::move(spec), refuse, [constant](const RunOptions&) { return constant; });
}

OptionSpec targetRow() {
    OptionSpec spec =
        row("target", "--target", Type::Choice, "mk2", "IPU to simulate (see 'tilescope targets')");
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
    return with(
        row("tilesPerIpu", "--tiles-per-ipu", Type::Integer, "",
            "tiles used of each IPU, from 4 to what the target has"),
        [](const OptionSpec& self, RunOptions& options, const std::string& value) {
            options.target.tilesPerIpu = static_cast<std::int32_t>(integerValue(
                self, value, leastTiles, targetPreset(options.target.name).tilesPerIpu));
        },
        [](const RunOptions& options) { return std::to_string(options.target.tilesPerIpu); });
}

OptionSpec batchRow() {
    return with(
        row("batchSize", "--batch-size", Type::Integer, "",
            "samples of a micro-batch; without it the model's own, or 1"),
        [](const OptionSpec& self, RunOptions& options, const std::string& value) {
            options.batchSize = integerValue(self, value, 1, mostBatch);
        },
        [](const RunOptions& options) {
            return options.batchSize ? std::to_string(*options.batchSize) : std::string();
        });
}

OptionSpec ipusRow() {
    return with(
        row("ipus", "--ipus", Type::Integer, "1", "IPUs of one replica"),
        [](const OptionSpec& self, RunOptions& options, const std::string& value) {
            options.target.ipus = static_cast<std::int32_t>(integerValue(self, value, 1, mostIpus));
        },
        [](const RunOptions& options) { return std::to_string(options.target.ipus); });
}

/// A choice whose values are those of an enumeration, in its order.
template <class Enumeration> OptionSpec enumRow(OptionSpec made, Enumeration RunOptions::*member) {
    const std::vector<std::string> choices = made.choices;
    return with(
        std::move(made),
        [member](const OptionSpec& self, RunOptions& options, const std::string& value) {
            const std::string& chosen = choiceValue(self, value);
            const auto at = std::find(self.choices.begin(), self.choices.end(), chosen);
            options.*member = static_cast<Enumeration>(at - self.choices.begin());
        },
        [member, choices](const RunOptions& options) {
            return choices.at(static_cast<std::size_t>(options.*member));
        });
}

OptionSpec executionRow() {
    return enumRow(row("execution", "--execution", Type::Choice, "single",
                       "how IPUs share the model", {"single", "sharded", "pipelined"}),
                   &RunOptions::execution);
}

OptionSpec scheduleRow() {
    return enumRow(row("schedule", "--schedule", Type::Choice, "popart", "pipeline schedule",
                       {"popart", "grouped", "interleaved", "sequential"}),
                   &RunOptions::schedule);
}

/// Names separated by commas.
OptionSpec namesRow(OptionSpec made, std::vector<std::string> RunOptions::*member) {
    return with(
        std::move(made),
        [member](const OptionSpec& self, RunOptions& options, const std::string& value) {
            (options.*member).clear();
            for (std::size_t from = 0; from < value.size();) {
                const std::size_t comma = std::min(value.find(',', from), value.size());
                if (comma == from)
                    throw optionError(self, fmt::format("'{}' has an empty name", value));
                (options.*member).push_back(value.substr(from, comma - from));
                from = comma + 1;
            }
        },
        [member](const RunOptions& options) {
            return fmt::format("{}", fmt::join(options.*member, ","));
        });
}

/// "on" or "off".
OptionSpec switchRow(OptionSpec made, bool RunOptions::*member) {
    return with(
        std::move(made),
        [member](const OptionSpec& self, RunOptions& options, const std::string& value) {
            options.*member = choiceValue(self, value) == "on";
        },
        [member](const RunOptions& options) {
            return std::string(options.*member ? "on" : "off");
        });
}

OptionSpec outlineThresholdRow() {
    return with(
        row("outlineThreshold", "--outline-threshold", Type::Number, "1",
            "least value of a function beyond those within it: a convolution or matmul counts "
            "1000, other operations 0.1"),
        [](const OptionSpec& self, RunOptions& options, const std::string& value) {
            options.outlineThreshold = numberValue(self, value, 0, mostOutlineThreshold);
        },
        [](const RunOptions& options) { return numberText(options.outlineThreshold); });
}

OptionSpec splitRow() {
    return namesRow(row("split", "--split", Type::Text, "",
                        "first operation or scope of each further stage, NAME,NAME; without it the "
                        "stages are balanced by cycles"),
                    &RunOptions::split);
}

/// "0,1,2,0"
OptionSpec deviceMappingRow() {
    return with(
        row("deviceMapping", "--device-mapping", Type::Text, "",
            "IPU of each stage, N,N,...: a stage may come back to an IPU, such as to a weight that "
            "an earlier stage has; without it stage i runs on IPU i"),
        [](const OptionSpec& self, RunOptions& options, const std::string& value) {
            options.deviceMapping.clear();
            for (std::size_t from = 0; from <= value.size() && !value.empty();) {
                const std::size_t comma = std::min(value.find(',', from), value.size());
                options.deviceMapping.push_back(static_cast<std::int32_t>(
                    integerValue(self, value.substr(from, comma - from), 0, mostIpus - 1)));
                from = comma + 1;
            }
        },
        [](const RunOptions& options) {
            return fmt::format("{}", fmt::join(options.deviceMapping, ","));
        });
}

OptionSpec modeRow() {
    return with(
        row("mode", "--mode", Type::Choice, "inference", "what the model is compiled for",
            {"inference", "training"}),
        [](const OptionSpec& self, RunOptions& options, const std::string& value) {
            options.mode = choiceValue(self, value);
        },
        [](const RunOptions& options) { return options.mode; });
}

OptionSpec accumulationRow() {
    return with(
        row("gradientAccumulation", "--gradient-accumulation", Type::Integer, "1",
            "micro-batches of one weight update"),
        [](const OptionSpec& self, RunOptions& options, const std::string& value) {
            options.gradientAccumulation = integerValue(self, value, 1, mostIterations);
        },
        [](const RunOptions& options) { return std::to_string(options.gradientAccumulation); });
}

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
    constexpr double least = 1e-6;
    constexpr double most = 1e9;
    return with(
        row("lossScaling", "--loss-scaling", Type::Number, "1",
            "factor of the loss's gradient, taken out again by the optimizer: costs nothing more"),
        [](const OptionSpec& self, RunOptions& options, const std::string& value) {
            options.lossScaling = numberValue(self, value, least, most);
        },
        [](const RunOptions& options) { return fmt::format("{}", options.lossScaling); });
}

OptionSpec iterationsRow() {
    return with(
        row("deviceIterations", "--device-iterations", Type::Integer, "1",
            "batches that one run processes"),
        [](const OptionSpec& self, RunOptions& options, const std::string& value) {
            options.deviceIterations = integerValue(self, value, 1, mostIterations);
        },
        [](const RunOptions& options) { return std::to_string(options.deviceIterations); });
}

std::string precisionText(Precision precision) {
    return precision == Precision::Half ? "half" : "float";
}

Precision precisionFrom(const OptionSpec& spec, const std::string& value) {
    return choiceValue(spec, value) == "half" ? Precision::Half : Precision::Float;
}

OptionSpec precisionRow() {
    return with(
        row("precision", "--precision", Type::Choice, "",
            "element type of the model's floating-point tensors; without it as the model says",
            {"float", "half"}),
        [](const OptionSpec& self, RunOptions& options, const std::string& value) {
            options.precision = precisionFrom(self, value);
        },
        [](const RunOptions& options) {
            return options.precision ? precisionText(*options.precision) : std::string();
        });
}

OptionSpec partialsRow() {
    return with(
        row("partialsType", "--partials-type", Type::Choice, "float",
            "element type of partial sums of convolutions and matmuls", {"float", "half"}),
        [](const OptionSpec& self, RunOptions& options, const std::string& value) {
            options.partialsType = precisionFrom(self, value);
        },
        [](const RunOptions& options) { return precisionText(options.partialsType); });
}

/// "0.6", "ipu0=0.3" or "ipu0=0.3,ipu1=0.5"; a bare number among them is for the other IPUs.
void setProportion(const OptionSpec& self, RunOptions& options, const std::string& value) {
    std::size_t from = 0;
    do {
        const std::size_t comma = std::min(value.find(',', from), value.size());
        const std::string part = value.substr(from, comma - from);
        from = comma + 1;
        const std::size_t equals = part.find('=');
        if (equals == std::string::npos) {
            options.availableMemoryProportion = numberValue(self, part, 0, 1);
            continue;
        }
        const std::string ipu = part.substr(0, equals);
        if (!ipu.starts_with("ipu"))
            throw optionError(
                self, fmt::format("'{}' is not X or ipuN=X, such as 0.6 or ipu0=0.6", part));
        const std::int64_t number = integerValue(self, ipu.substr(3), 0, options.target.ipus - 1);
        options.availableMemoryProportionByIpu[static_cast<std::int32_t>(number)] =
            numberValue(self, part.substr(equals + 1), 0, 1);
    } while (from <= value.size());
}

std::string proportionText(const RunOptions& options) {
    std::string text = numberText(options.availableMemoryProportion);
    for (const auto& [ipu, proportion] : options.availableMemoryProportionByIpu)
        text += fmt::format(",ipu{}={}", ipu, numberText(proportion));
    return text;
}

OptionSpec proportionRow() {
    return with(row("availableMemoryProportion", "--available-memory-proportion", Type::Proportion,
                    "0.6",
                    "share of a tile's memory for temporary data of a convolution or matmul, "
                    "0 to 1; X, or ipu0=X,ipu1=Y"),
                setProportion, proportionText);
}

/// {"name": 0.3, ...}; replaces what was set before.
void setProportionByOperation(const OptionSpec& self, RunOptions& options,
                              const std::string& value) {
    const boost::json::value parsed =
        parseJson(value, fmt::format("option {} ({})", self.key, self.flag));
    const boost::json::object* object = parsed.if_object();
    if (object == nullptr)
        throw optionError(self, "a JSON object of operation names and numbers from 0 to 1 is "
                                "needed, such as {\"layer1/conv\": 0.3}");
    options.availableMemoryProportionByOperation.clear();
    for (const auto& [name, proportion] : *object)
        options.availableMemoryProportionByOperation[std::string(name)] =
            numberValue(self, optionText(proportion, false), 0, 1);
}

std::string proportionByOperationText(const RunOptions& options) {
    if (options.availableMemoryProportionByOperation.empty())
        return "";
    boost::json::object object;
    for (const auto& [name, proportion] : options.availableMemoryProportionByOperation)
        object[name] = proportion;
    return boost::json::serialize(object);
}

OptionSpec proportionByOperationRow() {
    return with(row("availableMemoryProportionByOperation",
                    "--available-memory-proportion-by-operation", Type::Json, "",
                    "the same for single operations, a JSON object of names and numbers; stands "
                    "above the attribute __available_memory of an ONNX node"),
                setProportionByOperation, proportionByOperationText);
}

OptionSpec relaxRow() {
    return with(
        row("relaxMemoryTarget", "--relax-memory-target", Type::Flag, "off",
            "where no plan keeps to the available memory proportion, double it until one does "
            "instead of planning for least memory",
            {"on", "off"}),
        [](const OptionSpec& self, RunOptions& options, const std::string& value) {
            options.relaxMemoryTarget = choiceValue(self, value) == "on";
        },
        [](const RunOptions& options) {
            return std::string(options.relaxMemoryTarget ? "on" : "off");
        });
}

/// "sequenceLength=384,head=squad", or the same as a JSON object.
void setModelOptions(const OptionSpec& self, RunOptions& options, const std::string& value) {
    for (const auto& [key, text] : pairsValue(self, value))
        options.modelOptions[key] = text;
}

OptionSpec modelRow() {
    return with(row("modelOptions", "--model-option", Type::Pairs, "",
                    "size or variant of a built-in model (see 'tilescope models'), KEY=VALUE; may "
                    "be given several times"),
                setModelOptions,
                [](const RunOptions& options) { return pairsText(options.modelOptions); });
}

OptionSpec mappingRow() {
    return with(
        row("inputMapping", "--input-mapping", Type::Choice, "by-use",
            "how inputs and weights lie over the tiles: as their first user wants, or linearly",
            {"by-use", "linear"}),
        [](const OptionSpec& self, RunOptions& options, const std::string& value) {
            options.linearInputs = choiceValue(self, value) == "linear";
        },
        [](const RunOptions& options) {
            return std::string(options.linearInputs ? "linear" : "by-use");
        });
}

OptionSpec ipuModelRow() {
    return with(
        row("ipuModel", "--ipu-model", Type::Flag, "off",
            "account as the IPU Model does, which runs on the host: no code, no stacks, no host "
            "latency",
            {"on", "off"}),
        [](const OptionSpec& self, RunOptions& options, const std::string& value) {
            options.ipuModel = choiceValue(self, value) == "on";
        },
        [](const RunOptions& options) { return std::string(options.ipuModel ? "on" : "off"); });
}

OptionSpec engineRow() {
    return with(
        row("engineOptions", "--engine-options", Type::Json, "",
            "Poplar engine options, as POPLAR_ENGINE_OPTIONS has them"),
        [](const OptionSpec& self, RunOptions& options, const std::string& value) {
            addEngineOptions(options, value, fmt::format("option {} ({})", self.key, self.flag));
        },
        [](const RunOptions& options) { return engineOptionsJson(options.engineOptions); });
}

std::vector<OptionSpec> makeTable() {
    return {
        targetRow(),
        ipusRow(),
        notYet(row("replicas", "--replicas", Type::Integer, "1", "copies of the model")),
        tilesRow(),
        modeRow(),
        batchRow(),
        accumulationRow(),
        iterationsRow(),
        precisionRow(),
        partialsRow(),
        proportionRow(),
        proportionByOperationRow(),
        relaxRow(),
        mappingRow(),
        ipuModelRow(),
        executionRow(),
        scheduleRow(),
        splitRow(),
        deviceMappingRow(),
        enumRow(row("recompute", "--recompute", Type::Choice, "none",
                    "activations to compute again in the backward pass",
                    {"none", "standard", "norm-only", "all", "pipeline"}),
                &RunOptions::recompute),
        namesRow(row("checkpoint", "--checkpoint", Type::Text, "",
                     "operations or scopes whose results are kept in spite of recomputation, "
                     "NAME,NAME"),
                 &RunOptions::checkpoints),
        switchRow(row("outline", "--outline", Type::Choice, "on",
                      "make repeated parts of the model one function", {"on", "off"}),
                  &RunOptions::outline),
        outlineThresholdRow(),
        switchRow(row("outlineCopyCostPruning", "--outline-copy-cost-pruning", Type::Choice, "on",
                      "leave operations out of functions whose copies cost more than they save",
                      {"on", "off"}),
                  &RunOptions::outlineCopyCostPruning),
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
        notYet(row("offload", "--offload", Type::Text, "",
                   "what lives in the host's memory: optimizer,activations")),
        notYet(row("replicatedTensorSharding", "--replicated-tensor-sharding", Type::Flag, "off",
                   "spread optimizer state over the replicas", {"on", "off"})),
        notYet(
            row("ioTiles", "--io-tiles", Type::Integer, "0", "tiles set aside for host streams")),
        notYet(row("prefetchDepth", "--prefetch-depth", Type::Integer, "1",
                   "batches that the host prepares ahead")),
        modelRow(),
        engineRow(),
    };
}

} // namespace

const std::vector<OptionSpec>& runOptionTable() {
    static const std::vector<OptionSpec> table = makeTable();
    return table;
}

} // namespace tilescope
