#include "core/trace/lanes.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/damaged_profile.h"
#include "core/trace/range_programs.h"

namespace tilescope {
namespace {

// A real program nests a few dozen deep; the queries recurse as deep as bodies call bodies.
constexpr std::int32_t deepestNesting = 500;
// Repetitions that run at the same time (a pipeline): more than this is impossible.
constexpr std::int64_t mostOverlapping = 64;

/// a + b * count as a number of steps that later sums cannot overflow.
std::int64_t addSteps(std::int64_t a, std::int64_t b, std::int64_t count) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(b, count, &product) || product > latestCycle ||
        a + product > latestCycle)
        throw DamagedProfile("the trace executes an impossible number of steps");
    return a + product;
}

TraceSums sumsOfStep(ProgramKind kind, const StepOnIpu& step) {
    TraceSums sums;
    sums.cyclesByKind[static_cast<std::size_t>(kind)] = step.cycles;
    sums.steps = 1;
    sums.activeCycles = step.activeCycles;
    sums.waitingCycles = waitingCycles(kind, step);
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

StepAmounts amountsOf(ProgramKind kind, const StepOnIpu& step) {
    return {waitingCycles(kind, step), step.bytesIn};
}

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

void TraceLanes::damaged(const std::string& what) {
    throw DamagedProfile("the trace " + what);
}

void TraceLanes::checkCycles(std::int64_t start, std::int64_t cycles) {
    if (start < 0 || cycles < 0 || start > latestCycle || cycles > latestCycle ||
        start + cycles > latestCycle)
        damaged("has a step at an impossible time");
}

void TraceLanes::checkIpu(IpuId ipu, std::int32_t ipus) {
    if (!ipu.valid() || ipu.value() >= ipus)
        damaged(fmt::format("names IPU {} of {}", ipu.value(), ipus));
}

void TraceLanes::build(std::shared_ptr<const Trace> outline, const std::vector<BodyItems>& items,
                       const FillLanes& fill) {
    outline_ = std::move(outline);
    const std::size_t bodies = outline_->bodies.size();
    orders_.resize(bodies);
    lanes_.resize(bodies * static_cast<std::size_t>(ipus_));
    totals_.resize(bodies);
    std::vector<State> states(bodies, State::New);
    for (std::size_t body = 0; body < bodies; ++body)
        visit(TraceBodyId(body), 0, states);
    for (const TraceBodyId id : calleesFirst_) {
        const TraceBody& body = outline_->bodies[id];
        countSteps(id, items[id.index()]);
        checkRepetitions(body);
        const auto lanes =
            std::span(lanes_).subspan(placeOf(id, IpuId(0)), static_cast<std::size_t>(ipus_));
        fill(id, lanes);
        for (std::size_t ipu = 0; ipu < lanes.size(); ++ipu)
            lanes[ipu].overlaps = !lanes[ipu].sequential || overlaps(body, IpuId(ipu));
    }
    checkRuns();
}

void TraceLanes::visit(TraceBodyId id, std::int32_t depth, std::vector<State>& states) {
    State& state = states[id.index()];
    if (state == State::Done)
        return;
    if (state == State::Open)
        damaged("has a body that calls itself");
    if (depth > deepestNesting)
        damaged("nests too deep");
    state = State::Open;
    checkCalls(outline_->bodies[id]);
    for (const TraceCall& call : outline_->bodies[id].calls)
        visit(call.callee, depth + 1, states);
    state = State::Done;
    calleesFirst_.push_back(id);
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

void TraceLanes::checkCalls(const TraceBody& body) const {
    for (const TraceCall& call : body.calls) {
        if (!call.callee.valid() || call.callee.index() >= outline_->bodies.size())
            damaged("calls a body that does not exist");
        if (call.count < 0)
            damaged("repeats a body less than zero times");
        for (const CallOnIpu& on : call.ipus) {
            checkIpu(on.ipu, ipus_);
            checkCycles(on.start, on.period);
        }
    }
}

void TraceLanes::checkRepetitions(const TraceBody& body) const {
    for (const TraceCall& call : body.calls)
        for (const CallOnIpu& on : call.ipus) {
            const Repetition r = repetition(call, on);
            if (r.period > 0 && r.length / r.period > mostOverlapping)
                damaged("repeats a body before it can have ended");
            if (r.period > 0 && r.count > latestCycle / r.period)
                damaged("has a step at an impossible time");
        }
}

void TraceLanes::checkRuns() const {
    std::int64_t steps = 0;
    for (const TraceRun& run : outline_->runs) {
        if (!run.body.valid() || run.body.index() >= outline_->bodies.size())
            damaged("runs a body that does not exist");
        checkCycles(run.start, run.cycles);
        steps = addSteps(steps, stepCount(run.body), 1);
        for (std::int32_t ipu = 0; ipu < ipus_; ++ipu)
            checkCycles(run.start, lane(run.body, IpuId(ipu)).length);
    }
}

void TraceLanes::countSteps(TraceBodyId id, const BodyItems& items) {
    StepOrder& order = orders_[id.index()];
    std::int64_t next = 0;
    std::size_t at = 0;
    for (const TraceCall& call : outline_->bodies[id].calls) {
        const std::int64_t item = items.calls.at(at++);
        order.addSteps(item - next);
        const std::int64_t steps = addSteps(0, stepCount(call.callee), call.count);
        addSteps(order.total(), steps, 1);
        order.addCall(steps);
        next = item + 1;
    }
    order.addSteps(items.count - next);
}

const Lane& TraceLanes::lane(TraceBodyId body, IpuId ipu) const {
    return lanes_.at(placeOf(body, ipu));
}

const TraceCall* TraceLanes::callOf(TraceBodyId id, const LaneEntry& entry) const {
    return entry.call < 0 ? nullptr
                          : &outline_->bodies[id].calls[static_cast<std::size_t>(entry.call)];
}

TraceStep TraceLanes::stepOf(TraceBodyId id, std::size_t item) const {
    StepRange range = steps(id, item, item + 1);
    if (range.steps.empty())
        damaged("lacks a step");
    return {range.steps[0].kind, range.steps[0].program, std::move(range.ipus)};
}

Repetition TraceLanes::repetition(const TraceCall& call, const CallOnIpu& on) const {
    Repetition r{call.callee, call.count, on.period, lane(call.callee, on.ipu).length};
    // A single call needs no period.
    if (r.period <= 0)
        r.period = r.length;
    return r;
}

Repetition TraceLanes::repetition(TraceBodyId body, const LaneEntry& entry) const {
    const TraceCall& call = *callOf(body, entry);
    return repetition(call, call.ipus[static_cast<std::size_t>(entry.onIpu)]);
}

TraceSums TraceLanes::sumsOf(TraceBodyId body, IpuId ipu, const LaneEntry& entry) const {
    if (const TraceCall* call = callOf(body, entry))
        return lane(call->callee, ipu).total.times(call->count);
    return sumsOfStep(entry.kind, stepOn(body, ipu, entry));
}

TracePage<StepAmounts> TraceLanes::amounts(TraceBodyId body, IpuId ipu, std::size_t at) const {
    const LaneEntry entry = entries(body, ipu, at, Keep::Yes).at(at);
    StepAmounts amounts;
    if (hasAmounts(entry))
        amounts = amountsOf(entry.kind, stepOn(body, ipu, entry));
    return {at, std::make_shared<const std::vector<StepAmounts>>(1, amounts)};
}

const std::vector<ProgramTotal>& TraceLanes::totals(TraceBodyId body) const {
    const std::lock_guard lock(totalsMutex_);
    std::optional<std::vector<ProgramTotal>>& totals = totals_.at(body.index());
    if (!totals)
        totals = makeTotals(body);
    return *totals;
}

} // namespace tilescope
