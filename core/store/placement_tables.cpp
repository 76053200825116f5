// The address of each variable on each tile.
#include <algorithm>
#include <atomic>
#include <future>
#include <span>
#include <thread>

#include "core/store/placement_codec.h"
#include "core/store/table_group.h"

namespace tilescope {
namespace {

std::span<const Placement> chunkAt(std::span<const Placement> all, std::size_t index) {
    const std::size_t first = index * placementsPerChunk;
    return all.subspan(first, std::min(placementsPerChunk, all.size() - first));
}

/// Chunks are independent of each other, and compressing them is a large part of writing a file: it
/// is shared by all processors.
std::vector<std::vector<std::byte>> encodedChunks(std::span<const Placement> all) {
    std::vector<std::vector<std::byte>> encoded((all.size() + placementsPerChunk - 1) /
                                                placementsPerChunk);
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t i = next++; i < encoded.size(); i = next++)
            encoded[i] = encodePlacements(chunkAt(all, i));
    };
    std::vector<std::future<void>> helpers;
    const std::size_t threads =
        std::min<std::size_t>(encoded.size(), std::thread::hardware_concurrency());
    for (std::size_t i = 1; i < threads; ++i)
        helpers.push_back(std::async(std::launch::async, work));
    work();
    for (std::future<void>& helper : helpers)
        helper.get();
    return encoded;
}

void writePlacements(const Profile& profile, const Database& db) {
    Insert tiles(db, "placement_tiles");
    for (const TileRun& run : profile.placementOfTile.runs())
        tiles(run.first, run.tiles(), run.value - 1);
    Insert chunk(db, "placement_chunks");
    const std::span<const Placement> all(profile.placements.begin(), profile.placements.end());
    // Those of 16 IPUs take 13 MB: they do not all exist at once.
    constexpr std::size_t atOnce = 32 * placementsPerChunk;
    for (std::size_t first = 0; first < all.size(); first += atOnce) {
        const auto some = all.subspan(first, std::min(atOnce, all.size() - first));
        const std::vector<std::vector<std::byte>> encoded = encodedChunks(some);
        for (std::size_t i = 0; i < encoded.size(); ++i)
            chunk(first + i * placementsPerChunk, chunkAt(some, i).size(), encoded[i]);
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

IdVector<PlacementId, Placement> readPlacements(const ProfileReader::Impl& file) {
    IdVector<PlacementId, Placement> placements;
    Statement chunk = file.db.prepare("SELECT data FROM placement_chunks ORDER BY first_placement");
    while (chunk.step())
        for (Placement& placement : decodePlacements(chunk.blob(0)))
            placements.add(std::move(placement));
    return placements;
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
