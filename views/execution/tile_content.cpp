#include "views/execution/tile_content.h"

namespace tilescope::views {

TileSources TileParts::sources() const {
    return {*programs, *computeSets, *exchanges, *streams, tilesPerIpu};
}

TileParts readTileParts(const ProfileView& profile, const std::stop_token& stop) {
    return {profile.trace(stop),      profile.programs(stop), profile.computeSets(stop),
            profile.exchanges(stop),  profile.streams(stop),  profile.machine().tilesPerIpu,
            profile.machine().clockHz};
}

std::vector<TileLane> readTileLanes(const TraceQuestion& question, const std::stop_token& stop) {
    std::vector<TileLane> lanes;
    for (const AskedIpu& asked : askedIpus(question))
        lanes.push_back({asked, readTileParts(*asked.profile, stop)});
    return lanes;
}

TileMoment tileMoment(const TileLane& lane, std::int32_t tile, std::int64_t cycle) {
    TileMoment moment;
    moment.step = lane.parts.trace->stepAtCycle(lane.asked.ipu, cycle);
    if (moment.step < 0)
        return moment;
    const ExecutedStep step = lane.parts.trace->stepAt(moment.step);
    moment.kind = step.kind;
    moment.program = step.program;
    for (const StepOnIpu& on : step.ipus)
        if (on.ipu == lane.asked.ipu)
            moment.on = on;
    moment.worked = tileCycles(lane.parts.sources(), step.program, lane.asked.ipu, moment.on.cycles)
                        .at(TileId(tile));
    return moment;
}

} // namespace tilescope::views
