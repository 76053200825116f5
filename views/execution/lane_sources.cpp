#include "views/execution/lane_sources.h"

#include <array>

#include "core/base/error.h"
#include "views/execution/host_lane.h"
#include "views/execution/ipu_lane.h"

namespace tilescope::views {
namespace {

/// Adds lanes of one kind for one of the profiles.
using AddLanes = void (*)(LaneSources& lanes, const TraceQuestion& question, bool target);

/// All kinds of lanes, from top to bottom.
constexpr std::array<AddLanes, 2> laneKinds{addHostLane, addIpuLanes};

TraceLane readLane(const LaneSource& source, const LaneDetail& detail, LaneWish wish, bool both,
                   const std::stop_token& stop) {
    if (wish == LaneWish::Nothing)
        return source.empty();
    TraceLane lane = source.read(detail, stop);
    if (both || wish == LaneWish::Folded)
        lane.folded = source.folded(lane);
    if (!both && wish == LaneWish::Folded)
        lane.rows.clear();
    return lane;
}

} // namespace

TraceLane LaneSource::empty() const {
    TraceLane lane;
    lane.name = name_;
    lane.target = target_;
    lane.key = key_;
    lane.ofSeveral = ipu().valid();
    return lane;
}

LaneClick LaneSource::click(const TraceBox& box) const {
    const bool oneStep = box.look == TraceBox::Look::Step && box.steps == 1;
    return {oneStep ? LaneClick::To::Step : LaneClick::To::Range, box.firstStep,
            CycleRange{box.begin, box.end}};
}

LaneSources laneSources(const TraceQuestion& question) {
    LaneSources lanes;
    for (const bool target : {false, true})
        if (target ? question.profiles.target : question.profiles.source)
            for (const AddLanes add : laneKinds)
                add(lanes, question, target);
    return lanes;
}

std::vector<TraceLane> readLanes(const LaneSources& sources, const LaneDetail& detail,
                                 const std::vector<LaneWish>& wishes, const std::stop_token& stop) {
    std::vector<TraceLane> lanes(sources.size());
    shareWork(sources.size(), detail.cores, [&](std::size_t at) {
        if (stop.stop_requested())
            throw Cancelled();
        const bool all = at >= wishes.size();
        lanes[at] = readLane(*sources[at], detail, all ? LaneWish::Rows : wishes[at], all, stop);
    });
    return lanes;
}

} // namespace tilescope::views
