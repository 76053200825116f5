#include "core/trace/lane_cursor.h"

#include <algorithm>
#include <limits>

namespace tilescope {

std::size_t LaneCursor::firstEndingAfter(std::int64_t cycle) {
    if (lane_.paged == nullptr)
        return static_cast<std::size_t>(
            std::upper_bound(lane_.maxEnd.begin(), lane_.maxEnd.end(), cycle) -
            lane_.maxEnd.begin());
    const auto block =
        std::upper_bound(lane_.paged->begin(), lane_.paged->end(), cycle,
                         [](std::int64_t wanted, const LaneBlock& b) { return wanted < b.maxEnd; });
    std::size_t entry = static_cast<std::size_t>(block - lane_.paged->begin()) * entriesPerBlock;
    // What ends later begins in this block: all before it end earlier.
    while (entry < lane_.count && at(entry).end <= cycle)
        ++entry;
    return std::min(entry, lane_.count);
}

std::size_t LaneCursor::firstBeginningAt(std::int64_t cycle) {
    if (lane_.paged == nullptr)
        return static_cast<std::size_t>(
            std::lower_bound(
                lane_.entries.begin(), lane_.entries.end(), cycle,
                [](const LaneEntry& entry, std::int64_t wanted) { return entry.begin < wanted; }) -
            lane_.entries.begin());
    const auto block =
        std::lower_bound(lane_.paged->begin(), lane_.paged->end(), cycle,
                         [](const LaneBlock& b, std::int64_t wanted) { return b.begin < wanted; });
    if (block == lane_.paged->begin())
        return 0;
    const auto end = static_cast<std::size_t>(block - lane_.paged->begin()) * entriesPerBlock;
    std::size_t entry = end - entriesPerBlock;
    while (entry < std::min(end, lane_.count) && at(entry).begin < cycle)
        ++entry;
    return std::min(entry, lane_.count);
}

std::int64_t LaneCursor::endBound(std::size_t entry) const {
    if (lane_.paged == nullptr)
        return lane_.maxEnd[entry];
    const bool lastOfBlock = entry % entriesPerBlock == entriesPerBlock - 1;
    return lastOfBlock ? (*lane_.paged)[entry / entriesPerBlock].maxEnd
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
    if (block >= blocks())
        return lane_.total;
    return lane_.paged == nullptr ? lane_.blockSums[block] : (*lane_.paged)[block].before;
}

TraceSums LaneCursor::sums(std::size_t first, std::size_t end) {
    const std::size_t firstBlock = (first + entriesPerBlock - 1) / entriesPerBlock;
    const std::size_t endBlock = end == lane_.count ? blocks() : end / entriesPerBlock;
    TraceSums sums;
    const auto add = [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i)
            sums += lanes_.sumsOf(body_, ipu_, at(i));
    };
    if (firstBlock >= endBlock) {
        add(first, end);
        return sums;
    }
    sums = sumsBefore(endBlock) - sumsBefore(firstBlock);
    add(first, firstBlock * entriesPerBlock);
    add(endBlock * entriesPerBlock, end);
    return sums;
}

LaneCursor::Touched LaneCursor::wholeBlocks(std::int64_t from, std::int64_t to) const {
    const auto beginOf = [this](std::size_t block) {
        return lane_.paged == nullptr ? lane_.entries[block * entriesPerBlock].begin
                                      : (*lane_.paged)[block].begin;
    };
    const auto endOf = [this](std::size_t block) {
        return lane_.paged == nullptr
                   ? lane_.maxEnd[std::min((block + 1) * entriesPerBlock, lane_.count) - 1]
                   : (*lane_.paged)[block].maxEnd;
    };
    const auto firstWhere = [this](const auto& holds) {
        std::size_t low = 0;
        std::size_t high = blocks();
        while (low < high) {
            const std::size_t middle = (low + high) / 2;
            if (holds(middle))
                high = middle;
            else
                low = middle + 1;
        }
        return low;
    };
    const std::size_t first = firstWhere([&](std::size_t block) { return beginOf(block) >= from; });
    const std::size_t end = firstWhere([&](std::size_t block) { return endOf(block) > to; });
    return {first, std::max(first, end)};
}

} // namespace tilescope
