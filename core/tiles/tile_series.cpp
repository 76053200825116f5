#include "core/tiles/tile_series.h"

#include <algorithm>
#include <functional>

#include "core/base/damaged_profile.h"
#include "core/base/error.h"
#include "core/tiles/varint.h"

namespace tilescope {

TileSeries::TileSeries(TileId first, std::int32_t tiles, std::int64_t value) {
    append(first.value(), first.value() + tiles, value);
}

TileSeries TileSeries::fromDense(std::span<const std::int64_t> values, TileId first) {
    TileSeries series;
    const auto count = static_cast<std::int32_t>(values.size());
    for (std::int32_t at = 0; at < count;) {
        std::int32_t end = at + 1;
        while (end < count &&
               values[static_cast<std::size_t>(end)] == values[static_cast<std::size_t>(at)])
            ++end;
        series.append(first.value() + at, first.value() + end,
                      values[static_cast<std::size_t>(at)]);
        at = end;
    }
    return series;
}

TileSeries TileSeries::fromRuns(std::vector<TileRun> runs) {
    std::sort(runs.begin(), runs.end(),
              [](const TileRun& a, const TileRun& b) { return a.first < b.first; });
    TileSeries series;
    for (const TileRun& run : runs)
        series.append(run.first, run.end, run.value);
    return series;
}

void TileSeries::throwOutOfOrder() {
    throw InternalError("TileSeries: runs overlap or are out of order");
}

std::int64_t TileSeries::at(TileId tile) const {
    const auto after = std::upper_bound(
        runs_.begin(), runs_.end(), tile.value(),
        [](std::int32_t wanted, const TileRun& run) { return wanted < run.first; });
    if (after == runs_.begin())
        return 0;
    const TileRun& run = *std::prev(after);
    return tile.value() < run.end ? run.value : 0;
}

std::int64_t TileSeries::sum() const {
    std::int64_t total = 0;
    for (const TileRun& run : runs_)
        total += run.value * run.tiles();
    return total;
}

std::int64_t TileSeries::sum(std::int32_t first, std::int32_t end) const {
    std::int64_t total = 0;
    auto run = std::partition_point(runs_.begin(), runs_.end(),
                                    [&](const TileRun& r) { return r.end <= first; });
    for (; run != runs_.end() && run->first < end; ++run)
        total += run->value * std::max(0, std::min(end, run->end) - std::max(first, run->first));
    return total;
}

TileSeries::Peak TileSeries::max() const {
    Peak peak;
    for (const TileRun& run : runs_)
        if (!peak.tile.valid() || run.value > peak.value)
            peak = {TileId(run.first), run.value};
    return peak;
}

std::int32_t TileSeries::tilesUsed() const {
    std::int32_t tiles = 0;
    for (const TileRun& run : runs_)
        tiles += run.tiles();
    return tiles;
}

TileSeries TileSeries::slice(std::int32_t first, std::int32_t end) const {
    TileSeries part;
    const auto from = std::partition_point(runs_.begin(), runs_.end(),
                                           [&](const TileRun& r) { return r.end <= first; });
    const auto to =
        std::partition_point(from, runs_.end(), [&](const TileRun& r) { return r.first < end; });
    part.runs_.reserve(static_cast<std::size_t>(to - from));
    for (auto run = from; run != to; ++run)
        part.append(std::max(first, run->first), std::min(end, run->end), run->value);
    return part;
}

TileSeries TileSeries::shifted(std::int32_t by) const {
    TileSeries result = *this;
    for (TileRun& run : result.runs_) {
        run.first += by;
        run.end += by;
    }
    return result;
}

std::vector<std::int64_t> TileSeries::toDense(std::int32_t tiles) const {
    std::vector<std::int64_t> dense(static_cast<std::size_t>(std::max(tiles, 0)), 0);
    addTo(dense);
    return dense;
}

void TileSeries::addTo(std::span<std::int64_t> dense) const {
    const auto count = static_cast<std::int32_t>(dense.size());
    for (const TileRun& run : runs_)
        for (std::int32_t tile = run.first; tile < std::min(run.end, count); ++tile)
            dense[static_cast<std::size_t>(tile)] += run.value;
}

TileSeries operator+(const TileSeries& a, const TileSeries& b) {
    return TileSeries::zip(a, b, std::plus<>());
}

TileSeries operator-(const TileSeries& a, const TileSeries& b) {
    return TileSeries::zip(a, b, std::minus<>());
}

TileSeries& TileSeries::operator+=(const TileSeries& other) {
    if (runs_.empty())
        *this = other;
    else if (!other.runs_.empty())
        *this = *this + other;
    return *this;
}

TileSeries TileSeries::ones() const {
    TileSeries result;
    for (const TileRun& run : runs_)
        result.append(run.first, run.end, 1);
    return result;
}

TileSeries TileSeries::scaled(std::int64_t factor) const {
    TileSeries result;
    result.runs_.reserve(runs_.size());
    for (const TileRun& run : runs_)
        result.append(run.first, run.end, run.value * factor);
    return result;
}

TileSeries TileSeries::maxOf(const TileSeries& a, const TileSeries& b) {
    return zip(a, b, [](std::int64_t x, std::int64_t y) { return std::max(x, y); });
}

std::vector<std::byte> TileSeries::encode() const {
    std::vector<std::byte> blob;
    blob.reserve(1 + runs_.size() * 4);
    putVarint(blob, runs_.size());
    std::int32_t end = 0;
    std::int64_t value = 0;
    for (const TileRun& run : runs_) {
        putVarint(blob, static_cast<std::uint64_t>(run.first - end));
        putVarint(blob, static_cast<std::uint64_t>(run.tiles()));
        putVarint(blob, zigzag(run.value - value));
        end = run.end;
        value = run.value;
    }
    return blob;
}

TileSeries TileSeries::decode(std::span<const std::byte> blob) {
    TileSeries series;
    if (blob.empty())
        return series;
    VarintReader reader(blob);
    const std::uint64_t count = reader.next();
    // Each run takes three bytes at least: a larger count is damage, not data.
    if (count > reader.remaining() / 3)
        throw DamagedProfile("a per-tile blob names more runs than it holds");
    series.runs_.reserve(count);
    // Tiles of a machine, four times what the largest has: sums over them cannot overflow, and
    // listing them does not take all memory.
    constexpr std::uint64_t limit = 1 << 20;
    std::uint64_t end = 0;
    std::uint64_t value = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t gap = reader.next();
        const std::uint64_t tiles = reader.next();
        value += static_cast<std::uint64_t>(reader.nextSigned());
        if (gap > limit || tiles > limit || end + gap + tiles > limit)
            throw DamagedProfile("a per-tile blob names an impossible tile");
        const auto signedValue = static_cast<std::int64_t>(value);
        if (signedValue > largestStored || signedValue < -largestStored)
            throw DamagedProfile("a per-tile blob has an impossible value");
        series.append(static_cast<std::int32_t>(end + gap),
                      static_cast<std::int32_t>(end + gap + tiles), signedValue);
        end += gap + tiles;
    }
    return series;
}

} // namespace tilescope
