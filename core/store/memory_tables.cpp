// Memory of each tile, by region and category.
#include <array>
#include <utility>

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

/// From this version on the memory of many tiles is there as series, too.
constexpr std::int64_t firstVersionWithTileSeries = 13;
// Rows of fewer tiles are read as fast.
constexpr std::size_t manyTiles = 10'000;

/// The columns of memory_by_tile.
constexpr std::array<std::pair<std::string_view, std::int64_t TileMemory::*>, 7> tileColumns{
    {{"total", &TileMemory::includingGaps},
     {"excluding_gaps", &TileMemory::excludingGaps},
     {"non_interleaved", &TileMemory::nonInterleaved},
     {"interleaved", &TileMemory::interleaved},
     {"overflowed", &TileMemory::overflowed},
     {"always_live", &TileMemory::alwaysLive},
     {"max_not_always_live", &TileMemory::maxNotAlwaysLive}}};

void writeTileSeries(const Profile& profile, const Database& db) {
    if (profile.tileMemory.size() < manyTiles)
        return;
    Insert row(db, "memory_of_tiles");
    std::vector<std::int64_t> values(profile.tileMemory.size());
    for (const auto& [name, member] : tileColumns) {
        std::transform(profile.tileMemory.begin(), profile.tileMemory.end(), values.begin(),
                       [member = member](const TileMemory& tile) { return tile.*member; });
        row(name, TileSeries::fromDense(values));
    }
}

void takeSeries(IdVector<TileId, TileMemory>& tiles, std::int64_t TileMemory::*member,
                const TileSeries& series) {
    for (const TileRun& run : series.runs()) {
        if (run.value < 0 || static_cast<std::size_t>(run.end) > tiles.size())
            throw DamagedProfile("a series of tiles has an impossible size");
        for (std::int32_t tile = run.first; tile < run.end; ++tile)
            tiles[TileId(tile)].*member = run.value;
    }
}

/// None where only rows are there.
std::optional<IdVector<TileId, TileMemory>> readTileSeries(const ProfileReader::Impl& file) {
    if (!file.has(firstVersionWithTileSeries))
        return {};
    Statement row = file.db.prepare("SELECT bytes FROM memory_of_tiles WHERE name = ?");
    IdVector<TileId, TileMemory> tiles;
    for (const auto& [name, member] : tileColumns) {
        row.reset();
        row.bind(0, name);
        if (!row.step()) {
            if (tiles.empty())
                return {};
            throw DamagedProfile("a series of tiles is missing");
        }
        const auto all = static_cast<std::size_t>(file.info.target.totalTiles());
        tiles.reserve(all);
        while (tiles.empty() || tiles.size() < all)
            tiles.add({});
        takeSeries(tiles, member, TileSeries::decode(row.blob(0)));
    }
    return tiles;
}

IdVector<TileId, TileMemory> readTileMemory(const ProfileReader::Impl& file) {
    if (auto tiles = readTileSeries(file))
        return *std::move(tiles);
    return readRows<IdVector<TileId, TileMemory>>(file.rows(), tileTable);
}

void writeTileMemory(const Profile& profile, const Database& db) {
    writeTileSeries(profile, db);
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
-- Its columns as series (since version 13; no rows for less than 10,000 tiles).
CREATE TABLE memory_of_tiles(name TEXT PRIMARY KEY, bytes BLOB) WITHOUT ROWID;

-- overlapped: bytes of variables that are not always live, so that others may use their addresses
-- at other times; a shared byte counts once.
CREATE TABLE memory_by_category{};
)sql",
                      tileTable, categoryMemoryTable),
            {part<&Profile::categoryMemory>(categoryMemoryTable),
             part<&Profile::tileMemory>(writeTileMemory, readTileMemory)}};
}

} // namespace tilescope
