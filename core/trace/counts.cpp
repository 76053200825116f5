#include "core/trace/search.h"

#include <algorithm>
#include <limits>
#include <set>

#include "core/base/saturating.h"
#include "core/trace/lane_cursor.h"

namespace tilescope {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

/// Counts wanted steps of bodies; each body is counted as a whole once.
class StepCounter {
public:
    StepCounter(const TraceLanes& lanes, const ProgramSet& wanted)
        : lanes_(lanes)
        , wanted_(wanted)
        , whole_(lanes.outline().bodies.size(), -1) {}

    /// Among the first `before` steps of a body.
    std::int64_t below(TraceBodyId id, std::int64_t before) {
        if (before >= lanes_.stepCount(id))
            return all(id);
        const StepOrder& order = lanes_.order(id);
        ItemCursor cursor(lanes_, id);
        std::int64_t count = 0;
        std::int64_t first = 0;
        for (std::size_t at = 0; at < order.items() && first < before; ++at) {
            const ItemCursor::Item item = cursor.at(at);
            count += ofItem(item, before - first);
            first +=
                item.call == nullptr ? 1 : item.call->count * lanes_.stepCount(item.call->callee);
        }
        return count;
    }

private:
    std::int64_t all(TraceBodyId id) {
        std::int64_t& whole = whole_[id.index()];
        if (whole >= 0)
            return whole;
        std::int64_t count = 0;
        for (const ProgramTotal& total : lanes_.totals(id))
            count += isWanted(total.program) ? total.count : 0;
        for (const TraceCall& call : lanes_.outline().bodies[id].calls)
            count += ofItem({&call, {}}, most);
        return whole_[id.index()] = count;
    }

    std::int64_t ofItem(const ItemCursor::Item& item, std::int64_t before) {
        if (item.call == nullptr)
            return isWanted(item.program) ? 1 : 0;
        const TraceCall& call = *item.call;
        const std::int64_t steps = lanes_.stepCount(call.callee);
        if (steps == 0)
            return 0;
        // Counts of steps never overflow: the lanes have checked the steps themselves.
        const std::int64_t whole = std::min(call.count, before / steps);
        const std::int64_t rest =
            whole < call.count ? below(call.callee, before - whole * steps) : 0;
        return whole * all(call.callee) + rest;
    }

    [[nodiscard]] bool isWanted(ProgramId program) const {
        return program.valid() && program.index() < wanted_.size() && wanted_[program.index()];
    }

    const TraceLanes& lanes_;
    const ProgramSet& wanted_;
    std::vector<std::int64_t> whole_; ///< -1: not counted yet
};

/// Adds executions of what has these totals once.
void addTo(std::vector<ProgramExecutions>& all, ProgramId program, std::int64_t executed,
           const ProgramTotal& once) {
    if (!program.valid() || program.index() >= all.size())
        return;
    ProgramExecutions& of = all[program.index()];
    of.count = saturatingSum(of.count, saturatingProduct(executed, once.count));
    of.cycles = saturatingSum(of.cycles, saturatingProduct(executed, once.cycles));
}

} // namespace

void forEachBody(const TraceLanes& lanes,
                 const std::function<void(TraceBodyId, std::int64_t)>& visit) {
    const Trace& trace = lanes.outline();
    std::vector<std::int64_t> times(trace.bodies.size(), 0);
    for (const TraceRun& run : trace.runs)
        ++times[run.body.index()];
    const std::vector<TraceBodyId>& order = lanes.calleesFirst();
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
        const TraceBodyId id = *at;
        const std::int64_t executed = times[id.index()];
        visit(id, executed);
        for (const TraceCall& call : trace.bodies[id].calls) {
            std::int64_t& callee = times[call.callee.index()];
            callee = saturatingSum(callee, saturatingProduct(executed, call.count));
        }
    }
}

std::int64_t countExecuted(const TraceLanes& lanes, const ProgramSet& wanted, std::int64_t before) {
    StepCounter counter(lanes, wanted);
    std::int64_t count = 0;
    for (const TraceRun& run : lanes.outline().runs) {
        if (before <= 0)
            break;
        count += counter.below(run.body, before);
        before -= lanes.stepCount(run.body);
    }
    return count;
}

std::vector<ProgramExecutions> bodyExecutions(const TraceLanes& lanes, std::size_t programs) {
    const Trace& trace = lanes.outline();
    std::vector<ProgramExecutions> result(programs);
    const auto add = [&](TraceBodyId body, std::int64_t executed) {
        std::int64_t length = 0;
        for (std::int32_t ipu = 0; ipu < lanes.ipus(); ++ipu)
            length = std::max(length, lanes.lane(body, IpuId(ipu)).length);
        addTo(result, trace.bodies[body].program, executed, {{}, 1, length});
    };
    for (const TraceRun& run : trace.runs)
        add(run.body, 1);
    forEachBody(lanes, [&](TraceBodyId id, std::int64_t executed) {
        for (const TraceCall& call : trace.bodies[id].calls)
            // Repetitions that differ in turn are a body around bodies of the same program.
            if (trace.bodies[call.callee].program != trace.bodies[id].program)
                add(call.callee, saturatingProduct(executed, call.count));
    });
    return result;
}

std::vector<ProgramExecutions> programExecutions(const TraceLanes& lanes, std::size_t programs) {
    const Trace& trace = lanes.outline();
    std::vector<ProgramExecutions> result(programs);
    forEachBody(lanes, [&](TraceBodyId id, std::int64_t executed) {
        for (const ProgramTotal& total : lanes.totals(id))
            addTo(result, total.program, executed, total);
        // Repetitions that differ are several calls of one Repeat, and those that differ in turn a
        // body in between.
        std::set<ProgramId> counted;
        for (const TraceCall& call : trace.bodies[id].calls)
            if (trace.bodies[call.callee].program != trace.bodies[id].program &&
                counted.insert(call.program).second)
                addTo(result, call.program, executed, {{}, 1, 0});
    });
    return result;
}

} // namespace tilescope
