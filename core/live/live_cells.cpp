#include "core/live/live_cells.h"

#include "core/base/saturating.h"
#include "core/tiles/varint.h"

namespace tilescope {

std::vector<std::byte> encodeCells(std::span<const FoundExtremes> cells) {
    std::vector<std::byte> out;
    std::int64_t before = 0;
    for (const FoundExtremes& cell : cells) {
        putVarint(out, static_cast<std::uint64_t>(saturatingDifference(cell.most, cell.least)));
        putVarint(out, zigzag(saturatingDifference(cell.most, before)));
        before = cell.most;
    }
    return out;
}

ChunkCells decodeCells(std::span<const std::byte> data) {
    ChunkCells cells;
    VarintReader reader(data);
    std::int64_t before = 0;
    while (!reader.atEnd()) {
        const std::uint64_t between = reader.next();
        if (!std::in_range<std::int64_t>(between))
            throw DamagedProfile("a cell of live memory has impossible extremes");
        before = saturatingSum(before, reader.nextSigned());
        cells.push_back({saturatingDifference(before, static_cast<std::int64_t>(between)), before});
    }
    return cells;
}

} // namespace tilescope
