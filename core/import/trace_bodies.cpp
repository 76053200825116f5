#include "core/import/trace_bodies.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>

namespace tilescope {
namespace {

bool same(const StepOnIpu& a, const StepOnIpu& b) {
    return a.ipu == b.ipu && a.start == b.start && a.cycles == b.cycles &&
           a.activeTiles == b.activeTiles && a.activeCycles == b.activeCycles &&
           a.bytesIn == b.bytesIn && a.bytesOut == b.bytesOut;
}
bool same(const CallOnIpu& a, const CallOnIpu& b) {
    return a.ipu == b.ipu && a.start == b.start && a.period == b.period;
}
bool same(const TraceItem& a, const TraceItem& b) {
    return a.step == b.step && a.call == b.call;
}
bool same(const TraceStep& a, const TraceStep& b);
bool same(const TraceCall& a, const TraceCall& b);
template <class T> bool same(const std::vector<T>& a, const std::vector<T>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const T& x, const T& y) { return same(x, y); });
}
bool same(const TraceStep& a, const TraceStep& b) {
    return a.kind == b.kind && a.program == b.program && same(a.ipus, b.ipus);
}
bool same(const TraceCall& a, const TraceCall& b) {
    return a.callee == b.callee && a.program == b.program && a.count == b.count &&
           same(a.ipus, b.ipus);
}
bool same(const TraceBody& a, const TraceBody& b) {
    return a.program == b.program && same(a.items, b.items) && same(a.steps, b.steps) &&
           same(a.calls, b.calls);
}

std::size_t hashOf(const TraceBody& body) {
    std::size_t hash = body.items.size();
    const auto mix = [&hash](std::int64_t value) {
        // Fibonacci hashing; what collides is compared.
        hash = (hash ^ static_cast<std::size_t>(value)) * 0x9E3779B97F4A7C15;
        hash ^= hash >> 29;
    };
    mix(body.program.value());
    for (const TraceStep& step : body.steps) {
        mix(step.program.value());
        for (const StepOnIpu& on : step.ipus) {
            mix(on.ipu.value());
            mix(on.start);
            mix(on.cycles);
        }
    }
    for (const TraceCall& call : body.calls) {
        mix(call.callee.value());
        mix(call.count);
        for (const CallOnIpu& on : call.ipus) {
            mix(on.start);
            mix(on.period);
        }
    }
    return hash;
}

/// The first start of a body's items on each IPU.
std::map<IpuId, std::int64_t> beginsOf(const TraceBody& body) {
    std::map<IpuId, std::int64_t> begins;
    const auto begin = [&begins](IpuId ipu, std::int64_t start) {
        const auto [place, isNew] = begins.try_emplace(ipu, start);
        place->second = std::min(place->second, start);
    };
    for (const TraceStep& step : body.steps)
        for (const StepOnIpu& on : step.ipus)
            begin(on.ipu, on.start);
    for (const TraceCall& call : body.calls)
        for (const CallOnIpu& on : call.ipus)
            begin(on.ipu, on.start);
    return begins;
}

/// Lets times count from these cycles.
template <class Begin> void countFrom(TraceBody& body, const Begin& begin) {
    for (TraceStep& step : body.steps)
        for (StepOnIpu& on : step.ipus)
            on.start -= begin(on.ipu);
    for (TraceCall& call : body.calls)
        for (CallOnIpu& on : call.ipus)
            on.start -= begin(on.ipu);
}

} // namespace

void OpenBody::add(TraceStep step) {
    body.items.push_back({static_cast<std::int32_t>(body.steps.size()), -1});
    body.steps.push_back(std::move(step));
}

void TraceBodies::call(OpenBody& caller, ProgramId program, const PlacedBody& callee, bool joins) {
    TraceBody& body = caller.body;
    const bool afterCall = !body.items.empty() && body.items.back().call >= 0;
    if (joins && afterCall && body.calls.back().program == program &&
        body.calls.back().callee == callee.id) {
        // An equal body is on the same IPUs.
        TraceCall& before = body.calls.back();
        bool fits = before.count < std::numeric_limits<std::int32_t>::max();
        for (std::size_t i = 0; i < callee.starts.size(); ++i) {
            const std::int64_t distance = callee.starts[i].start - caller.lastStarts[i];
            fits = fits && distance > 0 && (before.count == 1 || before.ipus[i].period == distance);
        }
        if (fits) {
            for (std::size_t i = 0; i < callee.starts.size(); ++i) {
                before.ipus[i].period = callee.starts[i].start - caller.lastStarts[i];
                caller.lastStarts[i] = callee.starts[i].start;
            }
            ++before.count;
            return;
        }
    }
    body.items.push_back({-1, static_cast<std::int32_t>(body.calls.size())});
    body.calls.push_back({callee.id, program, 1, callee.starts});
    caller.lastStarts.clear();
    for (const CallOnIpu& on : callee.starts)
        caller.lastStarts.push_back(on.start);
}

TraceBodyId TraceBodies::keep(TraceBody body) {
    const std::size_t hash = hashOf(body);
    const auto [first, last] = known_.equal_range(hash);
    for (auto at = first; at != last; ++at)
        if (same(trace_.bodies[at->second], body))
            return at->second;
    body.name = fmt::format("body {}", trace_.bodies.size());
    body.items.shrink_to_fit();
    body.steps.shrink_to_fit();
    const TraceBodyId id = trace_.bodies.add(std::move(body));
    known_.emplace(hash, id);
    return id;
}

PlacedBody TraceBodies::close(OpenBody open) {
    const std::map<IpuId, std::int64_t> begins = beginsOf(open.body);
    countFrom(open.body, [&](IpuId ipu) { return begins.at(ipu); });
    PlacedBody placed;
    for (const auto& [ipu, begin] : begins)
        placed.starts.push_back({ipu, begin, 0});
    placed.id = keep(std::move(open.body));
    return placed;
}

std::pair<TraceBodyId, std::int64_t> TraceBodies::closeRun(OpenBody open) {
    std::int64_t begin = std::numeric_limits<std::int64_t>::max();
    for (const auto& [ipu, first] : beginsOf(open.body))
        begin = std::min(begin, first);
    countFrom(open.body, [begin](IpuId) { return begin; });
    return {keep(std::move(open.body)), begin};
}

} // namespace tilescope
