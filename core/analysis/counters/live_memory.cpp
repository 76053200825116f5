#include "core/analysis/counters/live_memory.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <mutex>
#include <optional>

#include "core/analysis/counters/liveness_order.h"
#include "core/analysis/liveness/liveness.h"
#include "core/base/error.h"
#include "core/trace/lane_cursor.h"

namespace tilescope {
namespace {

/// Extremes of some steps; none of no steps.
struct Found {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t most = std::numeric_limits<std::int64_t>::min();
    [[nodiscard]] bool any() const { return least <= most; }
    void add(const Found& other) {
        least = std::min(least, other.least);
        most = std::max(most, other.most);
    }
};

/// A body where it was entered.
struct Entered {
    TraceBodyId body;
    std::int32_t base = -1; ///< of its function in the liveness order
    friend auto operator<=>(const Entered&, const Entered&) = default;
};

/// What is kept of an entered body on one IPU.
struct Summary {
    std::optional<Found> whole;
    std::vector<std::optional<Found>> blocks;
};

/// The values at the executed steps of one IPU. For one thread.
class StepsOfIpu {
public:
    StepsOfIpu(const TraceLanes& lanes, const LivenessOrder& order, IpuId ipu,
               const std::vector<std::int64_t>& bytes)
        : lanes_(lanes)
        , order_(order)
        , bytes_(bytes)
        , ipu_(ipu) {}

    void setStop(const std::stop_token& stop) { stop_ = stop; }
    /// Pages of the file, before others are asked about.
    void forgetPages() {
        for (auto& [body, cursor] : cursors_)
            cursor.forget();
    }

    /// Of the steps that run in cycles [from, to) of the execution.
    Found over(std::int64_t from, std::int64_t to) {
        Found found;
        for (const TraceRun& run : lanes_.trace().runs)
            found.add(over(enter(run), from - run.start, to - run.start));
        return found;
    }

    /// Of the last step that began before a cycle.
    std::optional<std::int64_t> before(std::int64_t cycle) {
        const std::vector<TraceRun>& runs = lanes_.trace().runs;
        for (auto run = runs.rbegin(); run != runs.rend(); ++run)
            if (const auto value = before(enter(*run), cycle - run->start))
                return value;
        return {};
    }

private:
    /// A body calls others and never itself: each has one place that is being read.
    LaneCursor& cursorOf(TraceBodyId body) {
        return cursors_.try_emplace(body, lanes_, body, ipu_, TracePages::Keep::No).first->second;
    }

    [[nodiscard]] Entered enter(const TraceRun& run) const {
        return {run.body, order_.baseOf(lanes_.trace().bodies[run.body].program)};
    }
    [[nodiscard]] Entered enter(const Entered& from, const LaneEntry& call) const {
        const TraceCall& of = *lanes_.callOf(from.body, call);
        return {of.callee, order_.inside(from.base, of.program)};
    }

    [[nodiscard]] Found ofStep(const Entered& at, const LaneEntry& entry) const {
        const std::int32_t step = order_.stepOf(at.base, entry.program);
        if (step < 0 || static_cast<std::size_t>(step) >= bytes_.size())
            return {};
        const std::int64_t bytes = bytes_[static_cast<std::size_t>(step)];
        return {bytes, bytes};
    }

    Found ofEntry(const Entered& at, const LaneEntry& entry, std::int64_t from, std::int64_t to) {
        from = std::max(from, entry.begin);
        to = std::min(to, entry.end);
        if (from >= to)
            return {}; // steps of no time are not seen
        if (entry.call < 0)
            return ofStep(at, entry);
        const Entered inside = enter(at, entry);
        if (from == entry.begin && to == entry.end)
            return whole(inside);
        return ofCall(inside, lanes_.repetition(at.body, ipu_, entry), from - entry.begin,
                      to - entry.begin);
    }

    Found ofCall(const Entered& inside, const Repetition& r, std::int64_t from, std::int64_t to) {
        const auto [first, end] = r.touched(from, to);
        const auto [firstWhole, endWhole] = r.whole(from, to);
        Found found;
        if (firstWhole < endWhole)
            found = whole(inside);
        for (std::int64_t k = first; k < firstWhole; ++k)
            found.add(over(inside, from - k * r.period, to - k * r.period));
        for (std::int64_t k = endWhole; k < end; ++k)
            found.add(over(inside, from - k * r.period, to - k * r.period));
        return found;
    }

    Found over(const Entered& at, std::int64_t from, std::int64_t to) {
        LaneCursor& cursor = cursorOf(at.body);
        if (from >= cursor.lane().length || to <= 0)
            return {};
        if (from <= 0 && to >= cursor.lane().length)
            return whole(at);
        const auto [first, end] = cursor.touched(from, to);
        const auto blocks = cursor.wholeBlocks(from, to);
        Found found;
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

    Found block(const Entered& at, LaneCursor& cursor, std::size_t number) {
        std::vector<std::optional<Found>>& known = summaries_[at].blocks;
        known.resize(cursor.blocks());
        if (known[number])
            return *known[number];
        if (stop_.stop_requested())
            throw Cancelled();
        Found found;
        const std::size_t first = number * entriesPerBlock;
        const std::size_t end = std::min(first + entriesPerBlock, cursor.lane().count);
        for (std::size_t i = first; i < end; ++i) {
            const LaneEntry entry = cursor.at(i);
            found.add(ofEntry(at, entry, entry.begin, entry.end));
        }
        known[number] = found; // what is called has a summary of its own; the map keeps its places
        return found;
    }

    Found whole(const Entered& at) {
        if (const std::optional<Found>& known = summaries_[at].whole)
            return *known;
        LaneCursor& cursor = cursorOf(at.body);
        Found found;
        for (std::size_t i = 0; i < cursor.blocks(); ++i)
            found.add(block(at, cursor, i));
        summaries_[at].whole = found;
        return found;
    }

    std::optional<std::int64_t> before(const Entered& at, std::int64_t cycle) {
        LaneCursor& cursor = cursorOf(at.body);
        for (std::size_t i = cursor.firstBeginningAt(cycle); i-- > 0;) {
            const LaneEntry entry = cursor.at(i);
            if (entry.begin >= entry.end)
                continue;
            if (entry.call >= 0) {
                if (const auto value = beforeInCall(at, entry, cycle - entry.begin))
                    return value;
            } else if (const Found found = ofStep(at, entry); found.any()) {
                return found.most;
            }
        }
        return {};
    }

    std::optional<std::int64_t> beforeInCall(const Entered& at, const LaneEntry& entry,
                                             std::int64_t cycle) {
        const Entered inside = enter(at, entry);
        if (!whole(inside).any())
            return {};
        const Repetition r = lanes_.repetition(at.body, ipu_, entry);
        const std::int64_t last =
            r.period > 0 ? std::clamp<std::int64_t>((cycle - 1) / r.period, 0, r.count - 1) : 0;
        if (const auto value = before(inside, cycle - last * r.period))
            return value;
        return last > 0 ? before(inside, r.length) : std::nullopt;
    }

    const TraceLanes& lanes_;
    const LivenessOrder& order_;
    const std::vector<std::int64_t>& bytes_; ///< not always live, by step
    IpuId ipu_;
    std::stop_token stop_;
    std::map<Entered, Summary> summaries_;
    std::map<TraceBodyId, LaneCursor> cursors_;
};

} // namespace

class LiveMemory::Impl {
public:
    Impl(const ProfileView& profile, Stop stop)
        : trace_(profile.trace(stop))
        , programs_(profile.programs(stop))
        , steps_(profile.steps(stop))
        , curve_(profile.livenessCurve(stop))
        , order_(*programs_, *profile.controlPrograms(stop), *profile.functions(stop), *steps_,
                 !profile.pipeline(stop)->empty()) {
        const auto tiles = profile.tileMemory(stop);
        for (std::int32_t i = 0; i < profile.machine().ipus; ++i) {
            const IpuId ipu(i);
            ipus_.emplace_back();
            ipus_.back().alwaysLive =
                alwaysLiveBytes(*tiles, TileSelection::ofIpu(ipu).range(profile.machine()));
            ipus_.back().steps.emplace(
                trace_->lanes(), order_, ipu,
                ipu.index() < curve_->byIpu.size() ? curve_->byIpu[ipu.index()] : nothing_);
        }
    }

    std::vector<LiveExtremes> columns(IpuId id, const CycleColumns& columns,
                                      const std::stop_token& stop) const {
        if (!id.valid() || id.index() >= ipus_.size())
            throw UserError(
                fmt::format("there is no IPU {}: IPUs are 0 to {}", id.value(), ipus_.size() - 1));
        OfIpu& ipu = ipus_[id.index()];
        const std::lock_guard lock(ipu.mutex);
        ipu.steps->setStop(stop);
        std::vector<LiveExtremes> all(columns.count());
        std::optional<std::int64_t> held; // since the column before, in which no step ran
        for (std::size_t i = 0; i < all.size(); ++i) {
            const CycleRange column = columns.at(i);
            Found found = ipu.steps->over(column.begin, column.end);
            if (found.any()) {
                held.reset();
            } else {
                if (!held)
                    held = ipu.steps->before(column.begin).value_or(0);
                found = {*held, *held};
            }
            all[i] = {ipu.alwaysLive + found.least, ipu.alwaysLive + found.most};
            if (stop.stop_requested())
                throw Cancelled();
        }
        ipu.steps->forgetPages();
        return all;
    }

private:
    struct OfIpu {
        std::mutex mutex; ///< guards `steps`
        std::optional<StepsOfIpu> steps;
        std::int64_t alwaysLive = 0;
    };

    ProfileView::Part<TraceIndex> trace_;
    ProfileView::Part<IdVector<ProgramId, Program>> programs_;
    ProfileView::Part<IdVector<StepId, ProgramId>> steps_;
    ProfileView::Part<LivenessCurve> curve_;
    std::vector<std::int64_t> nothing_;
    LivenessOrder order_;
    mutable std::deque<OfIpu> ipus_;
};

LiveMemory::LiveMemory(const ProfileView& profile, Stop stop)
    : impl_(std::make_unique<const Impl>(profile, stop)) {}
LiveMemory::~LiveMemory() = default;
LiveMemory::LiveMemory(LiveMemory&&) noexcept = default;

std::vector<LiveExtremes> LiveMemory::columns(IpuId ipu, const CycleColumns& columns,
                                              const std::stop_token& stop) const {
    return impl_->columns(ipu, columns, stop);
}

} // namespace tilescope
