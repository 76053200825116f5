#include "simulator/report_contents.h"

#include <algorithm>
#include <array>

#include "core/options/engine_options.h"
#include "core/store/profile_writer.h"
#include "simulator/memory/out_of_memory.h"

namespace tilescope::sim {
namespace {

constexpr const char* executionSwitch = "autoReport.outputExecutionProfile";
constexpr const char* debugInfoSwitch = "autoReport.outputDebugInfo";
constexpr const char* loweredVariablesSwitch = "autoReport.outputLoweredVars";
constexpr std::array separableParts{executionSwitch, debugInfoSwitch, loweredVariablesSwitch};

bool isWanted(const EngineOptions& options, const char* part) {
    return engineSwitch(options, part, true);
}

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
           isWanted(options, executionSwitch);
}

Profile wantedPart(Profile profile, const EngineOptions& options) {
    if (!isWanted(options, executionSwitch))
        dropExecution(profile);
    if (!isWanted(options, debugInfoSwitch)) {
        profile.modelGraph = {};
        profile.source = {};
    }
    if (!isWanted(options, loweredVariablesSwitch)) {
        profile.placements = {};
        profile.placementOfTile = {};
    }
    return profile;
}

void writeWantedPart(const Profile& profile, const EngineOptions& options,
                     const std::filesystem::path& file) {
    if (std::all_of(separableParts.begin(), separableParts.end(),
                    [&](const char* part) { return isWanted(options, part); }))
        writeProfile(profile, file);
    else
        writeProfile(wantedPart(profile, options), file);
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
