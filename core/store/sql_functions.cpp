#include "core/store/schema.h"

#include <array>
#include <functional>
#include <sqlite3.h>
#include <vector>

#include "core/database/database.h"
#include "core/store/placement_codec.h"
#include "core/tiles/tile_series.h"

namespace tilescope {
namespace {

TileSeries seriesOf(sqlite3_value* value) {
    const auto* data = static_cast<const std::byte*>(sqlite3_value_blob(value));
    return TileSeries::decode({data, static_cast<std::size_t>(sqlite3_value_bytes(value))});
}

using Fold = std::int64_t (*)(const TileSeries&, int argc, sqlite3_value** argv);

template <Fold fold> void scalar(sqlite3_context* context, int argc, sqlite3_value** argv) {
    try {
        if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
            return;
        sqlite3_result_int64(context, fold(seriesOf(argv[0]), argc, argv));
    } catch (const std::exception& error) {
        sqlite3_result_error(context, error.what(), -1);
    }
}

std::int64_t sumOf(const TileSeries& series, int, sqlite3_value**) {
    return series.sum();
}
std::int64_t maxOf(const TileSeries& series, int, sqlite3_value**) {
    return series.max().value;
}
std::int64_t valueAt(const TileSeries& series, int, sqlite3_value** argv) {
    return series.at(TileId(sqlite3_value_int(argv[1])));
}

using TableRow = std::array<std::int64_t, 3>;
using MakeRows = std::vector<TableRow> (*)(sqlite3* db, sqlite3_value* argument);

struct TableFunction {
    const char* name;
    const char* declaration; ///< up to three columns, then the hidden argument
    int columns;
    MakeRows makeRows;
};

struct Table {
    sqlite3_vtab base{};
    sqlite3* db = nullptr;
    const TableFunction* function = nullptr;
};

struct Cursor {
    sqlite3_vtab_cursor base{};
    std::vector<TableRow> rows;
    std::size_t at = 0;
};

int connect(sqlite3* db, void* aux, int, const char* const*, sqlite3_vtab** out, char**) {
    const auto* function = static_cast<const TableFunction*>(aux);
    const int code = sqlite3_declare_vtab(db, function->declaration);
    if (code != SQLITE_OK)
        return code;
    auto* table = new Table;
    table->db = db;
    table->function = function;
    *out = &table->base;
    return SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) {
    delete reinterpret_cast<Table*>(table);
    return SQLITE_OK;
}

int bestIndex(sqlite3_vtab* table, sqlite3_index_info* info) {
    const int argumentColumn = reinterpret_cast<Table*>(table)->function->columns;
    for (int i = 0; i < info->nConstraint; ++i) {
        const auto& constraint = info->aConstraint[i];
        if (constraint.iColumn != argumentColumn || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ)
            continue;
        if (!constraint.usable)
            return SQLITE_CONSTRAINT;
        info->aConstraintUsage[i].argvIndex = 1;
        info->aConstraintUsage[i].omit = 1;
        info->estimatedCost = 1;
        return SQLITE_OK;
    }
    table->zErrMsg = sqlite3_mprintf("this table-valued function takes one argument");
    return SQLITE_ERROR;
}

int openCursor(sqlite3_vtab*, sqlite3_vtab_cursor** out) {
    *out = &(new Cursor)->base;
    return SQLITE_OK;
}

int closeCursor(sqlite3_vtab_cursor* cursor) {
    delete reinterpret_cast<Cursor*>(cursor);
    return SQLITE_OK;
}

int filter(sqlite3_vtab_cursor* base, int, const char*, int, sqlite3_value** argv) {
    auto* cursor = reinterpret_cast<Cursor*>(base);
    auto* table = reinterpret_cast<Table*>(base->pVtab);
    try {
        cursor->rows = table->function->makeRows(table->db, argv[0]);
        cursor->at = 0;
        return SQLITE_OK;
    } catch (const std::exception& error) {
        base->pVtab->zErrMsg = sqlite3_mprintf("%s", error.what());
        return SQLITE_ERROR;
    }
}

int next(sqlite3_vtab_cursor* cursor) {
    ++reinterpret_cast<Cursor*>(cursor)->at;
    return SQLITE_OK;
}

int eof(sqlite3_vtab_cursor* base) {
    const auto* cursor = reinterpret_cast<Cursor*>(base);
    return cursor->at >= cursor->rows.size() ? 1 : 0;
}

int column(sqlite3_vtab_cursor* base, sqlite3_context* context, int at) {
    const auto* cursor = reinterpret_cast<Cursor*>(base);
    const auto* table = reinterpret_cast<Table*>(base->pVtab);
    if (at < table->function->columns)
        sqlite3_result_int64(context, cursor->rows[cursor->at][static_cast<std::size_t>(at)]);
    return SQLITE_OK;
}

int rowId(sqlite3_vtab_cursor* base, sqlite3_int64* out) {
    *out = static_cast<sqlite3_int64>(reinterpret_cast<Cursor*>(base)->at);
    return SQLITE_OK;
}

std::vector<TableRow> runsOf(sqlite3*, sqlite3_value* argument) {
    std::vector<TableRow> rows;
    const TileSeries series = seriesOf(argument);
    for (const TileRun& run : series.runs())
        rows.push_back({run.first, run.tiles(), run.value});
    return rows;
}

std::vector<TableRow> valuesOf(sqlite3*, sqlite3_value* argument) {
    std::vector<TableRow> rows;
    const TileSeries series = seriesOf(argument);
    for (const TileRun& run : series.runs())
        for (std::int32_t tile = run.first; tile < run.end; ++tile)
            rows.push_back({tile, run.value, 0});
    return rows;
}

std::vector<TableRow> mapOf(sqlite3* db, sqlite3_value* argument) {
    const std::int64_t tile = sqlite3_value_int64(argument);
    Statement find(db,
                   "SELECT placement - first_placement, data FROM placement_tiles "
                   "JOIN placement_chunks ON placement >= first_placement "
                   "AND placement < first_placement + placements "
                   "WHERE first_tile <= ?1 AND ?1 < first_tile + tiles",
                   DatabaseOrigin{.file = "query"});
    find.bind(0, tile);
    if (!find.step())
        return {};
    const std::vector<Placement> chunk = decodePlacements(find.blob(1));
    const Placement& placement = chunk.at(static_cast<std::size_t>(find.integer(0)));
    Statement size(db,
                   "SELECT bytes FROM variable_tiles WHERE variable = ?1 AND first_tile <= ?2 "
                   "ORDER BY first_tile DESC LIMIT 1",
                   DatabaseOrigin{.file = "query"});
    std::vector<TableRow> rows;
    for (const PlacedVariable& placed : placement.variables) {
        size.bind(0, std::int64_t{placed.variable.value()}).bind(1, tile);
        const std::int64_t bytes = size.step() ? size.integer(0) : 0;
        size.reset();
        rows.push_back({placed.variable.value(), placed.offset, bytes});
    }
    return rows;
}

sqlite3_module tableModule() {
    sqlite3_module module{};
    module.xConnect = connect;
    module.xBestIndex = bestIndex;
    module.xDisconnect = disconnect;
    module.xOpen = openCursor;
    module.xClose = closeCursor;
    module.xFilter = filter;
    module.xNext = next;
    module.xEof = eof;
    module.xColumn = column;
    module.xRowid = rowId;
    return module;
}

} // namespace

void registerSqlFunctions(const Database& db) {
    static const sqlite3_module module = tableModule();
    static const std::array<TableFunction, 3> tables{{
        {"tile_runs", "CREATE TABLE x(first_tile, tiles, value, series HIDDEN)", 3, runsOf},
        {"tile_values", "CREATE TABLE x(tile, value, series HIDDEN)", 2, valuesOf},
        {"tile_map", "CREATE TABLE x(variable, offset, bytes, tile HIDDEN)", 3, mapOf},
    }};
    constexpr int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
    sqlite3* handle = db.handle();
    sqlite3_create_function(handle, "tile_sum", 1, flags, nullptr, scalar<sumOf>, nullptr, nullptr);
    sqlite3_create_function(handle, "tile_max", 1, flags, nullptr, scalar<maxOf>, nullptr, nullptr);
    sqlite3_create_function(handle, "tile_at", 2, flags, nullptr, scalar<valueAt>, nullptr,
                            nullptr);
    for (const TableFunction& table : tables)
        sqlite3_create_module(handle, table.name, &module, const_cast<TableFunction*>(&table));
}

} // namespace tilescope
