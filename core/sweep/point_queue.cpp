#include "core/sweep/point_queue.h"

#include <algorithm>

namespace tilescope {

std::vector<std::vector<std::size_t>>
groupsOf(const SweepGrid& grid, const std::vector<std::size_t>& points,
         const std::function<bool(const std::string& key)>& isShared) {
    std::vector<std::vector<std::size_t>> groups;
    std::map<std::vector<std::size_t>, std::size_t> groupAt;
    for (const std::size_t point : points) {
        std::vector<std::size_t> place;
        for (std::size_t axis = 0; axis < grid.axes().size(); ++axis)
            if (!isShared(grid.axes()[axis].key))
                place.push_back(grid.positionOn(axis, point));
        const auto [group, isNew] = groupAt.try_emplace(std::move(place), groups.size());
        if (isNew)
            groups.emplace_back();
        groups[group->second].push_back(point);
    }
    return groups;
}

PointQueue::PointQueue(const std::vector<std::vector<std::size_t>>& groups) {
    for (const std::vector<std::size_t>& group : groups)
        if (!group.empty())
            groups_.emplace_back(group.begin(), group.end());
}

std::optional<PointQueue::Share> PointQueue::newShare() {
    if (begun_ < groups_.size())
        return Share{begun_++, false};
    const auto most =
        std::max_element(groups_.begin(), groups_.end(),
                         [](const auto& a, const auto& b) { return a.size() < b.size(); });
    if (most == groups_.end() || most->empty())
        return std::nullopt;
    return Share{static_cast<std::size_t>(most - groups_.begin()), true};
}

std::optional<std::size_t> PointQueue::next(Taker taker) {
    auto share = shares_.find(taker);
    if (share == shares_.end() || groups_[share->second.group].empty()) {
        const std::optional<Share> another = newShare();
        if (!another)
            return std::nullopt;
        share = shares_.insert_or_assign(taker, *another).first;
    }
    std::deque<std::size_t>& group = groups_[share->second.group];
    const std::size_t point = share->second.fromEnd ? group.back() : group.front();
    if (share->second.fromEnd)
        group.pop_back();
    else
        group.pop_front();
    return point;
}

} // namespace tilescope
