// The options of a run: one struct, and one table that the command line, job files, their JSON
// schema and the window's dialog are made from.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/ids.h"
#include "core/options/compute_options.h"
#include "core/options/loss_function.h"
#include "core/options/parameter_groups.h"
#include "core/target/target.h"

namespace tilescope {

enum class Precision { Float, Half };
enum class Execution { Single, Sharded, Pipelined, Phased };
enum class Schedule { PopArt, Grouped, Interleaved, Sequential };
template <>
inline constexpr auto enumNames<Schedule> =
    std::to_array<std::string_view>({"popart", "grouped", "interleaved", "sequential"});
enum class PhaseSchedule { Interleaving, Batch };
enum class Recompute { None, Standard, NormOnly, All, Pipeline };
enum class Optimizer { Sgd, Momentum, Adam, AdamW, Lamb, Lars, Rmsprop };
enum class Reduction { Sum, Mean };
/// What may live in streaming memory and come to the chip only while it is needed.
enum class OffChip { Optimizer, Activations, Weights };
/// How transfers with the host on I/O tiles overlap computation (PopART ExchangeStrategy).
enum class ExchangeStrategy { JustInTime, OverlapInnerLoop, OverlapLoops };
/// Element type in which the host sends a model's floating-point inputs.
enum class InputType { AsModel, Float, Half, Int8 };
/// What calls the engine: Poplar is a program of the user's own.
enum class Framework { Popart, Poptorch, Tensorflow, Keras, Poplar };
template <>
inline constexpr auto enumNames<Framework> =
    std::to_array<std::string_view>({"popart", "poptorch", "tensorflow", "keras", "poplar"});
/// Results that a call returns to the host (PopTorch's OutputMode, PopART's AnchorReturnType).
enum class OutputMode { All, Final, EveryN, Sum };

/// Options of `tilescope run`. Defaults are those of PopART and PopLibs where they have one.
struct RunOptions {
    Target target = targetPreset("mk2");
    std::string mode = "inference";
    std::optional<std::int64_t> batchSize; ///< micro-batch; none: the model's own, or 1
    std::int64_t gradientAccumulation = 1; ///< micro-batches of one weight update
    /// Of the gradients of micro-batches; a mean divides once a weight update (PopART: Post).
    Reduction accumulationReduction = Reduction::Sum;
    Precision accumulationType = Precision::Float;   ///< of gradient accumulators
    Precision optimizerStateType = Precision::Float; ///< of momentum and other moments
    double lossScaling = 1; ///< factor of the loss's gradient, which the optimizer takes out again
    LossFunction loss = LossFunction::Automatic; ///< of the model's first output
    /// Output of the model that is the loss itself, one number; the others are returned beside it.
    std::string lossOutput;
    std::vector<std::string> frozen; ///< weights, or scopes of them, that training leaves alone
    Optimizer optimizer = Optimizer::Sgd;
    double learningRate = 0.001; ///< PyTorch's default of all its optimizers
    /// Share of a weight that an update takes away, times the learning rate; none:
    /// weightDecayInForce.
    std::optional<double> weightDecay;
    double momentum = 0.9;          ///< of SGD with momentum, LARS and RMSprop
    double beta1 = 0.9;             ///< share that Adam's first moment keeps
    double beta2 = 0.999;           ///< share that its second moment keeps, RMSprop's alpha
    double optimizerEpsilon = 1e-8; ///< added to the root of Adam's second moment
    std::vector<ParameterGroup> parameterGroups; ///< weights with numbers of their own
    std::int64_t deviceIterations = 1;
    std::optional<Precision> precision; ///< none: as the model says
    Precision partialsType = Precision::Float;
    /// Share of a tile's memory that temporary data of a convolution or matmul may take, 0 to 1.
    double availableMemoryProportion = 0.6;
    /// The same for one IPU ("ipu0=0.3").
    std::map<std::int32_t, double> availableMemoryProportionByIpu;
    /// The same for single operations, by their name or their ONNX node's; has precedence over the
    /// others and over what the model says.
    std::map<std::string, double> availableMemoryProportionByOperation;
    /// Where no plan keeps to the proportion: double it until one does, as PopLibs does since June
    /// 2020 (poplin/ConvPlan.cpp, createPlan), instead of taking the plan of least memory.
    bool relaxMemoryTarget = true;
    /// Inputs, weights and constants lie linearly over the tiles (poputil mapTensorLinearly),
    /// whatever their first user would like.
    bool linearInputs = false;
    Execution execution = Execution::Single;
    Schedule schedule = Schedule::PopArt; ///< of a pipeline
    std::int32_t phases = 0; ///< of the forward pass, phased execution; 0: as the model is split
    std::int32_t phaseStages =
        0; ///< groups of IPUs that take turns: 1 or 2; 0: as many as there are
    /// Order of loads, optimizer and stores within a phase (PopART ExecutionPhaseSchedule).
    PhaseSchedule phaseSchedule = PhaseSchedule::Interleaving;
    Recompute recompute = Recompute::None;
    std::vector<std::string> checkpoints; ///< operations or scopes whose results are kept
    /// BatchNormalization of inference goes into the convolution before it, as PopRT does; PopART
    /// keeps it.
    bool foldBatchNorm = false;
    bool outline = true; ///< repeated parts of the graph become functions
    /// By how much a part's value must exceed that of the functions in it (PopART
    /// outlineThreshold).
    double outlineThreshold = 1;
    bool outlineCopyCostPruning = true; ///< PopART enableOutliningCopyCostPruning
    std::vector<std::string> split;     ///< first operation or scope of each further stage
    /// IPU of each stage (TensorFlow device_mapping); empty: stage i runs on IPU i.
    std::vector<std::int32_t> deviceMapping;
    /// No host streams: inputs, weights and results stay on the device (PopART's synthetic data).
    bool ignoreData = false;
    /// Account memory as the IPU Model does, which runs code on the host: data and vertex state are
    /// there, code and stacks are not, unless it compiles them.
    bool ipuModel = false;
    /// The IPU Model compiles code for the IPU too, which then takes memory (Poplar's
    /// IPUModel::compileIPUCode).
    bool ipuModelCompilesCode = false;
    /// Copies of the graph, each on `target.ipus` IPUs with data of its own; the gradients are
    /// summed over them.
    std::int32_t replicas = 1;
    bool replicatedTensorSharding = false; ///< optimizer state is spread over the replicas
    /// Of weights; the state of smaller ones is not spread (popart TensorLocationSettings).
    std::int64_t minElementsForReplicatedTensorSharding = 8192;
    /// Gradients wait until so many bytes are summed by one all-reduce; 0: each by one of its own
    /// (TensorFlow's maximum_cross_replica_sum_buffer_size).
    std::int64_t maxCrossReplicaBufferSize = 0;
    /// Neighbouring replicas over whose batches batch normalisations take their statistics in
    /// training (TensorFlow's distributed_batch_norm_replica_group_size).
    std::int32_t distributedBatchNormReplicaGroupSize = 1;
    std::set<OffChip> offload; ///< what lives in streaming memory
    /// Of each IPU, set aside for transfers with the host (PopTorch numIOTiles, TensorFlow
    /// num_io_tiles with place_ops_on_io_tiles).
    std::int32_t ioTiles = 0;
    ExchangeStrategy exchangeStrategy = ExchangeStrategy::JustInTime;
    std::int32_t prefetchDepth = 1; ///< batches that the host has ready at most
    InputType inputType = InputType::AsModel;
    double hostRate = 0; ///< samples a second that one host instance prepares; 0: any number
    /// By how much of the mean time one in eight micro-batches is late; see host_model.h.
    double hostJitter = 0;
    std::int32_t instances = 1; ///< processes of the host, which share the replicas (PopDist)
    Framework framework = Framework::Popart; ///< whose work on the host each call has
    OutputMode outputMode = OutputMode::All;
    std::int64_t outputEvery = 0; ///< batches between two that are returned, with EveryN
    /// Keras' count of a call's batches, over all replicas and micro-batches; 0: deviceIterations
    /// says how many there are.
    std::int64_t stepsPerExecution = 0;
    /// Directory that keeps compiled programs for later runs; empty: none are kept.
    std::string executableCache;
    /// Poplar engine options, as POPLAR_ENGINE_OPTIONS gives them.
    std::map<std::string, std::string> engineOptions;
    /// File that declares operations which nobody else knows; empty: none.
    std::string customOperations;
    /// Sizes and variants of a built-in model, by its own keys ("sequenceLength").
    std::map<std::string, std::string> modelOptions;

    ComputeOptions compute; ///< of values

    [[nodiscard]] double memoryProportion(IpuId ipu) const;
    /// PopTorch's defaults: 0.01 with AdamW, none with the others; LARS 0.0005 as published.
    [[nodiscard]] double weightDecayInForce() const;
    /// PopART's default: ping-pong between two groups where there are two IPUs or more.
    [[nodiscard]] std::int32_t phaseStagesInForce() const {
        return phaseStages > 0 ? phaseStages : target.ipus > 1 ? 2 : 1;
    }
    [[nodiscard]] bool isTraining() const { return mode == "training"; }
    /// Micro-batches of a replica in one call that have a result each.
    [[nodiscard]] std::int64_t microBatchesOfCall() const {
        return deviceIterations * (isTraining() ? gradientAccumulation : 1);
    }
    [[nodiscard]] bool isOffChip(OffChip what) const { return offload.contains(what); }
    friend bool operator==(const RunOptions&, const RunOptions&) = default;
};

/// Options that belong together in a form, in the order of the form.
enum class OptionTopic {
    Machine,
    BatchAndRun,
    Host,
    Numbers,
    MemoryAndPlanning,
    Replicas,
    SeveralIpus,
    Functions,
    Training,
    ModelAndEngine,
    Compute,
};
inline constexpr auto optionTopics = valuesUpTo<OptionTopic::Compute>;
template <>
inline constexpr auto enumTitles<OptionTopic> = std::to_array<std::string_view>(
    {"Machine", "Batch and run", "Host", "Numbers", "Memory and planning", "Replicas",
     "Several IPUs", "Functions", "Training", "Model and engine", "Values"});

/// Bounds of a number, both allowed.
struct OptionRange {
    double least = 0;
    double most = 0;
};

/// A row of the option table. Values are text: flags, job files and dialogs all use it.
struct OptionSpec {
    OptionTopic topic = OptionTopic::Machine;
    std::string key;  ///< "availableMemoryProportion"
    std::string flag; ///< "--available-memory-proportion"
    enum class Type {
        Integer,
        Number,
        Text,
        Choice,
        Flag,
        Json,
        Proportion,
        Pairs
    } type = Type::Text;
    std::vector<std::string> choices; ///< of a Choice; a Flag is "on" or "off"
    std::string defaultValue;         ///< "" if there is none
    std::string help;
    /// Bounds of a number, which may depend on the target; none of other options.
    std::function<OptionRange(const RunOptions&)> range;
    /// Parses and stores; throws OptionError that names the key, the value and what is allowed.
    std::function<void(RunOptions&, const std::string& value)> set;
    /// The value in force, as text.
    std::function<std::string(const RunOptions&)> get;
};

/// All options, in the order of the help text.
const std::vector<OptionSpec>& runOptionTable();

/// The row of an option; nullptr for an unknown key.
const OptionSpec* findOption(std::string_view key);

/// Sets an option by key; throws UserError naming the nearest key for an unknown one.
void setRunOption(RunOptions& options, std::string_view key, const std::string& value);

/// Sets several options (key to value) in the order of the table, so that a target is chosen before
/// its tiles are counted. Throws like setRunOption().
void setRunOptions(RunOptions& options, const std::map<std::string, std::string>& values);

/// Checks that options fit together (tiles within the target, proportions within 0 and 1, ...).
void validate(const RunOptions& options);

/// The same options with stepsPerExecution as deviceIterations. They have to be valid.
RunOptions withDeviceIterations(RunOptions options);

/// Reads Poplar engine options, a JSON object of strings (numbers and booleans are taken too), as
/// the original reads POPLAR_ENGINE_OPTIONS. `origin` names the source in errors.
void addEngineOptions(RunOptions& options, std::string_view json, const std::string& origin);

/// Engine options as a JSON object, keys sorted; "" if there are none.
std::string engineOptionsJson(const std::map<std::string, std::string>& engineOptions);

/// What the user should know about the engine options: keys that public documentation does not
/// have, which are kept, and known ones that do not act here, each with the reason
/// (core/options/engine_options.h).
struct OptionNote {
    bool warning = false; ///< otherwise information
    std::string text;
};
std::vector<OptionNote> engineOptionNotes(const RunOptions& options);

/// Options that are given and change nothing beside the others.
std::vector<OptionNote> optionNotes(const RunOptions& options);

} // namespace tilescope
