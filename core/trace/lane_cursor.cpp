#include "core/trace/lane_cursor.h"

#include <algorithm>
#include <limits>

namespace tilescope {
namespace {

/// The first block of a lane that an ascending condition does not hold for.
std::size_t firstBlock(const std::vector<LaneBlock>& blocks, const auto& holds) {
    return static_cast<std::size_t>(std::partition_point(blocks.begin(), blocks.end(), holds) -
                                    blocks.begin());
}

} // namespace

std::size_t LaneCursor::firstEndingAfter(std::int64_t cycle) {
    std::size_t entry = entriesPerBlock * firstBlock(summary(), [cycle](const LaneBlock& block) {
                            return block.maxEnd <= cycle;
                        });
    // What ends later begins in this block: all before it end earlier.
    while (entry < lane_.count && at(entry).end <= cycle)
        ++entry;
    return std::min(entry, lane_.count);
}

std::size_t LaneCursor::firstBeginningAt(std::int64_t cycle) {
    const std::size_t block =
        firstBlock(summary(), [cycle](const LaneBlock& b) { return b.begin < cycle; });
    if (block == 0)
        return 0;
    std::size_t low = (block - 1) * entriesPerBlock;
    std::size_t high = std::min(block * entriesPerBlock, lane_.count);
    while (low < high) {
        const std::size_t middle = (low + high) / 2;
        if (at(middle).begin < cycle)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

std::int64_t LaneCursor::endBound(std::size_t entry) const {
    const bool lastOfBlock = entry % entriesPerBlock == entriesPerBlock - 1;
    return lastOfBlock ? summary()[entry / entriesPerBlock].maxEnd
                       : std::numeric_limits<std::int64_t>::max();
}

std::optional<LaneEntry> LaneCursor::entryAt(std::int64_t cycle) {
    if (cycle == std::numeric_limits<std::int64_t>::max())
        return {};
    for (std::size_t entry = firstBeginningAt(cycle + 1); entry-- > 0;) {
        if (endBound(entry) <= cycle)
            return {};
        if (const LaneEntry& found = at(entry); found.end > cycle)
            return found;
    }
    return {};
}

LaneCursor::Touched LaneCursor::touched(std::int64_t from, std::int64_t to) {
    const std::size_t first = firstEndingAfter(from);
    return {first, std::max(first, firstBeginningAt(to))};
}

const TraceSums& LaneCursor::sumsBefore(std::size_t block) const {
    return block < blocks() ? summary()[block].before : lane_.total;
}

LaneCursor::Touched LaneCursor::wholeBlocks(std::int64_t from, std::int64_t to) const {
    const std::size_t first =
        firstBlock(summary(), [from](const LaneBlock& block) { return block.begin < from; });
    const std::size_t end =
        firstBlock(summary(), [to](const LaneBlock& block) { return block.maxEnd <= to; });
    return {first, std::max(first, end)};
}

} // namespace tilescope
