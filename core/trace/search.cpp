#include "core/trace/search.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "core/base/error.h"
#include "core/trace/lane_cursor.h"

namespace tilescope {
namespace {

/// Follows calls down to one step, adding up starts on each IPU.
class Descent {
public:
    Descent(const TraceLanes& lanes, ExecutedStep& result)
        : lanes_(lanes)
        , result_(result)
        , base_(static_cast<std::size_t>(lanes.ipus()), 0) {}

    /// To the step's item; only its body and item remain to be looked up.
    std::pair<TraceBodyId, std::size_t> go(TraceBodyId id, std::int64_t start, std::int64_t index) {
        std::fill(base_.begin(), base_.end(), start);
        for (;;) {
            const StepOrder& order = lanes_.order(id);
            const std::size_t at = order.itemOf(index);
            const std::optional<std::size_t> called = order.callOf(at);
            index -= order.before(at);
            if (!called)
                return {id, at};
            const TraceCall& call = lanes_.outline().bodies[id].calls[*called];
            const std::int64_t steps = lanes_.stepCount(call.callee);
            const std::int64_t repetition = index / steps;
            for (const CallOnIpu& on : call.ipus)
                base_[on.ipu.index()] += on.start + repetition * lanes_.repetition(call, on).period;
            result_.callers.push_back(call.program);
            result_.repetitions.push_back(repetition);
            index -= repetition * steps;
            id = call.callee;
        }
    }

    void arrive(const TraceStep& step) {
        result_.kind = step.kind;
        result_.program = step.program;
        result_.ipus = step.ipus;
        for (StepOnIpu& on : result_.ipus)
            on.start += base_[on.ipu.index()];
    }

private:
    const TraceLanes& lanes_;
    ExecutedStep& result_;
    std::vector<std::int64_t> base_;
};

/// Next and previous executions of wanted programs, by body.
class ProgramSearch {
public:
    ProgramSearch(const TraceLanes& lanes, const ProgramSet& wanted)
        : lanes_(lanes)
        , wanted_(wanted)
        , contains_(lanes.outline().bodies.size(), -1) {}

    /// The smallest step index >= from within a body, or -1.
    std::int64_t next(TraceBodyId id, std::int64_t from) {
        if (!contains(id) || from >= lanes_.stepCount(id))
            return -1;
        const StepOrder& order = lanes_.order(id);
        ItemCursor cursor(lanes_, id);
        from = std::max<std::int64_t>(from, 0);
        std::size_t at = order.itemOf(from);
        for (std::int64_t before = order.before(at); at < order.items(); ++at) {
            const ItemCursor::Item item = cursor.at(at);
            const std::int64_t found = inItem(item, from - before, true);
            if (found >= 0)
                return before + found;
            before += stepsOf(item);
        }
        return -1;
    }

    /// The largest step index <= from within a body, or -1.
    std::int64_t previous(TraceBodyId id, std::int64_t from) {
        if (!contains(id) || from < 0 || lanes_.stepCount(id) == 0)
            return -1;
        const StepOrder& order = lanes_.order(id);
        ItemCursor cursor(lanes_, id);
        from = std::min(from, lanes_.stepCount(id) - 1);
        std::size_t at = order.itemOf(from) + 1;
        for (std::int64_t before = order.before(at); at-- > 0;) {
            const ItemCursor::Item item = cursor.at(at);
            before -= stepsOf(item);
            const std::int64_t found = inItem(item, from - before, false);
            if (found >= 0)
                return before + found;
        }
        return -1;
    }

private:
    bool contains(TraceBodyId id) {
        std::int8_t& known = contains_[id.index()];
        if (known >= 0)
            return known != 0;
        const TraceBody& body = lanes_.outline().bodies[id];
        const bool found =
            containsStep(id) ||
            std::any_of(body.calls.begin(), body.calls.end(), [&](const TraceCall& call) {
                return call.count > 0 && contains(call.callee);
            });
        contains_[id.index()] = found ? 1 : 0;
        return found;
    }

    bool containsStep(TraceBodyId id) {
        const std::vector<ProgramTotal>& totals = lanes_.totals(id);
        return std::any_of(totals.begin(), totals.end(),
                           [&](const ProgramTotal& total) { return isWanted(total.program); });
    }

    [[nodiscard]] std::int64_t stepsOf(const ItemCursor::Item& item) const {
        return item.call == nullptr ? 1 : item.call->count * lanes_.stepCount(item.call->callee);
    }

    /// Within an item: the match nearest to `from` in a direction, counted from the item's start.
    std::int64_t inItem(const ItemCursor::Item& item, std::int64_t from, bool forward) {
        if (item.call == nullptr) {
            const bool reachable = forward ? from <= 0 : from >= 0;
            return reachable && isWanted(item.program) ? 0 : -1;
        }
        const TraceCall& call = *item.call;
        const std::int64_t steps = lanes_.stepCount(call.callee);
        if (steps == 0 || !contains(call.callee))
            return -1;
        std::int64_t k =
            std::clamp<std::int64_t>(from / steps, 0, std::max<std::int64_t>(0, call.count - 1));
        std::int64_t found =
            forward ? next(call.callee, from - k * steps) : previous(call.callee, from - k * steps);
        if (found >= 0)
            return k * steps + found;
        k += forward ? 1 : -1;
        if (k < 0 || k >= call.count)
            return -1;
        found = forward ? next(call.callee, 0) : previous(call.callee, steps - 1);
        return found < 0 ? -1 : k * steps + found;
    }

    [[nodiscard]] bool isWanted(ProgramId program) const {
        return program.valid() && program.index() < wanted_.size() && wanted_[program.index()];
    }

    const TraceLanes& lanes_;
    const ProgramSet& wanted_;
    std::vector<std::int8_t> contains_; ///< -1: not computed yet
};

/// The first execution of a call. A body is visited once: its first execution comes first.
class CallSearch {
public:
    CallSearch(const TraceLanes& lanes, ProgramId program)
        : lanes_(lanes)
        , program_(program)
        , visited_(lanes.outline().bodies.size(), false) {}

    /// `base` has the start of the body on each IPU.
    std::optional<ExecutedCall> in(TraceBodyId id, const std::vector<std::int64_t>& base,
                                   std::int64_t firstStep) {
        if (visited_[id.index()])
            return {};
        visited_[id.index()] = true;
        const StepOrder& order = lanes_.order(id);
        for (std::size_t i = 0; i < order.calls(); ++i) {
            const std::size_t at = order.itemOfCall(i);
            const TraceCall& call = lanes_.outline().bodies[id].calls[i];
            const std::int64_t step = firstStep + order.before(at);
            if (call.count <= 0)
                continue;
            if (call.program == program_)
                return place(call, base, step);
            std::vector<std::int64_t> inner = base;
            for (const CallOnIpu& on : call.ipus)
                inner[on.ipu.index()] += on.start;
            if (const auto found = in(call.callee, inner, step))
                return found;
        }
        return {};
    }

private:
    [[nodiscard]] std::optional<ExecutedCall>
    place(const TraceCall& call, const std::vector<std::int64_t>& base, std::int64_t step) const {
        ExecutedCall found{step, {std::numeric_limits<std::int64_t>::max(), 0}};
        for (const CallOnIpu& on : call.ipus) {
            const Repetition r = lanes_.repetition(call, on);
            if (r.length <= 0)
                continue; // this IPU has nothing to do in the call
            const std::int64_t begin = base[on.ipu.index()] + on.start;
            found.range.begin = std::min(found.range.begin, begin);
            found.range.end =
                std::max(found.range.end, begin + (r.count - 1) * r.period + r.length);
        }
        return found.range.begin < found.range.end ? std::optional(found) : std::nullopt;
    }

    const TraceLanes& lanes_;
    ProgramId program_;
    std::vector<bool> visited_;
};

} // namespace

void requireIpu(const TraceLanes& lanes, IpuId ipu) {
    if (!ipu.valid() || ipu.value() >= lanes.ipus())
        throw UserError(
            fmt::format("there is no IPU {}: IPUs are 0 to {}", ipu.value(), lanes.ipus() - 1));
}

std::int64_t executedSteps(const TraceLanes& lanes) {
    std::int64_t steps = 0;
    for (const TraceRun& run : lanes.outline().runs)
        steps += lanes.stepCount(run.body);
    return steps;
}

namespace {

/// Goes down to a step; `arrive` takes its body and item.
template <class Arrive>
ExecutedStep descend(const TraceLanes& lanes, std::int64_t index, const Arrive& arrive) {
    ExecutedStep result;
    result.index = index;
    std::int64_t local = index;
    for (std::size_t i = 0; i < lanes.outline().runs.size() && local >= 0; ++i) {
        const TraceRun& run = lanes.outline().runs[i];
        const std::int64_t steps = lanes.stepCount(run.body);
        if (local < steps) {
            result.run = static_cast<std::int32_t>(i);
            Descent descent(lanes, result);
            const auto [body, item] = descent.go(run.body, run.start, local);
            arrive(descent, body, item);
            return result;
        }
        local -= steps;
    }
    const std::int64_t steps = executedSteps(lanes);
    throw UserError(steps == 0 ? std::string("the profile has no executed steps")
                               : fmt::format("there is no executed step {}: steps are 0 to {}",
                                             index, steps - 1));
}

} // namespace

ExecutedStep executedStep(const TraceLanes& lanes, std::int64_t index) {
    return descend(lanes, index, [&](Descent& descent, TraceBodyId body, std::size_t item) {
        descent.arrive(lanes.stepOf(body, item));
    });
}

ExecutedStep executedPlace(const TraceLanes& lanes, std::int64_t index) {
    return descend(lanes, index, [](Descent&, TraceBodyId, std::size_t) {});
}

std::int64_t executedStepAtCycle(const TraceLanes& lanes, IpuId ipu, std::int64_t cycle) {
    std::int64_t index = 0;
    for (const TraceRun& run : lanes.outline().runs) {
        TraceBodyId id = run.body;
        std::int64_t local = cycle - run.start;
        std::int64_t at = index;
        while (const auto entry = LaneCursor(lanes, id, ipu).entryAt(local)) {
            at += lanes.order(id).before(static_cast<std::size_t>(entry->item));
            if (entry->call < 0)
                return at;
            const Repetition r = lanes.repetition(id, *entry);
            local -= entry->begin;
            const std::int64_t k = r.period > 0 ? std::min(r.count - 1, local / r.period) : 0;
            at += k * lanes.stepCount(r.callee);
            local -= k * r.period;
            id = r.callee;
        }
        index += lanes.stepCount(run.body);
    }
    return -1;
}

std::int64_t findExecutedProgram(const TraceLanes& lanes, ProgramId program, std::int64_t from,
                                 bool forward) {
    if (!program.valid())
        return -1;
    ProgramSet wanted(program.index() + 1, false);
    wanted[program.index()] = true;
    return findExecutedAny(lanes, wanted, from, forward);
}

std::int64_t findExecutedAny(const TraceLanes& lanes, const ProgramSet& wanted, std::int64_t from,
                             bool forward) {
    ProgramSearch search(lanes, wanted);
    std::int64_t best = -1;
    std::int64_t first = 0;
    for (const TraceRun& run : lanes.outline().runs) {
        const std::int64_t found = forward ? search.next(run.body, from + 1 - first)
                                           : search.previous(run.body, from - 1 - first);
        if (found >= 0) {
            best = first + found;
            if (forward)
                return best;
        }
        first += lanes.stepCount(run.body);
    }
    return best;
}

std::optional<ExecutedCall> findExecutedCall(const TraceLanes& lanes, ProgramId program) {
    CallSearch search(lanes, program);
    std::int64_t first = 0;
    for (const TraceRun& run : lanes.outline().runs) {
        const std::vector<std::int64_t> base(static_cast<std::size_t>(lanes.ipus()), run.start);
        if (const auto found = search.in(run.body, base, first))
            return found;
        first += lanes.stepCount(run.body);
    }
    return {};
}

} // namespace tilescope
