// The address of each variable on each tile.
#include <span>
#include <vector>

#include "core/store/placement_codec.h"
#include "core/store/table_group.h"

namespace tilescope {
namespace {

void writePlacements(const Profile& profile, const Database& db) {
    Insert tiles(db, "placement_tiles");
    for (const TileRun& run : profile.placementOfTile.runs())
        tiles(run.first, run.tiles(), run.value - 1);
    Insert insert(db, "placement_chunks");
    std::size_t first = 0;
    for (const PlacementChunk& chunk : profile.placements) {
        insert(first, chunk.placements, chunk.packed);
        first += chunk.placements;
    }
}

TileSeries readPlacementOfTile(const ProfileReader::Impl& file) {
    TileSeries placements;
    Statement tiles = file.db.prepare(
        "SELECT first_tile, tiles, placement FROM placement_tiles ORDER BY first_tile");
    while (tiles.step())
        file.appendRun(placements, tiles.integer(0), tiles.integer(1), tiles.integer(2) + 1);
    return placements;
}

std::vector<PlacementChunk> readPlacements(const ProfileReader::Impl& file) {
    std::vector<PlacementChunk> chunks;
    Statement row = file.db.prepare("SELECT data FROM placement_chunks ORDER BY first_placement");
    while (row.step()) {
        const std::span<const std::byte> data = row.blob(0);
        // Counted in the chunk itself, which is refused here if it is damaged.
        chunks.push_back({decodePlacements(data).size(), {data.begin(), data.end()}});
    }
    return chunks;
}

} // namespace

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

TableGroup placementTables() {
    return {1,
            R"sql(
-- Addresses: tiles whose lists of variables are equal share a placement.
CREATE TABLE placement_tiles(first_tile INTEGER PRIMARY KEY, tiles INTEGER, placement INTEGER);
-- Chunks of placements are zstd-compressed LEB128 numbers (see tile_map).
CREATE TABLE placement_chunks(first_placement INTEGER PRIMARY KEY, placements INTEGER, data BLOB);
)sql",
            {part<&Profile::placementOfTile>(writePlacements, readPlacementOfTile),
             part<&Profile::placements>(nullptr, readPlacements)}};
}

} // namespace tilescope
