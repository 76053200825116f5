// Codelets and the compute sets that run them.
#include <algorithm>

#include "core/database/insert.h"
#include "core/database/row_access.h"
#include "core/store/distinct_series.h"
#include "core/store/profile_reader_impl.h"
#include "core/store/table_group.h"

namespace tilescope {
namespace {

void writeComputeSets(const Profile& profile, const Database& db) {
    Insert type(db, "vertex_types");
    std::int64_t typeId = 0;
    for (const VertexType& t : profile.vertexTypes)
        type(typeId++, t.name, t.codeBytes.sum(), t.codeBytes);
    SeriesBlobs series(db, "compute_set_series");
    Insert row(db, "compute_set_rows");
    Insert instances(db, "vertex_instances");
    std::int64_t id = 0;
    for (const ComputeSet& set : profile.computeSets) {
        row(id, set.name, set.operation, set.cycles.max().value, series.idOf(set.cycles));
        for (const VertexInstances& v : set.vertices)
            instances(id, v.type, v.count.sum(), v.stateBytes.sum(), v.edgesPerVertex, v.count,
                      v.stateBytes);
        ++id;
    }
}

} // namespace

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
            .vertices.push_back(
                {typeAt.required(vertex, 1), impl_->series(vertex, 2), impl_->series(vertex, 3),
                 static_cast<std::int32_t>(std::min<std::int64_t>(
                     amountAt(vertex, 4), std::numeric_limits<std::int32_t>::max()))});
    impl_->checkIds("compute_sets", "compute_set", sets.size());
    return sets;
}

TableGroup computeSetTables() {
    return {1,
            R"sql(
-- Codelets; each tile that runs one has its code once.
CREATE TABLE vertex_types(id INTEGER PRIMARY KEY, name TEXT, code_bytes INTEGER, code_by_tile BLOB);

-- Cycles by tile of compute sets (since version 8), each distinct series once.
CREATE TABLE compute_set_series(id INTEGER PRIMARY KEY, data BLOB);
-- Compute sets with the id of their series (since version 8).
CREATE TABLE compute_set_rows(compute_set INTEGER PRIMARY KEY, name TEXT, operation INTEGER,
    cycles INTEGER, series INTEGER);

-- cycles: slowest tile, estimated, one execution.
CREATE VIEW compute_sets AS
    SELECT compute_set, name, operation, cycles,
        (SELECT data FROM compute_set_series s WHERE s.id = c.series) AS cycles_by_tile
    FROM compute_set_rows c;

-- Vertices of a type in a compute set: how many, and their state in bytes, over all tiles.
CREATE TABLE vertex_instances(compute_set INTEGER, vertex_type INTEGER, vertices INTEGER,
    state_bytes INTEGER, edges_per_vertex INTEGER, count_by_tile BLOB, state_by_tile BLOB);
)sql",
            writeComputeSets, [](const ProfileReader& reader, Profile& profile) {
                profile.vertexTypes = reader.vertexTypes();
                profile.computeSets = reader.computeSets();
            }};
}

} // namespace tilescope
