#include <algorithm>
#include <fmt/format.h>

#include "core/base/damaged_profile.h"
#include "core/base/error.h"
#include "core/database/row_access.h"
#include "core/store/host_store.h"
#include "core/store/model_graph_store.h"
#include "core/store/pipeline_store.h"
#include "core/store/placement_codec.h"
#include "core/store/profile_reader_impl.h"
#include "core/store/program_forest.h"
#include "core/store/remote_store.h"
#include "core/store/schema.h"
#include "core/trace/trace_pages.h"
#include "core/trace/trace_reader.h"

namespace tilescope {
namespace fs = std::filesystem;
namespace {

// Profiles of before have no table of copies.
constexpr std::int64_t firstVersionWithCopies = 2;

/// Adds tiles [first, first + tiles) from a row, which may be damaged.
void appendRun(TileSeries& series, const Target& target, std::int64_t first, std::int64_t tiles,
               std::int64_t value) {
    const std::int64_t all = target.totalTiles();
    if (value < 0 || value > TileSeries::largestStored)
        throw DamagedProfile("a row holds a size that cannot be");
    if (first < 0 || first > all || tiles < 0 || tiles > all - first ||
        (!series.empty() && first < series.runs().back().end))
        throw DamagedProfile("a row names tiles that cannot be");
    series.append(static_cast<std::int32_t>(first), static_cast<std::int32_t>(first + tiles),
                  value);
}

} // namespace

ProfileReader::ProfileReader(const fs::path& file)
    : impl_(std::make_unique<Impl>(file)) {}
ProfileReader::~ProfileReader() = default;
ProfileReader::ProfileReader(ProfileReader&&) noexcept = default;

void ProfileReader::stopWith(std::stop_token token) {
    impl_->db.stopWith(std::move(token));
}
const fs::path& ProfileReader::file() const {
    return impl_->path;
}
const ProfileInfo& ProfileReader::info() const {
    return impl_->info;
}

std::vector<Message> ProfileReader::messages() const {
    std::vector<Message> messages;
    Statement row = impl_->db.prepare("SELECT severity, text, operation FROM messages ORDER BY id");
    while (row.step())
        messages.push_back(
            {known(severityFrom(row.text(0)), row, 0), row.text(1), idAt<OperationId>(row, 2)});
    return messages;
}

IdVector<OperationId, Operation> ProfileReader::operations() const {
    IdVector<OperationId, Operation> operations;
    Statement row = impl_->db.prepare(
        "SELECT name, type, flops, output_shape, plan, options FROM operations ORDER BY id");
    while (row.step())
        operations.add(
            {row.text(0), row.text(1), row.real(2), row.text(3), row.text(4), row.text(5)});
    impl_->checkIds("operations", "id", operations.size());
    return operations;
}

ModelGraph ProfileReader::modelGraph() const {
    return readModelGraph(impl_->db);
}

IdVector<LivenessClassId, LivenessClass> ProfileReader::livenessClasses() const {
    IdVector<LivenessClassId, LivenessClass> classes;
    // Classes without an interval are not in the file, but each has a variable.
    const std::int64_t most = impl_->db.integer("SELECT count(*) FROM liveness_intervals") +
                              impl_->db.integer("SELECT count(*) FROM variables");
    Statement row = impl_->db.prepare("SELECT liveness_class, first_step, end_step "
                                      "FROM liveness_intervals ORDER BY 1, 2");
    while (row.step()) {
        static_cast<void>(idBelow<LivenessClassId>(row, 0, most));
        while (static_cast<std::int64_t>(classes.size()) <= row.integer(0))
            classes.add({});
        classes.back().intervals.push_back({idAt<StepId>(row, 1), idAt<StepId>(row, 2)});
    }
    return classes;
}

IdVector<VariableId, Variable> ProfileReader::variables() const {
    IdVector<VariableId, Variable> variables;
    const References<OperationId> operationAt(impl_->db, "operations");
    Statement row = impl_->db.prepare(
        "SELECT v.name, c.name, operation, always_live, liveness_class, type, shape "
        "FROM variables v LEFT JOIN var_categories c ON c.id = v.category ORDER BY v.id");
    while (row.step()) {
        Variable v;
        v.name = row.text(0);
        v.category = known(memoryCategoryFrom(row.text(1)), row, 1);
        v.operation = operationAt(row, 2);
        v.alwaysLive = row.integer(3) != 0;
        v.liveness = idAt<LivenessClassId>(row, 4);
        v.type = row.text(5);
        v.shape = row.text(6);
        variables.add(std::move(v));
    }
    Statement tiles = impl_->db.prepare(
        "SELECT variable, first_tile, tiles, bytes FROM variable_tiles ORDER BY 1, 2");
    while (tiles.step()) {
        appendRun(element(variables, tiles.integer(0)).bytes, info().target, tiles.integer(1),
                  tiles.integer(2), tiles.integer(3));
    }
    impl_->checkIds("variables", "id", variables.size());
    return variables;
}

IdVector<VertexTypeId, VertexType> ProfileReader::vertexTypes() const {
    IdVector<VertexTypeId, VertexType> types;
    Statement row = impl_->db.prepare("SELECT name, code_by_tile FROM vertex_types ORDER BY id");
    while (row.step())
        types.add({row.text(0), impl_->series(row, 1)});
    impl_->checkIds("vertex_types", "id", types.size());
    return types;
}

IdVector<ComputeSetId, ComputeSet> ProfileReader::computeSets() const {
    IdVector<ComputeSetId, ComputeSet> sets;
    const References<OperationId> operationAt(impl_->db, "operations");
    const References<VertexTypeId> typeAt(impl_->db, "vertex_types");
    Statement row = impl_->db.prepare(
        "SELECT name, operation, cycles_by_tile FROM compute_sets ORDER BY compute_set");
    while (row.step())
        sets.add({row.text(0), operationAt(row, 1), impl_->series(row, 2), {}});
    Statement vertex = impl_->db.prepare(
        "SELECT compute_set, vertex_type, count_by_tile, state_by_tile, edges_per_vertex "
        "FROM vertex_instances ORDER BY rowid");
    while (vertex.step())
        element(sets, vertex.integer(0))
            .vertices.push_back({typeAt.required(vertex, 1), impl_->series(vertex, 2),
                                 impl_->series(vertex, 3),
                                 static_cast<std::int32_t>(vertex.integer(4))});
    impl_->checkIds("compute_sets", "compute_set", sets.size());
    return sets;
}

IdVector<ExchangeId, Exchange> ProfileReader::exchanges() const {
    IdVector<ExchangeId, Exchange> exchanges;
    const References<OperationId> operationAt(impl_->db, "operations");
    Statement row = impl_->db.prepare(
        "SELECT name, operation, received_by_tile, sent_by_tile, code_by_tile, cycles_by_tile, "
        "run_bytes FROM exchanges ORDER BY id");
    while (row.step())
        exchanges.add({row.text(0), operationAt(row, 1), impl_->series(row, 2),
                       impl_->series(row, 3), impl_->series(row, 4), impl_->series(row, 5),
                       row.integer(6)});
    impl_->checkIds("exchanges", "id", exchanges.size());
    return exchanges;
}

IdVector<CopyId, Copy> ProfileReader::copies() const {
    IdVector<CopyId, Copy> copies;
    if (impl_->db.integer("PRAGMA user_version") < firstVersionWithCopies)
        return copies;
    const auto rowsOf = [&](std::string_view table) {
        return impl_->db.integer(fmt::format("SELECT count(*) FROM {}", table));
    };
    const std::int64_t sets = rowsOf("compute_sets");
    const std::int64_t programs = rowsOf("programs");
    const std::int64_t exchanges = rowsOf("exchanges");
    const std::int64_t variables = rowsOf("variables");
    Statement row = impl_->db.prepare(
        "SELECT compute_set, program, exchange, variable, result, cause, shape, source_order, "
        "wanted_order, run_elements, run_bytes, strided, transposed FROM copies ORDER BY id");
    while (row.step()) {
        Copy c;
        c.computeSet = idBelow<ComputeSetId>(row, 0, sets);
        c.program = idBelow<ProgramId>(row, 1, programs);
        c.exchange = row.isNull(2) ? ExchangeId() : idBelow<ExchangeId>(row, 2, exchanges);
        c.variable = idBelow<VariableId>(row, 3, variables);
        c.result = idBelow<VariableId>(row, 4, variables);
        c.cause = known(copyCauseFrom(row.text(5)), row, 5);
        c.shape = row.text(6);
        c.sourceOrder = row.text(7);
        c.wantedOrder = row.text(8);
        c.runElements = row.integer(9);
        c.runBytes = row.integer(10);
        c.strided = row.integer(11) != 0;
        c.transposed = row.integer(12) != 0;
        copies.add(std::move(c));
    }
    impl_->checkIds("copies", "id", copies.size());
    return copies;
}

IdVector<StreamId, Stream> ProfileReader::streams() const {
    IdVector<StreamId, Stream> streams;
    const bool withRemote =
        impl_->db.integer("PRAGMA user_version") >= firstVersionWithRemoteBuffers;
    const std::int64_t buffers = static_cast<std::int64_t>(remoteBuffers().size());
    Statement row = impl_->db.prepare(
        fmt::format("SELECT name, to_device, bytes_by_tile, {} FROM streams ORDER BY id",
                    withRemote ? "remote_buffer" : "NULL"));
    while (row.step())
        streams.add({row.text(0), row.integer(1) != 0, impl_->series(row, 2),
                     row.isNull(3) ? RemoteBufferId() : idBelow<RemoteBufferId>(row, 3, buffers)});
    impl_->checkIds("streams", "id", streams.size());
    return streams;
}

IdVector<RemoteBufferId, RemoteBuffer> ProfileReader::remoteBuffers() const {
    return readRemoteBuffers(impl_->db);
}

std::vector<ProgramId> ProfileReader::phases() const {
    return readPhases(impl_->db, impl_->db.integer("SELECT count(*) FROM programs"));
}

IdVector<ProgramId, Program> ProfileReader::programs() const {
    IdVector<ProgramId, Program> programs;
    const References<ProgramId> programAt(impl_->db, "programs");
    const References<ComputeSetId> setAt(impl_->db, "compute_sets", "compute_set");
    const References<ExchangeId> exchangeAt(impl_->db, "exchanges");
    const References<StreamId> streamAt(impl_->db, "streams");
    const References<OperationId> operationAt(impl_->db, "operations");
    const References<VariableId> variableAt(impl_->db, "variables");
    Statement row = impl_->db.prepare(
        "SELECT name, kind, parent, count, target, compute_set, exchange, stream, operation, "
        "control_code_by_tile FROM programs ORDER BY id");
    while (row.step()) {
        Program p;
        p.name = row.text(0);
        p.kind = known(programKindFrom(row.text(1)), row, 1);
        p.parent = programAt(row, 2);
        p.count = row.integer(3);
        p.target = programAt(row, 4);
        p.computeSet = setAt(row, 5);
        p.exchange = exchangeAt(row, 6);
        p.stream = streamAt(row, 7);
        p.operation = operationAt(row, 8);
        p.controlCode = impl_->series(row, 9);
        programs.add(std::move(p));
    }
    Statement child = impl_->db.prepare(
        "SELECT parent, id FROM programs WHERE parent IS NOT NULL ORDER BY parent, position");
    while (child.step())
        element(programs, child.integer(0)).children.push_back(programAt(child, 1));
    Statement variable = impl_->db.prepare(
        "SELECT program, variable, written FROM program_variables ORDER BY rowid");
    while (variable.step()) {
        Program& p = element(programs, variable.integer(0));
        (variable.integer(2) != 0 ? p.variablesWritten : p.variablesRead)
            .push_back(variableAt.required(variable, 1));
    }
    impl_->checkIds("programs", "id", programs.size());
    checkForest(programs);
    return programs;
}

namespace {

std::vector<ProgramId> rootsOf(const Database& db, std::string_view table) {
    std::vector<ProgramId> roots;
    const References<ProgramId> programAt(db, "programs");
    Statement row = db.prepare(fmt::format("SELECT program FROM {} ORDER BY position", table));
    while (row.step())
        roots.push_back(programAt.required(row, 0));
    return roots;
}

} // namespace

std::vector<ProgramId> ProfileReader::controlPrograms() const {
    return rootsOf(impl_->db, "control_programs");
}

std::vector<ProgramId> ProfileReader::functions() const {
    return rootsOf(impl_->db, "functions");
}

IdVector<StepId, ProgramId> ProfileReader::steps() const {
    IdVector<StepId, ProgramId> steps;
    const References<ProgramId> programAt(impl_->db, "programs");
    Statement row = impl_->db.prepare("SELECT program FROM liveness_steps ORDER BY step");
    while (row.step())
        steps.add(programAt.required(row, 0));
    impl_->checkIds("liveness_steps", "step", steps.size());
    return steps;
}

std::vector<std::int64_t> ProfileReader::notAlwaysLive() const {
    std::vector<std::int64_t> bytes;
    Statement row = impl_->db.prepare("SELECT not_always_live FROM liveness_steps ORDER BY step");
    while (row.step())
        bytes.push_back(row.integer(0));
    return bytes;
}

LivenessCurve ProfileReader::livenessCurve() const {
    LivenessCurve curve{notAlwaysLive(), {}};
    curve.byIpu.assign(static_cast<std::size_t>(info().target.ipus),
                       std::vector<std::int64_t>(curve.notAlwaysLive.size(), 0));
    Statement ipu = impl_->db.prepare("SELECT ipu, step, not_always_live FROM liveness_by_ipu");
    while (ipu.step())
        element(element(curve.byIpu, ipu.integer(0)), ipu.integer(1)) = ipu.integer(2);
    return curve;
}

std::vector<CategoryMemory> ProfileReader::categoryMemory() const {
    std::vector<CategoryMemory> memory;
    Statement row = impl_->db.prepare(
        "SELECT c.name, region, overlapped, bytes_by_tile FROM memory_by_category m "
        "LEFT JOIN var_categories c ON c.id = m.category ORDER BY m.rowid");
    while (row.step())
        memory.push_back({known(memoryCategoryFrom(row.text(0)), row, 0),
                          known(memoryRegionFrom(row.text(1)), row, 1), row.integer(2) != 0,
                          impl_->series(row, 3)});
    return memory;
}

IdVector<TileId, TileMemory> ProfileReader::tileMemory() const {
    IdVector<TileId, TileMemory> memory;
    memory.reserve(static_cast<std::size_t>(info().target.totalTiles()));
    Statement row = impl_->db.prepare(
        "SELECT total, excluding_gaps, non_interleaved, interleaved, overflowed, always_live, "
        "max_not_always_live FROM memory_by_tile ORDER BY tile");
    const auto bytes = [&](int column) {
        const std::int64_t value = row.integer(column);
        if (value < 0 || value > TileSeries::largestStored)
            throw DamagedProfile("a row holds a size that cannot be");
        return value;
    };
    while (row.step())
        memory.add({bytes(0), bytes(1), bytes(2), bytes(3), bytes(4), bytes(5), bytes(6)});
    impl_->checkIds("memory_by_tile", "tile", memory.size());
    return memory;
}

Trace ProfileReader::trace() const {
    return readTrace(impl_->db);
}

TraceIndex ProfileReader::traceIndex() const {
    const Target& target = info().target;
    if (auto pages = TracePages::open(file(), target.ipus))
        return TraceIndex(std::move(pages), target);
    return TraceIndex(trace(), target.ipus, target.tilesPerIpu);
}

Pipeline ProfileReader::pipeline() const {
    return readPipeline(impl_->db,
                        {info().target.ipus, impl_->db.integer("SELECT count(*) FROM programs"),
                         impl_->db.integer("SELECT count(*) FROM variables")});
}

Placement ProfileReader::placement(TileId tile) const {
    Statement row =
        impl_->db.prepare("SELECT placement - first_placement, data FROM placement_tiles "
                          "JOIN placement_chunks ON placement >= first_placement "
                          "AND placement < first_placement + placements "
                          "WHERE first_tile <= ?1 AND ?1 < first_tile + tiles");
    row.bind(0, std::int64_t{tile.value()});
    if (!row.step())
        return {};
    std::vector<Placement> chunk = decodePlacements(row.blob(1));
    return std::move(element(chunk, row.integer(0)));
}

Profile ProfileReader::load() const {
    Profile profile;
    profile.info = info();
    profile.messages = messages();
    profile.operations = operations();
    profile.modelGraph = modelGraph();
    profile.livenessClasses = livenessClasses();
    profile.variables = variables();
    profile.vertexTypes = vertexTypes();
    profile.computeSets = computeSets();
    profile.exchanges = exchanges();
    profile.copies = copies();
    profile.streams = streams();
    profile.programs = programs();
    profile.controlPrograms = controlPrograms();
    profile.functions = functions();
    profile.steps = steps();
    profile.categoryMemory = categoryMemory();
    profile.tileMemory = tileMemory();
    profile.trace = trace();
    profile.pipeline = pipeline();
    profile.remoteBuffers = remoteBuffers();
    profile.phases = phases();
    profile.hostSpans = readHostSpans(*this);
    Statement tiles = impl_->db.prepare(
        "SELECT first_tile, tiles, placement FROM placement_tiles ORDER BY first_tile");
    while (tiles.step()) {
        appendRun(profile.placementOfTile, profile.info.target, tiles.integer(0), tiles.integer(1),
                  tiles.integer(2) + 1);
    }
    Statement chunk =
        impl_->db.prepare("SELECT data FROM placement_chunks ORDER BY first_placement");
    while (chunk.step())
        for (Placement& placement : decodePlacements(chunk.blob(0)))
            profile.placements.add(std::move(placement));
    return profile;
}

SqlResult ProfileReader::query(const std::string& sql, std::size_t maxRows) const {
    return runQuery(impl_->db, sql, maxRows);
}

} // namespace tilescope
