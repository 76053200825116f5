#include "core/options/execution_options.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/options/option_rows.h"

namespace tilescope {
namespace {

constexpr RowsOf execution(OptionTopic::SeveralIpus, &RunOptions::execution);

/// "0,1,2,0"
OptionSpec deviceMappingRow() {
    return execution
        .own(
            "deviceMapping", OptionSpec::Type::Text,
            "IPU of each stage, N,N,...: a later stage may use the same IPU again, for example for "
            "a weight that an earlier stage has there; by default stage i runs on IPU i",
            [](const OptionSpec& self, ExecutionOptions& options, const std::string& value) {
                options.deviceMapping.clear();
                if (!value.empty())
                    for (const std::string& part : splitAt(value, ','))
                        options.deviceMapping.push_back(static_cast<std::int32_t>(
                            integerValue(self, part, {0, limits::mostIpus - 1})));
            },
            [](const ExecutionOptions& options) {
                return fmt::format("{}", fmt::join(options.deviceMapping, ","));
            })
        .knownAs({{Face::Keras, "device_mapping"}})
        .needing(
            [](const RunOptions& options) { return options.execution.scheme != Execution::Single; },
            "one IPU runs everything; add --execution pipelined (or sharded) and --ipus N, or "
            "leave it out")
        .needing([](const RunOptions& options) { return !options.execution.isPhased(); },
                 "phases take turns on IPUs by --phase-stages; leave it out, or add --execution "
                 "pipelined (or sharded)");
}

OptionSpec splitRow() {
    return execution
        .names("split", &ExecutionOptions::split,
               "first operation or scope of each stage after the first, NAME,NAME; by default the "
               "stages are balanced by cycles")
        .needing(
            [](const RunOptions& options) {
                return options.machine.target.ipus > 1 || options.execution.isPhased();
            },
            "one IPU has nothing to split; add --ipus N");
}

OptionSpec inPhases(OptionSpec row) {
    return std::move(row).needing(
        [](const RunOptions& options) { return options.execution.isPhased(); },
        "only phased execution has phases; add --execution phased, or leave it out");
}

void checkSchemes(const RunOptions& options) {
    const ExecutionOptions& execution = options.execution;
    const std::int32_t ipus = options.machine.target.ipus;
    if (execution.scheme == Execution::Single && ipus > 1)
        throw OptionError("execution",
                          fmt::format("'single' uses one IPU, not {}; choose 'sharded', "
                                      "'pipelined' or 'phased', or --ipus 1",
                                      ipus));
    if (!execution.isPipelined() && execution.schedule != Schedule::PopArt)
        throw OptionError("schedule",
                          fmt::format("'{}' is a schedule of a pipeline; add --execution pipelined",
                                      toString(execution.schedule)));
    const std::int32_t groups = execution.phaseStagesInForce(ipus);
    if (execution.isPhased() && ipus % groups != 0)
        throw OptionError("phaseStages",
                          fmt::format("{} IPUs do not make {} groups of equal size; choose an even "
                                      "number of --ipus, or --phase-stages 1",
                                      ipus, groups));
    const bool shards = execution.scheme == Execution::Sharded;
    if ((shards || execution.isPipelined()) && ipus == 1)
        throw OptionError("execution",
                          fmt::format("'{}' shares a model between several IPUs, but there is only "
                                      "one; add --ipus N, or leave it out",
                                      shards ? "sharded" : "pipelined"));
}

void checkDeviceMapping(const RunOptions& options) {
    const std::vector<std::int32_t>& mapping = options.execution.deviceMapping;
    if (mapping.empty())
        return;
    const std::int32_t ipus = options.machine.target.ipus;
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
    const std::size_t names = options.execution.split.size();
    if (names > 0 && names + 1 != mapping.size())
        throw OptionError("deviceMapping",
                          fmt::format("it names the IPUs of {} stages, but the {} names of --split "
                                      "make {}; give one IPU for each stage",
                                      mapping.size(), names, names + 1));
}

} // namespace

std::vector<OptionSpec> executionRows() {
    // Every phase has an operation, and no model has more of them than this.
    constexpr double mostPhases = 100'000;
    return {
        execution
            .choice("execution", &ExecutionOptions::scheme,
                    {"single", "sharded", "pipelined", "phased"}, "how IPUs share the model")
            .knownAs({{Face::PopTorch, "setExecutionStrategy"},
                      {Face::Keras, "set_pipelining_options"}}),
        execution
            .choice("schedule", &ExecutionOptions::schedule,
                    {"popart", "grouped", "interleaved", "sequential"}, "pipeline schedule")
            .knownAs({{Face::Keras, "pipeline_schedule"}}),
        splitRow(),
        deviceMappingRow(),
        inPhases(execution.integer(
            "phases", &ExecutionOptions::phases, {1, mostPhases},
            "number of parts of about equal cost into which phased execution splits the forward "
            "pass; by default as given by --split or the model's __execution_phase")),
        inPhases(execution.integer("phaseStages", &ExecutionOptions::phaseStages, {1, 2},
                                   "groups of IPUs that take turns with phases, 1 or 2; by default "
                                   "2 with two or more IPUs")),
        inPhases(execution.choice(
            "phaseSchedule", &ExecutionOptions::phaseSchedule, {"interleaving", "batch"},
            "when optimizer state is loaded and results are stored within a phase: next to each "
            "weight's update, or all together")),
    };
}

void checkExecution(const RunOptions& options) {
    checkSchemes(options);
    checkDeviceMapping(options);
}

} // namespace tilescope
