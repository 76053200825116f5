#include "views/plot/trace/lane_arrangement.h"

#include <QJsonArray>
#include <algorithm>

namespace tilescope::views {

LaneState LaneArrangement::of(const std::string& key) const {
    const auto found = states_.find(key);
    return found == states_.end() ? LaneState{} : found->second;
}

void LaneArrangement::set(const std::string& key, const LaneState& state) {
    if (state == LaneState{})
        states_.erase(key);
    else
        states_[key] = state;
}

std::vector<std::size_t> LaneArrangement::order(const Keys& keys) const {
    std::vector<std::size_t> order;
    std::vector<bool> placed(keys.size(), false);
    for (const std::string& key : order_)
        if (const auto found = std::find(keys.begin(), keys.end(), key); found != keys.end()) {
            const auto at = static_cast<std::size_t>(found - keys.begin());
            if (!placed[at])
                order.push_back(at);
            placed[at] = true;
        }
    for (std::size_t at = 0; at < keys.size(); ++at) {
        if (placed[at])
            continue;
        const auto before = at == 0 ? order.end() : std::find(order.begin(), order.end(), at - 1);
        order.insert(at == 0 ? order.begin() : before + 1, at);
    }
    std::stable_partition(order.begin(), order.end(),
                          [&](std::size_t at) { return of(keys[at]).pinned; });
    return order;
}

std::vector<std::size_t> LaneArrangement::shown(const Keys& keys) const {
    std::vector<std::size_t> lanes = order(keys);
    std::erase_if(lanes, [&](std::size_t at) { return of(keys[at]).hidden; });
    return lanes;
}

void LaneArrangement::moveBefore(const Keys& keys, std::size_t lane, std::size_t before) {
    if (lane >= keys.size() || lane == before)
        return;
    std::vector<std::size_t> lanes = order(keys);
    lanes.erase(std::find(lanes.begin(), lanes.end(), lane));
    lanes.insert(std::find(lanes.begin(), lanes.end(), before), lane);
    order_.clear();
    for (const std::size_t at : lanes)
        order_.push_back(keys[at]);
}

bool LaneArrangement::moveBy(const Keys& keys, std::size_t lane, int by) {
    const std::vector<std::size_t> lanes = shown(keys);
    const auto found = std::find(lanes.begin(), lanes.end(), lane);
    if (found == lanes.end())
        return false;
    const auto to = found - lanes.begin() + by;
    if (to < 0 || to >= static_cast<std::ptrdiff_t>(lanes.size()))
        return false;
    const std::size_t other = lanes[static_cast<std::size_t>(to)];
    if (of(keys[other]).pinned != of(keys[lane]).pinned)
        return false;
    if (by < 0) {
        moveBefore(keys, lane, other);
        return true;
    }
    const auto behind = static_cast<std::size_t>(to) + 1;
    moveBefore(keys, lane, behind < lanes.size() ? lanes[behind] : keys.size());
    return true;
}

void LaneArrangement::showAll() {
    for (auto& [key, state] : states_)
        state.hidden = false;
    std::erase_if(states_, [](const auto& entry) { return entry.second == LaneState{}; });
}

QJsonObject LaneArrangement::toJson() const {
    QJsonArray order;
    for (const std::string& key : order_)
        order.append(QString::fromStdString(key));
    QJsonObject states;
    for (const auto& [key, state] : states_)
        states.insert(QString::fromStdString(key), QJsonObject{{"folded", state.folded},
                                                               {"pinned", state.pinned},
                                                               {"hidden", state.hidden},
                                                               {"rowHeight", state.rowHeight}});
    return {{"order", order}, {"lanes", states}};
}

LaneArrangement LaneArrangement::fromJson(const QJsonObject& json) {
    LaneArrangement arrangement;
    for (const QJsonValue key : json.value(QStringLiteral("order")).toArray())
        if (key.isString())
            arrangement.order_.push_back(key.toString().toStdString());
    const QJsonObject states = json.value(QStringLiteral("lanes")).toObject();
    for (auto at = states.begin(); at != states.end(); ++at) {
        const QJsonObject state = at.value().toObject();
        const int height = state.value(QStringLiteral("rowHeight")).toInt();
        arrangement.set(at.key().toStdString(),
                        {state.value(QStringLiteral("folded")).toBool(),
                         state.value(QStringLiteral("pinned")).toBool(),
                         state.value(QStringLiteral("hidden")).toBool(),
                         height <= 0 ? 0 : std::clamp(height, lowestRowHeight, highestRowHeight)});
    }
    return arrangement;
}

const LanePlace* LaneLayout::of(std::size_t lane) const {
    const auto found = std::find_if(places.begin(), places.end(),
                                    [lane](const LanePlace& place) { return place.lane == lane; });
    return found == places.end() ? nullptr : &*found;
}

const LanePlace* LaneLayout::at(double y) const {
    const bool amongPinned = y < pinnedHeight;
    for (const LanePlace& place : places)
        if (place.pinned == amongPinned && y >= place.top && y < place.bottom() + gap)
            return &place;
    return nullptr;
}

bool LaneLayout::inSight(const LanePlace& place, double page) const {
    return place.pinned ? place.top < pinnedHeight
                        : place.bottom() > pinnedHeight && place.top < page;
}

namespace {

std::size_t rowsOf(const LaneState& state, std::size_t rows) {
    return state.folded ? 1 : std::max<std::size_t>(rows, 1);
}

} // namespace

double rowsShown(const LaneArrangement& arrangement, const LaneRows& lanes) {
    double rows = 0;
    for (const std::size_t lane : arrangement.shown(lanes.keys))
        rows += static_cast<double>(rowsOf(arrangement.of(lanes.keys[lane]), lanes.rows[lane])) +
                laneGap;
    return rows;
}

LaneLayout layOutLanes(const LaneArrangement& arrangement, const LaneRows& lanes, double rowHeight,
                       double scroll, double page) {
    // Pinned lanes leave room for others.
    constexpr double mostPinned = 0.7;
    LaneLayout layout;
    layout.gap = laneGap * rowHeight;
    double pinned = 0;
    double top = 0;
    for (const std::size_t lane : arrangement.shown(lanes.keys)) {
        const LaneState state = arrangement.of(lanes.keys[lane]);
        LanePlace place{lane,         rowsOf(state, lanes.rows[lane]),
                        top,          state.rowHeight > 0 ? state.rowHeight : rowHeight,
                        state.pinned, state.folded};
        top = place.bottom() + layout.gap;
        if (state.pinned)
            pinned = top;
        layout.places.push_back(place);
    }
    layout.pinnedHeight = std::min(pinned, mostPinned * page);
    layout.height = top - pinned + layout.pinnedHeight;
    for (LanePlace& place : layout.places)
        if (!place.pinned)
            place.top += layout.pinnedHeight - pinned - scroll;
    return layout;
}

} // namespace tilescope::views
