#include "simulator/report_contents.h"

#include "core/options/engine_options.h"
#include "simulator/memory/out_of_memory.h"

namespace tilescope::sim {
namespace {

void dropExecution(Profile& profile) {
    profile.trace = {};
    profile.info.hasExecution = false;
    profile.info.cycles = 0;
    profile.info.throughput = 0;
    profile.info.hostCallSeconds = 0;
    std::erase_if(profile.hostSpans,
                  [](const HostSpan& span) { return span.lane != compilationLane; });
}

} // namespace

bool wantsProfile(const EngineOptions& options) {
    return engineSwitch(options, "autoReport.outputGraphProfile", true) ||
           engineSwitch(options, "autoReport.outputExecutionProfile", true);
}

Profile wantedPart(Profile profile, const EngineOptions& options) {
    if (!engineSwitch(options, "autoReport.outputExecutionProfile", true))
        dropExecution(profile);
    if (!engineSwitch(options, "autoReport.outputDebugInfo", true)) {
        profile.modelGraph = {};
        profile.source = {};
    }
    if (!engineSwitch(options, "autoReport.outputLoweredVars", true)) {
        profile.placements = {};
        profile.placementOfTile = {};
    }
    return profile;
}

bool allowsOutOfMemory(const EngineOptions& options) {
    return engineSwitch(options, "debug.allowOutOfMemory", true);
}

std::string failureText(const Profile& profile, const EngineOptions& options,
                        const std::string& file) {
    const bool profiling = engineSwitch(options, "autoReport.all", false);
    const bool goesOn = engineSwitch(options, "debug.allowOutOfMemory", profiling);
    return goesOn && isOutOfVariables(profile) ? outOfVariablesText(file)
                                               : outOfMemoryText(profile);
}

} // namespace tilescope::sim
