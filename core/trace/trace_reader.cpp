#include "core/trace/trace_reader.h"
#include "core/base/damaged_profile.h"

#include <algorithm>
#include <utility>

#include "core/database/row_access.h"

namespace tilescope {
namespace {

/// Items of each body with their positions: steps and calls come from two tables and are merged.
using PlacedItems = std::vector<std::vector<std::pair<std::int64_t, TraceItem>>>;

void readBodiesAndRuns(const Database& db, Trace& trace) {
    const References<ProgramId> programAt(db, "programs");
    Statement body = db.prepare("SELECT name, program FROM trace_bodies ORDER BY id");
    while (body.step()) {
        TraceBody b;
        b.name = body.text(0);
        b.program = programAt(body, 1);
        trace.bodies.add(std::move(b));
    }
    const std::int64_t last = db.integer("SELECT max(id) FROM trace_bodies");
    if (!trace.bodies.empty() && last != static_cast<std::int64_t>(trace.bodies.size()) - 1)
        throw DamagedProfile("rows of trace_bodies are missing");
    const References<TraceBodyId> bodyAt(db, "trace_bodies");
    Statement run = db.prepare("SELECT name, body, start, cycles FROM runs ORDER BY id");
    while (run.step())
        trace.runs.push_back(
            {run.text(0), bodyAt.required(run, 1), run.integer(2), run.integer(3)});
}

void readSteps(const Database& db, Trace& trace, PlacedItems& placed) {
    const References<ProgramId> programAt(db, "programs");
    Statement step =
        db.prepare("SELECT body, position, type, program FROM trace_steps ORDER BY body, position");
    while (step.step()) {
        TraceBody& b = element(trace.bodies, step.integer(0));
        element(placed, step.integer(0))
            .push_back({step.integer(1), {static_cast<std::int32_t>(b.steps.size()), -1}});
        b.steps.push_back({known(programKindFrom(step.text(2)), step, 2), programAt(step, 3), {}});
    }
}

void readCalls(const Database& db, Trace& trace, PlacedItems& placed) {
    const References<TraceBodyId> bodyAt(db, "trace_bodies");
    const References<ProgramId> programAt(db, "programs");
    Statement call = db.prepare("SELECT body, position, callee, program, count "
                                "FROM trace_calls ORDER BY body, position");
    while (call.step()) {
        TraceBody& b = element(trace.bodies, call.integer(0));
        element(placed, call.integer(0))
            .push_back({call.integer(1), {-1, static_cast<std::int32_t>(b.calls.size())}});
        b.calls.push_back({bodyAt.required(call, 2), programAt(call, 3), call.integer(4), {}});
    }
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

void readTimes(const Database& db, Trace& trace) {
    const auto itemAt = [&](std::int64_t body, std::int64_t position) -> const TraceItem& {
        return element(element(trace.bodies, body).items, position);
    };
    Statement step = db.prepare(
        "SELECT body, position, ipu, start, cycles, active_tiles, active_cycles, bytes_in, "
        "bytes_out FROM trace_step_ipus ORDER BY body, position, ipu");
    while (step.step())
        element(element(trace.bodies, step.integer(0)).steps,
                itemAt(step.integer(0), step.integer(1)).step)
            .ipus.push_back({idAt<IpuId>(step, 2), step.integer(3), step.integer(4),
                             step.integer(5), step.integer(6), step.integer(7), step.integer(8)});
    Statement call = db.prepare("SELECT body, position, ipu, start, period "
                                "FROM trace_call_ipus ORDER BY body, position, ipu");
    while (call.step())
        element(element(trace.bodies, call.integer(0)).calls,
                itemAt(call.integer(0), call.integer(1)).call)
            .ipus.push_back({idAt<IpuId>(call, 2), call.integer(3), call.integer(4)});
}

} // namespace

Trace readTrace(const Database& db) {
    Trace trace;
    readBodiesAndRuns(db, trace);
    PlacedItems placed(trace.bodies.size());
    readSteps(db, trace, placed);
    readCalls(db, trace, placed);
    mergeItems(trace, placed);
    readTimes(db, trace);
    return trace;
}

Trace readOutline(const Database& db) {
    Trace trace;
    readBodiesAndRuns(db, trace);
    const References<TraceBodyId> bodyAt(db, "trace_bodies");
    const References<ProgramId> programAt(db, "programs");
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
