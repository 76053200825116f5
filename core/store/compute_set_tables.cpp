// Codelets and the compute sets that run them.
#include <algorithm>

#include "core/store/distinct_series.h"
#include "core/store/table_group.h"

namespace tilescope {
namespace {

std::int32_t edgesAt(const Statement& row, int at) {
    return static_cast<std::int32_t>(
        std::min<std::int64_t>(amountAt(row, at), std::numeric_limits<std::int32_t>::max()));
}

constexpr auto vertexTypeTable = storedTable<VertexType>({"vertex_types"}, [](auto& to, auto& v) {
    to(rowNumber("id"), field("name", v.name), derived("code_bytes", v.codeBytes.sum()),
       field("code_by_tile", v.codeBytes));
});

constexpr auto computeSetTable =
    storedTable<ComputeSet>({"compute_set_rows", firstVersionWithSeries}, [](auto& to, auto& c) {
        to(rowNumber("compute_set"), field("name", c.name), field("operation", c.operation),
           derived("cycles", c.cycles.max().value), givenBack("series"));
    });

/// As older files have them.
constexpr auto olderSetTable = storedTable<ComputeSet>({"compute_sets"}, [](auto& to, auto& c) {
    to(rowNumber("compute_set"), field("name", c.name), field("operation", c.operation),
       field("cycles_by_tile", c.cycles));
});

constexpr std::string_view setSeriesTable = "compute_set_series";

constexpr auto instanceTable =
    storedTable<VertexInstances>({"vertex_instances"}, [](auto& to, auto& v) {
        to(givenBack("compute_set"), field("vertex_type", v.type, required),
           derived("vertices", v.count.sum()), derived("state_bytes", v.stateBytes.sum()),
           field("edges_per_vertex", v.edgesPerVertex, edgesAt), field("count_by_tile", v.count),
           field("state_by_tile", v.stateBytes));
    });

void writeComputeSets(const Profile& profile, const Database& db) {
    SeriesBlobs series(db, setSeriesTable);
    RowWriter row(db, computeSetTable);
    RowWriter instances(db, instanceTable);
    std::int64_t id = 0;
    for (const ComputeSet& set : profile.computeSets) {
        row(set, series.idOf(set.cycles));
        for (const VertexInstances& v : set.vertices)
            instances(v, id);
        ++id;
    }
}

using ComputeSets = IdVector<ComputeSetId, ComputeSet>;

ComputeSets readWithoutVertices(const ProfileReader::Impl& file) {
    if (!file.has(firstVersionWithSeries))
        return readRows<ComputeSets>(file.rows(), olderSetTable);
    ComputeSets sets;
    StoredSeries series(file.rows(), setSeriesTable);
    sets.reserve(rowsOf(file.rows(), computeSetTable));
    eachRow(file.rows(), computeSetTable, [&](ComputeSet& set, const Statement& given) {
        set.cycles = series.of(given, 0);
        sets.add(std::move(set));
    });
    return sets;
}

ComputeSets readComputeSets(const ProfileReader::Impl& file) {
    ComputeSets sets = readWithoutVertices(file);
    eachRow(file.rows(), instanceTable, [&](VertexInstances& row, const Statement& given) {
        element(sets, given.integer(0)).vertices.push_back(std::move(row));
    });
    return sets;
}

} // namespace

TableGroup computeSetTables() {
    return {1,
            tablesSql(R"sql(
-- Codelets; each tile that runs one has its code once.
CREATE TABLE vertex_types{};

-- Cycles by tile of compute sets (since version 8), each distinct series once.
CREATE TABLE compute_set_series(id INTEGER PRIMARY KEY, data BLOB);
-- Compute sets with the id of their series (since version 8).
CREATE TABLE compute_set_rows{};

-- cycles: slowest tile, estimated, one execution.
CREATE VIEW compute_sets AS
    SELECT compute_set, name, operation, cycles,
        (SELECT data FROM compute_set_series s WHERE s.id = c.series) AS cycles_by_tile
    FROM compute_set_rows c;

-- Vertices of a type in a compute set: how many, and their state in bytes, over all tiles.
CREATE TABLE vertex_instances{};
)sql",
                      vertexTypeTable, computeSetTable, instanceTable),
            {part<&Profile::vertexTypes>(vertexTypeTable),
             part<&Profile::computeSets>(writeComputeSets, readComputeSets)}};
}

} // namespace tilescope
