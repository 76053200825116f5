#include "core/trace/trace_reader.h"

#include <algorithm>
#include <utility>

#include "core/trace/trace_tables.h"

namespace tilescope {
namespace {

/// Items of each body with their positions: steps and calls come from two tables and are merged.
using PlacedItems = std::vector<std::vector<std::pair<std::int64_t, TraceItem>>>;

void readBodiesAndRuns(const RowSource& file, Trace& trace) {
    trace.bodies = readRows<IdVector<TraceBodyId, TraceBody>>(file, traceBodyTable);
    trace.runs = readRows<std::vector<TraceRun>>(file, traceRunTable);
}

void readSteps(const RowSource& file, Trace& trace, PlacedItems& placed) {
    eachRow(file, traceStepTable, [&](TraceStep& step, const Statement& at) {
        TraceBody& b = element(trace.bodies, at.integer(0));
        element(placed, at.integer(0))
            .push_back({at.integer(1), {static_cast<std::int32_t>(b.steps.size()), -1}});
        b.steps.push_back(std::move(step));
    });
}

void readCalls(const RowSource& file, Trace& trace, PlacedItems& placed) {
    eachRow(file, traceCallTable, [&](TraceCall& call, const Statement& at) {
        TraceBody& b = element(trace.bodies, at.integer(0));
        element(placed, at.integer(0))
            .push_back({at.integer(1), {-1, static_cast<std::int32_t>(b.calls.size())}});
        b.calls.push_back(std::move(call));
    });
}

void mergeItems(Trace& trace, PlacedItems& placed) {
    for (std::size_t at = 0; at < placed.size(); ++at) {
        std::sort(placed[at].begin(), placed[at].end(),
                  [](const auto& a, const auto& b) { return a.first < b.first; });
        for (std::size_t i = 0; i < placed[at].size(); ++i) {
            if (placed[at][i].first != static_cast<std::int64_t>(i))
                throw DamagedProfile("positions of a trace body have a gap");
            trace.bodies[TraceBodyId(at)].items.push_back(placed[at][i].second);
        }
    }
}

void readTimes(const RowSource& file, Trace& trace) {
    const auto itemAt = [&](const Statement& at) -> const TraceItem& {
        return element(element(trace.bodies, at.integer(0)).items, at.integer(1));
    };
    eachRow(file, stepOnIpuTable, [&](const StepOnIpu& on, const Statement& at) {
        element(element(trace.bodies, at.integer(0)).steps, itemAt(at).step).ipus.push_back(on);
    });
    eachRow(file, callOnIpuTable, [&](const CallOnIpu& on, const Statement& at) {
        element(element(trace.bodies, at.integer(0)).calls, itemAt(at).call).ipus.push_back(on);
    });
}

} // namespace

Trace readTrace(const Database& db) {
    const RowSource file{db};
    Trace trace;
    readBodiesAndRuns(file, trace);
    PlacedItems placed(trace.bodies.size());
    readSteps(file, trace, placed);
    readCalls(file, trace, placed);
    mergeItems(trace, placed);
    readTimes(file, trace);
    return trace;
}

Trace readOutline(const Database& db) {
    Trace trace;
    readBodiesAndRuns({db}, trace);
    const References<TraceBodyId> bodyAt(db);
    const References<ProgramId> programAt(db);
    Statement row = db.prepare(
        "SELECT c.body, c.position, callee, program, count, ipu, start, period "
        "FROM trace_calls c LEFT JOIN trace_call_ipus i "
        "ON i.body = c.body AND i.position = c.position ORDER BY c.body, c.position, ipu");
    std::pair<std::int64_t, std::int64_t> at{-1, -1};
    while (row.step()) {
        std::vector<TraceCall>& calls = element(trace.bodies, row.integer(0)).calls;
        if (const std::pair place{row.integer(0), row.integer(1)}; place != at) {
            calls.push_back({bodyAt.required(row, 2), programAt(row, 3), row.integer(4), {}});
            at = place;
        }
        if (!row.isNull(5))
            calls.back().ipus.push_back({idAt<IpuId>(row, 5), row.integer(6), row.integer(7)});
    }
    return trace;
}

} // namespace tilescope
