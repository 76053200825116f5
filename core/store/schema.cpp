#include "core/store/schema.h"

namespace tilescope {
namespace {

constexpr std::string_view schemaSql =
    R"sql(-- TileScope profile, schema version 6 (PRAGMA user_version), application_id 0x54536370.
--
-- The last 8 bytes of each page, which SQLite reserves, are a check sum of the page: other programs
-- read the file as any other, and what they or a bad disk change in it is noticed by TileScope.
--
-- Blobs named *_by_tile are TileSeries, a value per tile as runs: LEB128 numbers: count of runs,
-- then for each run the tiles since the end of the run before, its length in tiles, and the zigzag
-- difference of its value from the run before. `tilescope query` and the window expand them with
--   tile_sum(blob), tile_max(blob), tile_at(blob, tile)      functions
--   tile_runs(blob): first_tile, tiles, value                table-valued functions
--   tile_values(blob): tile, value
--   tile_map(tile): variable, offset, bytes                  addresses on one tile
-- Tiles are numbered over the whole device: ipu * tiles per IPU + tile of the IPU.
-- Sizes are bytes, times are clock cycles of the tile, offsets count from the tile's memory base.
-- The tables and views steps, steps_by_ipu, programs, compute_sets, vars_info, var_categories and
-- memory_by_tile bear the public names of the original and are readable by plain sqlite3.

-- Headline figures, target, options (option.*), engine options (engine.*) and phase times (timing.*).
CREATE TABLE info(key TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- What the compiler had to tell. severity: info, warning, error.
CREATE TABLE messages(id INTEGER PRIMARY KEY, severity TEXT, text TEXT, operation INTEGER);

-- Operations of the model's graph; plan and options are JSON objects or empty.
CREATE TABLE operations(id INTEGER PRIMARY KEY, name TEXT, type TEXT, flops REAL,
    output_shape TEXT, plan TEXT, options TEXT);

-- The model's graph (since version 5), in the order of execution: operations after import, training
-- and other transforms, before repeated parts became functions. operation: whose program and costs
-- are its own; several places have one where it stands in a function. name and type: NULL where
-- they are the operation's. phase: forward, backward, update. Calls have no tensors.
CREATE TABLE graph_operations(id INTEGER PRIMARY KEY, name TEXT, type TEXT, operation INTEGER,
    phase TEXT, stage INTEGER);
-- name: NULL where it is that of the operation that makes it. source: input, weight, constant,
-- remote, NULL where an operation makes it. is_output: 1 for results of the model.
CREATE TABLE graph_tensors(id INTEGER PRIMARY KEY, name TEXT, type TEXT, shape TEXT,
    bytes INTEGER, source TEXT, is_output INTEGER);
-- What each operation reads (written 0) and makes or changes (written 1), in the operation's order.
CREATE TABLE operation_tensors(graph_operation INTEGER, tensor INTEGER, written INTEGER);

-- Variables of one class are live over the same steps [first_step, end_step).
CREATE TABLE liveness_intervals(liveness_class INTEGER, first_step INTEGER, end_step INTEGER,
    PRIMARY KEY(liveness_class, first_step)) WITHOUT ROWID;

CREATE TABLE var_categories(id INTEGER PRIMARY KEY, name TEXT);

-- Lowered variables. liveness_class is NULL for always-live ones.
CREATE TABLE variables(id INTEGER PRIMARY KEY, name TEXT, category INTEGER, operation INTEGER,
    always_live INTEGER, liveness_class INTEGER, type TEXT, shape TEXT,
    total_bytes INTEGER, max_tile_bytes INTEGER, max_tile INTEGER);

-- Bytes of a variable on each of `tiles` tiles from first_tile on.
CREATE TABLE variable_tiles(variable INTEGER, first_tile INTEGER, tiles INTEGER, bytes INTEGER,
    PRIMARY KEY(variable, first_tile)) WITHOUT ROWID;

-- Codelets; code stands once on every tile that runs one.
CREATE TABLE vertex_types(id INTEGER PRIMARY KEY, name TEXT, code_bytes INTEGER, code_by_tile BLOB);

-- cycles: slowest tile, estimated, one execution.
CREATE TABLE compute_sets(compute_set INTEGER PRIMARY KEY, name TEXT, operation INTEGER,
    cycles INTEGER, cycles_by_tile BLOB);

CREATE TABLE vertex_instances(compute_set INTEGER, vertex_type INTEGER, vertices INTEGER,
    state_bytes INTEGER, edges_per_vertex INTEGER, count_by_tile BLOB, state_by_tile BLOB);

-- Internal exchanges. A byte sent to three tiles counts three times on either side.
-- run_bytes: typical contiguous run at the source.
CREATE TABLE exchanges(id INTEGER PRIMARY KEY, name TEXT, operation INTEGER, bytes INTEGER,
    cycles INTEGER, code_bytes INTEGER, run_bytes INTEGER,
    received_by_tile BLOB, sent_by_tile BLOB, code_by_tile BLOB, cycles_by_tile BLOB);

-- On-tile copies that put an operand in the order in which its operation reads it (since version
-- 2). variable: as its producer laid it out; result: what the operation reads; exchange: brought
-- the elements to the tiles, NULL if they were there. cause: firstOperand, otherOperand, plan,
-- consumer, reshape, part. Orders are those on a tile, outermost first: "[N][C/16][HW][16]" is
-- groups of 16 channels, innermost. run_elements, run_bytes: next to each other in both orders.
-- strided: 1 where runs are too short for the 64-bit moves of a plain copy. transposed: 1 where
-- blocks are transposed so that whole groups can move afterwards.
CREATE TABLE copies(id INTEGER PRIMARY KEY, compute_set INTEGER, program INTEGER,
    exchange INTEGER, variable INTEGER, result INTEGER, cause TEXT, shape TEXT,
    source_order TEXT, wanted_order TEXT, run_elements INTEGER, run_bytes INTEGER,
    strided INTEGER, transposed INTEGER);

-- Streams with the host, or (since version 4) with a remote buffer.
CREATE TABLE streams(id INTEGER PRIMARY KEY, name TEXT, to_device INTEGER, bytes INTEGER,
    bytes_by_tile BLOB, remote_buffer INTEGER);

-- Buffers in streaming memory (since version 4): tensors of one shape and type, a row each.
CREATE TABLE remote_buffers(id INTEGER PRIMARY KEY, name TEXT, type TEXT, shape TEXT,
    rows INTEGER, row_bytes INTEGER);

-- Phased execution (since version 4): the sequence of each phase in the order in which they run,
-- then that of a weight update of its own; no rows if the execution is not phased.
CREATE TABLE execution_phases(position INTEGER PRIMARY KEY, program INTEGER);

-- The program tree. position: place among the children of parent. count: of a Repeat.
-- target: function of a Call. control_code: own bytes over all tiles, without children.
CREATE TABLE programs(id INTEGER PRIMARY KEY, name TEXT, kind TEXT, parent INTEGER,
    position INTEGER, count INTEGER, target INTEGER, compute_set INTEGER, exchange INTEGER,
    stream INTEGER, operation INTEGER, control_code INTEGER, control_code_by_tile BLOB);
CREATE TABLE control_programs(position INTEGER PRIMARY KEY, program INTEGER);
CREATE TABLE functions(position INTEGER PRIMARY KEY, program INTEGER);
CREATE TABLE program_variables(program INTEGER, variable INTEGER, written INTEGER);

-- Liveness order: leaves of the program tree, depth first; a function's stand at each of its calls,
-- but behind all others, once, if slots of a pipeline call it. not_always_live: over all tiles.
CREATE TABLE liveness_steps(step INTEGER PRIMARY KEY, program INTEGER, not_always_live INTEGER);
CREATE TABLE liveness_by_ipu(step INTEGER, ipu INTEGER, not_always_live INTEGER,
    PRIMARY KEY(step, ipu)) WITHOUT ROWID;

-- total: including gaps (highest address used). overflowed: bytes beyond the tile's memory.
CREATE TABLE memory_by_tile(tile INTEGER PRIMARY KEY, ipu INTEGER, physical_tile INTEGER,
    total INTEGER, excluding_gaps INTEGER, non_interleaved INTEGER, interleaved INTEGER,
    overflowed INTEGER, always_live INTEGER, max_not_always_live INTEGER);

-- overlapped: bytes of variables that are not always live, so that others may use their addresses
-- at other times; a shared byte counts once.
CREATE TABLE memory_by_category(category INTEGER, region TEXT, overlapped INTEGER, bytes INTEGER,
    bytes_by_tile BLOB);

-- Addresses: tiles whose lists of variables are equal share a placement. Chunks of placements are
-- zstd-compressed LEB128 numbers (see tile_map).
CREATE TABLE placement_tiles(first_tile INTEGER PRIMARY KEY, tiles INTEGER, placement INTEGER);
CREATE TABLE placement_chunks(first_placement INTEGER PRIMARY KEY, placements INTEGER, data BLOB);

-- Timed execution. The steps of a body are stored once; a call runs a body `count` times.
-- start counts from the start of the body on that IPU; period: from one repetition to the next.
-- An index (since version 6) has the steps that are stream copies.
CREATE TABLE ipus(ipu INTEGER PRIMARY KEY);
CREATE TABLE runs(id INTEGER PRIMARY KEY, name TEXT, body INTEGER, start INTEGER, cycles INTEGER);
CREATE TABLE trace_bodies(id INTEGER PRIMARY KEY, name TEXT, program INTEGER);
CREATE TABLE trace_steps(body INTEGER, position INTEGER, type TEXT, program INTEGER,
    PRIMARY KEY(body, position)) WITHOUT ROWID;
CREATE TABLE trace_step_ipus(body INTEGER, position INTEGER, ipu INTEGER, start INTEGER,
    cycles INTEGER, active_tiles INTEGER, active_cycles INTEGER, bytes_in INTEGER,
    bytes_out INTEGER, PRIMARY KEY(body, position, ipu)) WITHOUT ROWID;
CREATE TABLE trace_calls(body INTEGER, position INTEGER, callee INTEGER, program INTEGER,
    count INTEGER, PRIMARY KEY(body, position)) WITHOUT ROWID;
CREATE TABLE trace_call_ipus(body INTEGER, position INTEGER, ipu INTEGER, start INTEGER,
    period INTEGER, PRIMARY KEY(body, position, ipu)) WITHOUT ROWID;

-- A long trace once more, as a window reads it (since version 5; no rows for a short trace).
-- trace_lanes: the steps and calls of a body on an IPU, sorted by start, with what is known of each
-- 64 of them. trace_pages: 1024 of them. trace_item_pages: what 4096 items of a body execute, in
-- order. LEB128 numbers; core/trace/trace_page_codec.cpp has the fields. trace_program_totals: how
-- often a body executes a program, and the cycles of the IPU that takes longest each time.
CREATE TABLE trace_lanes(body INTEGER, ipu INTEGER, entries INTEGER, sequential INTEGER,
    summary BLOB, PRIMARY KEY(body, ipu)) WITHOUT ROWID;
CREATE TABLE trace_pages(body INTEGER, ipu INTEGER, page INTEGER, entries BLOB,
    PRIMARY KEY(body, ipu, page)) WITHOUT ROWID;
CREATE TABLE trace_item_pages(body INTEGER, page INTEGER, items INTEGER, programs BLOB,
    PRIMARY KEY(body, page)) WITHOUT ROWID;
CREATE TABLE trace_program_totals(body INTEGER, program INTEGER, count INTEGER, cycles INTEGER,
    PRIMARY KEY(body, program)) WITHOUT ROWID;

-- What the host did before the execution (since version 6), in the order in which it began. lane:
-- Compilation (phases, as long as they took) or Loading (of the executable, at the target's rates,
-- if it fits). start: seconds since the compilation began. The first run begins where the last ends.
CREATE TABLE host_spans(id INTEGER PRIMARY KEY, lane TEXT, name TEXT, start REAL, seconds REAL);

-- A pipelined execution (since version 3); no rows if the execution is not pipelined.
-- schedule: popart, grouped, interleaved, sequential. micro_batches go through the slots once
-- (gradient accumulation in training); iterations: how often the slots run.
CREATE TABLE pipeline(schedule TEXT, micro_batches INTEGER, iterations INTEGER);

-- Functions of each stage. backward_program: NULL in inference, equal to forward_program where both
-- are one function, whose programs from backward_from on are backward. fifo_program: pushes and pops
-- FIFOs, NULL where activations are stashed. buffer_depth: micro-batches that an activation waits.
CREATE TABLE pipeline_stages(stage INTEGER PRIMARY KEY, ipu INTEGER, forward_program INTEGER,
    backward_program INTEGER, backward_from INTEGER, fifo_program INTEGER, buffer_depth INTEGER);
-- Stashes and FIFOs, all their rows.
CREATE TABLE pipeline_buffers(stage INTEGER, variable INTEGER);

-- Slots in order. part: rampUp, main, rampDown. repeats: of the block that the slot stands in.
CREATE TABLE pipeline_slots(slot INTEGER PRIMARY KEY, part TEXT, repeats INTEGER);
-- Functions called in a slot; an IPU runs its own one after the other, IPUs work side by side.
CREATE TABLE pipeline_slot_programs(slot INTEGER, position INTEGER, program INTEGER,
    PRIMARY KEY(slot, position)) WITHOUT ROWID;

-- The model's operations in order, with the stage that they were given to; operations named
-- "<name>/..." came from them.
CREATE TABLE pipeline_operations(position INTEGER PRIMARY KEY, name TEXT, stage INTEGER);

-- One row per lowered variable and tile, as the original has it.
CREATE VIEW vars_info AS
    WITH RECURSIVE piece(variable, tile, left_over, bytes) AS (
        SELECT variable, first_tile, tiles - 1, bytes FROM variable_tiles
        UNION ALL
        SELECT variable, tile + 1, left_over - 1, bytes FROM piece WHERE left_over > 0)
    SELECT piece.variable AS id, name, bytes AS size_bytes, category, tile
    FROM piece JOIN variables ON variables.id = piece.variable;

-- Copies with the names of what they belong to. copy_cycles: slowest tile, one execution.
CREATE VIEW copy_info AS
    SELECT c.id AS id, s.name AS compute_set, o.name AS operation, v.name AS variable, cause,
           source_order, wanted_order, run_elements, run_bytes, strided, transposed,
           s.cycles AS copy_cycles,
           (SELECT group_concat(t.name) FROM vertex_instances i
            JOIN vertex_types t ON t.id = i.vertex_type
            WHERE i.compute_set = c.compute_set) AS vertices
    FROM copies c JOIN compute_sets s ON s.compute_set = c.compute_set
    LEFT JOIN operations o ON o.id = s.operation
    LEFT JOIN variables v ON v.id = c.variable;

-- Edges of the model's graph: names of who makes and who reads a tensor.
CREATE VIEW graph_edges AS
    SELECT coalesce(p.name, a.name) AS producer, coalesce(c.name, b.name) AS consumer,
           coalesce(t.name, p.name, a.name) AS tensor, t.shape AS shape, t.type AS type, t.bytes AS bytes
    FROM operation_tensors w JOIN operation_tensors r
         ON w.written = 1 AND r.written = 0 AND r.tensor = w.tensor
         AND r.graph_operation > w.graph_operation
    JOIN graph_tensors t ON t.id = w.tensor
    JOIN graph_operations p ON p.id = w.graph_operation
    JOIN graph_operations c ON c.id = r.graph_operation
    LEFT JOIN operations a ON a.id = p.operation LEFT JOIN operations b ON b.id = c.operation;

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
)sql";

} // namespace

std::string_view profileSchemaSql() {
    return schemaSql;
}

} // namespace tilescope
