#include <algorithm>

#include "invariant_parts.h"

namespace tilescope::test {

void checkIoTiles(const Profile& profile, Complaints& complaints) {
    const auto option = profile.info.options.find("ioTiles");
    const std::int32_t count = option == profile.info.options.end() ? 0 : std::stoi(option->second);
    if (count == 0)
        return;
    const Target& target = profile.info.target;
    const auto onIo = [&](const TileSeries& series) {
        for (std::int32_t ipu = 0; ipu < target.ipus; ++ipu)
            if (const std::int32_t end = (ipu + 1) * target.tilesPerIpu;
                !series.slice(end - count, end).empty())
                return true;
        return false;
    };
    for (const ComputeSet& set : profile.computeSets)
        complaints.expect(!onIo(set.cycles), "I/O tiles compute nothing", "{}", set.name);
    for (const Exchange& exchange : profile.exchanges)
        complaints.expect((onIo(exchange.bytesReceived) || onIo(exchange.bytesSent)) ==
                              (exchange.name.find("_IoTileCopy/") != std::string::npos),
                          "copies join I/O tiles and others, and nothing else does", "{}",
                          exchange.name);
    for (const Program& program : profile.programs) {
        for (const auto* variables : {&program.variablesRead, &program.variablesWritten})
            for (const VariableId id : *variables)
                complaints.expect(onIo(profile.variables[id].bytes) ==
                                      (profile.variables[id].name.starts_with("ST_") ||
                                       profile.variables[id].name.starts_with("IO_")),
                                  "I/O tiles hold what the host sends and takes, and nothing else",
                                  "{}", profile.variables[id].name);
        // Weights come to where they are used.
        if (program.stream.valid() && !profile.streams[program.stream].remoteBuffer.valid())
            complaints.expect(onIo(profile.streams[program.stream].bytes) ==
                                  !program.name.starts_with("weights"),
                              "I/O tiles talk to the host", "{}", program.name);
    }
}

} // namespace tilescope::test
