// Rows of the option table: execution schemes, recomputation and outlining.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/options/option_limits.h"
#include "core/options/option_rows.h"

namespace tilescope {
namespace {

using namespace limits;
using Type = OptionSpec::Type;

OptionSpec executionRow() {
    return enumRow(row(OptionTopic::SeveralIpus, "execution", "--execution", Type::Choice, "single",
                       "how IPUs share the model", {"single", "sharded", "pipelined", "phased"}),
                   &RunOptions::execution);
}

OptionSpec scheduleRow() {
    return enumRow(row(OptionTopic::SeveralIpus, "schedule", "--schedule", Type::Choice, "popart",
                       "pipeline schedule", {"popart", "grouped", "interleaved", "sequential"}),
                   &RunOptions::schedule);
}

OptionSpec splitRow() {
    return namesRow(row(OptionTopic::SeveralIpus, "split", "--split", Type::Text, "",
                        "first operation or scope of each further stage, NAME,NAME; without it the "
                        "stages are balanced by cycles"),
                    &RunOptions::split);
}

/// "0,1,2,0"
OptionSpec deviceMappingRow() {
    return with(
        row(OptionTopic::SeveralIpus, "deviceMapping", "--device-mapping", Type::Text, "",
            "IPU of each stage, N,N,...: a stage may come back to an IPU, such as to a weight that "
            "an earlier stage has; without it stage i runs on IPU i"),
        [](const OptionSpec& self, RunOptions& options, const std::string& value) {
            options.deviceMapping.clear();
            for (std::size_t from = 0; from <= value.size() && !value.empty();) {
                const std::size_t comma = std::min(value.find(',', from), value.size());
                options.deviceMapping.push_back(static_cast<std::int32_t>(
                    integerValue(self, value.substr(from, comma - from), {0, mostIpus - 1})));
                from = comma + 1;
            }
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

OptionSpec phaseStagesRow() {
    return integerRow(
        row(OptionTopic::SeveralIpus, "phaseStages", "--phase-stages", Type::Integer, "",
            "groups of IPUs that take turns with phases, 1 or 2; without it 2 where there are two "
            "IPUs or more"),
        {1, 2}, &RunOptions::phaseStages);
}

OptionSpec outlineThresholdRow() {
    // More than all operations of any model together.
    constexpr double mostThreshold = 1e9;
    return numberRow(
        row(OptionTopic::Functions, "outlineThreshold", "--outline-threshold", Type::Number, "1",
            "least value of a function beyond those within it: a convolution or matmul counts "
            "1000, other operations 0.1"),
        {0, mostThreshold}, &RunOptions::outlineThreshold);
}

} // namespace

std::vector<OptionSpec> executionRows() {
    return {
        executionRow(),
        scheduleRow(),
        splitRow(),
        deviceMappingRow(),
        phasesRow(),
        phaseStagesRow(),
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
        namesRow(row(OptionTopic::MemoryAndPlanning, "checkpoint", "--checkpoint", Type::Text, "",
                     "operations or scopes whose results are kept in spite of recomputation, "
                     "NAME,NAME"),
                 &RunOptions::checkpoints),
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

} // namespace tilescope
