#include <algorithm>

#include "core/analysis/counters/live_memory.h"
#include "core/analysis/liveness/liveness.h"
#include "core/analysis/memory/summary.h"
#include "core/report/report.h"
#include "invariant_parts.h"

namespace tilescope::test {
namespace {

/// The programs that take time on an IPU, in all bodies that runs reach.
std::set<ProgramId> programsOn(const Trace& trace, IpuId ipu) {
    std::set<ProgramId> programs;
    std::set<TraceBodyId> reached;
    std::vector<TraceBodyId> open;
    for (const TraceRun& run : trace.runs)
        open.push_back(run.body);
    while (!open.empty()) {
        const TraceBodyId id = open.back();
        open.pop_back();
        if (!reached.insert(id).second)
            continue;
        for (const TraceStep& step : trace.bodies[id].steps)
            for (const StepOnIpu& on : step.ipus)
                if (on.ipu == ipu && on.cycles > 0 && step.program.valid())
                    programs.insert(step.program);
        for (const TraceCall& call : trace.bodies[id].calls)
            if (call.count > 0)
                open.push_back(call.callee);
    }
    return programs;
}

std::int64_t mostOf(const LiveColumns& live) {
    std::int64_t most = 0;
    for (const LiveExtremes& column : live.columns)
        most = std::max(most, column.most);
    return most;
}

/// Of all IPUs together it does not depend on the width of columns, and is what the report says.
void checkLiveMemoryOfAll(const ProfileView& view, const LiveMemory& memory, CycleRange all,
                          Complaints& complaints) {
    std::vector<IpuId> ipus;
    for (std::int32_t i = 0; i < view.machine().ipus; ++i)
        ipus.emplace_back(i);
    const LiveColumns whole = memory.columns(ipus, {all, 1});
    complaints.expect(whole.exact, "live memory at moments is exact", "{} IPUs", ipus.size());
    const std::int64_t most = mostOf(whole);
    for (const std::int64_t columns : {7, 1280, 1900})
        complaints.expect(mostOf(memory.columns(ipus, {all, columns})) == most,
                          "live memory does not depend on a window's width", "{} columns", columns);
    ReportRequest request;
    request.breakdown = "time";
    for (const Field& field : traceReport(view, request).fields)
        if (field.key == "liveMost")
            complaints.expect(field.value == Cell(most), "the trace has the most live memory", "{}",
                              most);
    // At a step of the program there is one figure, too.
    const LivenessSeries steps = livenessOf(view, TileSelection::all());
    complaints.expect(memorySummary(view).maxNotAlwaysLive == steps.maxNotAlwaysLive(),
                      "the summary has the most of a step", "{}", steps.maxNotAlwaysLive());
    if (ipus.size() == 1)
        complaints.expect(most <= steps.peak(), "moments of one IPU are at its steps", "{} of {}",
                          most, steps.peak());
}

} // namespace

void checkLiveMemory(const Profile& profile, Complaints& complaints) {
    if (!profile.info.hasExecution)
        return;
    const auto view = ProfileView::of(profile);
    const LiveMemory memory(*view, {});
    const CycleRange all{0, view->trace()->totalCycles()};
    for (std::int32_t i = 0; i < profile.info.target.ipus; ++i) {
        const LivenessSeries series = livenessOf(*view, TileSelection::ofIpu(IpuId(i)));
        const std::set<ProgramId> ran = programsOn(profile.trace, IpuId(i));
        std::int64_t peak = series.alwaysLive;
        for (std::size_t step = 0; step < profile.steps.size(); ++step)
            if (ran.contains(profile.steps[StepId(step)]))
                peak = std::max(peak, series.alwaysLive + series.notAlwaysLive[step]);
        std::int64_t most = 0;
        for (const LiveExtremes& column : memory.columns(IpuId(i), {all, 100}))
            most = std::max(most, column.most);
        complaints.expect(most == peak, "live memory over time peaks where the steps that run do",
                          "IPU {}: {} of {}", i, most, peak);
    }
    checkLiveMemoryOfAll(*view, memory, all, complaints);
}

} // namespace tilescope::test
