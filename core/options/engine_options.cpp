#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/options/option_values.h"
#include "core/options/run_options.h"

namespace tilescope {
namespace {

struct EngineOption {
    std::string_view key;
    bool honoured = false; ///< the profile is what the option asks for
};

// Keys of public code and documentation. A profile of TileScope always holds the graph, the
// execution and the estimates, so options that ask for them are honoured.
constexpr std::array engineOptions{
    EngineOption{"autoReport.all", true},
    EngineOption{"autoReport.directory", true},
    EngineOption{"autoReport.executionProfileProgramRunCount"},
    EngineOption{"autoReport.outputArchive"},
    EngineOption{"autoReport.outputDebugInfo"},
    EngineOption{"autoReport.outputExecutionProfile", true},
    EngineOption{"autoReport.outputGraphProfile", true},
    EngineOption{"autoReport.outputLoweredVars", true},
    EngineOption{"autoReport.outputSerializedGraph"},
    EngineOption{"autoReport.streamAtEachRun"},
    EngineOption{"debug.allowOutOfMemory", true},
    EngineOption{"debug.branchRecordTile"},
    EngineOption{"debug.computeInstrumentationLevel"},
    EngineOption{"debug.floatPointOpException"},
    EngineOption{"debug.instrument", true},
    EngineOption{"debug.instrumentCompute"},
    EngineOption{"debug.instrumentControlFlow"},
    EngineOption{"debug.instrumentExternalExchange"},
    EngineOption{"debug.loweredVarDumpFile"},
    EngineOption{"debug.nanOverflowMode"},
    EngineOption{"debug.outputAllSymbols"},
    EngineOption{"debug.retainDebugInformation"},
    EngineOption{"debug.runtimeVerify"},
    EngineOption{"debug.trace"},
    EngineOption{"exchange.enablePrefetch", true},
    EngineOption{"exchange.multicastPolicy"},
    EngineOption{"exchange.streamBufferOverlap"},
    EngineOption{"opt.enableInlining"},
    EngineOption{"opt.enableMultiAccessCopies"},
    EngineOption{"opt.internalExchangeOptimisationTarget"},
    EngineOption{"opt.maxCompilationThreads"},
    EngineOption{"opt.maxComputeSetsPerLoweredCopy"},
    EngineOption{"opt.useAutoloader"},
    EngineOption{"prng.enableStochasticRounding"},
    EngineOption{"prng.seed"},
    EngineOption{"profiler.blocks.bufferSize"},
    EngineOption{"profiler.blocks.filter"},
    EngineOption{"profiler.blocks.implicitFlush"},
    EngineOption{"profiler.blocks.tile"},
    EngineOption{"profiler.format"},
    EngineOption{"profiler.includeCycleEstimates", true},
    EngineOption{"profiler.includeFlopEstimates", true},
    EngineOption{"profiler.perExecutionStreamCopyCycles"},
    EngineOption{"profiler.programs.filter"},
    EngineOption{"profiler.replicaToProfile"},
    EngineOption{"streamCallbacks.multiThreadMode"},
    EngineOption{"streamCallbacks.numWorkerThreads"},
    EngineOption{"streamCallbacks.numaAware"},
    EngineOption{"target.deterministicWorkers"},
    EngineOption{"target.exceptionPollPeriodUs"},
    EngineOption{"target.extendedMemory"},
    EngineOption{"target.firstRuntimeReplica"},
    EngineOption{"target.hostSyncTimeout"},
    EngineOption{"target.numberRuntimeReplica"},
    EngineOption{"target.saveArchive"},
    EngineOption{"target.syncMethod"},
    EngineOption{"target.syncPollPeriodUs"},
    EngineOption{"target.syncReplicasIndependently"},
    EngineOption{"target.useBufferedCompletions"},
};

const EngineOption* findEngineOption(std::string_view key) {
    const auto found =
        std::find_if(engineOptions.begin(), engineOptions.end(),
                     [key](const EngineOption& option) { return option.key == key; });
    return found == engineOptions.end() ? nullptr : &*found;
}

} // namespace

void addEngineOptions(RunOptions& options, std::string_view json, const std::string& origin) {
    const boost::json::value parsed = parseJson(json, origin);
    const boost::json::object* object = parsed.if_object();
    if (object == nullptr)
        throw UserError(fmt::format(
            "{}: engine options are a JSON object such as {{\"autoReport.all\":\"true\"}}",
            origin));
    for (const auto& [key, value] : *object) {
        if (value.is_object() || value.is_array() || value.is_null())
            throw UserError(fmt::format(
                "{}: the value of engine option '{}' must be text, a number, true or false", origin,
                std::string_view(key)));
        options.engineOptions[std::string(key)] = optionText(value, true);
    }
}

std::string engineOptionsJson(const std::map<std::string, std::string>& values) {
    if (values.empty())
        return "";
    boost::json::object object;
    for (const auto& [key, value] : values)
        object[key] = value;
    return boost::json::serialize(object);
}

std::vector<OptionNote> engineOptionNotes(const RunOptions& options) {
    std::vector<std::string> keys;
    for (const EngineOption& option : engineOptions)
        keys.emplace_back(option.key);
    std::vector<OptionNote> notes;
    for (const auto& [key, value] : options.engineOptions) {
        const EngineOption* known = findEngineOption(key);
        if (known == nullptr)
            notes.push_back({true, fmt::format("unknown engine option '{}': it is kept in the "
                                               "profile and has no effect.{}",
                                               key, didYouMean(key, keys))});
        else if (key == "prng.enableStochasticRounding" && value != "false")
            notes.push_back({false, "stochastic rounding takes no further cycles: the accumulators "
                                    "round by the tile's generator as they store. Its effect on "
                                    "values is not simulated"});
        else if (!known->honoured)
            notes.push_back(
                {false, fmt::format("engine option '{}' has no effect on the simulation", key)});
    }
    return notes;
}

} // namespace tilescope
