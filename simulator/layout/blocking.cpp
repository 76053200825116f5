#include "simulator/layout/blocking.h"

#include <algorithm>
#include <numeric>

#include "core/base/ceil_div.h"
#include "simulator/layout/tile_walk.h"

namespace tilescope::sim {
namespace {

std::int32_t product(std::span<const TileDigit> digits) {
    return std::accumulate(digits.begin(), digits.end(), 1,
                           [](std::int32_t n, const TileDigit& d) { return n * d.count; });
}

} // namespace

Interval intersect(Interval a, Interval b) {
    return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

std::vector<Interval> evenBlocks(std::int64_t size, std::int64_t parts, std::int64_t grain) {
    const std::int64_t grains = ceilDiv(size, grain);
    std::vector<Interval> blocks;
    blocks.reserve(static_cast<std::size_t>(parts));
    for (std::int64_t part = 0; part < parts; ++part)
        blocks.push_back({std::min(size, part * grains / parts * grain),
                          std::min(size, (part + 1) * grains / parts * grain)});
    return blocks;
}

std::int64_t BlockSharing::holders(std::int64_t elements, std::int64_t sharers) const {
    const std::int64_t grains = ceilDiv(ceilDiv(elements, slices), grain);
    if (least == 0 || grains == 0)
        return std::min(sharers, grains);
    const std::int64_t each = std::max(ceilDiv(grains, sharers),
                                       ceilDiv(grains, std::max<std::int64_t>(1, grains / least)));
    return ceilDiv(grains, each);
}

Interval BlockSharing::range(std::int64_t elements, std::int64_t nth, std::int64_t sharers) const {
    const std::int64_t parts = least == 0 ? sharers : holders(elements, sharers);
    const std::int64_t at = fromLast ? sharers - 1 - nth : nth;
    if (at >= parts)
        return {};
    const std::int64_t slice = ceilDiv(elements, slices);
    const std::int64_t grains = ceilDiv(slice, grain);
    const auto upTo = [&](std::int64_t n) {
        return std::min(elements, std::min(slice, n * grains / parts * grain) * slices);
    };
    return {upTo(at), upTo(at + 1)};
}

std::int64_t BlockSharing::part(std::int64_t elements, std::int64_t nth,
                                std::int64_t sharers) const {
    return range(elements, nth, sharers).size();
}

std::int32_t Blocking::tiles() const {
    std::int32_t count = product(copies);
    for (const BlockedDim& dim : dims)
        count *= product(dim.digits);
    return count;
}

void Blocking::blockIndex(std::int32_t nth, std::span<std::int32_t> index) const {
    for (std::size_t i = 0; i < dims.size(); ++i) {
        const auto blocks = static_cast<std::int32_t>(dims[i].blocks.size());
        index[i] = nth % blocks;
        nth /= blocks;
    }
}

std::int32_t Blocking::tileOf(std::int32_t nth) const {
    std::int32_t tile = firstTile;
    const auto take = [&](std::span<const TileDigit> digits) {
        for (const TileDigit& digit : digits) {
            tile += nth % digit.count * digit.stride;
            nth /= digit.count;
        }
    };
    for (const BlockedDim& dim : dims)
        take(dim.digits);
    take(copies);
    return tile;
}

TileSeries Blocking::elements() const {
    TileWalk walk(*this);
    if (walk.ascends()) {
        // Neighbours mostly have equal shares, which are cheaper to count than to append.
        TileSeries series;
        TileRun run;
        walk.forEach([&](std::int32_t tile, std::int64_t share) {
            if (tile == run.end && share == run.value) {
                ++run.end;
                return;
            }
            series.append(run.first, run.end, run.value);
            run = {tile, tile + 1, share};
        });
        series.append(run.first, run.end, run.value);
        return series;
    }
    DenseTiles elements(walk);
    walk.forEach([&](std::int32_t tile, std::int64_t share) { elements.set(tile, share); });
    return elements.series();
}

std::int32_t Blocking::copyCount() const {
    return product(copies);
}

std::int64_t Blocking::shareOf(std::int32_t nth, std::int64_t elements) const {
    const std::int64_t sharers = copiesShare ? copyCount() : 1;
    if (sharers == 1)
        return elements;
    return sharing.part(elements, nth / (tiles() / sharers), sharers);
}

std::int64_t Blocking::largestBlock() const {
    std::int64_t elements = 1;
    for (const BlockedDim& dim : dims) {
        std::int64_t largest = 0;
        for (const Interval& block : dim.blocks)
            largest = std::max(largest, block.size());
        elements *= largest;
    }
    return elements;
}

} // namespace tilescope::sim
