#include "core/analysis/counters/live_memory.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <mutex>
#include <optional>

#include "core/analysis/liveness/liveness.h"
#include "core/base/error.h"
#include "core/base/saturating.h"
#include "core/live/live_moments.h"

namespace tilescope {
namespace {

/// What is kept of an entered body on one IPU.
struct Summary {
    std::optional<FoundExtremes> whole;
    std::vector<std::optional<FoundExtremes>> blocks;
};

/// The values at the executed steps of one IPU, none of which overlap. For one thread.
class StepsOfIpu {
public:
    explicit StepsOfIpu(LiveSteps steps)
        : steps_(std::move(steps)) {}

    void setStop(const std::stop_token& stop) { stop_ = stop; }
    void forgetPages() { steps_.forgetPages(); }

    /// Of the steps that run in cycles [from, to) of the execution.
    FoundExtremes over(std::int64_t from, std::int64_t to) {
        FoundExtremes found;
        for (const TraceRun& run : steps_.runs())
            found.add(over(steps_.enter(run), from - run.start, to - run.start));
        return found;
    }

    /// Of the last step that began before a cycle.
    std::optional<std::int64_t> before(std::int64_t cycle) {
        const std::vector<TraceRun>& runs = steps_.runs();
        for (auto run = runs.rbegin(); run != runs.rend(); ++run)
            if (const auto value = before(steps_.enter(*run), cycle - run->start))
                return value;
        return {};
    }

private:
    [[nodiscard]] FoundExtremes ofStep(const EnteredBody& at, const LaneEntry& entry) const {
        const auto bytes = steps_.bytesOf(at, entry);
        return bytes ? FoundExtremes{*bytes, *bytes} : FoundExtremes{};
    }

    FoundExtremes ofEntry(const EnteredBody& at, const LaneEntry& entry, std::int64_t from,
                          std::int64_t to) {
        from = std::max(from, entry.begin);
        to = std::min(to, entry.end);
        if (from >= to)
            return {}; // steps of no time are not seen
        if (entry.call < 0)
            return ofStep(at, entry);
        const EnteredBody inside = steps_.enter(at, entry);
        if (from == entry.begin && to == entry.end)
            return whole(inside);
        return ofCall(inside, steps_.repetition(at, entry), from - entry.begin, to - entry.begin);
    }

    FoundExtremes ofCall(const EnteredBody& inside, const Repetition& r, std::int64_t from,
                         std::int64_t to) {
        const auto [first, end] = r.touched(from, to);
        const auto [firstWhole, endWhole] = r.whole(from, to);
        FoundExtremes found;
        if (firstWhole < endWhole)
            found = whole(inside);
        for (std::int64_t k = first; k < firstWhole; ++k)
            found.add(over(inside, from - k * r.period, to - k * r.period));
        for (std::int64_t k = endWhole; k < end; ++k)
            found.add(over(inside, from - k * r.period, to - k * r.period));
        return found;
    }

    FoundExtremes over(const EnteredBody& at, std::int64_t from, std::int64_t to) {
        LaneCursor& cursor = steps_.cursorOf(at.body);
        if (from >= cursor.lane().length || to <= 0)
            return {};
        if (from <= 0 && to >= cursor.lane().length)
            return whole(at);
        const auto [first, end] = cursor.touched(from, to);
        const auto blocks = cursor.wholeBlocks(from, to);
        FoundExtremes found;
        const auto add = [&](std::size_t i, std::size_t stop) {
            for (; i < stop; ++i)
                found.add(ofEntry(at, LaneEntry(cursor.at(i)), from, to));
        };
        if (blocks.first >= blocks.end) {
            add(first, end);
            return found;
        }
        add(first, blocks.first * entriesPerBlock);
        for (std::size_t i = blocks.first; i < blocks.end; ++i)
            found.add(block(at, cursor, i));
        add(blocks.end * entriesPerBlock, end);
        return found;
    }

    FoundExtremes block(const EnteredBody& at, LaneCursor& cursor, std::size_t number) {
        std::vector<std::optional<FoundExtremes>>& known = summaries_[at].blocks;
        known.resize(cursor.blocks());
        if (known[number])
            return *known[number];
        if (stop_.stop_requested())
            throw Cancelled();
        FoundExtremes found;
        const std::size_t first = number * entriesPerBlock;
        const std::size_t end = std::min(first + entriesPerBlock, cursor.lane().count);
        for (std::size_t i = first; i < end; ++i) {
            const LaneEntry entry = cursor.at(i);
            found.add(ofEntry(at, entry, entry.begin, entry.end));
        }
        known[number] = found; // what is called has a summary of its own; the map keeps its places
        return found;
    }

    FoundExtremes whole(const EnteredBody& at) {
        if (const std::optional<FoundExtremes>& known = summaries_[at].whole)
            return *known;
        LaneCursor& cursor = steps_.cursorOf(at.body);
        FoundExtremes found;
        for (std::size_t i = 0; i < cursor.blocks(); ++i)
            found.add(block(at, cursor, i));
        summaries_[at].whole = found;
        return found;
    }

    std::optional<std::int64_t> before(const EnteredBody& at, std::int64_t cycle) {
        LaneCursor& cursor = steps_.cursorOf(at.body);
        for (std::size_t i = cursor.firstBeginningAt(cycle); i-- > 0;) {
            const LaneEntry entry = cursor.at(i);
            if (entry.begin >= entry.end)
                continue;
            if (entry.call >= 0) {
                if (const auto value = beforeInCall(at, entry, cycle - entry.begin))
                    return value;
            } else if (const FoundExtremes found = ofStep(at, entry); found.any()) {
                return found.most;
            }
        }
        return {};
    }

    std::optional<std::int64_t> beforeInCall(const EnteredBody& at, const LaneEntry& entry,
                                             std::int64_t cycle) {
        const EnteredBody inside = steps_.enter(at, entry);
        if (!whole(inside).any())
            return {};
        const Repetition r = steps_.repetition(at, entry);
        const std::int64_t last =
            r.period > 0 ? std::clamp<std::int64_t>((cycle - 1) / r.period, 0, r.count - 1) : 0;
        if (const auto value = before(inside, cycle - last * r.period))
            return value;
        return last > 0 ? before(inside, r.length) : std::nullopt;
    }

    LiveSteps steps_;
    std::stop_token stop_;
    std::map<EnteredBody, Summary> summaries_;
};

} // namespace

class LiveMemory::Impl {
public:
    Impl(const ProfileView& profile, Stop stop)
        : trace_(profile.trace(stop))
        , programs_(profile.programs(stop))
        , steps_(profile.steps(stop))
        , curve_(profile.livenessCurve(stop))
        , cells_(profile.liveCells(stop))
        , order_(*programs_, *profile.controlPrograms(stop), *profile.functions(stop), *steps_,
                 !profile.pipeline(stop)->empty()) {
        const auto tiles = profile.tileMemory(stop);
        for (std::int32_t i = 0; i < profile.machine().ipus; ++i) {
            const IpuId ipu(i);
            ipus_.emplace_back();
            ipus_.back().alwaysLive =
                alwaysLiveBytes(*tiles, TileSelection::ofIpu(ipu).range(profile.machine()));
            ipus_.back().steps.emplace(stepsOf(ipu));
            ipus_.back().overlaps = overlapsOn(ipu);
        }
    }

    LiveColumns columns(const std::vector<IpuId>& ids, const CycleColumns& columns,
                        const std::stop_token& stop, const ForEach& each) const {
        for (const IpuId id : ids)
            if (!id.valid() || id.index() >= ipus_.size())
                throw UserError(fmt::format("there is no IPU {}: IPUs are 0 to {}", id.value(),
                                            ipus_.size() - 1));
        if (ids.size() == 1 && !ipus_[ids.front().index()].overlaps)
            return {ofOne(ids.front(), columns, stop)};
        if (auto exact = atMoments(ids, columns, stop, each))
            return {*std::move(exact)};
        LiveColumns bounds{std::vector<LiveExtremes>(columns.count()), false};
        for (const IpuId id : ids) {
            const std::vector<LiveExtremes> one = ofOne(id, columns, stop);
            for (std::size_t i = 0; i < one.size(); ++i) {
                LiveExtremes& sum = bounds.columns[i];
                sum.least = saturatingSum(sum.least, one[i].least);
                sum.most = saturatingSum(sum.most, one[i].most);
            }
        }
        return bounds;
    }

private:
    struct OfIpu {
        std::mutex mutex; ///< guards `steps`
        std::optional<StepsOfIpu> steps;
        std::int64_t alwaysLive = 0;
        bool overlaps = false; ///< see overlapsOn()
    };
    struct OfSeveral {
        std::mutex mutex; ///< guards `moments`
        LiveMoments moments;
    };

    [[nodiscard]] LiveSteps stepsOf(IpuId ipu) const {
        return {trace_->lanes(), order_, ipu,
                ipu.index() < curve_->byIpu.size() ? curve_->byIpu[ipu.index()] : nothing_};
    }

    /// Whether any two steps of an IPU overlap, or a step and a call.
    [[nodiscard]] bool overlapsOn(IpuId ipu) const {
        const TraceLanes& lanes = trace_->lanes();
        for (std::size_t i = 0; i < lanes.outline().bodies.size(); ++i) {
            const Lane& lane = lanes.lane(TraceBodyId(i), ipu);
            if (!lane.sequential || lane.overlaps)
                return true;
        }
        return false;
    }

    std::shared_ptr<OfSeveral> several(const std::vector<IpuId>& ids) const {
        constexpr std::size_t mostSets = 8; // that somebody looks at by turns
        const std::lock_guard lock(severalMutex_);
        if (const auto known = several_.find(ids); known != several_.end())
            return known->second;
        if (several_.size() >= mostSets)
            several_.clear();
        std::deque<LiveSteps> steps;
        for (const IpuId id : ids)
            steps.push_back(stepsOf(id));
        const bool all =
            ids.size() == ipus_.size() &&
            std::adjacent_find(ids.begin(), ids.end(), std::greater_equal()) == ids.end();
        return several_[ids] = std::shared_ptr<OfSeveral>(new OfSeveral{
                   .mutex = {},
                   .moments = {*trace_, std::move(steps), all ? *cells_ : LiveCells()}});
    }

    std::optional<std::vector<LiveExtremes>> atMoments(const std::vector<IpuId>& ids,
                                                       const CycleColumns& columns,
                                                       const std::stop_token& stop,
                                                       const ForEach& each) const {
        const std::shared_ptr<OfSeveral> of = several(ids);
        const std::lock_guard lock(of->mutex);
        const auto found = of->moments.columns(columns, stop, each);
        if (!found)
            return {};
        std::int64_t always = 0;
        for (const IpuId id : ids)
            always = saturatingSum(always, ipus_[id.index()].alwaysLive);
        std::vector<LiveExtremes> all;
        for (const FoundExtremes& column : *found)
            all.push_back(
                {saturatingSum(always, column.least), saturatingSum(always, column.most)});
        return all;
    }

    std::vector<LiveExtremes> ofOne(IpuId id, const CycleColumns& columns,
                                    const std::stop_token& stop) const {
        OfIpu& ipu = ipus_[id.index()];
        const std::lock_guard lock(ipu.mutex);
        ipu.steps->setStop(stop);
        std::vector<LiveExtremes> all(columns.count());
        std::optional<std::int64_t> held; // since the column before, in which no step ran
        for (std::size_t i = 0; i < all.size(); ++i) {
            const CycleRange column = columns.at(i);
            FoundExtremes found = ipu.steps->over(column.begin, column.end);
            const bool ran = found.any();
            // What is held while waiting when the column begins.
            if (!ran || !ipu.steps->over(column.begin, column.begin + 1).any()) {
                if (!held)
                    held = ipu.steps->before(column.begin).value_or(0);
                found.add({*held, *held});
            }
            if (ran)
                held.reset();
            all[i] = {saturatingSum(ipu.alwaysLive, found.least),
                      saturatingSum(ipu.alwaysLive, found.most)};
            if (stop.stop_requested())
                throw Cancelled();
        }
        ipu.steps->forgetPages();
        return all;
    }

    ProfileView::Part<TraceIndex> trace_;
    ProfileView::Part<IdVector<ProgramId, Program>> programs_;
    ProfileView::Part<IdVector<StepId, ProgramId>> steps_;
    ProfileView::Part<LivenessCurve> curve_;
    ProfileView::Part<LiveCells> cells_; ///< of all IPUs
    StepBytes nothing_;
    LivenessOrder order_;
    mutable std::deque<OfIpu> ipus_;
    mutable std::mutex severalMutex_; ///< guards `several_`
    mutable std::map<std::vector<IpuId>, std::shared_ptr<OfSeveral>> several_;
};

LiveMemory::LiveMemory(const ProfileView& profile, Stop stop)
    : impl_(std::make_unique<const Impl>(profile, stop)) {}
LiveMemory::~LiveMemory() = default;
LiveMemory::LiveMemory(LiveMemory&&) noexcept = default;

std::vector<LiveExtremes> LiveMemory::columns(IpuId ipu, const CycleColumns& columns,
                                              const std::stop_token& stop) const {
    return impl_->columns({ipu}, columns, stop, {}).columns;
}

LiveColumns LiveMemory::columns(const std::vector<IpuId>& ipus, const CycleColumns& columns,
                                const std::stop_token& stop, const ForEach& each) const {
    return impl_->columns(ipus, columns, stop, each);
}

} // namespace tilescope
