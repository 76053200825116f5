#include "core/analysis/film/live_bytes.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/analysis/memory/tile_quantity.h"
#include "core/base/damaged_profile.h"
#include "core/base/error.h"

namespace tilescope {
namespace {

/// Where a value changes along the tiles.
struct Edge {
    std::int32_t tile = 0;
    std::int64_t by = 0;
};

TileSeries summed(std::vector<Edge>& edges) {
    std::sort(edges.begin(), edges.end(),
              [](const Edge& a, const Edge& b) { return a.tile < b.tile; });
    TileSeries series;
    std::int64_t value = 0;
    for (std::size_t i = 0; i < edges.size();) {
        const std::int32_t tile = edges[i].tile;
        for (; i < edges.size() && edges[i].tile == tile; ++i)
            value += edges[i].by;
        if (i < edges.size())
            series.append(tile, edges[i].tile, value);
    }
    return series;
}

std::vector<TileSeries> byClass(const IdVector<VariableId, Variable>& variables,
                                std::size_t classes) {
    std::vector<std::vector<Edge>> edges(classes);
    for (const Variable& v : variables) {
        if (v.alwaysLive || !v.liveness.valid())
            continue;
        if (v.liveness.index() >= classes)
            throw DamagedProfile(fmt::format("variable '{}' has no liveness", v.name));
        for (const TileRun& run : v.bytes.runs()) {
            edges[v.liveness.index()].push_back({run.first, run.value});
            edges[v.liveness.index()].push_back({run.end, -run.value});
        }
    }
    std::vector<TileSeries> series;
    series.reserve(classes);
    for (std::vector<Edge>& ofClass : edges)
        series.push_back(summed(ofClass));
    return series;
}

void addTimes(const TileSeries& series, std::int64_t factor, std::span<std::int64_t> dense) {
    const auto tiles = static_cast<std::int32_t>(dense.size());
    for (const TileRun& run : series.runs())
        for (std::int32_t tile = run.first; tile < std::min(run.end, tiles); ++tile)
            dense[static_cast<std::size_t>(tile)] += factor * run.value;
}

} // namespace

LiveChanges::LiveChanges(const IdVector<VariableId, Variable>& variables,
                         const IdVector<LivenessClassId, LivenessClass>& classes, std::size_t steps,
                         std::int32_t tiles)
    : steps_(steps)
    , tiles_(tiles)
    , always_(alwaysLiveBytesByTile(variables))
    , series_(byClass(variables, classes.size())) {
    for (std::size_t i = 0; i < classes.size(); ++i) {
        if (series_[i].empty())
            continue;
        for (const StepInterval& interval : classes[LivenessClassId(i)].intervals) {
            if (!interval.first.valid() || interval.end < interval.first ||
                interval.end.index() > steps)
                throw DamagedProfile("a variable is live at a step that does not exist");
            const auto series = static_cast<std::uint32_t>(i);
            changes_.push_back({static_cast<std::uint32_t>(interval.first.index()), series, true});
            changes_.push_back({static_cast<std::uint32_t>(interval.end.index()), series, false});
        }
    }
    std::stable_sort(changes_.begin(), changes_.end(),
                     [](const Change& a, const Change& b) { return a.step < b.step; });
    for (std::size_t step = 0; step <= steps + 1; ++step)
        first_.push_back(static_cast<std::size_t>(
            std::lower_bound(changes_.begin(), changes_.end(), step,
                             [](const Change& c, std::size_t s) { return c.step < s; }) -
            changes_.begin()));
}

void LiveChanges::addChange(std::size_t step, std::int64_t factor,
                            std::span<std::int64_t> dense) const {
    for (std::size_t i = first_[step]; i < first_[step + 1]; ++i)
        addTimes(series_[changes_[i].series], changes_[i].begins ? factor : -factor, dense);
}

void LiveChanges::addAt(std::size_t step, std::span<std::int64_t> dense) const {
    // Live if it began more often than it ended. Each series is added once, not once per interval.
    std::vector<bool> live(series_.size(), false);
    for (std::size_t i = 0; i < first_[step + 1]; ++i)
        live[changes_[i].series] = changes_[i].begins;
    for (std::size_t i = 0; i < series_.size(); ++i)
        if (live[i])
            addTimes(series_[i], 1, dense);
}

LiveBytes::LiveBytes(std::shared_ptr<const LiveChanges> changes)
    : changes_(std::move(changes)) {}

void LiveBytes::begin(std::size_t step) {
    bytes_ = changes_->always().toDense(changes_->tiles());
    changes_->addAt(step, bytes_);
    step_ = step;
    begun_ = true;
}

const std::vector<std::int64_t>& LiveBytes::at(StepId wanted) {
    // Across few steps, less changes than is live altogether.
    constexpr std::size_t nearSteps = 64;
    if (!wanted.valid() || wanted.index() >= changes_->steps())
        throw UserError(fmt::format("there is no step {}: the program has {}", wanted.value(),
                                    changes_->steps()));
    const std::size_t step = wanted.index();
    const std::size_t distance = step > step_ ? step - step_ : step_ - step;
    if (!begun_ || distance > nearSteps)
        begin(step);
    while (step_ < step)
        changes_->addChange(++step_, 1, bytes_);
    while (step_ > step)
        changes_->addChange(step_--, -1, bytes_);
    return bytes_;
}

} // namespace tilescope
