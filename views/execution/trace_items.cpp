#include "views/execution/trace_items.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "views/execution/item_kinds.h"

namespace tilescope::views {
namespace {

/// Adds the items of one kind for one of the profiles.
using AddItems = void (*)(TraceItems& items, const TraceQuestion& question, bool target);

/// All kinds of items, from top to bottom.
constexpr auto itemKinds = std::to_array<AddItems>({addCounters, addHost, addHostThreads, addIpus});

TraceLane readLane(const TraceItem& item, const ItemDetail& detail, LaneWish wish, bool both,
                   const std::stop_token& stop) {
    if (wish == LaneWish::Nothing)
        return item.empty();
    TraceLane lane = item.read(detail, stop);
    if (both || wish == LaneWish::Folded)
        lane.folded = item.folded(lane);
    if (!both && wish == LaneWish::Folded)
        lane.rows.clear();
    return lane;
}

} // namespace

TraceItems traceItems(const TraceQuestion& question) {
    TraceItems items;
    for (const bool target : {false, true})
        if (profileOf(question.profiles, target))
            for (const AddItems add : itemKinds)
                add(items, question, target);
    alignItems(items, question);
    // IPU n of the source beside IPU n of the target, below both hosts and their threads.
    std::stable_sort(items.begin(), items.end(), [](const auto& a, const auto& b) {
        return std::max(-1, a->ipu().value()) < std::max(-1, b->ipu().value());
    });
    return items;
}

TraceItems lanesOf(const TraceQuestion& question) {
    TraceItems items = traceItems(question);
    std::erase_if(items, [](const auto& item) { return item->counter() != nullptr; });
    return items;
}

std::vector<TraceLane> readLanes(const TraceItems& items, const ItemDetail& detail,
                                 const std::vector<LaneWish>& wishes, const std::stop_token& stop) {
    std::vector<TraceLane> lanes(items.size());
    shareWork(items.size(), detail.cores, [&](std::size_t at) {
        if (stop.stop_requested())
            throw Cancelled();
        const bool all = at >= wishes.size();
        lanes[at] = readLane(*items[at], detail, all ? LaneWish::Rows : wishes[at], all, stop);
    });
    return lanes;
}

} // namespace tilescope::views
