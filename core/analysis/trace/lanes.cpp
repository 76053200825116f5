#include "core/analysis/trace/lanes.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/damaged_profile.h"

namespace tilescope {
namespace {

// A real program nests a few dozen deep; the queries recurse as deep as bodies call bodies.
constexpr std::int32_t deepestNesting = 500;
// Centuries at any clock; sums of two such numbers do not overflow.
constexpr std::int64_t latestCycle = std::int64_t{1} << 61;
// Repetitions that run at the same time (a pipeline): more than this cannot be.
constexpr std::int64_t mostOverlapping = 64;
// Prefix sums are kept for every so many entries: 20 numbers an entry would be too many.
constexpr std::size_t entriesPerBlock = 32;

[[noreturn]] void damaged(const std::string& what) {
    throw DamagedProfile("the trace " + what);
}

void checkCycles(std::int64_t start, std::int64_t cycles) {
    if (start < 0 || cycles < 0 || start > latestCycle || cycles > latestCycle ||
        start + cycles > latestCycle)
        damaged("has a step at an impossible time");
}

/// a + b * count as a number of steps that later sums cannot overflow.
std::int64_t addSteps(std::int64_t a, std::int64_t b, std::int64_t count) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(b, count, &product) || product > latestCycle ||
        a + product > latestCycle)
        damaged("executes more steps than can be");
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

TraceLanes::TraceLanes(Trace trace, std::int32_t ipus)
    : trace_(std::move(trace))
    , ipus_(ipus)
    , states_(trace_.bodies.size(), State::New)
    , stepsBefore_(trace_.bodies.size())
    , lanes_(trace_.bodies.size() * static_cast<std::size_t>(ipus)) {
    for (std::size_t body = 0; body < trace_.bodies.size(); ++body)
        buildBody(TraceBodyId(body), 0);
    std::int64_t steps = 0;
    for (const TraceRun& run : trace_.runs) {
        if (!run.body.valid() || run.body.index() >= trace_.bodies.size())
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

void TraceLanes::buildBody(TraceBodyId id, std::int32_t depth) {
    State& state = states_[id.index()];
    if (state == State::Done)
        return;
    if (state == State::Open)
        damaged("has a body that calls itself");
    if (depth > deepestNesting)
        damaged("nests too deep");
    state = State::Open;
    const TraceBody& body = trace_.bodies[id];
    checkItems(body);
    for (const TraceCall& call : body.calls)
        buildBody(call.callee, depth + 1);
    countSteps(id);
    for (std::int32_t ipu = 0; ipu < ipus_; ++ipu) {
        fillLane(id, IpuId(ipu));
        sumLane(id, IpuId(ipu));
    }
    states_[id.index()] = State::Done;
}

void TraceLanes::checkItems(const TraceBody& body) const {
    const auto checkIpu = [&](IpuId ipu) {
        if (!ipu.valid() || ipu.value() >= ipus_)
            damaged(fmt::format("names IPU {} of {}", ipu.value(), ipus_));
    };
    for (const TraceItem& item : body.items) {
        const bool isStep = item.step >= 0;
        const std::int32_t at = isStep ? item.step : item.call;
        const std::size_t size = isStep ? body.steps.size() : body.calls.size();
        if (at < 0 || static_cast<std::size_t>(at) >= size)
            damaged("has an item that is neither step nor call");
    }
    for (const TraceStep& step : body.steps)
        for (const StepOnIpu& on : step.ipus) {
            checkIpu(on.ipu);
            checkCycles(on.start, on.cycles);
        }
    for (const TraceCall& call : body.calls) {
        if (!call.callee.valid() || call.callee.index() >= trace_.bodies.size())
            damaged("calls a body that does not exist");
        if (call.count < 0)
            damaged("repeats a body less than zero times");
        for (const CallOnIpu& on : call.ipus) {
            checkIpu(on.ipu);
            checkCycles(on.start, on.period);
        }
    }
}

void TraceLanes::countSteps(TraceBodyId id) {
    const TraceBody& body = trace_.bodies[id];
    std::vector<std::int64_t>& before = stepsBefore_[id.index()];
    before.reserve(body.items.size() + 1);
    before.push_back(0);
    for (const TraceItem& item : body.items) {
        if (item.step >= 0) {
            before.push_back(addSteps(before.back(), 1, 1));
            continue;
        }
        const TraceCall& call = body.calls[static_cast<std::size_t>(item.call)];
        before.push_back(addSteps(before.back(), stepCount(call.callee), call.count));
    }
}

void TraceLanes::fillLane(TraceBodyId id, IpuId ipu) {
    const TraceBody& body = trace_.bodies[id];
    Lane& lane = lanes_[id.index() * static_cast<std::size_t>(ipus_) + ipu.index()];
    const auto findIpu = [&](const auto& ipus) {
        for (std::size_t i = 0; i < ipus.size(); ++i)
            if (ipus[i].ipu == ipu)
                return static_cast<std::int32_t>(i);
        return -1;
    };
    for (std::size_t item = 0; item < body.items.size(); ++item) {
        LaneEntry entry;
        entry.item = static_cast<std::int32_t>(item);
        if (const TraceCall* call = callOf(id, entry)) {
            entry.onIpu = findIpu(call->ipus);
            if (entry.onIpu < 0)
                continue;
            const Repetition r = repetition(id, ipu, entry);
            if (r.count == 0)
                continue;
            if (r.period > 0 && r.length / r.period > mostOverlapping)
                damaged("repeats a body before it can have ended");
            if (r.period > 0 && r.count > latestCycle / r.period)
                damaged("has a step at an impossible time");
            entry.begin = call->ipus[static_cast<std::size_t>(entry.onIpu)].start;
            entry.end = entry.begin + (r.count - 1) * r.period + r.length;
        } else {
            const TraceStep& step = stepOf(id, entry);
            entry.onIpu = findIpu(step.ipus);
            if (entry.onIpu < 0)
                continue;
            const StepOnIpu& on = step.ipus[static_cast<std::size_t>(entry.onIpu)];
            entry.begin = on.start;
            entry.end = on.start + on.cycles;
        }
        checkCycles(entry.begin, entry.end - entry.begin);
        lane.entries.push_back(entry);
    }
}

void TraceLanes::sumLane(TraceBodyId id, IpuId ipu) {
    Lane& lane = lanes_[id.index() * static_cast<std::size_t>(ipus_) + ipu.index()];
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
    const TraceBody& body = trace_.bodies[id];
    const TraceItem& item = body.items[static_cast<std::size_t>(entry.item)];
    return item.step >= 0 ? nullptr : &body.calls[static_cast<std::size_t>(item.call)];
}

const TraceStep& TraceLanes::stepOf(TraceBodyId id, const LaneEntry& entry) const {
    const TraceBody& body = trace_.bodies[id];
    return body
        .steps[static_cast<std::size_t>(body.items[static_cast<std::size_t>(entry.item)].step)];
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
    const TraceStep& step = stepOf(body, entry);
    return sumsOfStep(step.kind, step.ipus[static_cast<std::size_t>(entry.onIpu)]);
}

TraceSums TraceLanes::sumsOf(TraceBodyId body, IpuId ipu, std::size_t first,
                             std::size_t end) const {
    const Lane& l = lane(body, ipu);
    TraceSums sums;
    const std::size_t firstBlock = (first + entriesPerBlock - 1) / entriesPerBlock;
    const std::size_t endBlock = end / entriesPerBlock;
    if (firstBlock < endBlock) {
        const bool wholeTail = endBlock == l.blockSums.size();
        sums = (wholeTail ? l.total : l.blockSums[endBlock]) - l.blockSums[firstBlock];
        for (std::size_t i = first; i < firstBlock * entriesPerBlock; ++i)
            sums += sumsOf(body, ipu, l.entries[i]);
        for (std::size_t i = endBlock * entriesPerBlock; i < end; ++i)
            sums += sumsOf(body, ipu, l.entries[i]);
        return sums;
    }
    for (std::size_t i = first; i < end; ++i)
        sums += sumsOf(body, ipu, l.entries[i]);
    return sums;
}

} // namespace tilescope
