// Bytes of each tile, by category and region.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

#include "core/import/readers.h"

namespace tilescope {
namespace {

/// Poplar's categories that are not ours count with the nearest one.
MemoryCategory nearestCategory(const std::string& name) {
    if (const auto known = memoryCategoryFrom(name))
        return *known;
    if (name == "globalMessage" || name == "hostMessage")
        return MemoryCategory::Message;
    return name == "sharedCodeStorage" ? MemoryCategory::VertexCode : MemoryCategory::Variable;
}

} // namespace

void importTiles(Importing& import) {
    Profile& profile = import.profile;
    const std::int32_t tiles = profile.info.target.totalTiles();
    std::map<std::tuple<MemoryCategory, MemoryRegion, bool>, TileSeries> categories;
    std::map<MemoryRegion, TileSeries> regions;
    std::set<std::string> other;
    CaptureRows part(import.file, "tile_categories",
                     {"category", "region", "overlapped", "bytes_series"});
    while (part.next()) {
        const std::string name = part.text(0);
        if (!memoryCategoryFrom(name))
            other.insert(name);
        const auto region =
            part.isNull(1) ? MemoryRegion::NonInterleaved
                           : memoryRegionFrom(part.text(1)).value_or(MemoryRegion::NonInterleaved);
        const TileSeries& bytes = part.series(3);
        categories[{nearestCategory(name), region, part.maybe(2, 0, 1).value_or(0) != 0}] += bytes;
        regions[region] += bytes;
    }
    for (const auto& [key, bytes] : categories)
        profile.categoryMemory.push_back(
            {std::get<0>(key), std::get<1>(key), std::get<2>(key), bytes});
    if (!other.empty())
        import.message(Severity::Info, fmt::format("Bytes of {} count with the nearest category",
                                                   fmt::join(other, ", ")));
    CaptureRows tile(import.file, "tiles",
                     {"tile", "including_gaps", "excluding_gaps", "overflowed_including",
                      "always_live", "not_always_live"});
    constexpr std::int64_t most = TileSeries::largestStored;
    while (tile.next()) {
        const TileId id(tile.id(0));
        if (id.index() != profile.tileMemory.size() || id.value() >= tiles)
            tile.damaged(0, "tiles are missing, or there are too many");
        const auto bytes = [&](int at) { return tile.maybe(at, 0, most).value_or(0); };
        TileMemory memory;
        memory.includingGaps = bytes(1);
        memory.excludingGaps = bytes(2);
        memory.nonInterleaved = regions[MemoryRegion::NonInterleaved].at(id);
        memory.interleaved = regions[MemoryRegion::Interleaved].at(id);
        memory.overflowed = std::max(bytes(3), regions[MemoryRegion::Overflowed].at(id));
        memory.alwaysLive = bytes(4);
        memory.maxNotAlwaysLive = bytes(5);
        profile.info.fits = profile.info.fits && memory.overflowed == 0;
        profile.tileMemory.add(memory);
    }
    while (profile.tileMemory.size() < static_cast<std::size_t>(tiles))
        profile.tileMemory.add({});
}

} // namespace tilescope
