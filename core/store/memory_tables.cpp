// Memory of each tile, by region and category.
#include "core/database/insert.h"
#include "core/database/row_access.h"
#include "core/store/profile_reader_impl.h"
#include "core/store/table_group.h"

namespace tilescope {
namespace {

void writeMemory(const Profile& profile, const Database& db) {
    const Target& target = profile.info.target;
    Insert row(db, "memory_by_tile");
    std::int32_t tile = 0;
    for (const TileMemory& m : profile.tileMemory) {
        row(tile, tile / target.tilesPerIpu, physicalTileId(target, tile % target.tilesPerIpu),
            m.includingGaps, m.excludingGaps, m.nonInterleaved, m.interleaved, m.overflowed,
            m.alwaysLive, m.maxNotAlwaysLive);
        ++tile;
    }
    Insert category(db, "memory_by_category");
    for (const CategoryMemory& c : profile.categoryMemory)
        category(static_cast<std::int64_t>(c.category), toString(c.region), c.overlapped,
                 c.bytes.sum(), c.bytes);
}

} // namespace

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
            throw DamagedProfile("a row has an impossible size");
        return value;
    };
    while (row.step())
        memory.add({bytes(0), bytes(1), bytes(2), bytes(3), bytes(4), bytes(5), bytes(6)});
    impl_->checkIds("memory_by_tile", "tile", memory.size());
    return memory;
}

TableGroup memoryTables() {
    return {1,
            R"sql(
-- total: including gaps (highest address used). overflowed: bytes beyond the tile's memory.
CREATE TABLE memory_by_tile(tile INTEGER PRIMARY KEY, ipu INTEGER, physical_tile INTEGER,
    total INTEGER, excluding_gaps INTEGER, non_interleaved INTEGER, interleaved INTEGER,
    overflowed INTEGER, always_live INTEGER, max_not_always_live INTEGER);

-- overlapped: bytes of variables that are not always live, so that others may use their addresses
-- at other times; a shared byte counts once.
CREATE TABLE memory_by_category(category INTEGER, region TEXT, overlapped INTEGER, bytes INTEGER,
    bytes_by_tile BLOB);
)sql",
            writeMemory, [](const ProfileReader& reader, Profile& profile) {
                profile.categoryMemory = reader.categoryMemory();
                profile.tileMemory = reader.tileMemory();
            }};
}

} // namespace tilescope
