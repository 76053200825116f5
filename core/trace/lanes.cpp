#include "core/trace/lanes.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/damaged_profile.h"

namespace tilescope {
namespace {

// A real program nests a few dozen deep; the queries recurse as deep as bodies call bodies.
constexpr std::int32_t deepestNesting = 500;
// Centuries at any clock; sums of two such numbers do not overflow.
constexpr std::int64_t latestCycle = std::int64_t{1} << 61;
// Repetitions that run at the same time (a pipeline): more than this is impossible.
constexpr std::int64_t mostOverlapping = 64;

[[noreturn]] void damaged(const std::string& what) {
    throw DamagedProfile("the trace " + what);
}

void checkCycles(std::int64_t start, std::int64_t cycles) {
    if (start < 0 || cycles < 0 || start > latestCycle || cycles > latestCycle ||
        start + cycles > latestCycle)
        damaged("has a step at an impossible time");
}

void checkIpu(IpuId ipu, std::int32_t ipus) {
    if (!ipu.valid() || ipu.value() >= ipus)
        damaged(fmt::format("names IPU {} of {}", ipu.value(), ipus));
}

void checkRepetition(const Repetition& r) {
    if (r.period > 0 && r.length / r.period > mostOverlapping)
        damaged("repeats a body before it can have ended");
    if (r.period > 0 && r.count > latestCycle / r.period)
        damaged("has a step at an impossible time");
}

/// a + b * count as a number of steps that later sums cannot overflow.
std::int64_t addSteps(std::int64_t a, std::int64_t b, std::int64_t count) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(b, count, &product) || product > latestCycle ||
        a + product > latestCycle)
        damaged("executes an impossible number of steps");
    return a + product;
}

TraceSums sumsOfStep(ProgramKind kind, const StepOnIpu& step) {
    TraceSums sums;
    sums.cyclesByKind[static_cast<std::size_t>(kind)] = step.cycles;
    sums.steps = 1;
    sums.activeCycles = step.activeCycles;
    if (kind == ProgramKind::OnTileExecute)
        sums.computeActiveCycles = step.activeCycles;
    if (kind == ProgramKind::DoExchange) {
        sums.exchangeBytesIn = step.bytesIn;
        sums.exchangeBytesOut = step.bytesOut;
    } else if (kind == ProgramKind::GlobalExchange) {
        sums.globalBytesIn = step.bytesIn;
        sums.globalBytesOut = step.bytesOut;
    } else {
        sums.hostBytesIn = step.bytesIn;
        sums.hostBytesOut = step.bytesOut;
    }
    return sums;
}

} // namespace

Repetition::Touched Repetition::touched(std::int64_t from, std::int64_t to) const {
    if (period <= 0)
        return {0, from < length && to > 0 ? std::min<std::int64_t>(count, 1) : 0};
    Touched result;
    if (from >= length)
        result.first = std::min(count, (from - length) / period + 1);
    result.end = to <= 0 ? 0 : std::min(count, (to - 1) / period + 1);
    result.end = std::max(result.first, result.end);
    return result;
}

Repetition::Touched Repetition::whole(std::int64_t from, std::int64_t to) const {
    const auto [firstTouched, endTouched] = touched(from, to);
    if (period <= 0)
        return {endTouched, endTouched};
    const std::int64_t begin = std::clamp((from + period - 1) / period, firstTouched, endTouched);
    return {begin, to < length ? begin : std::clamp((to - length) / period + 1, begin, endTouched)};
}

TraceLanes::TraceLanes(std::shared_ptr<const Trace> trace, std::int32_t ipus)
    : trace_(std::move(trace))
    , ipus_(ipus) {
    build();
}

TraceLanes::TraceLanes(std::shared_ptr<const TracePages> pages, std::int32_t ipus)
    : pages_(std::move(pages))
    , trace_(pages_, &pages_->outline())
    , ipus_(ipus) {
    build();
}

void TraceLanes::build() {
    const std::size_t bodies = trace_->bodies.size();
    states_.assign(bodies, State::New);
    orders_.resize(bodies);
    lanes_.resize(bodies * static_cast<std::size_t>(ipus_));
    for (std::size_t body = 0; body < bodies; ++body)
        buildBody(TraceBodyId(body), 0);
    std::int64_t steps = 0;
    for (const TraceRun& run : trace_->runs) {
        if (!run.body.valid() || run.body.index() >= bodies)
            damaged("runs a body that does not exist");
        checkCycles(run.start, run.cycles);
        steps = addSteps(steps, stepCount(run.body), 1);
        for (std::int32_t ipu = 0; ipu < ipus_; ++ipu)
            checkCycles(run.start, lane(run.body, IpuId(ipu)).length);
    }
}

const Lane& TraceLanes::lane(TraceBodyId body, IpuId ipu) const {
    return lanes_.at(body.index() * static_cast<std::size_t>(ipus_) + ipu.index());
}

Lane& TraceLanes::laneAt(TraceBodyId body, IpuId ipu) {
    return lanes_.at(body.index() * static_cast<std::size_t>(ipus_) + ipu.index());
}

void TraceLanes::buildBody(TraceBodyId id, std::int32_t depth) {
    State& state = states_[id.index()];
    if (state == State::Done)
        return;
    if (state == State::Open)
        damaged("has a body that calls itself");
    if (depth > deepestNesting)
        damaged("nests too deep");
    state = State::Open;
    const TraceBody& body = trace_->bodies[id];
    checkCalls(body);
    if (!pages_) {
        checkItems(body);
        checkSteps(body);
    }
    for (const TraceCall& call : body.calls)
        buildBody(call.callee, depth + 1);
    countSteps(id);
    if (pages_)
        checkPagedCalls(id);
    for (std::int32_t ipu = 0; ipu < ipus_; ++ipu) {
        if (pages_) {
            takeLane(id, IpuId(ipu));
        } else {
            fillLane(id, IpuId(ipu));
            sumLane(id, IpuId(ipu));
        }
        Lane& lane = laneAt(id, IpuId(ipu));
        lane.overlaps = !lane.sequential || overlaps(body, IpuId(ipu));
    }
    states_[id.index()] = State::Done;
}

bool TraceLanes::overlaps(const TraceBody& body, IpuId ipu) const {
    return std::any_of(body.calls.begin(), body.calls.end(), [&](const TraceCall& call) {
        const Lane& callee = lane(call.callee, ipu);
        return callee.overlaps ||
               std::any_of(call.ipus.begin(), call.ipus.end(), [&](const CallOnIpu& on) {
                   return on.ipu == ipu && call.count > 1 && on.period > 0 &&
                          on.period < callee.length;
               });
    });
}

void TraceLanes::checkItems(const TraceBody& body) const {
    for (const TraceItem& item : body.items) {
        const bool isStep = item.step >= 0;
        const std::int32_t at = isStep ? item.step : item.call;
        const std::size_t size = isStep ? body.steps.size() : body.calls.size();
        if (at < 0 || static_cast<std::size_t>(at) >= size)
            damaged("has an item that is neither step nor call");
    }
}

void TraceLanes::checkSteps(const TraceBody& body) const {
    for (const TraceStep& step : body.steps)
        for (const StepOnIpu& on : step.ipus) {
            checkIpu(on.ipu, ipus_);
            checkCycles(on.start, on.cycles);
        }
}

void TraceLanes::checkCalls(const TraceBody& body) const {
    for (const TraceCall& call : body.calls) {
        if (!call.callee.valid() || call.callee.index() >= trace_->bodies.size())
            damaged("calls a body that does not exist");
        if (call.count < 0)
            damaged("repeats a body less than zero times");
        for (const CallOnIpu& on : call.ipus) {
            checkIpu(on.ipu, ipus_);
            checkCycles(on.start, on.period);
        }
    }
}

// Of a lane in memory the entries are checked as they are made.
void TraceLanes::checkPagedCalls(TraceBodyId id) const {
    const std::vector<TraceCall>& calls = trace_->bodies[id].calls;
    for (std::size_t i = 0; i < calls.size(); ++i)
        for (std::size_t on = 0; on < calls[i].ipus.size(); ++on) {
            LaneEntry entry;
            entry.call = static_cast<std::int32_t>(i);
            entry.onIpu = static_cast<std::int32_t>(on);
            checkRepetition(repetition(id, calls[i].ipus[on].ipu, entry));
        }
}

void TraceLanes::countSteps(TraceBodyId id) {
    const TraceBody& body = trace_->bodies[id];
    StepOrder& order = orders_[id.index()];
    const auto add = [&](const TraceCall& call) {
        const std::int64_t steps = addSteps(0, stepCount(call.callee), call.count);
        addSteps(order.total(), steps, 1);
        order.addCall(steps);
    };
    if (!pages_) {
        for (const TraceItem& item : body.items)
            if (item.step >= 0)
                order.addSteps(1);
            else
                add(body.calls[static_cast<std::size_t>(item.call)]);
        return;
    }
    std::int64_t next = 0;
    const std::vector<std::int32_t>& calls = pages_->callItems(id);
    for (std::size_t i = 0; i < body.calls.size(); ++i) {
        order.addSteps(calls.at(i) - next);
        add(body.calls[i]);
        next = std::int64_t{calls[i]} + 1;
    }
    order.addSteps(pages_->items(id) - next);
}

void TraceLanes::fillLane(TraceBodyId id, IpuId ipu) {
    const TraceBody& body = trace_->bodies[id];
    Lane& lane = laneAt(id, ipu);
    const auto findIpu = [&](const auto& ipus) {
        for (std::size_t i = 0; i < ipus.size(); ++i)
            if (ipus[i].ipu == ipu)
                return static_cast<std::int32_t>(i);
        return -1;
    };
    for (std::size_t at = 0; at < body.items.size(); ++at) {
        const TraceItem& item = body.items[at];
        LaneEntry entry;
        entry.item = static_cast<std::int32_t>(at);
        if (item.step < 0) {
            const TraceCall& call = body.calls[static_cast<std::size_t>(item.call)];
            entry.call = item.call;
            entry.onIpu = findIpu(call.ipus);
            if (entry.onIpu < 0)
                continue;
            const Repetition r = repetition(id, ipu, entry);
            if (r.count == 0)
                continue;
            checkRepetition(r);
            entry.begin = call.ipus[static_cast<std::size_t>(entry.onIpu)].start;
            entry.end = entry.begin + (r.count - 1) * r.period + r.length;
        } else {
            const TraceStep& step = body.steps[static_cast<std::size_t>(item.step)];
            entry.onIpu = findIpu(step.ipus);
            if (entry.onIpu < 0)
                continue;
            const StepOnIpu& on = step.ipus[static_cast<std::size_t>(entry.onIpu)];
            entry.kind = step.kind;
            entry.program = step.program;
            entry.begin = on.start;
            entry.end = on.start + on.cycles;
        }
        checkCycles(entry.begin, entry.end - entry.begin);
        lane.entries.push_back(entry);
    }
    lane.count = lane.entries.size();
}

void TraceLanes::takeLane(TraceBodyId id, IpuId ipu) {
    const PagedLane& paged = pages_->lane(id, ipu);
    Lane& lane = laneAt(id, ipu);
    lane.count = paged.entries;
    lane.sequential = paged.sequential;
    lane.paged = &paged.summary.blocks;
    lane.total = paged.summary.total;
    if (!lane.paged->empty())
        lane.length = lane.paged->back().maxEnd;
}

void TraceLanes::sumLane(TraceBodyId id, IpuId ipu) {
    Lane& lane = laneAt(id, ipu);
    std::stable_sort(lane.entries.begin(), lane.entries.end(),
                     [](const LaneEntry& a, const LaneEntry& b) { return a.begin < b.begin; });
    lane.maxEnd.reserve(lane.entries.size());
    for (std::size_t i = 0; i < lane.entries.size(); ++i) {
        const LaneEntry& entry = lane.entries[i];
        lane.sequential = lane.sequential && entry.begin >= lane.length;
        lane.length = std::max(lane.length, entry.end);
        lane.maxEnd.push_back(lane.length);
        if (i % entriesPerBlock == 0)
            lane.blockSums.push_back(lane.total);
        lane.total += sumsOf(id, ipu, entry);
    }
}

const TraceCall* TraceLanes::callOf(TraceBodyId id, const LaneEntry& entry) const {
    return entry.call < 0 ? nullptr
                          : &trace_->bodies[id].calls[static_cast<std::size_t>(entry.call)];
}

TraceStep TraceLanes::stepOf(TraceBodyId id, std::size_t item) const {
    if (pages_)
        return pages_->step(id, static_cast<std::int64_t>(item));
    const TraceBody& body = trace_->bodies[id];
    return body.steps.at(static_cast<std::size_t>(body.items.at(item).step));
}

Repetition TraceLanes::repetition(TraceBodyId body, IpuId ipu, const LaneEntry& entry) const {
    const TraceCall& call = *callOf(body, entry);
    Repetition r{call.callee, call.count, call.ipus[static_cast<std::size_t>(entry.onIpu)].period,
                 lane(call.callee, ipu).length};
    // A single call needs no period.
    if (r.period <= 0)
        r.period = r.length;
    return r;
}

TraceSums TraceLanes::sumsOf(TraceBodyId body, IpuId ipu, const LaneEntry& entry) const {
    if (const TraceCall* call = callOf(body, entry))
        return lane(call->callee, ipu).total.times(call->count);
    if (pages_)
        return sumsOfStep(entry.kind, pages_->stepOn(body, entry.item, ipu));
    const TraceBody& of = trace_->bodies[body];
    const TraceItem& item = of.items[static_cast<std::size_t>(entry.item)];
    return sumsOfStep(
        entry.kind,
        of.steps[static_cast<std::size_t>(item.step)].ipus[static_cast<std::size_t>(entry.onIpu)]);
}

} // namespace tilescope
