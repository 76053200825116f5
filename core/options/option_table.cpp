#include "core/options/option_table.h"

#include <iterator>

#include "core/base/suggest.h"
#include "core/options/framework_options.h"
#include "core/options/option_rows.h"

#include <fmt/format.h>

namespace tilescope {
namespace {

/// The target must be known before its tiles are counted, so the machine comes first.
std::vector<OptionSpec> makeTable() {
    std::vector<OptionSpec> table;
    for (const auto rowsOf :
         {machineRows, replicationRows, batchRows, modelRows, planningRows, memoryRows,
          executionRows, outlineRows, trainingRows, hostRows, engineRows, computeRows}) {
        std::vector<OptionSpec> rows = rowsOf();
        std::move(rows.begin(), rows.end(), std::back_inserter(table));
    }
    addFrameworkNeeds(table);
    return table;
}

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

/// The first need of an option that is given without it; nullptr if there is none.
const OptionNeed* unmetNeed(const OptionSpec& spec, const RunOptions& options) {
    for (const OptionNeed& need : spec.needs)
        if (!need.isMet(options) && spec.isGiven(options))
            return &need;
    return nullptr;
}

} // namespace

std::string_view topicSummary(OptionTopic topic) {
    switch (topic) {
    case OptionTopic::Machine:
        return "which IPU, how many of them, and how many of their tiles";
    case OptionTopic::BatchAndRun:
        return "inference or training, batch sizes, iterations of a run";
    case OptionTopic::Host:
        return "how the host feeds the IPUs and what it takes back";
    case OptionTopic::Numbers:
        return "element types";
    case OptionTopic::MemoryAndPlanning:
        return "memory of convolutions, recomputation, streaming memory";
    case OptionTopic::Replicas:
        return "what replicas share";
    case OptionTopic::SeveralIpus:
        return "shards, pipelines and phases";
    case OptionTopic::Functions:
        return "repeated parts of a model as functions";
    case OptionTopic::Training:
        return "loss, optimizer and gradients";
    case OptionTopic::ModelAndEngine:
        return "sizes of built-in models, declared operations, Poplar's engine options";
    case OptionTopic::Compute:
        return "computing values: results of a model, or training on data";
    }
    return "";
}

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

std::map<std::string, std::string> idleOptions(const RunOptions& options) {
    std::map<std::string, std::string> idle;
    for (const OptionSpec& spec : runOptionTable())
        if (const OptionNeed* need = unmetNeed(spec, options))
            idle[spec.key] = need->problem;
    return idle;
}

void validate(const RunOptions& options) {
    for (const OptionSpec& spec : runOptionTable())
        if (const OptionNeed* need = unmetNeed(spec, options))
            throw OptionError(spec.key, need->problem);
    for (const auto check :
         {checkMachine, checkExecution, checkBatch, checkMemory, checkModel, checkTraining,
          checkReplication, checkHost, checkCompute, checkPlanning})
        check(options);
}

} // namespace tilescope
