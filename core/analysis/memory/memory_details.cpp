#include "core/analysis/memory/memory_details.h"

#include <algorithm>

namespace tilescope {
namespace {

using Ranges = std::vector<TileRange>;

MemoryNode fromTiles(std::string name, const IdVector<TileId, TileMemory>& tiles,
                     const Ranges& ranges, std::int64_t TileMemory::*field) {
    MemoryNode node{std::move(name), {}, {}};
    for (const TileRange& range : ranges) {
        std::int64_t bytes = 0;
        const std::int32_t end = std::min(range.end, static_cast<std::int32_t>(tiles.size()));
        for (std::int32_t tile = range.first; tile < end; ++tile)
            bytes += tiles[TileId(tile)].*field;
        node.bytes.push_back(bytes);
    }
    return node;
}

MemoryNode categoriesOf(std::string name, const std::vector<CategoryMemory>& categories,
                        const Ranges& ranges, bool overlapped) {
    MemoryNode node{std::move(name), std::vector<std::int64_t>(ranges.size(), 0), {}};
    for (const MemoryCategory category : memoryCategories) {
        MemoryNode child{
            std::string(displayName(category)), std::vector<std::int64_t>(ranges.size(), 0), {}};
        for (const CategoryMemory& c : categories)
            if (c.category == category && c.overlapped == overlapped)
                for (std::size_t i = 0; i < ranges.size(); ++i)
                    child.bytes[i] += c.bytes.sum(ranges[i].first, ranges[i].end);
        if (std::all_of(child.bytes.begin(), child.bytes.end(),
                        [](std::int64_t bytes) { return bytes == 0; }))
            continue;
        for (std::size_t i = 0; i < ranges.size(); ++i)
            node.bytes[i] += child.bytes[i];
        node.children.push_back(std::move(child));
    }
    return node;
}

MemoryNode sumOf(std::string name, std::vector<MemoryNode> children, std::size_t columns) {
    MemoryNode node{std::move(name), std::vector<std::int64_t>(columns, 0), std::move(children)};
    for (const MemoryNode& child : node.children)
        for (std::size_t i = 0; i < columns; ++i)
            node.bytes[i] += child.bytes[i];
    return node;
}

} // namespace

std::vector<MemoryNode> memoryDetails(const Target& target,
                                      const IdVector<TileId, TileMemory>& tiles,
                                      const std::vector<CategoryMemory>& categories,
                                      std::span<const TileSelection> columns) {
    Ranges ranges;
    for (const TileSelection& column : columns)
        ranges.push_back(column.range(target));
    const auto region = [&](MemoryRegion which, std::int64_t TileMemory::*field) {
        return fromTiles(std::string(displayName(which)), tiles, ranges, field);
    };
    MemoryNode excluding = fromTiles("Excluding gaps", tiles, ranges, &TileMemory::excludingGaps);
    excluding.children.push_back(
        sumOf("By region",
              {region(MemoryRegion::NonInterleaved, &TileMemory::nonInterleaved),
               region(MemoryRegion::Interleaved, &TileMemory::interleaved),
               region(MemoryRegion::Overflowed, &TileMemory::overflowed)},
              ranges.size()));
    excluding.children.push_back(sumOf("By category",
                                       {categoriesOf("Not overlapped", categories, ranges, false),
                                        categoriesOf("Overlapped", categories, ranges, true)},
                                       ranges.size()));
    return {fromTiles("Including gaps", tiles, ranges, &TileMemory::includingGaps),
            std::move(excluding)};
}

} // namespace tilescope
