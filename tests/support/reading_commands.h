// Every command that reads a profile.
#pragma once

#include <string>
#include <vector>

namespace tilescope::test {

/// Command lines of `tilescope` that read `profile`; two of them compare it with `good`.
inline std::vector<std::vector<std::string>> readingCommands(const std::string& profile,
                                                             const std::string& good) {
    std::vector<std::vector<std::string>> commands{{"info", profile, "--json"}, {"info", profile}};
    for (const char* section :
         {"memory", "liveness", "variables", "vertices", "exchanges", "programs", "operations",
          "trace", "pipeline", "phases", "values", "insights"})
        commands.push_back({"report", profile, section});
    for (const char* section : {"insights", "pipeline", "trace"})
        commands.push_back({"report", profile, section, "--json"});
    for (const char* breakdown : {"region", "category", "liveness"})
        commands.push_back({"report", profile, "memory", "--by", breakdown});
    for (const char* breakdown : {"iteration", "exponent", "update"})
        commands.push_back({"report", profile, "values", "--by", breakdown});
    commands.push_back({"diff", good, profile, "--section", "values"});
    commands.push_back({"report", profile, "liveness", "--step", "7"});
    commands.push_back({"report", profile, "liveness", "--tile", "3"});
    commands.push_back({"report", profile, "variables", "--tile", "3"});
    commands.push_back({"report", profile, "trace", "--step", "100"});
    commands.push_back({"query", profile, "SELECT * FROM tile_map(3)"});
    commands.push_back(
        {"query", profile, "SELECT name, tile_max(cycles_by_tile) FROM compute_sets"});
    commands.push_back({"diff", good, profile});
    commands.push_back({"diff", profile, good, "--json"});
    for (const char* format : {"json", "chrome-trace"})
        commands.push_back({"export", profile, "--format", format});
    return commands;
}

} // namespace tilescope::test
