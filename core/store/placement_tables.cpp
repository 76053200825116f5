// The address of each variable on each tile.
#include <algorithm>

#include "core/database/insert.h"
#include "core/database/row_access.h"
#include "core/store/placement_codec.h"
#include "core/store/profile_reader_impl.h"
#include "core/store/table_group.h"

namespace tilescope {
namespace {

void writePlacements(const Profile& profile, const Database& db) {
    Insert tiles(db, "placement_tiles");
    for (const TileRun& run : profile.placementOfTile.runs())
        tiles(run.first, run.tiles(), run.value - 1);
    Insert chunk(db, "placement_chunks");
    const std::vector<Placement> all(profile.placements.begin(), profile.placements.end());
    for (std::size_t first = 0; first < all.size(); first += placementsPerChunk) {
        const std::size_t count = std::min(placementsPerChunk, all.size() - first);
        chunk(first, count, encodePlacements(std::span(all).subspan(first, count)));
    }
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

TileSeries ProfileReader::placementOfTile() const {
    TileSeries placements;
    Statement tiles = impl_->db.prepare(
        "SELECT first_tile, tiles, placement FROM placement_tiles ORDER BY first_tile");
    while (tiles.step())
        impl_->appendRun(placements, tiles.integer(0), tiles.integer(1), tiles.integer(2) + 1);
    return placements;
}

IdVector<PlacementId, Placement> ProfileReader::placements() const {
    IdVector<PlacementId, Placement> placements;
    Statement chunk =
        impl_->db.prepare("SELECT data FROM placement_chunks ORDER BY first_placement");
    while (chunk.step())
        for (Placement& placement : decodePlacements(chunk.blob(0)))
            placements.add(std::move(placement));
    return placements;
}

TableGroup placementTables() {
    return {1,
            R"sql(
-- Addresses: tiles whose lists of variables are equal share a placement.
CREATE TABLE placement_tiles(first_tile INTEGER PRIMARY KEY, tiles INTEGER, placement INTEGER);
-- Chunks of placements are zstd-compressed LEB128 numbers (see tile_map).
CREATE TABLE placement_chunks(first_placement INTEGER PRIMARY KEY, placements INTEGER, data BLOB);
)sql",
            writePlacements, [](const ProfileReader& reader, Profile& profile) {
                profile.placementOfTile = reader.placementOfTile();
                profile.placements = reader.placements();
            }};
}

} // namespace tilescope
