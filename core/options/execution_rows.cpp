// Rows of the option table: execution schemes, recomputation, outlining, and how the host feeds the
// machine.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/options/option_limits.h"
#include "core/options/option_rows.h"

namespace tilescope {
namespace {

using namespace limits;
using Type = OptionSpec::Type;

/// "0,1,2,0"
OptionSpec deviceMappingRow() {
    return with(
        row(OptionTopic::SeveralIpus, "deviceMapping", "--device-mapping", Type::Text, "",
            "IPU of each stage, N,N,...: a stage may come back to an IPU, such as to a weight that "
            "an earlier stage has; without it stage i runs on IPU i"),
        [](const OptionSpec& self, RunOptions& options, const std::string& value) {
            options.deviceMapping.clear();
            if (!value.empty())
                for (const std::string& part : splitAt(value, ','))
                    options.deviceMapping.push_back(
                        static_cast<std::int32_t>(integerValue(self, part, {0, mostIpus - 1})));
        },
        [](const RunOptions& options) {
            return fmt::format("{}", fmt::join(options.deviceMapping, ","));
        });
}

OptionSpec phasesRow() {
    // Every phase has an operation, and no model has more of them than this.
    constexpr double mostPhases = 100'000;
    return integerRow(
        row(OptionTopic::SeveralIpus, "phases", "--phases", Type::Integer, "",
            "parts of the forward pass that run one after the other in phased execution, of about "
            "equal cost; without it as --split or the model's __execution_phase says"),
        {1, mostPhases}, &RunOptions::phases);
}

OptionSpec outlineThresholdRow() {
    // More than all operations of any model together.
    constexpr double mostThreshold = 1e9;
    return numberRow(row(OptionTopic::Functions, "outlineThreshold", "--outline-threshold",
                         Type::Number, "1",
                         "least value of a function beyond those within it: a convolution or "
                         "matmul counts 1000, other operations 0.1"),
                     {0, mostThreshold}, &RunOptions::outlineThreshold);
}

} // namespace

std::vector<OptionSpec> executionRows() {
    return {
        enumRow(row(OptionTopic::SeveralIpus, "execution", "--execution", Type::Choice, "single",
                    "how IPUs share the model", {"single", "sharded", "pipelined", "phased"}),
                &RunOptions::execution),
        enumRow(row(OptionTopic::SeveralIpus, "schedule", "--schedule", Type::Choice, "popart",
                    "pipeline schedule", {"popart", "grouped", "interleaved", "sequential"}),
                &RunOptions::schedule),
        namesRow(row(OptionTopic::SeveralIpus, "split", "--split", Type::Text, "",
                     "first operation or scope of each further stage, NAME,NAME; without it the "
                     "stages are balanced by cycles"),
                 &RunOptions::split),
        deviceMappingRow(),
        phasesRow(),
        integerRow(row(OptionTopic::SeveralIpus, "phaseStages", "--phase-stages", Type::Integer, "",
                       "groups of IPUs that take turns with phases, 1 or 2; without it 2 where "
                       "there are two IPUs or more"),
                   {1, 2}, &RunOptions::phaseStages),
        enumRow(row(OptionTopic::SeveralIpus, "phaseSchedule", "--phase-schedule", Type::Choice,
                    "interleaving",
                    "when optimizer state is loaded and results are stored within a phase: next to "
                    "each weight's update, or all together",
                    {"interleaving", "batch"}),
                &RunOptions::phaseSchedule),
        enumRow(row(OptionTopic::MemoryAndPlanning, "recompute", "--recompute", Type::Choice,
                    "none", "activations to compute again in the backward pass",
                    {"none", "standard", "norm-only", "all", "pipeline"}),
                &RunOptions::recompute),
        namesRow(
            row(OptionTopic::MemoryAndPlanning, "checkpoint", "--checkpoint", Type::Text, "",
                "operations or scopes whose results are kept in spite of recomputation, NAME,NAME"),
            &RunOptions::checkpoints),
        switchRow(row(OptionTopic::MemoryAndPlanning, "foldBatchNorm", "--fold-batch-norm",
                      Type::Flag, "off",
                      "make batch normalisations part of the convolutions before them, as PopRT "
                      "does for inference; PopART keeps them",
                      {"on", "off"}),
                  &RunOptions::foldBatchNorm),
        switchRow(row(OptionTopic::Functions, "outline", "--outline", Type::Choice, "on",
                      "make repeated parts of the model one function", {"on", "off"}),
                  &RunOptions::outline),
        outlineThresholdRow(),
        switchRow(row(OptionTopic::Functions, "outlineCopyCostPruning",
                      "--outline-copy-cost-pruning", Type::Choice, "on",
                      "leave operations out of functions whose copies cost more than they save",
                      {"on", "off"}),
                  &RunOptions::outlineCopyCostPruning),
    };
}

namespace {

using Type = OptionSpec::Type;

OptionSpec hostRateRow() {
    // More than any host prepares; the time of a sample stays above zero.
    constexpr double mostSamplesPerSecond = 1e12;
    return numberRow(
        row(OptionTopic::Host, "hostRate", "--host-rate", Type::Number, "0",
            "samples a second that one instance of the host prepares; 0: as many as are wanted"),
        {0, mostSamplesPerSecond}, &RunOptions::hostRate);
}

OptionSpec prefetchRow() {
    // Each keeps a batch in the host's memory; more change nothing that a run shows.
    constexpr double mostDepth = 1000;
    return integerRow(row(OptionTopic::Host, "prefetchDepth", "--prefetch-depth", Type::Integer,
                          "1",
                          "micro-batches of input that the host may have ready; from 2 on the IPU "
                          "does not wait for an answer to each request"),
                      {1, mostDepth}, &RunOptions::prefetchDepth);
}

} // namespace

std::vector<OptionSpec> feedingRows() {
    return {
        integerRow(row(OptionTopic::Host, "ioTiles", "--io-tiles", Type::Integer, "0",
                       "tiles of each IPU that only exchange data with the host, an even number "
                       "from 32 to 192; 0: none"),
                   {0, limits::mostIoTiles}, &RunOptions::ioTiles),
        enumRow(row(OptionTopic::Host, "exchangeStrategy", "--exchange-strategy", Type::Choice,
                    "just-in-time",
                    "when data move between the host and I/O tiles: around each micro-batch, or "
                    "beside the computation of others in the inner loop or in both loops",
                    {"just-in-time", "overlap-inner-loop", "overlap-loops"}),
                &RunOptions::exchangeStrategy),
        prefetchRow(),
        switchRow(row(OptionTopic::Host, "ignoreData", "--ignore-data", Type::Flag, "off",
                      "nothing is exchanged with the host: inputs, weights and results stay on the "
                      "device (PopTorch's enableSyntheticData)",
                      {"on", "off"}),
                  &RunOptions::ignoreData),
        enumRow(row(OptionTopic::Host, "inputType", "--input-type", Type::Choice, "as-model",
                    "element type in which the host sends floating-point inputs; the device casts "
                    "them to the model's",
                    {"as-model", "float", "half", "int8"}),
                &RunOptions::inputType),
        hostRateRow(),
        numberRow(row(OptionTopic::Host, "hostJitter", "--host-jitter", Type::Number, "0",
                      "by how much of the mean time one in eight micro-batches takes longer to "
                      "prepare, the others together as much less; with --host-rate"),
                  {0, 7}, &RunOptions::hostJitter),
        integerRow(row(OptionTopic::Host, "instances", "--instances", Type::Integer, "1",
                       "processes of the host that share the replicas evenly"),
                   {1, limits::mostIpus}, &RunOptions::instances),
        enumRow(row(OptionTopic::Host, "framework", "--framework", Type::Choice, "popart",
                    "framework whose host overhead (see 'tilescope targets') and weight copies are "
                    "modelled",
                    {"popart", "poptorch", "tensorflow", "keras", "poplar"}),
                &RunOptions::framework),
        enumRow(row(OptionTopic::Host, "outputMode", "--output-mode", Type::Choice, "all",
                    "results that a run returns: of all micro-batches, of the last, of each n-th "
                    "batch, or their sum",
                    {"all", "final", "every-n", "sum"}),
                &RunOptions::outputMode),
        integerRow(row(OptionTopic::Host, "outputEvery", "--output-every", Type::Integer, "",
                       "n of --output-mode every-n, a divisor of the run's batches"),
                   {1, limits::mostIterations}, &RunOptions::outputEvery),
    };
}

} // namespace tilescope
