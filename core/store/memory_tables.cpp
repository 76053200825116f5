// Memory of each tile, by region and category.
#include "core/store/table_group.h"

namespace tilescope {
namespace {

std::int64_t tileBytesAt(const Statement& row, int at) {
    const std::int64_t value = row.integer(at);
    if (value < 0 || value > TileSeries::largestStored)
        throw DamagedProfile("a row has an impossible size");
    return value;
}

constexpr auto tileTable = storedTable<TileMemory>({"memory_by_tile"}, [](auto& to, auto& t) {
    to(rowNumber("tile"), given("ipu"), given("physical_tile"),
       field("total", t.includingGaps, tileBytesAt),
       field("excluding_gaps", t.excludingGaps, tileBytesAt),
       field("non_interleaved", t.nonInterleaved, tileBytesAt),
       field("interleaved", t.interleaved, tileBytesAt),
       field("overflowed", t.overflowed, tileBytesAt),
       field("always_live", t.alwaysLive, tileBytesAt),
       field("max_not_always_live", t.maxNotAlwaysLive, tileBytesAt));
});

constexpr auto categoryMemoryTable =
    storedTable<CategoryMemory>({"memory_by_category"}, [](auto& to, auto& c) {
        to(derived("category", static_cast<int>(c.category)),
           readFrom("(SELECT v.name FROM var_categories v WHERE v.id = category)", c.category),
           field("region", c.region), field("overlapped", c.overlapped),
           derived("bytes", c.bytes.sum()), field("bytes_by_tile", c.bytes));
    });

void writeTileMemory(const Profile& profile, const Database& db) {
    const Target& target = profile.info.target;
    RowWriter row(db, tileTable);
    std::int32_t tile = 0;
    for (const TileMemory& m : profile.tileMemory) {
        row(m, tile / target.tilesPerIpu, physicalTileId(target, tile % target.tilesPerIpu));
        ++tile;
    }
}

} // namespace

TableGroup memoryTables() {
    return {1,
            tablesSql(R"sql(
-- total: including gaps (highest address used). overflowed: bytes beyond the tile's memory.
CREATE TABLE memory_by_tile{};

-- overlapped: bytes of variables that are not always live, so that others may use their addresses
-- at other times; a shared byte counts once.
CREATE TABLE memory_by_category{};
)sql",
                      tileTable, categoryMemoryTable),
            {part<&Profile::categoryMemory>(categoryMemoryTable),
             part<&Profile::tileMemory>(tileTable, writeTileMemory)}};
}

} // namespace tilescope
