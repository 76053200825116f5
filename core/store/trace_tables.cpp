// The timed execution: as rows, and once more in pages if it is long.
#include "core/live/live_moments.h"
#include "core/profile/liveness_curve.h"
#include "core/store/table_group.h"
#include "core/trace/lanes_in_memory.h"
#include "core/trace/trace_pages.h"
#include "core/trace/trace_reader.h"

namespace tilescope {
namespace {

void writeTrace(const Profile& profile, const Database& db) {
    Insert ipu(db, "ipus");
    for (std::int32_t i = 0; i < profile.info.target.ipus; ++i)
        ipu(i);
    writeRows(db, traceRunTable, profile.trace.runs);
    writeRows(db, traceBodyTable, profile.trace.bodies);
    RowWriter step(db, traceStepTable);
    IntegerRows<9> stepOnIpu(db, stepOnIpuTable.name);
    RowWriter call(db, traceCallTable);
    RowWriter callOnIpu(db, callOnIpuTable);
    std::int64_t id = 0;
    for (const TraceBody& body : profile.trace.bodies) {
        for (std::size_t i = 0; i < body.items.size(); ++i) {
            const auto at = static_cast<std::int64_t>(i);
            if (const TraceItem& item = body.items[i]; item.step >= 0) {
                const TraceStep& s = body.steps.at(static_cast<std::size_t>(item.step));
                step(s, id, at);
                for (const StepOnIpu& on : s.ipus)
                    stepOnIpu({id, at, on.ipu.value(), on.start, on.cycles, on.activeTiles,
                               on.activeCycles, on.bytesIn, on.bytesOut});
            } else {
                const TraceCall& c = body.calls.at(static_cast<std::size_t>(item.call));
                call(c, id, at);
                for (const CallOnIpu& on : c.ipus)
                    callOnIpu(on, id, at);
            }
        }
        ++id;
    }
    stepOnIpu.finish();
}

/// The order of steps is that of the live memory of the window and the reports.
void writeLiveCells(const Profile& profile, const std::shared_ptr<const TraceLanes>& lanes,
                    const Database& db) {
    const Target& target = profile.info.target;
    const TraceIndex index(lanes, target.tilesPerIpu);
    const LivenessCurve curve = livenessCurveOf(profile);
    const LivenessOrder order(profile.programs, profile.controlPrograms, profile.functions,
                              profile.steps, !profile.pipeline.empty());
    std::deque<LiveSteps> ipus;
    for (std::size_t i = 0; i < static_cast<std::size_t>(target.ipus) && i < curve.byIpu.size();
         ++i)
        ipus.emplace_back(*lanes, order, IpuId(i), curve.byIpu[i]);
    Insert row(db, "trace_live_cells");
    for (const auto& [place, cells] : LiveMoments(index, std::move(ipus)).cellsOfLongStretches())
        row(place.stretch, place.chunk, encodeCells(*cells));
}

} // namespace

LiveCells ProfileReader::liveCells() const {
    LiveCells all;
    if (!impl_->has(firstVersionWithLaneTotals))
        return all;
    Statement row = impl_->db.prepare("SELECT stretch, chunk, cells FROM trace_live_cells");
    while (row.step())
        all[{row.integer(0), row.integer(1)}] =
            std::make_shared<const ChunkCells>(decodeCells(row.blob(2)));
    return all;
}

TraceIndex ProfileReader::traceIndex() const {
    const Target& target = info().target;
    if (auto pages = TracePages::open(file(), target.ipus))
        return TraceIndex(std::move(pages), target.tilesPerIpu);
    return TraceIndex(trace(), target.ipus, target.tilesPerIpu);
}

TableGroup traceTables() {
    return {1,
            tablesSql(R"sql(
-- Timed execution. The steps of a body are stored once; a call runs a body `count` times. IPUs that
-- take part:
CREATE TABLE ipus(ipu INTEGER PRIMARY KEY);
-- Each Engine::run, from cycle `start` of the profile's clock.
CREATE TABLE runs{};
-- What is timed once: program is the control program, function or content of a repeat.
CREATE TABLE trace_bodies{};
-- Steps of a body, in its order; a sync has no program.
-- An index (since version 6) has the steps that are stream copies.
CREATE TABLE trace_steps{};
-- A step on an IPU; start counts from the start of the body on that IPU.
CREATE TABLE trace_step_ipus{};
-- Calls of other bodies, in the same order as steps; program is the Call or Repeat.
CREATE TABLE trace_calls{};
-- A call on an IPU; period: from one repetition to the next.
CREATE TABLE trace_call_ipus{};

-- Executions of bodies, unrolled: base is the absolute cycle at which one starts on an IPU.
CREATE VIEW trace_instances AS
    WITH RECURSIVE instance(run, ipu, body, base, path, prefix, iteration, left_over, period) AS (
        SELECT runs.id, ipu, body, start, '', '', 0, 0, 0 FROM runs, ipus
        UNION ALL
        SELECT run, instance.ipu, callee, base + start,
               path || printf('%08d.', trace_calls.position) || printf('%010d.', 0),
               path || printf('%08d.', trace_calls.position), 0, count - 1, trace_call_ipus.period
        FROM instance
        JOIN trace_calls ON trace_calls.body = instance.body
        JOIN trace_call_ipus ON trace_call_ipus.body = instance.body
             AND trace_call_ipus.position = trace_calls.position
             AND trace_call_ipus.ipu = instance.ipu
        UNION ALL
        SELECT run, ipu, body, base + period, prefix || printf('%010d.', iteration + 1),
               prefix, iteration + 1, left_over - 1, period
        FROM instance WHERE left_over > 0)
    SELECT run, ipu, body, base, path FROM instance;

-- Executed steps on each IPU; absolute start = cycles_base + active_cycles_from_min.
CREATE VIEW steps_by_ipu AS
    SELECT dense_rank() OVER (ORDER BY run, path || printf('%08d', position)) - 1 AS step_id,
           s.ipu AS ipu, cycles, active_tiles, base AS cycles_base,
           s.start AS active_cycles_from_min, s.start + cycles AS active_cycles_to_max,
           bytes_in, bytes_out, active_cycles
    FROM trace_instances i JOIN trace_step_ipus s ON s.body = i.body AND s.ipu = i.ipu;

-- Executed steps in order.
CREATE VIEW steps AS
    SELECT row_number() OVER (ORDER BY run, path) - 1 AS id, type, step.program AS program,
           compute_set, exchange, run
    FROM (SELECT DISTINCT i.run AS run, i.path || printf('%08d', t.position) AS path,
                 t.type AS type, t.program AS program
          FROM trace_instances i
          JOIN trace_step_ipus s ON s.body = i.body AND s.ipu = i.ipu
          JOIN trace_steps t ON t.body = s.body AND t.position = s.position) AS step
    LEFT JOIN programs ON programs.id = step.program;
)sql",
                      traceRunTable, traceBodyTable, traceStepTable, stepOnIpuTable, traceCallTable,
                      callOnIpuTable),
            {part<&Profile::trace>(
                writeTrace, [](const ProfileReader::Impl& file) { return readTrace(file.db); })},
            // Its condition must equal readStreamCopies()'s, word for word.
            "CREATE INDEX trace_stream_steps ON trace_steps(body, position, type, program) "
            "WHERE type IN ('StreamCopyBegin', 'StreamCopyMid', 'StreamCopyEnd')"};
}

TableGroup tracePageTables() {
    return {firstVersionWithTracePages,
            R"sql(
-- A long trace again, in the form for the window (since version 5; no rows for a short trace). LEB128
-- numbers; core/trace/trace_page_codec.cpp has the fields. The steps and calls of a body on an IPU,
-- sorted by start, with a summary of every 64 of them; cycles and total are of all (since version 14):
CREATE TABLE trace_lanes(body INTEGER, ipu INTEGER, entries INTEGER, sequential INTEGER,
    first_page INTEGER, cycles INTEGER, total BLOB, summary BLOB,
    PRIMARY KEY(body, ipu)) WITHOUT ROWID;
-- 1024 of these entries, the pages of a lane one after the other from its first_page on; amounts: what
-- they receive, and the tile cycles that tiles of compute sets wait (ids and amounts since version 13).
CREATE TABLE trace_pages(id INTEGER PRIMARY KEY, body INTEGER, ipu INTEGER, page INTEGER,
    entries BLOB, amounts BLOB);
-- What 4096 items of a body execute, in order.
CREATE TABLE trace_item_pages(body INTEGER, page INTEGER, items INTEGER, programs BLOB,
    PRIMARY KEY(body, page)) WITHOUT ROWID;
-- How often a body executes a program, and the cycles of the IPU that takes longest each time.
CREATE TABLE trace_program_totals(body INTEGER, program INTEGER, count INTEGER, cycles INTEGER,
    PRIMARY KEY(body, program)) WITHOUT ROWID;
-- The same by IPU (since version 7).
CREATE TABLE trace_ipu_totals(body INTEGER, program INTEGER, ipu INTEGER, count INTEGER,
    cycles INTEGER, PRIMARY KEY(body, program, ipu)) WITHOUT ROWID;
-- What all IPUs together hold, without what is always live (since version 14): of each chunk of a
-- stretch of the execution the extremes in cells of time; core/live/live_cells.h has the numbers,
-- live_moments.h the stretches.
CREATE TABLE trace_live_cells(stretch INTEGER, chunk INTEGER, cells BLOB,
    PRIMARY KEY(stretch, chunk)) WITHOUT ROWID;
-- The steps that are stream copies, 1024 in a row of a body, in its order (since version 16); steps has
-- LEB128 numbers, in core/trace/stream_copies.cpp; it is empty where there are more copies than are read.
CREATE TABLE trace_stream_copies(body INTEGER, page INTEGER, copies INTEGER, steps BLOB,
    PRIMARY KEY(body, page)) WITHOUT ROWID;
)sql",
            // Their content is in the rows too.
            {{typeid(void),
              [](const Profile& profile, const Database& db) {
                  if (const auto lanes =
                          lanesOfLongTrace(profile.trace, profile.info.target.ipus)) {
                      writeTracePages(db, *lanes);
                      writeLiveCells(profile, lanes, db);
                      writeStreamCopies(db, profile.trace);
                  }
              },
              nullptr}}};
}

} // namespace tilescope
