#include "core/options/run_options.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/suggest.h"
#include "core/options/optimizer_numbers.h"
#include "core/options/option_error.h"
#include "core/options/option_limits.h"
#include "core/options/option_rows.h"

namespace tilescope {
namespace {

std::vector<std::string> optionKeys() {
    std::vector<std::string> keys;
    for (const OptionSpec& spec : runOptionTable())
        keys.push_back(spec.key);
    return keys;
}

const OptionSpec& specOf(std::string_view key) {
    if (const OptionSpec* spec = findOption(key))
        return *spec;
    throw UserError(
        fmt::format("unknown option '{}'.{}", shortened(key), didYouMean(key, optionKeys())));
}

void checkProportion(double proportion) {
    if (!(proportion >= 0 && proportion <= 1))
        throw OptionError("availableMemoryProportion",
                          fmt::format("{} is not a number from 0 to 1", proportion));
}

} // namespace

double RunOptions::memoryProportion(IpuId ipu) const {
    const auto found = availableMemoryProportionByIpu.find(ipu.value());
    return found == availableMemoryProportionByIpu.end() ? availableMemoryProportion
                                                         : found->second;
}

void setRunOption(RunOptions& options, std::string_view key, const std::string& value) {
    specOf(key).set(options, value);
}

void setRunOptions(RunOptions& options, const std::map<std::string, std::string>& values) {
    for (const auto& [key, value] : values)
        specOf(key);
    for (const OptionSpec& spec : runOptionTable())
        if (const auto given = values.find(spec.key); given != values.end())
            spec.set(options, given->second);
}

namespace {

void refuse(bool given, const char* option, const std::string& problem) {
    if (given)
        throw OptionError(option, problem);
}

/// Options of training that say nothing about inference.
void checkTrainingOnly(const RunOptions& options) {
    refuse(options.isTraining() && options.foldBatchNorm, "foldBatchNorm",
           "training normalises by the statistics of its batches; leave it out");
    refuse(!options.lossOutput.empty() && options.loss != LossFunction::Automatic, "lossOutput",
           "the output is the loss itself, so that none is computed from it; leave --loss out");
    if (options.isTraining())
        return;
    const auto refuseOther = [](bool given, const char* option, const char* what) {
        refuse(given, option,
               fmt::format("{} in training only; add --mode training, or leave it out", what));
    };
    refuseOther(options.accumulationReduction != Reduction::Sum, "accumulationReduction",
                "gradients are accumulated");
    refuseOther(options.accumulationType != Precision::Float, "accumulationType",
                "gradients are accumulated");
    refuseOther(options.optimizerStateType != Precision::Float, "optimizerStateType",
                "an optimizer keeps state");
    refuseOther(options.loss != LossFunction::Automatic, "loss", "there is a loss");
    refuseOther(!options.lossOutput.empty(), "lossOutput", "there is a loss");
    refuseOther(!options.frozen.empty(), "frozen", "weights are updated");
    refuseOther(!options.parameterGroups.empty(), "parameterGroups", "weights are updated");
    refuseOther(options.lossScaling != 1, "lossScaling", "there is a loss");
    for (const char* option : givenOptimizerNumbers(options))
        refuseOther(true, option, "weights are updated");
}

bool hasOptimizerState(const RunOptions& options) {
    return options.isTraining() && options.optimizer != Optimizer::Sgd;
}

bool isPowerOfTwo(std::int64_t number) {
    return (number & (number - 1)) == 0;
}

/// A machine has so many IPUs, and attaches a power of two of them (PopTorch's autoRoundNumIPUs).
void checkReplicas(const RunOptions& options) {
    const std::int32_t ipus = options.target.ipus;
    const std::int64_t all = std::int64_t{ipus} * options.replicas;
    const std::int64_t most =
        options.target.systemIpus > 0 ? options.target.systemIpus : limits::mostIpus;
    if (all > most)
        throw OptionError("replicas",
                          fmt::format("{} replicas of {} IPUs are {} IPUs, but {} has {}; choose "
                                      "--replicas {} or fewer{}",
                                      options.replicas, ipus, all,
                                      options.target.systemIpus > 0 ? options.target.description
                                                                    : "the largest machine",
                                      most, std::max<std::int64_t>(1, most / ipus),
                                      ipus > most ? fmt::format(" and --ipus {} or fewer", most)
                                                  : std::string()));
    if (options.replicas == 1)
        return;
    if (!isPowerOfTwo(all))
        throw OptionError(
            "replicas",
            fmt::format("{} replicas of {} IPUs are {} IPUs, but a machine attaches a power of two "
                        "of them; choose both so that their product is one",
                        options.replicas, ipus, all));
    refuse(options.ipuModel, "replicas",
           "the IPU Model has no replicas; leave --ipu-model or --replicas out");
}

/// What replicas share, and what is worth keeping off the chip.
void checkShared(const RunOptions& options) {
    const bool shards = options.replicatedTensorSharding;
    const char* sharding = "replicatedTensorSharding";
    refuse(shards && options.replicas == 1, sharding,
           "sharding needs at least two replicas; add --replicas N, or leave it out");
    refuse(!shards && options.minElementsForReplicatedTensorSharding !=
                          RunOptions().minElementsForReplicatedTensorSharding,
           "minElementsForReplicatedTensorSharding",
           "no state is spread; add --replicated-tensor-sharding, or leave it out");
    refuse(shards && !hasOptimizerState(options), sharding,
           "there is no optimizer state to share; add --mode training with --optimizer momentum, "
           "adam, adamw, lamb or lars, or leave it out");
    const char* buffer = "maxCrossReplicaBufferSize";
    refuse(options.maxCrossReplicaBufferSize > 0 && options.replicas == 1, buffer,
           "one replica sums no gradients with others; add --replicas N, or leave it out");
    refuse(options.maxCrossReplicaBufferSize > 0 && !options.isTraining(), buffer,
           "there are gradients in training only; add --mode training, or leave it out");
    const std::int32_t group = options.distributedBatchNormReplicaGroupSize;
    if (options.isTraining() && options.replicas > 1 && options.replicas % group != 0)
        throw OptionError("distributedBatchNormReplicaGroupSize",
                          fmt::format("groups of {} replicas do not make up {} replicas; choose a "
                                      "divisor of {}, or other --replicas",
                                      group, options.replicas, options.replicas));
    const char* offload = "offload";
    refuse(options.isOffChip(OffChip::Optimizer) && !hasOptimizerState(options), offload,
           "there is no optimizer state; add --mode training with --optimizer momentum, adam, "
           "adamw, lamb or lars, or leave 'optimizer' out");
    refuse(options.isOffChip(OffChip::Activations) && !options.isTraining(), offload,
           "inference keeps no activations for later; add --mode training, or leave 'activations' "
           "out");
    refuse(!options.offload.empty() && options.execution == Execution::Phased, offload,
           "phased execution keeps weights and optimizer state off the chip by itself; leave one "
           "of them out");
}

/// Functions need outlining.
void checkOutline(const RunOptions& options) {
    const RunOptions defaults;
    const auto needsOutline = [&](bool given, const char* option) {
        refuse(given && !options.outline, option,
               "nothing becomes a function with --outline off; leave one of them out");
    };
    needsOutline(options.outlineThreshold != defaults.outlineThreshold, "outlineThreshold");
    needsOutline(!options.outlineCopyCostPruning, "outlineCopyCostPruning");
}

/// How many IPUs each way of execution takes, and what belongs to phases.
void checkPhases(const RunOptions& options) {
    const bool phased = options.execution == Execution::Phased;
    const std::int32_t ipus = options.target.ipus;
    const auto needsPhases = [&](bool given, const char* option) {
        refuse(given && !phased, option,
               "only phased execution has phases; add --execution phased, or leave it out");
    };
    needsPhases(options.phases > 0, "phases");
    needsPhases(options.phaseStages > 0, "phaseStages");
    needsPhases(options.phaseSchedule != PhaseSchedule::Interleaving, "phaseSchedule");
    if (phased && ipus % options.phaseStagesInForce() != 0)
        throw OptionError("phaseStages",
                          fmt::format("{} IPUs do not make {} groups of equal size; choose an even "
                                      "number of --ipus, or --phase-stages 1",
                                      ipus, options.phaseStagesInForce()));
    const bool several =
        options.execution == Execution::Sharded || options.execution == Execution::Pipelined;
    if (several && ipus == 1)
        throw OptionError(
            "execution",
            fmt::format("'{}' shares a model between several IPUs, but there is one; add --ipus N, "
                        "or leave it out",
                        options.execution == Execution::Sharded ? "sharded" : "pipelined"));
}

/// Options that only mean something together with another.
void checkExecution(const RunOptions& options) {
    if (options.execution == Execution::Single && options.target.ipus > 1)
        throw OptionError("execution",
                          fmt::format("'single' uses one IPU, not {}; choose 'sharded', "
                                      "'pipelined' or 'phased', or --ipus 1",
                                      options.target.ipus));
    if (options.execution != Execution::Pipelined && options.schedule != Schedule::PopArt)
        throw OptionError("schedule",
                          fmt::format("'{}' is a schedule of a pipeline; add --execution pipelined",
                                      toString(options.schedule)));
    refuse(!options.split.empty() && options.target.ipus == 1 &&
               options.execution != Execution::Phased,
           "split", "one IPU has nothing to split; add --ipus N");
    refuse(!options.isTraining() && options.gradientAccumulation > 1, "gradientAccumulation",
           "gradients are accumulated in training only; add --mode training, or use "
           "--device-iterations");
    refuse(!options.isTraining() && options.optimizer != Optimizer::Sgd, "optimizer",
           "weights are updated in training only; add --mode training, or leave it out");
    checkTrainingOnly(options);
    checkParameterGroups(options);
    refuse(!options.isTraining() && options.recompute != Recompute::None, "recompute",
           "inference has no backward pass to recompute for; add --mode training, or leave it out");
    refuse(
        options.recompute == Recompute::None && !options.checkpoints.empty(), "checkpoint",
        "nothing is recomputed, so everything is kept; add --recompute standard, or leave it out");
    refuse(options.recompute == Recompute::Pipeline && options.execution != Execution::Pipelined,
           "recompute",
           "'pipeline' recomputes between the stages of a pipeline; add --execution pipelined, or "
           "choose 'standard'");
}

void checkDeviceMapping(const RunOptions& options) {
    const auto& mapping = options.deviceMapping;
    if (mapping.empty())
        return;
    const std::int32_t ipus = options.target.ipus;
    refuse(options.execution == Execution::Single, "deviceMapping",
           "one IPU runs everything; add --execution pipelined (or sharded) and --ipus N, or leave "
           "it out");
    refuse(options.execution == Execution::Phased, "deviceMapping",
           "phases take turns on IPUs by --phase-stages; leave it out, or add --execution "
           "pipelined (or sharded)");
    for (const std::int32_t ipu : mapping)
        if (ipu >= ipus)
            throw OptionError(
                "deviceMapping",
                fmt::format(
                    "there is no IPU {}, IPUs are 0 to {}; give --ipus {} or choose one of those",
                    ipu, ipus - 1, ipu + 1));
    for (std::int32_t ipu = 0; ipu < ipus; ++ipu)
        if (std::find(mapping.begin(), mapping.end(), ipu) == mapping.end())
            throw OptionError(
                "deviceMapping",
                fmt::format("no stage runs on IPU {} of {}; name it, or give fewer --ipus", ipu,
                            ipus));
    if (!options.split.empty() && options.split.size() + 1 != mapping.size())
        throw OptionError("deviceMapping",
                          fmt::format("it names the IPUs of {} stages, but the {} names of --split "
                                      "make {}; give one IPU for each stage",
                                      mapping.size(), options.split.size(),
                                      options.split.size() + 1));
}

bool overlapsHost(const RunOptions& options) {
    return options.exchangeStrategy != ExchangeStrategy::JustInTime;
}

void checkIoTiles(const RunOptions& options) {
    const std::int32_t tiles = options.ioTiles;
    const char* ioTiles = "ioTiles";
    if (tiles == 0) {
        if (overlapsHost(options))
            throw OptionError("exchangeStrategy",
                              "only I/O tiles can talk to the host while others compute; add "
                              "--io-tiles 32, or leave it out");
        return;
    }
    refuse(tiles < limits::leastIoTiles || tiles % 2 != 0, ioTiles,
           fmt::format("{} is not an even number from {} to {}; choose one, such as 32", tiles,
                       limits::leastIoTiles, limits::mostIoTiles));
    refuse(
        tiles > options.target.tilesPerIpu - limits::leastTiles, ioTiles,
        fmt::format(
            "{} of {} tiles leave fewer than {} to compute; choose fewer, or more --tiles-per-ipu",
            tiles, options.target.tilesPerIpu, limits::leastTiles));
    refuse(options.execution != Execution::Single && options.execution != Execution::Pipelined,
           ioTiles,
           "they are simulated for --execution single and pipelined, not between shards or phases; "
           "leave one of them out");
    refuse(options.schedule == Schedule::Interleaved || options.schedule == Schedule::Sequential,
           "schedule",
           fmt::format("I/O tiles need a schedule in which a micro-batch enters in every slot, so "
                       "that the next one can be loaded beside it: in '{}' {}; choose grouped or "
                       "popart, or leave --io-tiles out",
                       toString(options.schedule),
                       options.schedule == Schedule::Interleaved
                           ? "stages take turns between forward and backward"
                           : "one stage runs at a time"));
    refuse(options.execution == Execution::Pipelined && options.isTraining() &&
               options.exchangeStrategy == ExchangeStrategy::OverlapLoops,
           "exchangeStrategy",
           "a pipeline runs empty before each weight update, so that no transfer goes on over "
           "it; choose overlap-inner-loop");
    refuse(options.ignoreData, ioTiles, "nothing is exchanged with the host; leave it out");
}

/// Which results a call returns.
void checkReturns(const RunOptions& options) {
    const bool everyN = options.outputMode == OutputMode::EveryN;
    const std::int64_t iterations = withDeviceIterations(options).deviceIterations;
    refuse(everyN && options.outputEvery == 0, "outputEvery",
           "'every-n' returns each n-th batch; say which by --output-every N");
    refuse(!everyN && options.outputEvery > 0, "outputEvery",
           "only each n-th batch has a number; add --output-mode every-n, or leave it out");
    if (everyN && iterations % options.outputEvery != 0)
        throw OptionError(
            "outputEvery",
            fmt::format("{} does not divide the {} batches of a call; choose a divisor, or other "
                        "--device-iterations",
                        options.outputEvery, iterations));
    const auto refuseWith = [&](bool given, const char* what) {
        refuse(options.outputMode != OutputMode::All && given, "outputMode",
               fmt::format("{} each micro-batch's results; leave one of them out", what));
    };
    refuseWith(options.ioTiles > 0, "I/O tiles send");
    refuseWith(options.execution == Execution::Phased, "phases send");
    refuse(everyN && options.execution == Execution::Pipelined && !options.isTraining(),
           "outputMode",
           "a pipeline without weight updates is one loop over all batches and has no moment "
           "after each n-th; choose all, final or sum");
}

/// Keras counts steps over replicas and micro-batches (the IPU's Keras extensions raise an error
/// where they do not divide).
void checkSteps(const RunOptions& options) {
    const std::int64_t steps = options.stepsPerExecution;
    if (steps == 0)
        return;
    const char* option = "stepsPerExecution";
    refuse(options.framework != Framework::Keras && options.framework != Framework::Tensorflow,
           option, "only Keras counts so; add --framework keras, or give --device-iterations");
    const std::int64_t of =
        options.replicas * std::int64_t{options.isTraining() ? options.gradientAccumulation : 1};
    if (steps % of != 0)
        throw OptionError(
            option,
            fmt::format("{} is not a multiple of {}: {} replica{} take{} as many micro-batches"
                        " each{}; choose {} or another multiple",
                        steps, of, options.replicas, options.replicas == 1 ? "" : "s",
                        options.replicas == 1 ? "s" : "",
                        options.isTraining() && options.gradientAccumulation > 1
                            ? fmt::format(", {} for a weight update", options.gradientAccumulation)
                            : std::string(),
                        (steps / of + 1) * of));
    refuse(options.deviceIterations != 1 && options.deviceIterations != steps / of,
           "deviceIterations",
           fmt::format("--steps-per-execution {} makes {} of them; leave one of both out", steps,
                       steps / of));
}

void checkHost(const RunOptions& options) {
    if (options.replicas % options.instances != 0)
        throw OptionError("instances",
                          fmt::format("{} instances cannot share {} replicas evenly; choose a "
                                      "divisor of {}, or other --replicas",
                                      options.instances, options.replicas, options.replicas));
    const auto needsHost = [&](bool given, const char* option) {
        refuse(given && options.ignoreData, option,
               "nothing is exchanged with the host; leave it out");
    };
    needsHost(options.outputMode != OutputMode::All, "outputMode");
    needsHost(options.prefetchDepth > 1, "prefetchDepth");
    needsHost(options.inputType != InputType::AsModel, "inputType");
    needsHost(options.hostRate > 0, "hostRate");
    refuse(options.hostJitter > 0 && options.hostRate == 0, "hostJitter",
           "a host that prepares any number of samples is never late; add --host-rate N, or leave "
           "it out");
}

} // namespace

RunOptions withDeviceIterations(RunOptions options) {
    if (options.stepsPerExecution > 0)
        options.deviceIterations =
            options.stepsPerExecution /
            (options.replicas * (options.isTraining() ? options.gradientAccumulation : 1));
    return options;
}

void validate(const RunOptions& options) {
    const Target preset = targetPreset(options.target.name);
    if (options.target.tilesPerIpu < 1 || options.target.tilesPerIpu > preset.tilesPerIpu)
        throw OptionError("tilesPerIpu",
                          fmt::format("{} has 4 to {} tiles on an IPU, not {}", preset.name,
                                      preset.tilesPerIpu, options.target.tilesPerIpu));
    refuse(options.target.ipus < 1, "ipus", "at least one IPU is needed");
    refuse(options.batchSize && *options.batchSize < 1, "batchSize",
           "a batch has at least one sample");
    refuse(options.deviceIterations < 1, "deviceIterations", "a run has at least one iteration");
    checkExecution(options);
    checkReplicas(options);
    checkShared(options);
    checkPhases(options);
    checkOutline(options);
    checkDeviceMapping(options);
    checkIoTiles(options);
    checkHost(options);
    checkSteps(options);
    checkReturns(options);
    checkCompute(options);
    checkProportion(options.availableMemoryProportion);
    for (const auto& [name, proportion] : options.availableMemoryProportionByOperation)
        checkProportion(proportion);
    for (const auto& [ipu, proportion] : options.availableMemoryProportionByIpu) {
        checkProportion(proportion);
        if (ipu < 0 || ipu >= options.target.ipus)
            throw OptionError(
                "availableMemoryProportion",
                fmt::format("there is no ipu{}, the target has {}", ipu, options.target.ipus));
    }
}

} // namespace tilescope
